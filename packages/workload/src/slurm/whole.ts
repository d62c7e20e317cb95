import { SchedError, type JobSource, type JobSpec } from '@sched/core'
import { eachLine } from '../rigid/each-line.js'
import { inferSize, machineOf, type Size, type Sizes } from '../rigid/machine.js'
import { recordedUse } from '../rigid/recorded-use.js'
import type { RigidResource } from '../rigid/resources.js'
import { BadLines, noJobs, ofRow } from '../trace/bad-lines.js'
import { ruleLine, type RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace, type ReadOptions, type Trace } from '../trace/format.js'
import { slurmResources, slurmSizes, type SlurmRules } from './options.js'
import { SlurmJobs, type SlurmRecord, type SlurmTable } from './records.js'

/**
 * A table of Slurm's records whose content is in memory: all jobs are made now and sorted by submit time, equal ones in
 * the order of the table; times count from the first of them. Throws `BAD_INPUT` with file, line and field.
 */
export function readSlurm({ name: format, reader, sizes }: Pick<Required<SlurmTable>, 'name' | 'reader' | 'sizes'>, bytes: Uint8Array, options: SlurmRules, reading: ReadOptions): Trace {
  const header = sizes(bytes)
  const { jobs, unsorted, report } = readJobs(reader, new SlurmJobs(options, header), bytes, reading)
  const origin = jobs[0]!.submit
  const { machine, notes } = sized(jobs, options, header)
  const rules = [...report.rules, ...(unsorted === 0 ? [] : [{ rule: 'sorted', jobs: unsorted, text: 'submitted before one above: sorted' }])]
  return {
    name: reading.file ?? format,
    format,
    jobs: jobs.length,
    chained: false,
    machine,
    start: origin,
    report: { ...report, jobs: jobs.length, rules, notes: [...notes, ...rules.map(ruleLine)] },
    open(): JobSource {
      let next = 0
      return {
        next() {
          const job = jobs[next++]
          return job && { ...job, submit: job.submit - origin }
        },
      }
    },
  }
}

function readJobs(reader: SlurmTable['reader'], made: SlurmJobs, bytes: Uint8Array, { file, onBadLine = 'fail', counted = 'line' }: ReadOptions) {
  const bad = new BadLines(onBadLine)
  const place = { file, line: 0, counted, checked: false }
  const lines = reader(place)
  const jobs: JobSpec[] = []
  let unsorted = 0
  const take = (record: SlurmRecord | 'step') => {
    const job = made.job(record)
    if (job === undefined) return
    if (jobs.length > 0 && job.submit < jobs.at(-1)!.submit) unsorted++
    jobs.push(job)
  }
  const visit = (line: number, from: number, to: number) => {
    place.line = counted === 'row' ? line - 1 : line
    excuse(bad, place, () => lines.line(bytes, from, to, take))
  }
  const count = eachLine(bytes, file, { visit })
  excuse(bad, place, () => lines.end?.())
  const rules = [...made.rules(), ...(lines.rules?.() ?? [])]
  if (jobs.length === 0) throw empty(file, counted, bad, rules)
  if (unsorted > 0) jobs.sort((a, b) => a.submit - b.submit)
  return { jobs, unsorted, report: { lines: counted === 'row' ? count - 1 : count, ...(counted === 'row' && { counted }), skipped: bad.skipped, problems: bad.problems, rules } }
}

function excuse(bad: BadLines, place: LinePlace, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof BadLine)) throw ofRow(error, place)
    bad.add(error, place)
  }
}

function empty(file: string | undefined, counted: string, bad: BadLines, rules: readonly RuleCount[]): SchedError {
  const [first] = bad.problems
  if (first !== undefined) return new SchedError('BAD_INPUT', `all ${bad.skipped} ${counted}s with jobs are bad, the first: ${first}`)
  return noJobs(rules, file)
}

/** The machine; what neither the options nor the file say is inferred from the jobs. */
function sized(jobs: readonly JobSpec[], options: SlurmRules, header: Sizes) {
  const sizes: { [R in RigidResource]?: Size | undefined } = { ...slurmSizes(options, header) } satisfies Sizes
  const notes: string[] = []
  for (const resource of slurmResources(options)) {
    if (sizes[resource] !== undefined) continue
    const inferred = (sizes[resource] = inferSize(resource, recordedUse(jobs, resource)))
    notes.push(`${resource} of the machine: ${inferred.amount}, ${inferred.origin}`)
  }
  return { machine: machineOf(slurmResources(options), sizes, options.tasks)!, notes }
}
