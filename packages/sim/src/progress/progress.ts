import type { JobId, JobSpec, NodeId, Seconds, StageSpec } from '@sched/core'

/** A task that has started, as a progress model sees it. */
export interface StartedTask {
  readonly run: number
  readonly job: JobId
  readonly spec: JobSpec
  readonly stage: StageSpec
  readonly stageIndex: number
  /** Index of the task in its stage. */
  readonly task: number
  readonly node: NodeId
  /** Seconds of work on its node if nothing disturbs it. */
  readonly alone: Seconds
}

/** The engine's side of a progress model. */
export interface ProgressHost {
  /** Sets or moves the end of a run; `Infinity`: not known yet. */
  setEnd(run: number, end: Seconds): void
  /** Requests a `wake` at a time, in place of the earlier request. */
  alarm(time: Seconds): void
  /** The run has fetched all its input over the network. */
  fetched(run: number, now: Seconds): void
  /** The use of a node's hardware has changed. */
  used(node: NodeId, now: Seconds): void
  /** A task fetches so many bytes of its job from a node. */
  fetches(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void
}

/** A model of tasks whose progress depends on what else runs: it sets and moves their ends as they go. */
export interface Progress {
  start(task: StartedTask, now: Seconds): void
  /** The run stops working: it is at its end, or is killed before. */
  stop(run: number, now: Seconds): void
  /** The master knows that the run is done: never before its `stop`, and not at all if it is killed in between. */
  done?(run: number, now: Seconds): void
  wake?(now: Seconds): void
}
