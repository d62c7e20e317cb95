import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { counts, type CountsResult } from './counts.js'
import { fairness, type FairnessOptions } from './fairness.js'
import type { ClassOf } from './job-classes.js'
import { jobTimes, type Times } from './job-times.js'
import type { LaneFairnessResult } from './lane-fairness.js'
import { locality, type LocalityCounts } from './locality.js'
import { preemption, type PreemptionResult } from './preemption.js'
import { promises, type PromisesResult } from './promises.js'
import { utilisation, type UtilisationResult } from './utilisation.js'

/**
 * What happened in one run, as plain data with the same keys for every run. Times are in seconds of simulated time,
 * shares and utilisations are fractions in [0, 1]; NaN (`null` in JSON) where a figure does not exist.
 */
export interface Summary {
  readonly counts: CountsResult
  readonly times: Times
  readonly locality: LocalityCounts
  /** Names of the levels in every `launches`, `share` and `jobShare`. */
  readonly localityLevels: readonly string[]
  /** The same by class of jobs, by label in natural order; empty when no job has a label. */
  readonly classes: readonly ClassSummary[]
  readonly utilisation: UtilisationResult
  /** By lane. */
  readonly fairness: readonly LaneFairnessResult[]
  readonly preemption: PreemptionResult
  readonly promises: PromisesResult
}

export interface ClassSummary {
  readonly label: string
  readonly times: Times
  readonly locality: LocalityCounts
}

export interface StandardOptions {
  /** Class of a job; default: `JobSpec.label`. */
  readonly classOf?: ClassOf | undefined
  /** Most values of which percentiles are exact, per distribution. Default 100,000. */
  readonly exact?: number | undefined
  /** Rows per queue are left out unless `queues` is true. */
  readonly fairness?: FairnessOptions | undefined
}

/** What `run` and `compare` report, in one observer. */
export const standardMetrics = (options: StandardOptions = {}): StandardMetrics => new StandardMetrics(options)

/** Calls its parts from call sites of their own, which is faster than a list of observers. */
export class StandardMetrics implements Observer {
  readonly #counts = counts()
  readonly #times
  readonly #locality
  readonly #utilisation = utilisation()
  readonly #fairness
  readonly #preemption = preemption()
  readonly #promises = promises()

  constructor({ classOf, exact, fairness: options }: StandardOptions) {
    this.#times = jobTimes({ classOf, exact })
    this.#locality = locality({ classOf })
    this.#fairness = fairness({ queues: false, ...options })
  }

  onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#locality.onRunStart(run)
    this.#utilisation.onRunStart(run)
    this.#fairness.onRunStart(run)
    this.#preemption.onRunStart(run)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#counts.onSubmit(job, spec, now)
    this.#times.onSubmit(job, spec, now)
    this.#locality.onSubmit(job, spec)
    this.#utilisation.onSubmit(job, spec, now)
    this.#fairness.onSubmit(job, spec, now)
    this.#promises.onSubmit(job, spec)
  }

  onTaskStart(task: TaskId, job: JobId, lane: LaneId, node: NodeId, level: number, now: Seconds): void {
    this.#counts.onTaskStart()
    this.#times.onTaskStart(task, job, lane, node, level, now)
    this.#locality.onTaskStart(task, job, lane, node, level)
    this.#fairness.onTaskStart(task, job, lane, node, level, now)
    this.#promises.onTaskStart(task, job, lane, node, level, now)
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds): void {
    this.#counts.onTaskEnd(task, job, lane, node, how)
    this.#utilisation.onTaskEnd(task, job, lane, node, how, started, stopped, now)
    this.#fairness.onTaskEnd(task, job, lane, node, how, started, stopped, now)
    this.#preemption.onTaskEnd(task, job, lane, node, how, started, stopped)
  }

  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#counts.onJobEnd(job)
    this.#times.onJobEnd(job, spec, now)
    this.#locality.onJobEnd(job)
    this.#utilisation.onJobEnd(job)
    this.#fairness.onJobEnd(job)
    this.#promises.onJobEnd(job, spec, now)
  }

  onAbandon(job: JobId): void {
    this.#counts.onAbandon(job)
    this.#times.onAbandon(job)
  }

  onReject(): void {
    this.#counts.onReject()
  }

  onReserve(job: JobId, start: Seconds): void {
    this.#promises.onReserve(job, start)
  }

  onRunEnd(now: Seconds): void {
    this.#counts.onRunEnd(now)
    this.#locality.onRunEnd(now)
    this.#utilisation.onRunEnd(now)
    this.#fairness.onRunEnd(now)
    this.#promises.onRunEnd(now)
  }

  result(): Summary {
    const times = this.#times.result()
    const near = this.#locality.result()
    return {
      counts: this.#counts.result(),
      times: times.overall,
      locality: near.overall,
      localityLevels: near.levels,
      classes: times.classes.map(({ label, ...own }, i) => ({ label, times: own, locality: unlabelled(near.classes[i]) })),
      utilisation: this.#utilisation.result(),
      fairness: this.#fairness.result(),
      preemption: this.#preemption.result(),
      promises: this.#promises.result(),
    }
  }
}

/** Both lists hold the same labels in the same order. */
function unlabelled(counted: ({ readonly label: string } & LocalityCounts) | undefined): LocalityCounts {
  const { label: _, ...rest } = counted as { readonly label: string } & LocalityCounts
  return rest
}
