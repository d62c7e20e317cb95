import type { JobId, NodeId, Seconds, StageSpec, TaskId } from '@sched/core'

/** A copy that a rule asks for. */
export interface Copy {
  /** The running task to copy. */
  readonly task: TaskId
  /** Nodes that may not run the copy; absent: none. Either all copies of a rule have some or none has. */
  readonly bars?: ReadonlySet<NodeId>
}

/** Which tasks are copied, when, and where: what published systems of speculative execution differ in. */
export interface SpeculationRule {
  /** Whether its copies are kept off nodes. */
  readonly barsNodes: boolean
  /** Whether it copies for nodes that have room now: a copy of which nobody has begun by the next look at its job is taken back. */
  readonly isForNow: boolean
  /** Whether news may bring forward a look; otherwise it stays when it was to be. */
  readonly isPrompt: boolean
  /** Most copies that the tasks of a stage may have at once, a whole number; more than there are tasks counts as one for each. */
  mostCopies(stage: StageSpec): number
  /** How many of so many tasks of a stage must be done before it is worth a look. */
  leastDone(tasks: number): number
  /** The copies to make of tasks of a stage now, best first. */
  copies(stage: number, now: Seconds): readonly Copy[]
  /** When a job is to be looked at next, after `now`, where a look has just made so many copies; `Infinity`: when there is news. */
  afterLook(now: Seconds, copies: number): Seconds
  /** When a job is to be looked at, after `now`, where there is news: tasks have just started, or stopped, or are done. */
  afterNews(now: Seconds): Seconds
  /** A task of the stage is done, by an attempt on this node that took so many seconds. */
  done?(stage: number, node: NodeId, seconds: Seconds): void
  /** A job is submitted; what is known under its id was of another one. */
  open?(job: JobId): void
}
