import type { JobId, LaneId, NodeId, None, Seconds, TaskId } from './ids.js'
import type { FairShareView } from './fair-share-view.js'
import type { Pass } from './pass.js'
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
  /** The current time: in a hook, the time of the event that it reports; otherwise the time of the round. */
  now(): Seconds
  /**
   * Whether a round comes after all task ends of its instant, except ends of tasks that start in the round itself. Absent: more ends of the same
   * instant may be reported after a round. For a policy that plans by expected ends (all backfilling): what still runs at its expected end has outlived
   * it only if its end cannot be reported any more, and whether it can depends on how the run is driven, which neither cluster nor jobs show.
   */
  readonly seesWholeInstants?: boolean
  /** What time 0 is on the workload's clock (`Workload.start`); absent where the workload does not say. */
  readonly start?: Seconds
  /** The workload's time zone (`Workload.timeZone`); absent where the workload does not say. */
  readonly timeZone?: string
  /** One seeded stream per name; the same name gives the same numbers in every run of a seed. */
  random(stream: string): Random
  /** Reports something the user should know, once per run (an overcommitted minimum share, for example). */
  warn(message: string): void
  /**
   * A part calls this when it is created if it heeds the `topology` of jobs. If no part calls it, the user is warned of the first job that has a
   * topology. With `slices`, it heeds those of a topology, too. Absent where nobody checks.
   */
  readonly heedsTopology?: (slices?: boolean) => void
  /** The same for `placementRules`: a part calls it if it heeds the rules that must hold; with `preferences`, it heeds rules with a weight, too. */
  readonly heedsPlacementRules?: (preferences: boolean) => void
  /** The same for `minEstimate`: a policy calls it if it lowers the estimates of jobs. */
  readonly heedsMinEstimate?: () => void
  /** The same for `contiguous`. */
  readonly heedsContiguous?: () => void
  /**
   * A part calls this when it is created if what others have on a node may keep a task off it that would have room, as rules of jobs do (`WorkView.areRules`).
   * Absent where that makes no difference.
   */
  readonly hasRules?: () => void
  /** Reports a finished pass over the queue; absent where nobody listens. */
  readonly tellPass?: (pass: Pass) => void
}

/** Which work goes next and whether it may go now: fills a round with claims. */
export interface Policy extends WorkListener {
  /**
   * Claims the tasks that start in this round; it may claim none. It calls `defer` for the jobs it passes over: a run may end while jobs wait for
   * ever if the policy reports that limits forbid them.
   */
  schedule(round: Round): void
  /** Called when a round is closed, with what became of its claims. */
  onCommit?(commit: Commit): void
  /**
   * With heartbeats only: whether the policy wants a round without nodes when tasks wait and the beating node has no room. It may want one because it
   * can preempt tasks.
   */
  wantsLook?(lane: LaneId): boolean
  /**
   * With heartbeats only: whether the policy wants the round of a beating node that has no room. It may want one because it can start tasks there in
   * place of others.
   */
  wantsNode?(lane: LaneId, node: NodeId): boolean
  /**
   * Without heartbeats only: whether the policy wants a round without nodes although no task waits, because a time has come at which it checks
   * something.
   */
  wantsRound?(now: Seconds): boolean
  /** Shares for a preempting wrapper, if the policy's order divides capacity. */
  readonly sharing?: Sharing | undefined
  /** Fair-share factors for limits around the policy, if its order goes by past usage. */
  readonly fairShare?: FairShareView | undefined
  /**
   * True: the policy plans starts on all its nodes over time and may promise them (`Round.reserve`). Its promises hold only while nobody else starts
   * tasks on these nodes.
   */
  readonly promises?: boolean | undefined
  /**
   * The start that the policy promises a waiting job as of its last round; `undefined` if none: it goes by no promise any more that it has made (`Round.reserve`)
   * and of which this is not the start. Asked only where somebody follows promises. Absent: what it has promised holds until it promises another start.
   */
  promisedStart?(job: JobId): Seconds | undefined
  /** True: the policy calls `Round.makeRoom`, where it is there, for each job that finds no room when its turn comes. */
  readonly asksForRoom?: boolean | undefined
  /**
   * True: where all nodes of a job must have the label of the same one of several partitions, the policy starts it in one of these, whose limits and rank then
   * count. It asks `Round.mayStartIn` and calls `Round.startIn`.
   */
  readonly startsInQueues?: boolean | undefined
  /** True: the policy plans no start of a job before `Round.mayStartFrom` says that it may start. */
  readonly heedsStartTimes?: boolean | undefined
  /** True: the policy starts jobs that are one gang (`JobSpec.gang`) as a whole, and preempts them as a whole. Default: such jobs are refused. */
  readonly startsGangJobs?: boolean | undefined
}

/** A block of the jobs that an order lists: `ids[from]` to `ids[to - 1]`, most deserving first. */
export interface JobBlock {
  /** The jobs; only indices `from` to `to` - 1 count. Valid until the next call of `next`. */
  readonly ids: Int32Array
  /** First index of the block. */
  readonly from: number
  /** Index after the last of the block. */
  readonly to: number
  /**
   * A block with the same `id` and `version` as before holds the same jobs as before, so a reader may remember what it found. Ids are small whole
   * numbers; a version is never used again. Without them the block may have changed.
   */
  readonly id?: number
  /** See `id`. */
  readonly version?: number
}

/**
 * Lists the pending jobs, most deserving first. The listener hooks keep it current; it never sorts when a decision is made. A discipline reads it
 * block by block, which costs one call per block instead of one per job.
 */
export interface Order extends WorkListener {
  /** Starts listing the jobs with unplaced tasks in the round's lane. A claim, an eviction or a rollback ends the listing. */
  begin(round: Round): void
  /** The next block, or `undefined` at the end. The order owns the object and its array, and changes both at the next call. */
  next(): JobBlock | undefined
  /** Shares for a preempting wrapper, if it divides capacity. */
  readonly sharing?: Sharing | undefined
  /** Fair-share factors of jobs, if it keeps account of past usage. */
  readonly fairShare?: FairShareView | undefined
  /** The priority that it computes for a waiting job, as shown to users; `queue`: in this one of several. Absent: it computes none, and the job's own stands. */
  priority?(job: JobId, lane: LaneId, queue?: string): number
  /** By what it lists a job, highest first, equal ones by submission; `queue`: as if in this one of several (`startsInQueues`). Absent: queues do not matter. */
  readonly scoreIn?: ((job: JobId, lane: LaneId, queue?: string) => number) | undefined
  /**
   * True: every listing gives all waiting jobs, because the order has no limits of its own that hold jobs back. A discipline may then take up a
   * single new job without reading the order. Default: the order may hold jobs back.
   */
  readonly readsAll?: boolean | undefined
  /**
   * False: the order has limits that look only at the front stage, so that a job that is one gang (`JobSpec.gang`) might exceed them; such jobs are
   * refused.
   */
  readonly startsGangJobs?: boolean | undefined
}

/** An order's pools as a preempting wrapper sees them. Pool ids belong to the order and are dense from 0. */
export interface Sharing {
  /** Number of pools, leaf and inner pools together. */
  readonly pools: number
  /** Path of the pool; empty for the root. */
  name(pool: number): string
  /** The parent pool, `None` for a root. */
  parent(pool: number): number
  /** The leaf pool of a job in the system. */
  poolOf(job: JobId): number
  /** Claimed or running tasks of the pool in the lane, including the pools inside it. */
  running(pool: number, lane: LaneId): number
  /** Running and unplaced tasks of the pool in the lane, including the pools inside it. */
  demand(pool: number, lane: LaneId): number
  /** Minimum share of the pool in the lane, in tasks, including the pools inside it. */
  minShare(pool: number, lane: LaneId): number
  /** Instantaneous fair share of every pool in a lane, in units of the lane (slots, or a fraction of the whole). */
  fairShares(lane: LaneId): Float64Array
  /** Seconds that the pool stays below its minimum share before it may preempt tasks; `Infinity`: it never may. */
  minTimeout(pool: number): Seconds
  /** Whether the pool is a leaf, which holds jobs and not pools. */
  isLeaf(pool: number): boolean
  /** Called by a wrapper that finds a pool below its share for too long: jobs of a starved pool must not be delayed. */
  markStarved(pool: number, lane: LaneId, starved: boolean): void
  /** Whether any pool above the job, at any level, is marked as starved. */
  starved(job: JobId, lane: LaneId): boolean
  /** Appends the jobs of a leaf pool to `out`, in no particular order. */
  jobs(pool: number, out: JobId[]): void
}

/** Why a placement keeps a job waiting although there is room for it. */
export interface KeptBack {
  readonly reason: Reason
  /** Name of the placement rules that forbid the nodes, where `reason` is `Reason.Rule`. */
  readonly limit?: string
}

/** Where a job's next task goes. */
export interface Placement extends WorkListener {
  /** A node of the round on which the job's next task fits, or `None`. */
  pick(job: JobId, round: Round): NodeId | None
  /**
   * Why the placement keeps a job waiting although there is room: it waits for nodes nearer to each other, or because of tasks that run elsewhere.
   * `undefined`: the placement does not keep it waiting. Called only where waits are explained, so it may look at every node. Absent: the placement
   * never keeps a job waiting.
   */
  keepsBack?(job: JobId, round: Round): KeptBack | undefined
  /** Whether tasks of the job must be near each other, so that room on just any nodes is not enough. Absent: no job is confined. */
  confines?(job: JobId, round: Round): boolean
  /**
   * Whether all placement rules, the job's own and those of others, would allow its next task on the node if the tasks in `without` were gone. For
   * preempting policies, about jobs that this placement confines. Absent: the placement heeds no rules.
   */
  wouldAllow?(job: JobId, node: NodeId, without: readonly TaskId[], round: Round): boolean
}

/** The result of closing a round: which claims became real. Arrays are valid during the call only. */
export interface Commit {
  /** When the round was closed. */
  readonly now: Seconds
  /** Tasks that start. */
  readonly accepted: readonly TaskId[]
  /** Tasks that are pending again. */
  readonly conflicted: readonly TaskId[]
}
