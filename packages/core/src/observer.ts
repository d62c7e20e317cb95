import type { JobId, LaneId, NodeId, Seconds, TaskId } from './ids.js'
import type { JobSpec } from './job.js'
import type { Architecture, Decision, Pass } from './plugs.js'
import type { NodeState } from './power.js'
import type { Reason } from './round.js'
import type { ClusterView, WorkView } from './views.js'

/**
 * How a started task left its node: `done`; `evicted` for others; `lost` with a node, the rest of its gang or its job's master; `failed` by itself,
 * with another of its gang, or with its job.
 */
export type TaskEnd = 'done' | 'evicted' | 'lost' | 'failed'

/**
 * Tasks of one stage of which the same is told at one instant, in order. One object is used for all rows: valid during
 * the call only.
 */
export interface TaskRow {
  /** Whose the tasks are. */
  readonly job: JobId
  /** In which they are scheduled. */
  readonly lane: LaneId
  /** Of the columns the first `count` entries count; `nodes[i]` is the node of `tasks[i]`. */
  readonly count: number
  /** Of which the first `count` count. */
  readonly tasks: readonly TaskId[]
  /** The node of each. */
  readonly nodes: readonly NodeId[]
}

/** Tasks that start; see `onTaskStart`. */
export interface StartRow extends TaskRow {
  /** Locality level of the launches, -1 without data. */
  readonly level: number
}

/** Tasks that leave their nodes; see `onTaskEnd`. */
export interface EndRow extends TaskRow {
  /** How they ended. */
  readonly how: TaskEnd
  /** When the tasks started, and when they stopped: at or before the time at which it is told. */
  readonly started: Seconds
  /** When the tasks stopped: at or before the time at which it is told. */
  readonly stopped: Seconds
  /**
   * Seconds of each task's work that are not lost although it was not done: see `checkpoint` of a simulation. Below 0 where
   * what earlier runs had kept is lost: of a task that was suspended, went on and is killed.
   */
  readonly saved: Seconds
}

/**
 * Read-only listener to what really happened; every metric is one. Hooks are called in event order, a job's
 * `onJobEnd` after its last `onTaskEnd`; tasks of a stage that end together have all left when the first is told of.
 * Ids are valid during the call only.
 */
export interface Observer {
  /** Before anything happens; the views stay valid during the run. */
  onRunStart?(run: { readonly cluster: ClusterView; readonly work: WorkView; readonly architecture: Architecture }): void
  /** A job has been submitted and not refused. */
  onSubmit?(job: JobId, spec: JobSpec, now: Seconds): void
  /** `level` is the locality level of the launch, -1 for a task without data. */
  onTaskStart?(task: TaskId, job: JobId, lane: LaneId, node: NodeId, level: number, now: Seconds): void
  /** `now` is when the master knows; the task itself stopped at `stopped` <= now. */
  onTaskEnd?(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds, saved: Seconds): void
  /** In place of `onTaskStart`, for an observer that can count tasks of a job together. */
  onTasksStart?(row: StartRow, now: Seconds): void
  /** In place of `onTaskEnd`, as above. */
  onTasksEnd?(row: EndRow, now: Seconds): void
  /**
   * A suspended task has lost so many seconds of work that it had behind it, told of as saved when it stopped: `lost` with its node, `evicted` or
   * `failed` as its job is given up. It has no run of which an end could be told.
   */
  onWorkLost?(task: TaskId, job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds, now: Seconds): void
  /** A task fetches bytes of its job from a node over the network, or from its own disk; known when the transfer begins. */
  onFetch?(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void
  /** A task that fetched has all its input and begins to work. */
  onTaskFetched?(task: TaskId, now: Seconds): void
  /** What the tasks of a node use, or how many work there, has changed (`ClusterView.hardware`); only where that is measured. */
  onUse?(node: NodeId, now: Seconds): void
  /** All tasks of the job have ended, or are given up and none runs. */
  onJobEnd?(job: JobId, spec: JobSpec, now: Seconds): void
  /** A submitted job that can never run, with the limit that forbids it. */
  onReject?(spec: JobSpec, reason: string, now: Seconds): void
  /** A policy has promised that the job starts no later than `start`. */
  onReserve?(job: JobId, start: Seconds, now: Seconds): void
  /** A policy has looked at its queue, and tells of it. */
  onPass?(pass: Pass, now: Seconds): void
  /** `limit` names the limit where that is the reason and the policy tells. */
  onDefer?(job: JobId, lane: LaneId, reason: Reason, now: Seconds, limit?: string): void
  /** A node has gone, or is back: `up` is whether it takes tasks from now on. */
  onNode?(node: NodeId, up: boolean, now: Seconds): void
  /** A node is in another state of power; only where nodes sleep. All are awake at the start. */
  onNodeState?(node: NodeId, state: NodeState, now: Seconds): void
  /** A decision that took time has been closed. */
  onDecision?(decision: Decision, now: Seconds): void
  /** A scheduler has given a job up with tasks unplaced, or it has failed; `onJobEnd` follows when its running tasks have ended. */
  onAbandon?(job: JobId, spec: JobSpec, unplaced: number, now: Seconds): void
  /** Nothing happens any more, or the limit of the run is reached. */
  onRunEnd?(now: Seconds): void
}

/** Tells an observer that takes no rows of each task that starts. */
export function tellStarts(observer: Observer, { job, lane, count, tasks, nodes, level }: StartRow, now: Seconds): void {
  for (let i = 0; i < count; i++) observer.onTaskStart?.(tasks[i] as TaskId, job, lane, nodes[i] as NodeId, level, now)
}

/** Tells an observer that takes no rows of each task that ends. */
export function tellEnds(observer: Observer, { job, lane, count, tasks, nodes, how, started, stopped, saved }: EndRow, now: Seconds): void {
  for (let i = 0; i < count; i++) observer.onTaskEnd?.(tasks[i] as TaskId, job, lane, nodes[i] as NodeId, how, started, stopped, now, saved)
}
