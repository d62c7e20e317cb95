import type { JobId, LaneId, NodeId, None, Savepoint, Seconds, TaskId } from './ids.js'
import type { JobSpec, StageSpec } from './job.js'
import type { Reason, Round } from './round.js'
import type { ClusterView, WorkListener, WorkView } from './views.js'

/** Numbers in [0, 1) from a named seeded stream. */
export type Random = () => number

/** What a plug-in is given when a run starts. */
export interface Env {
  /** The nodes, valid during the run. */
  readonly cluster: ClusterView
  /** The jobs, valid during the run. */
  readonly work: WorkView
  /** The time: of the event that a hook tells of, of the round otherwise. */
  now(): Seconds
  /** Whether a round sees all that ends in its instant, but for what has started in it; absent: ends of the instant may still be told after it. */
  readonly seesWholeInstants?: boolean
  /** What time 0 is on the clock of the workload (`Workload.start`), where it says so. */
  readonly start?: Seconds
  /** The time zone of the workload (`Workload.timeZone`), where it says so. */
  readonly timeZone?: string
  /** One seeded stream per name; the same name gives the same numbers in every run of a seed. */
  random(stream: string): Random
  /** Reports something the user should know, once per run (an overcommitted minimum share, for example). */
  warn(message: string): void
  /** Called by what is made if it heeds the `topology` of jobs; where nobody does, the user is told of the first job that has one. Absent where nobody asks. */
  readonly heedsTopology?: () => void
  /** The same of the `placementRules` of jobs that must hold, and if `preferences` of the others, too. */
  readonly heedsPlacementRules?: (preferences: boolean) => void
  /** Tells of a look at the queue that has ended; absent where nobody listens. */
  readonly tellPass?: (pass: Pass) => void
}

/** A look of a policy at its queue, as far as the policy tells of such. */
export interface Pass {
  /** `first`: the first jobs start in order until one does not fit; `plan`: later ones are looked at, too. */
  readonly kind: 'first' | 'plan'
  /** Jobs that waited when it began. */
  readonly waiting: number
  /** Jobs that were looked at, those that a limit or somebody else keeps from running too. */
  readonly looked: number
  /** Jobs for which a start was sought. */
  readonly tried: number
  /** Jobs that started. */
  readonly started: number
  /** Entries of the plan at the end, if there is one. */
  readonly entries?: number
}

/** Which work goes next and whether it may go now: fills a round with claims. */
export interface Policy extends WorkListener {
  /**
   * Claims what shall start in this round, or nothing. Jobs it passes over are told by `defer`: a run may end with those that wait for ever where limits
   * forbid them.
   */
  schedule(round: Round): void
  /** What became of the claims of a round, when it is closed. */
  onCommit?(commit: Commit): void
  /** With heartbeats: whether it wants a round without nodes where tasks wait and the node that beats has no room, since it may take tasks away. */
  wantsLook?(lane: LaneId): boolean
  /** With heartbeats: whether it wants the round of a node that beats and has no room, since it may start tasks there in the place of others. */
  wantsNode?(lane: LaneId, node: NodeId): boolean
  /** Without heartbeats: whether it wants a round without nodes although no task waits, since a time has come at which it looks at something. */
  wantsRound?(now: Seconds): boolean
  /** Shares for a preempting wrapper, if the policy's order divides capacity. */
  readonly sharing?: Sharing | undefined
  /** It plans starts on all its nodes over time, and may promise them (`Round.reserve`): that holds only while nobody else starts tasks there. */
  readonly promises?: boolean | undefined
  /** It starts jobs that are one gang (`JobSpec.gang`) whole, and takes them away whole. Default: such jobs are refused. */
  readonly startsGangJobs?: boolean | undefined
}

/** Part of an order's reading: `ids[from]` to `ids[to - 1]`, most deserving first. */
export interface JobBlock {
  /** Jobs, of which those from `from` to `to` - 1 count. Valid until the next call of `next`. */
  readonly ids: Int32Array
  /** First index that counts. */
  readonly from: number
  /** Index behind the last that counts. */
  readonly to: number
  /**
   * A block of one `id` and `version` holds the same jobs as when it was last read, so a reader may remember what it
   * found; ids are small whole numbers, a version is never used again. Without them the block may have changed.
   */
  readonly id?: number
  /** See `id`. */
  readonly version?: number
}

/**
 * Pending jobs, most deserving first. Kept current by the listener hooks, never by sorting at a decision. A discipline
 * reads it block by block, so that a call is paid per block and not per job.
 */
export interface Order extends WorkListener {
  /** Starts a reading of the jobs with unplaced tasks in the round's lane. A claim, eviction or rollback ends it. */
  begin(round: Round): void
  /** The next block, `undefined` at the end. The object and its array are the order's own and change with the next call. */
  next(): JobBlock | undefined
  /** Shares for a preempting wrapper, if it divides capacity. */
  readonly sharing?: Sharing | undefined
  /** The priority of a waiting job as it computes it and as users are told it; absent: it computes none but the job's own. */
  priority?(job: JobId, lane: LaneId): number
  /**
   * Every reading gives all jobs that wait, and none is held back by limits of its own, so that a discipline may take up a job that comes alone without
   * reading the order. Default: it may hold jobs back.
   */
  readonly readsAll?: boolean | undefined
  /** False: it has limits that go by the front stage alone, so that a job that is one gang (`JobSpec.gang`) might exceed them; such jobs are refused. */
  readonly startsGangJobs?: boolean | undefined
}

/** A pool as a preempting wrapper sees it; ids are the order's own, dense from 0. */
export interface Sharing {
  /** Number of pools, leaves and inner ones. */
  readonly pools: number
  /** Path of the pool; of the root it is empty. */
  name(pool: number): string
  /** The pool a pool lies in, `None` for a root. */
  parent(pool: number): number
  /** The leaf pool that a job in the system is in. */
  poolOf(job: JobId): number
  /** Tasks of the pool in the lane, with those of pools inside it: claimed or running, running and unplaced, and those it should not have less than. */
  running(pool: number, lane: LaneId): number
  /** Tasks of the pool in the lane, with those of pools inside it: running and unplaced. */
  demand(pool: number, lane: LaneId): number
  /** Tasks that the pool should not have less than in the lane, with those of pools inside it. */
  minShare(pool: number, lane: LaneId): number
  /** Instantaneous fair share of every pool in a lane, in units of the lane (slots, or a fraction of the whole). */
  fairShares(lane: LaneId): Float64Array
  /** Seconds below the minimum share before it may take tasks; `Infinity`: never. */
  minTimeout(pool: number): Seconds
  /** Whether it holds jobs, not pools. */
  isLeaf(pool: number): boolean
  /** Set by who finds a pool below its share for too long: its jobs must not be delayed. */
  markStarved(pool: number, lane: LaneId, starved: boolean): void
  /** Whether a pool of the job, at any level, is marked as starved. */
  starved(job: JobId, lane: LaneId): boolean
  /** Jobs of a leaf pool, in no particular order; appended to `out`. */
  jobs(pool: number, out: JobId[]): void
}

/** Why a placement keeps a job waiting that has room. */
export interface KeptBack {
  readonly reason: Reason
  /** Which rules do so, where these are the reason. */
  readonly limit?: string
}

/** Where a job's next task goes. */
export interface Placement extends WorkListener {
  /** A node of the round on which the job's next task fits, or `None`. */
  pick(job: JobId, round: Round): NodeId | None
  /** Why it keeps a job waiting that has room: for nodes nearer to each other, or for what runs elsewhere; `undefined`: it does not. Asked where waits are explained alone: it may look at every node. Absent: it never does. */
  keepsBack?(job: JobId, round: Round): KeptBack | undefined
  /** Whether tasks of the job must be near each other, so that room on some nodes is not enough for it, whatever else is free. Absent: they need not. */
  confines?(job: JobId, round: Round): boolean
  /**
   * Whether the placement rules of the job, and those of others, would let its next task be on the node if these running tasks went: for who preempts, of jobs that it
   * confines. Absent: it heeds none.
   */
  wouldAllow?(job: JobId, node: NodeId, without: readonly TaskId[], round: Round): boolean
}

/** The result of closing a round: which claims became real. Arrays are valid during the call only. */
export interface Commit {
  /** When the round was closed. */
  readonly now: Seconds
  /** Tasks that start, and those that are pending again. */
  readonly accepted: readonly TaskId[]
  /** Tasks that are pending again. */
  readonly conflicted: readonly TaskId[]
}

/**
 * What makes a scheduling opportunity: a node's heartbeat; a pass over all nodes, once per instant in which something
 * changed, where the cluster has no heartbeats; a time that a policy asked for, where it has (nothing may start then).
 */
export type Trigger =
  | { readonly kind: 'heartbeat'; readonly node: NodeId }
  | { readonly kind: 'pass' }
  | { readonly kind: 'timer' }

/**
 * How claims are checked when a round closes: not at all (the draft was live), against what is free now (`fit`, fine
 * grained), or against the version of the node when the draft was made (`version`, coarse). A claim on a node that has gone
 * meanwhile conflicts in any case, of a gang all claims.
 */
export interface CommitMode {
  /** How claims are checked. */
  readonly conflict: 'none' | 'fit' | 'version'
  /** Any conflict rejects all claims of the round. */
  readonly atomic: boolean
}

/** What a round may do; absent: no limit. */
export interface RoundLimits {
  /** Most jobs taken up. */
  readonly jobs?: number
  /** Most tasks claimed. */
  readonly claims?: number
  /** The one job that may be taken up. */
  readonly only?: JobId
  /** Most of every resource claimed, by `ResourceId`. */
  readonly amounts?: ArrayLike<number>
  /** The round is only asked which job would be taken up: every claim is refused. */
  readonly peek?: boolean
  /** The nodes that rounds of the scheduler have in sight in turn; default: those of this round. */
  readonly reach?: readonly NodeId[]
}

/** One of the schedulers of a run: a policy, the jobs routed to it, and at most one open round. */
export interface Scheduler {
  /** A number from 0, in the order in which the architecture adds them. */
  readonly id: number
  /** For example `batch-1`; unique in a run. */
  readonly name: string
  /** Schedulers of one kind, for example those that share the batch jobs; the name where there is one of a kind. */
  readonly group: string
  /** What it runs. */
  readonly policy: Policy
  /** Unplaced tasks of its jobs in a lane, jobs held back not counted. */
  pending(lane: LaneId): number
}

/** Resources taken out of the cell for one scheduler to draft on: an offer. */
export interface Stock {
  /** The cell with nothing free but what is in stock. */
  readonly cluster: ClusterView
  /** Takes all that is free in the cell. */
  takeAll(): void
  /** Takes what is free on one node, at most so much of every resource, by `ResourceId`. */
  takeNode(node: NodeId, most?: ArrayLike<number>): void
  /** Gives back all but what is claimed. */
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
  /** Opens the scheduler's round for one lane, on the live state or on a stock. */
  draft(scheduler: Scheduler, lane: LaneId, nodes: readonly NodeId[], limits?: RoundLimits, on?: Stock): OpenRound
  /** A new stock with nothing in it. */
  stock(): Stock
  /** Calls the architecture's `wake(token)` after a delay of at least 0 seconds; of 0 where nodes beat in the instant: after their reports, before their rounds. */
  after(delay: Seconds, token: number): void
  /** The id of the scheduler that has a job. */
  schedulerOf(job: JobId): number
  /** Unplaced tasks of a job over all lanes. */
  unplaced(job: JobId): number
  /** Hides a job from its scheduler (back-off) until `letGo`. */
  holdBack(job: JobId): void
  /** Shows a job again that was held back. */
  letGo(job: JobId): void
  /** Gives the unplaced tasks of a job up; it ends with its running ones. */
  abandon(job: JobId): void
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
  /** Where the first gang of the job began of which only a part was claimed, to roll back to; `undefined` where there is none. */
  brokenGang(job: JobId): Savepoint | undefined
  /** Goes on with an open round, now or later: so many more jobs may be taken up, on the same nodes or others. */
  goOn(now: Seconds, jobs: number, nodes?: readonly NodeId[]): void
  /**
   * Takes the draft off the live state while time passes; its claims and the versions they saw are remembered. A task
   * whose eviction was drafted runs on; if it still runs at the commit it is killed then.
   */
  suspend(): void
  /** Takes everything back and closes the round. */
  abandon(): void
  /** Closes the round: what is accepted starts, what conflicts is pending again. */
  commit(mode: CommitMode): Commit
}

/** A decision of a scheduler that took time: a transaction, in shared state. */
export interface Decision {
  /** Who decided. */
  readonly scheduler: Scheduler
  /** About whom. */
  readonly job: JobId
  /** Attempt at this job, from 1. */
  readonly attempt: number
  /** When it began and when it was closed. */
  readonly opened: Seconds
  /** When it was closed. */
  readonly closed: Seconds
  /** Tasks that were claimed, of which started, and of which were sent back. */
  readonly claimed: number
  /** Of these, the tasks that started. */
  readonly accepted: number
  /** Of these, the tasks that were sent back. */
  readonly conflicted: number
  /** Tasks of the job in the lane that are left unplaced. */
  readonly unplaced: number
}

/**
 * Who decides, seeing what, and how decisions become real. The engine calls `trigger` at every heartbeat, and once per
 * instant for a queue pass where the cluster has no heartbeats; the architecture opens rounds, lets its schedulers fill
 * them and closes them, at once or when their decision time has passed.
 */
export interface Architecture {
  /** The scheduler of a new job; default: the first. */
  route?(spec: JobSpec): Scheduler
  /** Opens rounds as the trigger allows and lets schedulers fill them. */
  trigger(trigger: Trigger): void
  /** A time asked for with `cell.after` has come. Rounds of the instant come later: `trigger` follows. */
  wake?(token: number): void
  /** A node takes no tasks any more, or takes them again; schedulers have been told. Rounds of the instant come later. */
  onNode?(node: NodeId, up: boolean): void
  /**
   * Whether as many tasks of a stage of a waiting job could start now on the nodes that its scheduler may use, where these
   * are not all; for explanations.
   */
  hasRoom?(job: JobId, stage: StageSpec, tasks: number): boolean
  /** When the nodes that are kept for a waiting job were or are made ready; for explanations. */
  settingUp?(job: JobId): { readonly from: Seconds; readonly to: Seconds } | undefined
  /** Why work waits for ever although nothing runs, where that is of the architecture's making; for the error, or the warning, that ends such a run. */
  stuck?(): string | undefined
  /** The run is over: the time for warnings about what never happened. */
  finish?(): void
}

/** What an architecture is made with. */
export interface ArchitectureEnv extends Env {
  /** The state that it decides about. */
  readonly cell: Cell
  /**
   * Adds a scheduler with the run's policy, or with the one configured for its name or else its group. The listeners are
   * told of the scheduler's jobs after its policy.
   */
  addScheduler(name: string, options?: { readonly group?: string; readonly listeners?: readonly WorkListener[] }): Scheduler
}
