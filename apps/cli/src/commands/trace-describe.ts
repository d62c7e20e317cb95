import { describeStream, sizeClasses, sizeRanges, type Trace, type WorkloadSummary } from '@sched/workload'
import { duration, json, NONE, percent, table } from '@sched/report'
import type { Totals } from '@sched/queue-files'
import type { Command } from 'commander'
import { breathe } from '../interruption.js'
import type { Io } from '../io.js'
import { columns } from '../output/columns.js'
import { number } from '../output/number.js'
import { widthOf } from '../output/policy-table.js'
import { changedTraceOptions, openedTrace, tellNotes, warnOfSkipped, type TraceOptions } from './trace-options.js'
import { amountsAs, wholeOrFile } from './option-values.js'
import { clusterOf, totalsOf, type QueuesOptions } from './queues-options.js'

interface DescribeOptions extends TraceOptions, Pick<QueuesOptions, 'cluster' | 'nodes'> {
  readonly slots?: Readonly<Record<string, number>>
  readonly json?: boolean
}

export function addDescribe(trace: Command, io: Io): void {
  const command = trace
    .command('describe')
    .summary('counts, span, load and size classes of a trace')
    .description('Prints what a trace holds: jobs, tasks, span, work, its size classes, and the load of a given cluster or of the machine that a log comes from; and what the rules of the format did to its jobs.')
    .argument('<file>', 'the trace, plain or packed (gzip, zstd), or a directory of histories or of parts in Parquet; - for standard input')
  changedTraceOptions(command)
    .option('--cluster <file>', 'description of the cluster that load is reported for, a file or { ... }')
    .option('--nodes <n>', 'number of its nodes, or a list of machines (a file)', wholeOrFile)
    .option('--slots <list>', 'slots or resources per node (default: map=4,reduce=2)', amountsAs('map=4,reduce=2'))
    .option('--json', 'print JSON')
    .action((file: string, options: DescribeOptions) => describeTrace(file, options, io))
}

async function describeTrace(file: string, options: DescribeOptions, io: Io): Promise<void> {
  const trace = await openedTrace(file, options, io)
  const summary = await describeStream(trace, (await capacityOf(options, io.cwd)) ?? trace.machine?.resources ?? {})
  await breathe(() => !io.signal.aborted)
  const { machine, format, report } = trace
  const { rules } = report
  if (options.json === true) io.stdout.write(json({ format, skippedLines: report.skipped, ...(machine && { machine }), ...(rules && { rules }), ...summary }))
  else io.stdout.write(text(trace, summary, widthOf(io.stdout)))
  if (options.json === true) warnOfSkipped(report, io)
  else tellNotes(trace, io)
}

/** What the cluster of the command line has of each resource; undefined where none is given. */
async function capacityOf({ cluster, nodes, slots }: DescribeOptions, cwd: string): Promise<Totals | undefined> {
  if (cluster === undefined && typeof nodes === 'number') return Object.fromEntries(Object.entries(slots ?? { map: 4, reduce: 2 }).map(([name, amount]) => [name, amount * nodes]))
  if (cluster === undefined && nodes === undefined) return undefined
  const model = await clusterOf({ ...(cluster !== undefined && { cluster }), ...(nodes !== undefined && { nodes }), ...(slots !== undefined && { slots }) }, cwd)
  return model === undefined ? undefined : totalsOf(model)
}

function text(trace: Trace, summary: WorkloadSummary, width: number | undefined): string {
  const facts = [...jobFacts(trace, summary), ...timeFacts(summary)]
  const longest = Math.max(...facts.map(([what]) => what.length))
  const lines = facts.map(([what, value]) => `  ${what.padEnd(longest)}  ${value}\n`).join('')
  return `${summary.name}\n${lines}\n${resourceTable(summary, width)}\n${classTable(summary, width)}`
}

type Fact = readonly [what: string, value: string]

function jobFacts({ format, machine }: Trace, { jobs, stages, tasks, users, queues, chained, constrained, ruled, medianJobTasks, criticalPath }: WorkloadSummary): Fact[] {
  const path = criticalPath === undefined
    ? []
    : [`${number(criticalPath.median)} s in the median job, at most ${number(criticalPath.max)} s; at most ${number(criticalPath.stages)} stages in a row`]
  const counts: readonly (readonly [what: string, jobs: number | undefined])[] = [
    ['jobs that wait for another', chained],
    ['jobs that require labels', constrained?.labels],
    ['jobs that tolerate taints', constrained?.tolerations],
    ['jobs with tasks apart', constrained?.apart],
    ['jobs with placement rules', ruled],
  ]
  return [
    ['format', format],
    ...(machine === undefined ? [] : [['machine', machine.origin] as const]),
    ['jobs', number(jobs)],
    ['stages', number(stages)],
    ['tasks', `${number(tasks)}, in the median job ${number(medianJobTasks)}`],
    ...path.map((value): Fact => ['critical path', value]),
    ['users and queues', `${number(users)} and ${number(queues)}`],
    ...counts.flatMap(([what, count = 0]): Fact[] => (count === 0 ? [] : [[what, number(count)]])),
  ]
}

function timeFacts({ jobs, closedLoop, firstSubmit, span, gaps }: WorkloadSummary): Fact[] {
  if (closedLoop) return [['submission', 'when other jobs end']]
  return [
    ['span', `${duration(span)} from ${duration(firstSubmit)}`],
    ...(jobs > 1 ? [['gaps', `mean ${number(gaps.mean)} s, median ${number(gaps.median)} s, longest ${number(gaps.max)} s`] as const] : []),
  ]
}

function resourceTable({ resources }: WorkloadSummary, width: number | undefined): string {
  const hasLoad = resources.some(({ load }) => load !== undefined)
  return table(
    columns('resource', 'tasks', 'work, unit seconds', 'median duration, s', 'largest demand', ...(hasLoad ? ['load'] : [])),
    resources.map(({ resource, tasks, work, medianDuration, largest, load }) => [
      resource, number(tasks), number(Math.round(work)), number(medianDuration), number(largest), ...(hasLoad ? [percent(load ?? NaN)] : []),
    ]),
    { width },
  )
}

function classTable({ jobs, tasks, resources, classes, classesBy }: WorkloadSummary, width: number | undefined): string {
  // where tasks ask for several resources at once, seconds of one cannot be added to those of another
  const asked = resources.reduce((sum, each) => sum + each.tasks, 0) > tasks ? resources.map(({ resource }) => [resource]) : [resources.map(({ resource }) => resource)]
  const workOf = (work: Readonly<Record<string, number>>, some: readonly string[]) => some.reduce((sum, resource) => sum + (work[resource] ?? 0), 0)
  const totals = asked.map((some) => classes.reduce((sum, { work }) => sum + workOf(work, some), 0))
  return table(
    columns(
      classesBy === 'tasks' ? 'size class' : classesBy,
      ...(classesBy === 'tasks' ? [resources.some(({ resource }) => resource === 'map') ? 'maps of a job' : 'tasks of a job'] : []),
      'jobs',
      'of all jobs',
      'tasks',
      ...asked.map((some) => (asked.length === 1 ? 'of all work' : `of work, ${some.join()}`)),
    ),
    classes.map(({ label, jobs: some, tasks: own, work }) => [
      label,
      ...(classesBy === 'tasks' ? [sizeRanges[sizeClasses.indexOf(label)] ?? NONE] : []),
      number(some),
      percent(some / jobs),
      number(own),
      ...asked.map((names, i) => percent(workOf(work, names) / (totals[i] ?? NaN))),
    ]),
    { width },
  )
}
