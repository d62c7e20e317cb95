import type { JobId, LaneId, NodeId, ResourceId, Savepoint, Seconds, TaskId } from './ids.js'
import type { Phase } from './job.js'
import type { ClusterView, WorkView } from './views.js'

/** Why a job was passed over. Its wait is split by these reasons. */
export const Reason = {
  /** Nothing in sight has room for its next task. */
  NoRoom: 0,
  /** It waits for a node nearer to its data, or for nodes nearer to each other. */
  Locality: 1,
  /** A limit of its queue or user forbids another task. */
  Limit: 2,
  /** A reservation for another job forbids it. */
  Reservation: 3,
  /** Another job was served first. */
  Order: 4,
  /** Placement rules, its own or those of other jobs, forbid every node with room because of the tasks that run there. */
  Rule: 5,
} as const
export type Reason = (typeof Reason)[keyof typeof Reason]
/** Names of the reasons for people, indexed by `Reason`. */
export const reasonNames = ['no room', 'locality delay', 'queue limit', 'reservation', 'behind others', 'placement rule'] as const
/** The name of a reason. */
export type ReasonName = (typeof reasonNames)[Reason]

/** What the limits of an enclosing policy say of a waiting job. */
export interface LimitsSay {
  /**
   * Which kind of limit holds the job back now: `number`, a limit on the number of jobs or on time, or `amount`, a limit on resource amounts. Absent:
   * no limit does.
   */
  readonly held?: 'number' | 'amount'
  /**
   * The group that the limit belongs to, for example a quality of service; '' where the limit is not of such a group, or where nothing holds the job.
   */
  readonly by: string
  /** All such groups that set limits for the job. */
  readonly groups: readonly string[]
}

/** What limits of an enclosing policy on nodes say of a job that shares nodes: the groups of the job hold each node once, however many of their jobs are there. */
export interface NodesSay {
  /** Whether one of the groups holds the node. */
  has(node: NodeId): boolean
  /** Whether one of the groups would hold more nodes than it may with these, each listed once or more, or with so many that it does not hold yet. */
  isOver(nodes: readonly NodeId[] | number): boolean
}

/** A mouldable job: the scheduler chooses its number of tasks. */
export interface Moulding {
  /** Tasks that its user asked for. */
  readonly requested: number
  /** The phases that its workers run one after the other. */
  readonly phases: readonly Phase[]
}

/**
 * One scheduling opportunity: the nodes in sight, the pending work in sight, and a draft of claims that already counts
 * against what is free. A heartbeat, an offer, a queue pass and a private snapshot differ only in `nodes` and in the
 * view behind it. Valid only until the architecture closes it; then every call throws `ROUND_CLOSED`.
 */
export interface Round {
  /** Differs from the serial of every other round of the scheduler, so that a policy can key what it remembers for one round. */
  readonly serial: number
  /** When the decision takes effect. */
  readonly now: Seconds
  /** The lane that the round schedules: one slot type, or all resources. */
  readonly lane: LaneId
  /**
   * One node at a heartbeat, the offered nodes for an offer, all nodes for a queue pass; in id order. Valid in this round. If a later round has the
   * same array, it holds the same nodes, except for arrays of one node.
   */
  readonly nodes: readonly NodeId[]
  /**
   * All nodes that this scheduler's rounds see one after the other, in id order, where this round sees only a part of them: all nodes at a heartbeat.
   * Absent: the same as `nodes`.
   */
  readonly reach?: readonly NodeId[] | undefined
  /** The nodes and what is free on them, as far as this scheduler knows. */
  readonly cluster: ClusterView
  /** The jobs, as far as this scheduler knows. */
  readonly work: WorkView
  /** False when no job of the workload could fit what is left on the node: a quick test before looking at jobs. */
  room(node: NodeId): boolean
  /** Whether the job's next task fits what is left on the node. Throws `BROKEN_CONTRACT` for a job without unplaced tasks in the lane. */
  fits(job: JobId, node: NodeId): boolean
  /**
   * True only if the job's next task fits on no node of the cluster: a quick test before a search over all nodes. False where that is not known without
   * a search. Absent: it never is. For a round that keeps nodes from jobs (`yunikorn-reserving`): placements search the free nodes in vain for each job
   * that comes while all are kept from it, and `LowestNodes` asks this before it does.
   */
  fitsNowhere?(job: JobId): boolean
  /** Unplaced tasks in the lane, over all jobs of this scheduler. */
  readonly pending: number
  /** Jobs that may still be taken up. At 0 only the job taken last may go on, so a scan may stop. */
  readonly jobsLeft: number
  /**
   * Tasks that may still be claimed, as far as the architecture limits them. At 0 from the start, the architecture only asks which job would be taken
   * up.
   */
  readonly claimsLeft: number
  /**
   * "I decide about this job now": call it before the first claim of a job. False when the architecture allows no more jobs in this round, or when
   * this round is about another job.
   */
  take(job: JobId): boolean
  /** The phases and requested tasks of a mouldable job of which no task is claimed or has run; `undefined` for any other job. */
  moulding(job: JobId): Moulding | undefined
  /** Sets the number of tasks of a mouldable job, at least 1. The number stays whatever becomes of the round, until the next call. */
  mould(job: JobId, tasks: number): void
  /**
   * Drafts a start. False, and nothing changes, when it does not fit or the node is not in sight or the limit of claims is reached. Throws
   * `BROKEN_CONTRACT` for a task that is not unplaced.
   */
  claim(task: TaskId, node: NodeId): boolean
  /**
   * Preempts a running task: frees its claim in the draft. At the commit the task is killed and pending again. Throws `BROKEN_CONTRACT` for a task
   * that has not started.
   */
  evict(task: TaskId): void
  /**
   * Preempts a running task without losing its work: frees the resources in `frees` in the draft. At the commit the task stops and is pending. It
   * keeps the rest of its demand on its node, can be claimed only there, and continues where it stopped. If its node goes down, it starts anew
   * elsewhere. Throws `BROKEN_CONTRACT` for a task that has not started, `BAD_INPUT` for a job's master.
   */
  suspendTask(task: TaskId, frees: readonly ResourceId[]): void
  /**
   * Preempts a job for good: evicts its running tasks and gives the job up at the commit. Until then none of its tasks fits. Throws
   * `BROKEN_CONTRACT` for a job of which nothing runs.
   */
  cancelJob(job: JobId): void
  /** Promises that the job starts no later than `start`. Observers and laws hold the policy to it. */
  reserve(job: JobId, start: Seconds): void
  /** Whether somebody listens to `defer`. A policy that passes over many jobs at once needs to look at each of them only then. */
  readonly explained: boolean
  /**
   * Records why a job was passed over. `limit` names the limit or the placement rules, where one of these is the reason; of `NoRoom` the part of the
   * cluster, where the policy lets the job use a part alone. `isPart`: the limit is a part of what the cluster has, and so rises when nodes come. Free unless somebody
   * listens.
   */
  defer(job: JobId, reason: Reason, limit?: string, isPart?: boolean): void
  /** Marks a point that `rollback` may return to. */
  savepoint(): Savepoint
  /**
   * Takes back the claims, evictions, suspensions and cancellations made since the savepoint, newest first. Throws `BROKEN_CONTRACT` for what is no
   * savepoint of this round.
   */
  rollback(to: Savepoint): void
  /**
   * Runs `attempt` to ask what later rounds would claim if nothing else happened. `see` brings other nodes of `reach` in sight, as a round of their
   * own would. Claims and evictions made meanwhile are taken back at the end. Present only where there is `reach`. For a placement that plans over all
   * nodes but is asked at one node's heartbeat (`bayes-comm`): only a round knows which claims its limits would allow at another node.
   */
  rehearse?(attempt: (see: (nodes: readonly NodeId[]) => void) => void): void
  /**
   * From now on tasks of the job run as if their data were on their node, wherever they start; reports still show the real locality. Used to compare
   * the cost of a move with and without the cost of reading remote data.
   */
  ignoreLocality?(job: JobId): void
  /** Whether an enclosing policy keeps the job off the node whatever is free there, so that waiting for the node is useless. Absent: none does. */
  readonly bars?: ((job: JobId, node: NodeId) => boolean) | undefined
  /**
   * What the limits of an enclosing policy say of a waiting job. Present only where that policy lets the inner one see jobs that it holds back;
   * `take` and `claim` refuse those. `queue`: what those say that would hold if it started in this one of several.
   */
  readonly limitsOf?: ((job: JobId, queue?: string) => LimitsSay) | undefined
  /**
   * What limits on nodes say of a job, of which `claim` refuses nodes beyond them; `undefined`: none holds for it. Absent: there are none. `queue`: those that
   * would hold if it started in this one of several.
   */
  readonly nodesOf?: ((job: JobId, queue?: string) => NodesSay | undefined) | undefined
  /** Whether the limits of an enclosing policy let a job start in this one of its queues, if it has several (`Policy.startsInQueues`). Absent: they all do. */
  readonly mayStartIn?: ((job: JobId, queue: string) => boolean) | undefined
  /** Says that the next claims of a job start it in this one of its queues, so that the limits and the rank of that count. Absent: there are none. */
  readonly startIn?: ((job: JobId, queue: string) => void) | undefined
  /**
   * Starts all waiting tasks of a job that start together, on at most `most` nodes (default: any number) for which `may` holds and in the place of others, where
   * an enclosing policy lets the job preempt them; false, and nothing changes, where there would not be room. Where there will be, but others run on for a grace
   * time, nothing starts either, and the answer is the nodes of the tasks, one for each. Present only where the policy asks for it (`asksForRoom`). A pass hands
   * in the same `may` for all jobs. `queue`: the one of several in which it would start, by whose rank it preempts.
   */
  readonly makeRoom?: ((job: JobId, may: (node: NodeId) => boolean, most?: number, queue?: string) => boolean | readonly NodeId[]) | undefined
  /**
   * The earliest time from `from` on, in seconds, at which rules of an enclosing policy about the time of day let the job start, whatever is free; `Infinity`: never.
   * For policies that plan; until then `fits` is false for the job, and `take` and `claim` refuse it. Absent: there are no such rules.
   */
  readonly mayStartFrom?: ((job: JobId, from: Seconds) => Seconds) | undefined
  /**
   * Lowers the estimate of a job to `seconds`: it ends when it has run for so long, done or not. To be called before its first claim, for a job of which all
   * tasks start at once; until then its own estimate holds again with `Infinity`, and so it does once its claims are taken back or it is evicted. Where
   * tasks slow each other down it counts what they would take alone. Absent: jobs run as long as they take.
   */
  limitTo?(job: JobId, seconds: Seconds): void
  /** Asks for another round at `time`, in seconds, even if nothing else happens before; at a time that has come, at once. */
  wakeAt(time: Seconds): void
}
