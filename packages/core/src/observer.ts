import type { JobId, LaneId, NodeId, None, Seconds, TaskId } from './ids.js'
import type { JobSpec } from './job.js'
import type { Pass } from './pass.js'
import type { Architecture, Decision } from './architecture.js'
import type { NodeState } from './power.js'
import type { Reason } from './round.js'
import type { ClusterView, WorkView } from './views.js'

/**
 * How a started task left its node. `done`: it finished. `evicted`: it was preempted. `lost`: with its node, with the rest of its gang, or with its
 * job's master. `failed`: by itself, with another task of its gang, or with its job. `superseded`: a copy of it, or the task that it was a copy of, was
 * done first.
 */
export type TaskEnd = 'done' | 'evicted' | 'lost' | 'failed' | 'superseded'

/** Tasks of one stage with the same event at one instant, in order. One object is reused for all rows: valid during the call only. */
export interface TaskRow {
  /** The job of the tasks. */
  readonly job: JobId
  /** The lane in which they are scheduled. */
  readonly lane: LaneId
  /** Number of tasks in the row: only the first `count` entries of `tasks` and `nodes` are valid. */
  readonly count: number
  /** The tasks; the first `count` entries are valid. */
  readonly tasks: readonly TaskId[]
  /** `nodes[i]` is the node of `tasks[i]`. */
  readonly nodes: readonly NodeId[]
}

/** Tasks that start; see `onTaskStart`. */
export interface StartRow extends TaskRow {
  /** Locality level at which the tasks start, -1 without data. */
  readonly level: number
}

/** Tasks that leave their nodes; see `onTaskEnd`. */
export interface EndRow extends TaskRow {
  /** How they ended. */
  readonly how: TaskEnd
  /** When the tasks started. */
  readonly started: Seconds
  /** When the tasks stopped: at or before the time of the call. */
  readonly stopped: Seconds
  /**
   * Seconds of each task's work that are kept although the task is not done: see `checkpoint` of a simulation. Negative where work kept from earlier
   * runs is lost, as for a task that was suspended, resumed and is then killed.
   */
  readonly saved: Seconds
}

/**
 * Read-only listener to what really happens; every metric is one. Hooks are called in event order, and a job's `onJobEnd` comes after its last
 * `onTaskEnd`. Tasks of a stage that end together have all left their nodes when the first end is reported. Ids are valid during the call only.
 */
export interface Observer {
  /** Called before anything happens; the views stay valid during the run. */
  onRunStart?(run: { readonly cluster: ClusterView; readonly work: WorkView; readonly architecture: Architecture }): void
  /** A job has been submitted and not refused. */
  onSubmit?(job: JobId, spec: JobSpec, now: Seconds): void
  /** A task has started. `level` is the locality level of the start, -1 for a task without data. */
  onTaskStart?(task: TaskId, job: JobId, lane: LaneId, node: NodeId, level: number, now: Seconds): void
  /** A task has ended. `now` is when the master learns of it; the task itself stopped at `stopped` <= `now`. */
  onTaskEnd?(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds, saved: Seconds): void
  /** Replaces `onTaskStart` for an observer that can handle several tasks of a job at once. */
  onTasksStart?(row: StartRow, now: Seconds): void
  /** Replaces `onTaskEnd` in the same way. */
  onTasksEnd?(row: EndRow, now: Seconds): void
  /**
   * A task that does not run has lost `seconds` of its work, which were reported as saved when it stopped: a suspended task `lost` with its node,
   * `evicted` or `failed` when its job is given up, or a task `superseded` by its copy. No `onTaskEnd` follows.
   */
  onWorkLost?(task: TaskId, job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds, now: Seconds): void
  /** A task begins to fetch `bytes` of its job from a node, over the network or from its own disk. */
  onFetch?(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void
  /** A task has fetched all its input and begins to work. */
  onTaskFetched?(task: TaskId, now: Seconds): void
  /**
   * The use of a node's hardware, or the number of tasks that work there, has changed (`ClusterView.hardware`). Called only where use is measured.
   */
  onUse?(node: NodeId, now: Seconds): void
  /** All tasks of the job have ended, or the job was given up and its last running task has ended. */
  onJobEnd?(job: JobId, spec: JobSpec, now: Seconds): void
  /** A job was left out at its submission: it can never run, or its policy refused it. `reason` says why. */
  onReject?(spec: JobSpec, reason: string, now: Seconds): void
  /** A policy has promised that the job starts no later than `start`. */
  onReserve?(job: JobId, start: Seconds, now: Seconds): void
  /** A policy reports a pass over its queue. */
  onPass?(pass: Pass, now: Seconds): void
  /**
   * A policy has passed over a job. `limit` names the limit where a limit is the reason and the policy tells; `isPart`: it is a part of what the cluster
   * has, and so rises when nodes come.
   */
  onDefer?(job: JobId, lane: LaneId, reason: Reason, now: Seconds, limit?: string, isPart?: boolean): void
  /** A node has gone down or come up: `up` is whether it takes tasks from now on. */
  onNode?(node: NodeId, up: boolean, now: Seconds): void
  /**
   * Tasks of a job avoid a node from now on because tasks have failed there, or do not any more: all of the job (`stage` is -1), those of the stage with
   * this index, or, where `task` is not -1, the task with this index in it. `job` is `None`: all jobs do, and the
   * node is drained. When a job ends, it avoids none; no call says so.
   */
  onAvoid?(node: NodeId, job: JobId | None, stage: number, task: number, isAvoided: boolean, now: Seconds): void
  /** A node has changed its power state; only where nodes sleep. All nodes are awake at the start. */
  onNodeState?(node: NodeId, state: NodeState, now: Seconds): void
  /** The autoscaler has asked for nodes of a group or removed some: so many of group `group` of `autoscale` are there or on their way. */
  onScale?(group: number, nodes: number, now: Seconds): void
  /** The autoscaler removes a node: the tasks that are evicted from now until `onNode` tells that it is down were on it, or are the rest of their gangs. */
  onScaleDown?(node: NodeId, now: Seconds): void
  /** The autoscaler has looked, and a job waits for room: for nodes on their way, or why for none. Told again at each look that finds the job waiting. */
  onScaleWait?(job: JobId, why: string, now: Seconds): void
  /** A decision that took time has been closed. */
  onDecision?(decision: Decision, now: Seconds): void
  /** A scheduler has given up a job with tasks unplaced, or the job has failed; `onJobEnd` follows when its running tasks have ended. */
  onAbandon?(job: JobId, spec: JobSpec, unplaced: number, now: Seconds): void
  /** The run is over: no events are left, or its time limit is reached. */
  onRunEnd?(now: Seconds): void
}

/** Calls `onTaskStart` for each task of a row, for an observer that takes no rows. */
export function tellStarts(observer: Observer, { job, lane, count, tasks, nodes, level }: StartRow, now: Seconds): void {
  for (let i = 0; i < count; i++) observer.onTaskStart?.(tasks[i] as TaskId, job, lane, nodes[i] as NodeId, level, now)
}

/** Calls `onTaskEnd` for each task of a row, for an observer that takes no rows. */
export function tellEnds(observer: Observer, { job, lane, count, tasks, nodes, how, started, stopped, saved }: EndRow, now: Seconds): void {
  for (let i = 0; i < count; i++) observer.onTaskEnd?.(tasks[i] as TaskId, job, lane, nodes[i] as NodeId, how, started, stopped, now, saved)
}
