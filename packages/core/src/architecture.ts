import type { JobId, LaneId, NodeId, None, Savepoint, Seconds } from './ids.js'
import type { JobSpec, StageSpec } from './job.js'
import type { Commit, Env, Policy } from './plugs.js'
import type { Round } from './round.js'
import type { ClusterView, WorkListener, WorkView } from './views.js'

/**
 * What triggers scheduling: a node's heartbeat; without heartbeats, a pass over all nodes, once per instant in which something changed; with
 * heartbeats, a time that a policy asked for (then no task may start).
 */
export type Trigger =
  | { readonly kind: 'heartbeat'; readonly node: NodeId }
  | { readonly kind: 'pass' }
  | { readonly kind: 'timer' }

/**
 * How claims are checked when a round closes. `none`: no check, because the draft was live. `fit`: against what is free now (fine grained).
 * `version`: against the node's version when the draft was made (coarse). A claim on a node that has gone down meanwhile conflicts in every mode, and
 * so do all claims of its gang.
 */
export interface CommitMode {
  /** How claims are checked. */
  readonly conflict: 'none' | 'fit' | 'version'
  /** Whether one conflict rejects all claims of the round. */
  readonly atomic: boolean
}

/** Limits of a round; an absent field is no limit. */
export interface RoundLimits {
  /** Most jobs that may be taken up. */
  readonly jobs?: number
  /** Most tasks that may be claimed. */
  readonly claims?: number
  /** The only job that may be taken up. */
  readonly only?: JobId
  /** Most that may be claimed of every resource, by `ResourceId`. */
  readonly amounts?: ArrayLike<number>
  /**
   * True: the round only asks which job would be taken up, and every claim is refused. For a scheduler whose decision takes time, which depends on the
   * job. `claims: 0` is not enough, since a claim over the limit takes no job up; claims that are taken back again would be told to the policy.
   */
  readonly peek?: boolean
  /** All nodes that the scheduler's rounds see one after the other; default: the nodes of this round. */
  readonly reach?: readonly NodeId[]
}

/** One of the schedulers of a run: a policy, the jobs routed to it, and at most one open round. */
export interface Scheduler {
  /** A number from 0, in the order in which the architecture adds them. */
  readonly id: number
  /** For example `batch-1`; unique in a run. */
  readonly name: string
  /** Name shared by schedulers of one kind, for example those that share the batch jobs; equals `name` for the only one of its kind. */
  readonly group: string
  /** The policy that it runs. */
  readonly policy: Policy
  /** Unplaced tasks of its jobs in a lane, without jobs that are held back. */
  pending(lane: LaneId): number
}

/** Resources taken out of the cell for one scheduler to draft on: an offer. */
export interface Stock {
  /** View of the cell in which only what is in stock is free. */
  readonly cluster: ClusterView
  /** Takes all that is free in the cell. */
  takeAll(): void
  /** Takes what is free on one node, at most `most` of each resource, by `ResourceId`. */
  takeNode(node: NodeId, most?: ArrayLike<number>): void
  /** Gives back everything that is not claimed. */
  giveBack(): void
  /** Nodes on which something may be in stock, in id order; `undefined`: any. A new array at every call. */
  nodes(): readonly NodeId[] | undefined
}

/** The authoritative state as an architecture sees it. */
export interface Cell {
  /** The live state of the nodes. */
  readonly cluster: ClusterView
  /** The live state of all jobs. */
  readonly work: WorkView
  /** All nodes, in id order. */
  readonly nodes: readonly NodeId[]
  /** Seconds from the start of the run. */
  now(): Seconds
  /** Opens the scheduler's round for one lane, on the live state or on the stock `on`. */
  draft(scheduler: Scheduler, lane: LaneId, nodes: readonly NodeId[], limits?: RoundLimits, on?: Stock): OpenRound
  /** A new stock with nothing in it. */
  stock(): Stock
  /**
   * Calls the architecture's `wake(token)` after `delay` seconds, at least 0. With delay 0 in an instant in which nodes beat, it is called after
   * their reports and before their rounds.
   */
  after(delay: Seconds, token: number): void
  /** The id of the scheduler that a job is routed to. */
  schedulerOf(job: JobId): number
  /**
   * Whether the job of this rank is still in the system. It may leave while a decision about it is open: it fails, or the copy of a task that was
   * pending is not needed any more. The decision then comes to nothing; an empty round of it must be closed, and no observer is told.
   */
  isThere(job: JobId, rank: number): boolean
  /** Unplaced tasks of a job over all lanes. */
  unplaced(job: JobId): number
  /** Hides a job from its scheduler until `letGo` (back-off). */
  holdBack(job: JobId): void
  /** Shows a job that was held back to its scheduler again. */
  letGo(job: JobId): void
  /** Gives up the unplaced tasks of a job; the job ends when its running tasks have ended. */
  abandon(job: JobId): void
  /** A job starts anew on nodes of which nothing is known: it avoids none for what has failed there before. */
  forgetFailures(job: JobId): void
  /** Tells observers of a decision that took time. */
  decided(decision: Decision): void
}

/** A round in the hands of its architecture. */
export interface OpenRound extends Round {
  /** The job taken up last, `None` if none was. */
  readonly taken: JobId | None
  /** Number of claims drafted. */
  readonly claims: number
  /** Number of evictions drafted. */
  readonly evictions: number
  /** Savepoint before the first gang of the job of which only a part was claimed, to roll back to; `undefined` where no gang is broken. */
  brokenGang(job: JobId): Savepoint | undefined
  /** Continues an open round, now or later, on the same nodes or on others: `jobs` more jobs may be taken up. */
  goOn(now: Seconds, jobs: number, nodes?: readonly NodeId[]): void
  /**
   * Takes the draft off the live state while time passes. The round remembers its claims and the node versions they saw. A task whose eviction was
   * drafted runs on, and is killed at the commit if it still runs then. Throws `BROKEN_CONTRACT` for a draft that suspends tasks or cancels jobs.
   */
  suspend(): void
  /** Takes back all claims and evictions and closes the round. */
  abandon(): void
  /**
   * Closes the round: tasks of accepted claims start, tasks of conflicting claims are pending again. Throws `BROKEN_CONTRACT` for a suspended round
   * that would not be checked.
   */
  commit(mode: CommitMode): Commit
}

/** A scheduling decision that took time; in shared state, one transaction. */
export interface Decision {
  /** The scheduler that decided. */
  readonly scheduler: Scheduler
  /** The job that it decided about. */
  readonly job: JobId
  /** Attempt at this job, from 1. */
  readonly attempt: number
  /** When the decision began. */
  readonly opened: Seconds
  /** When its round was closed. */
  readonly closed: Seconds
  /** Tasks that the decision claimed. */
  readonly claimed: number
  /** Claimed tasks that started. */
  readonly accepted: number
  /** Claimed tasks that conflicted and are pending again. */
  readonly conflicted: number
  /** Tasks of the job in the lane that are still unplaced. */
  readonly unplaced: number
}

/**
 * Decides who schedules, what each scheduler sees, and how decisions become real. The engine calls `trigger` at every heartbeat or, in a cluster
 * without heartbeats, once per instant for a queue pass. The architecture then opens rounds, lets its schedulers fill them, and closes them: at once,
 * or when their decision time has passed.
 */
export interface Architecture {
  /** The scheduler of a new job; default: the first. */
  route?(spec: JobSpec): Scheduler
  /** Opens the rounds that the trigger allows and lets schedulers fill them. */
  trigger(trigger: Trigger): void
  /** A time requested with `cell.after` has come. It is called before the rounds of the instant: `trigger` follows. */
  wake?(token: number): void
  /** A node has gone down or come up again. Schedulers have been told already; the rounds of the instant follow. */
  onNode?(node: NodeId, up: boolean): void
  /**
   * Whether `tasks` tasks of a stage of a waiting job could start now on the nodes that its scheduler may use, where these are only some of all
   * nodes. For explanations.
   */
  hasRoom?(job: JobId, stage: StageSpec, tasks: number): boolean
  /** Whether the scheduler of a job may use a node. Absent: each may use all. */
  mayUse?(job: JobId, node: NodeId): boolean
  /** From when to when the nodes reserved for a waiting job are set up. For explanations. */
  settingUp?(job: JobId): { readonly from: Seconds; readonly to: Seconds } | undefined
  /** Why work waits for ever although nothing runs, if the architecture causes it. Printed in the error or warning that ends such a run. */
  stuck?(): string | undefined
  /** Called when the run is over: the time to warn of things that never happened. */
  finish?(): void
}

/** What an architecture is created with. */
export interface ArchitectureEnv extends Env {
  /** The cell that the architecture schedules. */
  readonly cell: Cell
  /**
   * Adds a scheduler. It runs the policy configured for its name, else for its group, else the run's policy. The `listeners` are told of the
   * scheduler's jobs after its policy.
   */
  addScheduler(name: string, options?: { readonly group?: string; readonly listeners?: readonly WorkListener[] }): Scheduler
}
