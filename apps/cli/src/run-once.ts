import { withoutUndefined, ownValue, type Observer } from '@sched/core'
import type { RuntimeOptions } from '@sched/sim'
import { decisions, jobRows, standardMetrics, type DecisionsResult, type JobRow, type Summary } from '@sched/metrics'
import type { RunningTask } from '@sched/workload'
import { totalOf } from './cluster-amounts.js'
import { drawing, type Draw, type Drawn } from './drawing.js'
import type { Experiment } from './experiment/experiment.js'
import { failuresOf } from './experiment/failures.js'
import { RunMetrics, type Measured } from './experiment/metrics.js'
import { periodOf } from './experiment/period.js'
import type { NamedPolicy } from './experiment/policies.js'
import { toldApart } from './explain-run.js'
import { breathe, isTurnDue } from './interruption.js'
import { NamedSharers } from './named-sharers.js'
import { PausingSimulation } from './pausing-simulation.js'
import { Rejections, type Rejection } from './rejections.js'

/** What one run measured, as plain data. */
export interface RunResult {
  readonly policy: string
  readonly seed: number
  /** What the user should know, each once. */
  readonly warnings: readonly string[]
  /** The first jobs that were rejected, one for each limit that forbids them and how many others it does; `summary.counts.rejected` counts all. */
  readonly rejections: readonly Rejection[]
  readonly summary: Summary
  /** What schedulers did with their time and how long jobs waited for them; null where no decision was told of. */
  readonly decisions: DecisionsResult | null
  /** Figures of metrics of plug-ins; absent where there are none. */
  readonly measured?: readonly Measured[]
  /** What ran at time 0 and belongs to no job, which no other figure counts; null where nothing did. */
  readonly prefilled: Prefilled | null
  /** What charts are drawn from, where they are; no figure, and in no JSON. */
  readonly drawn?: Drawn
}

/** Tasks, and the parts of the cluster that they hold at time 0, by resource. */
interface Prefilled {
  readonly tasks: number
  readonly shares: Readonly<Record<string, number>>
}

/** Who is told while a run goes on. */
export interface RunWatch {
  /** Asked every few milliseconds; false stops the run. */
  mayGoOn(): boolean
  /** Jobs that have ended, of all where known, and tasks started so far. */
  onProgress?(ended: number, jobs: number | undefined, launches: number): void
  onJob?(row: JobRow): void
  /** Told what the user should know as soon as everything is made, before anything runs, and with it the name of the policy. */
  onWarning?(text: string): void
  readonly observers?: readonly Observer[]
  /** What is to be kept for charts. */
  readonly draw?: Draw | undefined
}

/** Most instants between two looks at the clock. */
const STEPS = 10_000

/** One policy on one seed. Depends on its arguments alone, so that runs may go in any order and on any thread. */
export async function runOnce(experiment: Experiment, policy: NamedPolicy, seed: number, watch: RunWatch): Promise<RunResult> {
  const { spec } = experiment.description
  const jobs = experiment.workload.of(seed)
  const workload = policy.workload?.(jobs) ?? jobs
  const { exact, tau, samples, rigid = false, sizes, lengths } = spec.metrics ?? {}
  const period = await periodOf(workload, spec.metrics)
  const metrics = standardMetrics({ classOf: experiment.classOf, exact, tau, period, samples, rigid: rigid && { sizes, lengths } })
  const own = new RunMetrics(experiment.metrics, { period: period ?? { from: -Infinity, to: Infinity } })
  const decided = decisions({ exact: spec.metrics?.exact })
  const kept = watch.draw === undefined ? undefined : drawing(watch.draw, seed, { exact, tau, period })
  const warnings: string[] = []
  const rejections = new Rejections()
  let ended = 0
  const progress: Observer = { onJobEnd: () => void ended++ }
  const rows = watch.onJob === undefined ? [] : [jobRows((row) => watch.onJob?.(row))]
  const sharers = new NamedSharers(policy.path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], spec))
  const { prefill, notes } = experiment.prefill.of(seed)
  const simulation = new PausingSimulation({
    cluster: experiment.cluster,
    workload,
    ...toldApart(policy, experiment.architecture),
    seed,
    prefill,
    ...(experiment.outages.list !== undefined && { outages: experiment.outages.list }),
    observers: [
      metrics, decided, progress, rejections, ...own.observers, ...(sharers.isSharing ? [sharers] : []), ...rows, ...(watch.observers ?? []),
      ...(kept?.observers ?? []),
    ],
    warn: (message) => warnings.push(message),
    ...(spec.runtime !== undefined && { runtime: runtimeOf(spec.runtime) }),
    ...withoutUndefined({
      validate: spec.validate,
      infeasible: spec.infeasible,
      commitPendingBug: spec.commitPendingBug,
      passPerEvent: spec.passPerEvent,
      checkpoint: spec.checkpoint,
      failures: spec.failures && failuresOf(spec.failures, experiment.cluster),
      avoid: typeof spec.avoid === 'string' ? { rule: spec.avoid } : spec.avoid,
      autoscaler: spec.autoscaler,
      speculation: typeof spec.speculation === 'string' ? { rule: spec.speculation } : spec.speculation,
    }),
  })
  for (const each of [...notes, ...warnings]) watch.onWarning?.(warningOf(policy.name, each))
  simulation.isOfOthers = (spec.plugins ?? []).length > 0
  const pause = () => {
    watch.onProgress?.(ended, workload.jobs, simulation.launches)
    return breathe(() => watch.mayGoOn())
  }
  if (isTurnDue() || simulation.isOfOthers) await pause() // what came while this was set up is heard first
  await simulation.runStream(spec.until, STEPS, pause)
  watch.onProgress?.(ended, workload.jobs, simulation.launches)
  const figures = decided.result()
  return {
    policy: policy.name, seed, warnings: [...notes, ...warnings, ...sharers.warnings()], rejections: rejections.all(),
    summary: metrics.result(), decisions: figures.schedulers.length === 0 ? null : figures, prefilled: prefilledOf(prefill, experiment),
    ...(own.observers.length > 0 && { measured: own.result() }),
    ...(kept !== undefined && { drawn: kept.result() }),
  }
}

/** What the user should know of the runs of a policy. */
export const warningOf = (policy: string, text: string): string => `${policy}: ${text}`

function prefilledOf(prefill: readonly RunningTask[], { cluster }: Experiment): Prefilled | null {
  if (prefill.length === 0) return null
  const share = (name: string, r: number) => prefill.reduce((sum, { demand }) => sum + (ownValue(demand, name) ?? 0), 0) / totalOf(cluster, r)
  return { tasks: prefill.length, shares: Object.fromEntries(cluster.resources.map((name, r) => [name, share(name, r)])) }
}

function runtimeOf({ network, ...rest }: NonNullable<Experiment['description']['spec']['runtime']>): RuntimeOptions {
  return { ...withoutUndefined(rest), ...(network !== undefined && { network: network === true ? true : withoutUndefined(network) }) }
}
