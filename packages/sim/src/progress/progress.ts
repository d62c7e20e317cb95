import type { JobId, JobSpec, NodeId, Seconds, StageSpec } from '@sched/core'

/** A task that has started, as a model of its progress sees it. */
export interface StartedTask {
  readonly run: number
  readonly job: JobId
  readonly spec: JobSpec
  readonly stage: StageSpec
  readonly stageIndex: number
  /** Index of the task in its stage. */
  readonly task: number
  readonly node: NodeId
  /** Seconds of work on its node when nothing disturbs it. */
  readonly alone: Seconds
}

/** The engine's side. */
export interface ProgressHost {
  /** Sets or moves the end of a run; `Infinity`: not known yet. */
  setEnd(run: number, end: Seconds): void
  /** Asks for a `wake` at a time, instead of the one asked for before. */
  alarm(time: Seconds): void
  /** The run has all its input, fetched over the network. */
  fetched(run: number, now: Seconds): void
  /** What the tasks of a node use of its hardware has changed. */
  used(node: NodeId, now: Seconds): void
  /** A task fetches so many bytes of its job from a node. */
  fetches(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void
}

/** How tasks go on where that depends on what else runs: their ends are found and moved on the way. */
export interface Progress {
  start(task: StartedTask, now: Seconds): void
  /** The run works no longer: it is at its end, or was killed before. */
  stop(run: number, now: Seconds): void
  /** The master knows of a run that it is done: not before its `stop`, and never if it was killed in between. */
  done?(run: number, now: Seconds): void
  wake?(now: Seconds): void
}
