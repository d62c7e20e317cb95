import type { JobId, NodeId, Seconds, TaskId } from '@sched/core'

/** A task that has failed by itself. */
export interface Failure {
  readonly job: JobId
  /** Its stage, as a number over all jobs. */
  readonly stage: number
  /** The task, for a copy the one that it is a copy of. */
  readonly task: TaskId
  /** Where it ran. */
  readonly node: NodeId
}

/** Which nodes are avoided after failures, and for how long: what published systems differ in. */
export interface AvoidRule {
  /** Whether jobs avoid nodes; otherwise nodes are only drained. */
  readonly isOfJobs: boolean
  /** What happens to a job of which a task has no node left: the nodes are not avoided, or the job fails after so many seconds. */
  readonly failsAfter: Seconds | undefined
  /** A task has failed, and its job is not given up. */
  failed(failure: Failure, now: Seconds): void
  /** All tasks of a stage are done, and the job is not. */
  stageDone?(job: JobId, stage: number, now: Seconds): void
  /** A job leaves, done or not. */
  ended?(job: JobId, isDone: boolean, now: Seconds): void
  /** Nodes have gone or come back. */
  nodesChanged?(now: Seconds): void
  /** Forgets what tasks of a job have failed so far. */
  forget(job: JobId): void
}
