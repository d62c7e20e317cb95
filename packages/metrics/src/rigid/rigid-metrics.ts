import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { backfilled, type BackfilledResult } from './backfilled.js'
import { jobGroups, type JobGroupsOptions, type JobGroupsResult } from './job-groups.js'
import { queueLength, type QueueLengthResult } from './queue-length.js'
import { recorded, type RecordedResult } from './recorded.js'

/** Metrics of rigid jobs on a parallel machine. */
export interface RigidResult {
  /** Waiting jobs, and capacity that idled meanwhile. */
  readonly queue: QueueLengthResult
  /** Jobs that overtook earlier ones. */
  readonly backfilled: BackfilledResult
  /** Waits and slowdowns by size, run time and user. */
  readonly jobs: JobGroupsResult
  /** What the log itself recorded. */
  readonly recorded: RecordedResult
}

/** Options of `rigidMetrics`; all may be left out. */
export interface RigidOptions extends JobGroupsOptions {
  /** Number of values per distribution up to which percentiles are exact. Default 100,000. */
  readonly exact?: number | undefined
}

/** All metrics of rigid jobs in one observer. */
export const rigidMetrics = (options: RigidOptions = {}): RigidMetrics => new RigidMetrics(options)

export class RigidMetrics implements Observer {
  readonly #queue
  readonly #backfilled
  readonly #jobs
  readonly #recorded

  constructor(options: RigidOptions) {
    this.#queue = queueLength(options.period)
    this.#backfilled = backfilled(options.period)
    this.#jobs = jobGroups(options)
    this.#recorded = recorded(options)
  }

  onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#queue.onRunStart(run)
    this.#jobs.onRunStart(run)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#queue.onSubmit(job, spec, now)
    this.#backfilled.onSubmit(job, spec, now)
    this.#jobs.onSubmit(job, spec, now)
    this.#recorded.onSubmit(job, spec, now)
  }

  onTaskStart(task: TaskId, job: JobId, lane: LaneId, node: NodeId, level: number, now: Seconds): void {
    this.#queue.onTaskStart(task, job, lane, node, level, now)
    this.#backfilled.onTaskStart(task, job, lane, node, level, now)
    this.#jobs.onTaskStart(task, job, lane, node, level, now)
    this.#recorded.onTaskStart(task, job, lane, node, level, now)
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds, saved: Seconds): void {
    this.#queue.onTaskEnd(task, job, lane, node, how, started, stopped, now)
    this.#jobs.onTaskEnd(task, job, lane, node, how, started, stopped, now, saved)
  }

  onWorkLost(task: TaskId, job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds): void {
    this.#jobs.onWorkLost(task, job, lane, how, seconds)
  }

  onAbandon(job: JobId): void {
    this.#jobs.onAbandon(job)
  }

  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#queue.onJobEnd(job, spec, now)
    this.#backfilled.onJobEnd(job, spec, now)
    this.#jobs.onJobEnd(job, spec, now)
  }

  onRunEnd(now: Seconds): void {
    this.#queue.onRunEnd(now)
    this.#backfilled.onRunEnd()
  }

  result(): RigidResult {
    return { queue: this.#queue.result(), backfilled: this.#backfilled.result(), jobs: this.#jobs.result(), recorded: this.#recorded.result() }
  }
}
