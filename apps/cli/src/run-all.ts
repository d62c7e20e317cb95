import type { Description, Experiment } from './experiment/experiment.js'
import type { Draw } from './drawing.js'
import type { Io } from './io.js'
import type { SharedPlace } from './output/run-parts.js'
import { counted, number } from './output/number.js'
import { logNotes } from './output/log-notes.js'
import { skippedText } from './output/skipped-text.js'
import { progressOf } from './progress.js'
import { explainRun } from './explain-run.js'
import { warningOf, type RunResult } from './run-once.js'
import type { Plan, PlannedRun, Variant } from './threads/plan.js'
import { runPlan } from './threads/run-plan.js'
import { withoutEffect } from './without-effect.js'

export interface RunAllOptions {
  readonly quiet?: boolean | undefined
  readonly threads?: number | undefined
  readonly jobs?: SharedPlace | undefined
  readonly draw?: Draw | undefined
}

/** Every policy of an experiment on every seed, policies innermost so that what is compared runs together. */
export function everyRun({ seeds, policies }: Pick<Experiment, 'seeds' | 'policies'>, variant = 0): PlannedRun[] {
  return seeds.flatMap((seed) => policies.map((_, policy) => ({ variant, policy, seed })))
}

/** Without what only messages need, and cannot go to other threads. */
export const variantOf = ({ spec, directory }: Description): Variant => ({ spec, directory })

/** All runs of an experiment; warnings go to stderr, each once, those that are known before a run as it begins. */
export async function runAll(experiment: Experiment, io: Io, { jobs, draw, ...options }: RunAllOptions = {}): Promise<RunResult[]> {
  const plan: Plan = { variants: [variantOf(experiment.description)], runs: everyRun(experiment), jobs, draw }
  const { results, told } = await withProgress(plan, io, options, (run) => nameOf(experiment, plan, run), (run, error) => explainRun(experiment, plan.runs[run]?.policy ?? 0, error))
  for (const text of messagesOf(results, experiment)) if (!told.has(text)) io.stderr.write(`${text}\n`)
  return results
}

function nameOf({ policies }: Experiment, { runs }: Plan, run: number): string {
  const { policy = 0, seed = 1 } = runs[run] ?? {}
  return `${policies[policy]?.name ?? ''}, seed ${seed}`
}

/** Runs a plan under a progress bar; what the user has been told meanwhile, on stderr, is told. */
export async function withProgress(
  plan: Plan,
  io: Io,
  { quiet = false, threads }: RunAllOptions,
  name: (run: number) => string,
  explain: (run: number, error: Error) => Error,
): Promise<{ readonly results: RunResult[]; readonly told: ReadonlySet<string> }> {
  const told = new Set<string>()
  const progress = await progressOf(io, quiet, plan.runs.length)
  try {
    const results = await runPlan(plan, {
      signal: io.signal,
      threads,
      explain,
      onRun: (run) => progress.begin(name(run)),
      onProgress: ({ runs, launches }) => progress.update(runs, launches),
      onWarning(text) {
        const line = `warning: ${text}`
        if (!told.has(line)) progress.say(line)
        told.add(line)
      },
    })
    return { results, told }
  } finally {
    progress.stop()
  }
}

/** What the user should know of the runs of an experiment, each beginning with `note:` or `warning:`. */
export function messagesOf(results: readonly RunResult[], experiment: Pick<Experiment, 'workload' | 'outages' | 'cluster' | 'policies' | 'description'>): string[] {
  const { workload, outages, description } = experiment
  const { report } = workload.trace ?? {}
  const notes = (report?.notes ?? workload.notes ?? []).filter((note) => description.spec.cluster === undefined || !isOfMachine(note))
  const isEmpty = results.every(({ summary: { counts } }) => counts.jobs === 0 && counts.rejected === 0)
  return [
    ...[...logNotes(notes, report?.jobs ?? Infinity, description.spec.workload), ...outages.notes, ...withoutEffect(results, experiment)].map((note) => `note: ${note}`),
    ...(report !== undefined && report.skipped > 0 ? [`warning: ${skippedText(report)}`] : []),
    ...(isEmpty ? [`warning: no job was submitted${whyNone(description)}.`] : []),
    ...(!isEmpty && drewNothing(results) ? ['note: every seed gave the same, since nothing is drawn here: `--seeds 1` is enough, or `--jitter 0.1` varies task times.'] : []),
    ...partlyRecorded(results),
    ...ofOtherJobs(results),
    ...warningsOf(results).map((text) => `warning: ${text}`),
  ]
}

/** What is recorded stands beside figures of all jobs, and differences from these are of other jobs where the log knows few waits. */
function partlyRecorded([first]: readonly RunResult[]): string[] {
  const { jobs, recorded } = first?.summary.rigid ?? {}
  if (jobs === undefined || recorded === undefined || recorded.jobs === 0 || recorded.jobs >= jobs.overall.finished) return []
  return [`note: what is recorded is of ${number(recorded.jobs)} of ${number(jobs.overall.finished)} jobs, whose waits the log has; other figures are of all.`]
}

/** Policies that reject other jobs are compared by figures of other jobs, which is easily missed. */
function ofOtherJobs(results: readonly RunResult[]): string[] {
  const [first] = results
  if (first === undefined || results.every(({ seed, policy, summary: { counts } }) => seed !== first.seed || policy === first.policy || counts.rejected === first.summary.counts.rejected)) return []
  const counts = results.filter(({ seed }) => seed === first.seed).map(({ policy, summary: { counts } }) => `${policy} ${number(counts.jobs)}`)
  return [`note: figures are of the jobs that each policy has not rejected (of seed ${first.seed}: ${counts.join(', ')}), so differences are of other jobs, too.`]
}

/** Whether a note says how large the machine of a log was found to be, which matters where the log's machine is the cluster. */
const isOfMachine = (note: string) => / of the machine: \d+, inferred/.test(note)

/** Whether there are several seeds, and every policy did the same on all of them. */
function drewNothing(results: readonly RunResult[]): boolean {
  const outcomes = new Set(results.map(({ policy, summary }) => `${policy} ${JSON.stringify(summary)}`))
  return outcomes.size < results.length && outcomes.size === new Set(results.map(({ policy }) => policy)).size
}

/** What may have left no job. */
function whyNone({ spec: { workload, until } }: Description): string {
  if (workload.window !== undefined) return ` between ${workload.window.from} and ${workload.window.to} s (window); \`sched trace describe\` tells the span of a trace`
  return until === undefined ? '' : ` before ${until} s (until)`
}

/** What the user should know of some runs, each once. */
export function warningsOf(results: readonly RunResult[]): string[] {
  const warnings: string[] = []
  for (const policy of new Set(results.map((result) => result.policy))) {
    const abandoning = results.filter((result) => result.policy === policy && result.summary.counts.abandoned > 0)
    const abandoned = abandoning.reduce((sum, { summary }) => sum + summary.counts.abandoned, 0)
    const rejecting = results.find((result) => result.policy === policy && result.rejections.length > 0)
    if (rejecting !== undefined) warnings.push(rejectedText(rejecting))
    if (abandoned > 0) warnings.push(`${policy}: ${counted(abandoned, 'job')} given up ${whyAbandoned(abandoning)}; not counted in times.`)
  }
  return [...warnings, ...new Set(results.flatMap(({ policy, warnings: own }) => own.map((each) => warningOf(policy, each))))]
}

/**
 * Attempts are counted where decisions take time; without them it was Hadoop on demand, a deadline, or a policy that cancels jobs, and takes what runs of
 * them, unless tasks have failed.
 */
function whyAbandoned(results: readonly RunResult[]): string {
  const some = (is: (result: RunResult) => boolean) => results.some(is)
  const hasFailed = some(({ summary }) => summary.counts.failed > 0)
  const isTaken = some(({ summary }) => summary.counts.evicted > 0)
  return [
    hasFailed && `after too many failures of a task (\`maxAttempts\` of \`failures\`${some(({ summary }) => (summary.avoidance?.ofTasks ?? 0) > 0) ? '; under `avoid: spark` also when a task had no node left' : ''})`,
    some(({ decisions }) => decisions !== null) && 'after too many attempts (`abandonAfter` and `abandonUnplacedAfter` of the architecture)',
    results.every(({ decisions }) => decisions === null) && (isTaken || !hasFailed) &&
      'by a policy that cancels what it preempts, at the walltime of their virtual cluster (`walltime` and `abandonAtWalltime` of the architecture), or as too late for their deadline (`firmDeadline`)',
  ].filter((why) => why !== false).join(', or ')
}

/** How many jobs a run has rejected, and why the first of them. */
function rejectedText({ policy, seed, rejections, summary }: RunResult): string {
  const { rejected, jobs } = summary.counts
  const rest = rejections.reduce((sum, { others }) => sum - 1 - others, rejected)
  return [
    `${policy}: ${number(rejected)} of ${counted(rejected + jobs, 'job')} rejected on seed ${seed}:`,
    ...rejections.map(({ job, reason, others, firstOthers }) => `  ${job}: ${reason}${others > 0 ? `, and ${number(others)} more like it (${firstOthers.join(', ')}${others > firstOthers.length ? ', ...' : ''})` : ''}`),
    ...(rest > 0 ? [`  and ${number(rest)} more`] : []),
    ...(rejections.some(({ reason }) => reason.includes('names no queue'))
      ? ['  Jobs without a queue get one by `--queue-mix prod=70,adhoc=30` (`queueMix` of the workload).']
      : []),
    ...(rejections.some(({ reason }) => /there is no queue|no ClusterQueue or LocalQueue is called/.test(reason))
      ? ['  Queues get the names that they have there by `--queue-names theirs=ours,*=other` (`queueNames` of the workload).']
      : []),
  ].join('\n')
}
