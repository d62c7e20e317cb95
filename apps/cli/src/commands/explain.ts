import { nearest, SchedError, type JobId, type JobSpec, type Observer } from '@sched/core'
import { jobWait } from '@sched/metrics'
import { json } from '@sched/report'
import { Option, type Command } from 'commander'
import { prepare, type Experiment } from '../experiment/experiment.js'
import { describeExperiment } from '../experiment/from-options.js'
import type { ExperimentOptions } from '../experiment/given-options.js'
import { filesRead } from '../experiment/paths.js'
import type { Io } from '../io.js'
import { LongestSpread } from '../longest-spread.js'
import { LongestWait } from '../longest-wait.js'
import { explainText } from '../output/explain-text.js'
import type { ExplainedRun } from '../output/explained-run.js'
import { headline } from '../output/headline.js'
import { counted } from '../output/number.js'
import { inDifferentPlaces, isSilent } from '../output/outputs.js'
import { outputFile } from '../output/output-file.js'
import { widthOf } from '../output/policy-table.js'
import { spareInputs } from '../output/spare-inputs.js'
import { progressOf } from '../progress.js'
import { explainRun } from '../explain-run.js'
import { runOnce } from '../run-once.js'
import { version } from '../version.js'
import { countFindings, onePoint } from './compare.js'
import { experimentOptions } from './experiment-options.js'

interface ExplainOptions extends ExperimentOptions {
  readonly job?: string
  readonly longest?: (typeof LONGEST)[number]
  readonly json?: string
  readonly html?: string
  readonly force?: boolean
  readonly quiet?: boolean
}

/** What jobs may be the longest in. */
const LONGEST = ['wait', 'spread'] as const

/** So many jobs that never start are named. */
const NAMED = 3

export function addExplain(program: Command, io: Io): void {
  const command = program
    .command('explain')
    .summary('say why a job waited, under any policies')
    .description('Runs policies on one seed and says where the wait of a job for its first task went: no room, a reservation, a limit, its turn, decisions of schedulers, ...; who held the cluster meanwhile, and who passed it. Of a job of several tasks also why the others started later than the first.')
    .argument('[experiment]', 'experiment file (`sched init` writes one); options override what it says')
    .option('--job <id>', 'the job, by its id in the workload (default: the one that --longest names); each run ends with the job')
    .addOption(new Option('--longest <what>', 'without --job, the job with the longest wait for its first task (of those that get it, if one does or --until does not end the run before), or spread from the start of its first task to that of its last, under the first policy, which a run of its own finds (default: wait)').choices(LONGEST))
    .option('--json <file>', 'write all of it as JSON; - for standard output')
    .option('--html <file>', 'write one page with charts, which a browser shows without a network; - for standard output')
    .option('--force', 'replace existing output')
    .option('--quiet', 'print nothing and no progress')
  experimentOptions(command, { single: true })
    .option('--policies <list>', 'policies by name or as in a file: fifo,{delay: {node: 5}} (default: as of `sched compare`)')
    .addHelpText('after', '\nExample:\n  sched explain --trace KTH-SP2-1996-2.swf.gz --job 4711 --policies strict,easy')
    .action((file: string | undefined, options: ExplainOptions) => explain(file, options, io))
}

async function explain(file: string | undefined, options: ExplainOptions, io: Io): Promise<void> {
  if (options.job !== undefined && options.longest !== undefined) throw new SchedError('BAD_OPTION', 'stands beside --job.', { field: '--longest' }, 'Name the job, or let it be found.')
  const description = onePoint(await describeExperiment(file, options, io.cwd))
  inDifferentPlaces({ '--json': options.json, '--html': options.html }, io.cwd)
  spareInputs([options.json, options.html], await filesRead(description, options, io.cwd), io.cwd)
  const [output, pageOutput] = [options.json, options.html].map((path) => (path === undefined ? undefined : outputFile(path, io, options.force ?? false)))
  const experiment = await prepare(description)
  countFindings(experiment.policies, options, io)
  const [seed = 1] = experiment.seeds
  const one = { ...experiment, seeds: [seed] }
  const job = options.job ?? (await longestJob(one, options, io))
  const { prefill } = experiment.prefill.of(seed)
  const ids: string[] = []
  const runs: ExplainedRun[] = []
  for (const policy of experiment.policies.keys()) {
    const observer = jobWait(job, prefill)
    const noted = { onSubmit: (_: JobId, { id }: JobSpec) => void (policy === 0 && ids.push(id)) }
    await run(one, policy, options, io, [observer, noted], () => observer.isOver)
    const wait = observer.result()
    if (wait === undefined && ids.length === 0) throw noJobs()
    const { name = '' } = experiment.policies[policy] ?? {}
    if (wait === undefined) throw new SchedError('BAD_OPTION', notSubmitted(job, ids, name, experiment), { field: '--job' }, idsText(job, ids))
    runs.push({ policy: name, wait })
  }
  const page = pageOutput === undefined ? '' : (await import('../html/explain-page.js')).explainPage(one, runs, io)
  output?.write(json({ sched: version, job, seed, policies: runs }))
  pageOutput?.write(page)
  if (!isSilent(options)) io.stdout.write(`${headline(one)}\n${explainText(runs, widthOf(io.stdout))}`)
}

/** The workload has no such job, or it was not submitted before the end of the run, or after others that were given up. */
function notSubmitted(job: string, ids: readonly string[], policy: string, { description }: Experiment): string {
  const { until } = description.spec
  if (until !== undefined) return `no job called "${job}" was submitted by ${until} s, when the run ends (until), under ${policy}.`
  return ids.includes(job) ? `job "${job}" was not submitted under ${policy}.` : `no job of the workload is called "${job}".`
}

function idsText(job: string, ids: readonly string[]): string {
  const close = nearest(job, ids)
  return `${close === undefined || close === job ? '' : `Did you mean "${close}"? `}Its ids are ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', ...' : ''}; without --job the longest wait is explained.`
}

/**
 * The job that waits longest under the first policy, or whose starts are spread longest. A run of its own: where a wait went is seen by looking at the nodes whenever anything happens from
 * the submission on, which is done for one job, and for all that wait would cost far more than the run.
 */
async function longestJob(experiment: Experiment, options: ExplainOptions, io: Io): Promise<string> {
  const { longest: what = 'wait' } = options
  const longest = what === 'wait' ? new LongestWait(experiment.description.spec.until) : new LongestSpread()
  await run(experiment, 0, options, io, [longest])
  if (longest.job === undefined) throw what === 'wait' ? noJobs() : noSpread()
  if (longest instanceof LongestWait && longest.neverStarted.length > 0 && options.quiet !== true) io.stderr.write(neverStarted(longest.neverStarted, experiment))
  return longest.job
}

/** That jobs which never start are not taken for the longest wait, and how to ask for one. */
function neverStarted(jobs: readonly string[], { policies: [policy] }: Experiment): string {
  const [first = ''] = jobs
  const named = `${jobs.slice(0, NAMED).join(', ')}${jobs.length > NAMED ? ', ...' : ''}`
  return `note: ${counted(jobs.length, 'job')} never start${jobs.length === 1 ? 's' : ''} under ${policy?.name ?? ''} (${named}), and the longest wait is that of one that does; --job ${/^[\w.-]+$/.test(first) ? first : JSON.stringify(first)} explains ${jobs.length === 1 ? 'it' : 'one of them'}.\n`
}

const noSpread = () => new SchedError('BAD_OPTION', 'no job has a task that starts later than its first.', { field: '--longest' }, 'Ask for the longest wait (`--longest wait`), or name a job (--job).')

const noJobs = () => new SchedError(
  'BAD_INPUT',
  'no job was submitted, so none waited.',
  {},
  'See what the trace holds (`sched trace describe`), and what of it is run (--window, --until, --infeasible).',
)

/** Runs one of the policies on the first seed, as far as there is more to learn. */
async function run(
  experiment: Experiment,
  at: number,
  { quiet = false }: ExplainOptions,
  io: Io,
  observers: readonly Observer[],
  isEnough: () => boolean = () => false,
): Promise<void> {
  const policy = experiment.policies[at]
  const [seed = 1] = experiment.seeds
  if (policy === undefined) return
  const progress = await progressOf(io, quiet, 1)
  progress.begin(policy.name)
  try {
    await runOnce(experiment, policy, seed, {
      mayGoOn: () => !io.signal.aborted && !isEnough(),
      observers,
      onProgress: (ended, jobs, launches) => progress.update(jobs === undefined ? 0 : ended / jobs, launches),
    })
  } catch (error) {
    if (isEnough() && !io.signal.aborted) return // also an error of what comes later, before which the run may end or not
    throw error instanceof Error ? explainRun(experiment, at, error) : error
  } finally {
    progress.stop()
  }
}
