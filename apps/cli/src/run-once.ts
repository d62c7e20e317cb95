import { SchedError } from '@sched/core'
import { Simulation } from '@sched/sim'
import { jobRows, standardMetrics, type JobRow, type Summary } from '@sched/metrics'
import { explained, type Experiment } from './experiment/experiment.js'
import type { NamedPolicy } from './experiment/policies.js'
import { breathe } from './interruption.js'

/** What one run measured, as plain data. */
export interface RunResult {
  readonly policy: string
  readonly seed: number
  /** What the user should know, each once. */
  readonly warnings: readonly string[]
  readonly summary: Summary
}

/** Who is told while a run goes on. */
export interface RunWatch {
  readonly signal: AbortSignal
  /** Jobs that have ended, of all where known, and tasks started so far. */
  onProgress?(ended: number, jobs: number | undefined, launches: number): void
  onJob?(row: JobRow): void
}

/** Instants between two looks at signals and at the progress bar: some 20 ms. */
const SLICE = 10_000

/** One policy on one seed. Depends on its arguments alone, so that runs may go in any order and on any thread. */
export async function runOnce(experiment: Experiment, policy: NamedPolicy, seed: number, watch: RunWatch): Promise<RunResult> {
  const { spec } = experiment.description
  const workload = experiment.workload.of(seed)
  const metrics = standardMetrics({ classOf: experiment.classOf, exact: spec.metrics?.exact })
  const warnings: string[] = []
  let ended = 0
  const progress = { onJobEnd: () => void ended++ }
  const rows = watch.onJob === undefined ? [] : [jobRows((row) => watch.onJob?.(row))]
  try {
    const simulation = new Simulation({
      cluster: experiment.cluster,
      workload,
      policy: policy.plug,
      architecture: experiment.architecture,
      seed,
      observers: [metrics, progress, ...rows],
      warn: (message) => warnings.push(message),
      ...(spec.runtime !== undefined && { runtime: given(spec.runtime) }),
      ...given({ validate: spec.validate, infeasible: spec.infeasible, commitPendingBug: spec.commitPendingBug }),
    })
    await simulation.runStream(spec.until, SLICE, () => {
      watch.onProgress?.(ended, workload.jobs, simulation.launches)
      return breathe(watch.signal)
    })
    watch.onProgress?.(ended, workload.jobs, simulation.launches)
  } catch (error) {
    throw isOfPolicy(error) ? explained(experiment.description, policy.path, error) : error
  }
  return { policy: policy.name, seed, warnings, summary: metrics.result() }
}

/** Whether an error is about how the policy is configured, which only shows when it meets the cluster and the jobs. */
const isOfPolicy = (error: unknown) => error instanceof SchedError && (error.code === 'BAD_OPTION' || error.place.field === 'queue')

/** Without the keys that are undefined. */
function given<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> }
}
