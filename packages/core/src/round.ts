import type { JobId, LaneId, NodeId, ResourceId, Savepoint, Seconds, TaskId } from './ids.js'
import type { Phase } from './job.js'
import type { ClusterView, WorkView } from './views.js'

/** Why a job was passed over; the parts of its wait. */
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
  /** Its placement rules, or those of others, forbid all nodes with room, by what runs there. */
  Rule: 5,
} as const
export type Reason = (typeof Reason)[keyof typeof Reason]
/** What people call a reason, by its number. */
export const reasonNames: readonly string[] = ['no room', 'locality delay', 'queue limit', 'reservation', 'behind others', 'placement rule']

/** What limits around a policy say of a waiting job. */
export interface LimitsSay {
  /** What holds it back for now: a limit of how many jobs or for how long, or one of amounts; absent: nothing does. */
  readonly held?: 'number' | 'amount'
  /** Whom all that limit is of, for example a quality of service; '' where it is of the job, a user or an account. */
  readonly by: string
  /** Those of whom all there are limits for the job. */
  readonly groups: readonly string[]
}

/** A job of which the scheduler chooses the number of tasks. */
export interface Moulding {
  /** Tasks that its user asked for. */
  readonly requested: number
  /** What its workers do one after the other. */
  readonly phases: readonly Phase[]
}

/**
 * One scheduling opportunity: the nodes in sight, the pending work in sight, and a draft of claims that already counts
 * against what is free. A heartbeat, an offer, a queue pass and a private snapshot differ only in `nodes` and in the
 * view behind it. Valid only until the architecture closes it; then every call throws `ROUND_CLOSED`.
 */
export interface Round {
  /** Differs from that of every other round of the scheduler: for what is remembered during one round. */
  readonly serial: number
  /** When the decision takes effect. */
  readonly now: Seconds
  /** What the round is about: one slot type, or all resources. */
  readonly lane: LaneId
  /**
   * One node at a heartbeat, the offered ones for an offer, all for a queue pass; in id order. Valid in this round; the
   * same array in a later round holds the same nodes, unless it holds one.
   */
  readonly nodes: readonly NodeId[]
  /** The nodes that rounds of this scheduler have in sight in turn, in id order, where this one has a part of them: all nodes at a heartbeat. Absent: `nodes`. */
  readonly reach?: readonly NodeId[] | undefined
  /** The nodes and what is free on them, as far as this scheduler knows. */
  readonly cluster: ClusterView
  /** The jobs, as far as this scheduler knows. */
  readonly work: WorkView
  /** False when no job of the workload could fit what is left on the node: a quick test before looking at jobs. */
  room(node: NodeId): boolean
  /** Whether the job's next task fits what is left on the node. */
  fits(job: JobId, node: NodeId): boolean
  /** Unplaced tasks of all jobs of this scheduler in the lane. */
  readonly pending: number
  /** Jobs that may still be taken up; 0: only the one taken last, so a scan may stop. */
  readonly jobsLeft: number
  /** Tasks that may still be claimed, as far as the architecture limits them; 0: it only asks which job would be taken up. */
  readonly claimsLeft: number
  /**
   * "I decide about this job now": to be called before the first claim of a job. False when the architecture allows no
   * more jobs in this round, or this round is about another one.
   */
  take(job: JobId): boolean
  /** What the job's tasks share, where it is mouldable and none of them is claimed or has run; `undefined` otherwise. */
  moulding(job: JobId): Moulding | undefined
  /** Gives a mouldable job another number of tasks, at least 1. It keeps them whatever becomes of the round, until the next call. */
  mould(job: JobId, tasks: number): void
  /** Drafts a start. False, and nothing changes, when it does not fit or the node is not in sight or the limit of claims is reached. */
  claim(task: TaskId, node: NodeId): boolean
  /** Preemption: frees a running task's claim in the draft; the task is killed at commit and pending again. */
  evict(task: TaskId): void
  /**
   * Preemption that loses no work: frees so much of a running task's claim in the draft. At commit the task stops and is pending; it
   * can be claimed on its node alone, where it holds the rest of what it asks, and goes on where it was. It starts anew
   * elsewhere when its node takes no tasks any more.
   */
  suspendTask(task: TaskId, frees: readonly ResourceId[]): void
  /** Preemption for good: evicts all that runs of a job, of which something does; at commit the job is given up. Nothing of it fits meanwhile. */
  cancelJob(job: JobId): void
  /** A promise that the job starts no later than `start`; observers and laws hold the policy to it. */
  reserve(job: JobId, start: Seconds): void
  /** Whether somebody listens to `defer`: a policy that passes over many jobs at once need look at each only then. */
  readonly explained: boolean
  /** Records why a job was passed over; `limit` names the limit, or the rules, where these are the reason. Free unless somebody listens. */
  defer(job: JobId, reason: Reason, limit?: string): void
  /** Where `rollback` may go back to. */
  savepoint(): Savepoint
  /** Takes back later claims, evictions, suspensions and cancellations, newest first. */
  rollback(to: Savepoint): void
  /**
   * Asks what would be claimed at the rounds to come if nothing else happened: `see` brings other nodes of `reach` in sight
   * as a round of their own would. What was claimed and evicted meanwhile is taken back. Only where there is `reach`.
   */
  rehearse?(attempt: (see: (nodes: readonly NodeId[]) => void) => void): void
  /**
   * From now on tasks of the job take as long as if their data were on their node, wherever they start; reports keep their
   * places. For comparing what a move costs with and without the way to the data.
   */
  ignoreLocality?(job: JobId): void
  /** Whether a policy around this one keeps the job off the node, whatever is free there: nothing to wait for. */
  readonly bars?: ((job: JobId, node: NodeId) => boolean) | undefined
  /** What limits around this policy say of a waiting job, where they let it see those that they hold back, too: `take` and `claim` refuse these. */
  readonly limitsOf?: ((job: JobId) => LimitsSay) | undefined
  /** Asks for another round at `time` even if nothing happens until then. */
  wakeAt(time: Seconds): void
}
