import type { FairShareView, JobId, NodeId, Seconds } from '@sched/core'
import type { DecayedUsage } from '../fair-share/decayed-usage.js'
import { MINUTE } from './slurm-time.js'

/** A waiting job in a lane, as the number `job * lanes + lane`. */
export type Entry = number

/** A group of jobs that limits count together: those of a QOS, of a user or an account in a QOS, of an association and all below it, or with a licence. */
export class Counted {
  /** Name of the group for messages, such as `user ann in QOS normal`. */
  readonly name: string
  /** Number of its jobs with a running task. */
  running = 0
  /** Number of its jobs in the system, waiting and running. */
  submitted = 0
  /** For the group of a licence: how many its running jobs hold. */
  licenses = 0
  /** Amounts that its running tasks hold, by resource, and after the last resource their cost. */
  readonly used: Float64Array
  /** Nodes on which its running tasks are that share nodes, with their numbers; empty where no limit is on nodes. */
  readonly nodes = new Map<NodeId, number>()
  /** Running tasks with a time limit, by the factor with which their use counts (UsageFactor). */
  readonly #timed = new Map<number, Timed>()
  readonly #resources: number
  /** The past usage that is counted for it: the id under which it is kept, and the resource, -1 for the time of its jobs. */
  readonly charges: { readonly id: number; readonly resource: number }[] = []
  /** Whether its past usage never decays (NoDecay). */
  lasts = false
  /** The smallest limit on its running jobs. */
  fewest = Infinity
  /** By resource: the smallest limit on amounts that its jobs hold. */
  readonly least: Float64Array
  /** Whether there are other limits on what its jobs hold. */
  hasOthers = false
  /** By resource with such a smallest limit: none of `shown` asks for more. */
  readonly #largest: Float64Array
  /** Waiting jobs for which a limit of this group holds, and which no limit holds back. */
  readonly shown = new Set<Entry>()
  /** Jobs that a limit on this group holds back. */
  readonly held = new Set<Entry>()

  constructor(name: string, resources: number) {
    this.name = name
    this.used = new Float64Array(resources)
    this.least = new Float64Array(resources).fill(Infinity)
    this.#largest = new Float64Array(resources)
    this.#resources = resources
  }

  /** Whether a limit may hold back any of `shown`, now that more of its jobs run. */
  get isLimiting(): boolean {
    if (this.hasOthers || this.running >= this.fewest) return true
    for (let resource = 0; resource < this.#resources; resource++)
      if ((this.used[resource] as number) + (this.#largest[resource] as number) > (this.least[resource] as number)) return true
    return false
  }

  /** Adds a waiting job, or notes that one asks something else now. */
  show(entry: Entry, piece: Piece): void {
    this.shown.add(entry)
    for (let resource = 0; resource < this.#resources; resource++)
      if ((this.least[resource] as number) < Infinity) this.#largest[resource] = Math.max(this.#largest[resource] as number, piece.amount(resource))
  }

  hide(entry: Entry): void {
    this.shown.delete(entry)
    if (this.shown.size === 0) this.#largest.fill(0)
  }

  /** A task that shares its node with others starts (`sign` 1) or ends (-1) there. */
  isOn(node: NodeId, sign: 1 | -1): void {
    const tasks = (this.nodes.get(node) ?? 0) + sign
    if (tasks > 0) this.nodes.set(node, tasks)
    else this.nodes.delete(node)
  }

  /**
   * An amount is held from `start` until `end`; a negative amount is given back. `factor`: with what factor its use counts; `tick`: the end of the last period in
   * which use is counted.
   */
  holds(resource: number, amount: number, { start, end, tick }: Span, factor: number): void {
    this.used[resource] = (this.used[resource] as number) + amount
    if (end === Infinity) return
    let timed = this.#timed.get(factor)
    if (timed === undefined) this.#timed.set(factor, (timed = new Timed(this.#resources)))
    timed.amounts[resource] = (timed.amounts[resource] as number) + amount
    timed.ends[resource] = (timed.ends[resource] as number) + amount * end
    if (start > tick) timed.begin(resource, amount * (start - tick), tick)
  }

  /** Amount x seconds that its running tasks still have until their time limits, times their factors. */
  left(resource: number, now: Seconds): number {
    let left = 0
    for (const [factor, { amounts, ends }] of this.#timed) left += factor * Math.max(0, (ends[resource] as number) - (amounts[resource] as number) * now)
    return left
  }

  /** The same as of the end of a period, at or after the last one; as of their starts for tasks that have started since. */
  leftAtTick(resource: number, tick: Seconds): number {
    let left = 0
    for (const [factor, timed] of this.#timed) left += factor * Math.max(0, (timed.ends[resource] as number) - (timed.amounts[resource] as number) * tick - timed.begunSince(tick, resource))
    return left
  }

  /** By how much `left` falls in a second. */
  pace(resource: number): number {
    let pace = 0
    for (const [factor, { amounts }] of this.#timed) pace += factor * (amounts[resource] as number)
    return pace
  }
}

/** When an amount is held, by its time limit, and the end of the last period in which use is counted. */
export interface Span {
  readonly start: Seconds
  readonly end: Seconds
  readonly tick: Seconds
}

/** What running tasks with a time limit hold. */
class Timed {
  /** By resource: the sum of amounts, and the sum of amount x expected end. */
  readonly amounts: Float64Array
  readonly ends: Float64Array
  /** By resource: the sum of amount x time from the end of a period to the start, of tasks that have started after it. */
  readonly #begun: Float64Array
  #tick: Seconds = NaN

  constructor(resources: number) {
    this.amounts = new Float64Array(resources)
    this.ends = new Float64Array(resources)
    this.#begun = new Float64Array(resources)
  }

  begin(resource: number, held: number, tick: Seconds): void {
    if (this.#tick !== tick) this.#begun.fill(0)
    this.#tick = tick
    this.#begun[resource] = (this.#begun[resource] as number) + held
  }

  begunSince(tick: Seconds, resource: number): number {
    return this.#tick === tick ? (this.#begun[resource] as number) : 0
  }
}

/** The run time of a piece for limits of amounts x time: its time limit, with UsageFactorSafe times UsageFactor and in whole minutes. */
export type Length = (piece: Piece) => Seconds

/** The next piece of a job, tasks that start together, with what it asks for. */
export interface Piece {
  /** The job; absent before it is in the system. */
  readonly job?: JobId
  /** Whether no task of the job runs yet. */
  readonly isFirst: boolean
  /** The amount of a resource that the piece asks for; after the last resource, its cost. */
  amount(resource: number): number
  /** The amount that the job holds together with the piece. */
  whole(resource: number): number
  /** The time limit; `Infinity`: none. */
  readonly estimate: Seconds
  /** The most nodes that the job may be on; `Infinity`: any number. */
  readonly mostNodes: number
  /** The fewest nodes that the piece and what runs of the job need, whatever else is on them. */
  readonly leastNodes: number
}

/** A limit that can keep a job from starting. */
export interface Limit {
  /** The reason as squeue prints it, for a group of jobs with the name of the group. */
  readonly reason: string
  /** The group whose jobs it counts; absent: it is about the job alone, so that only its own tasks change anything. */
  readonly of?: Counted
  /** Whether it is about the number of running jobs or their time, so that Slurm checks it before it looks for nodes. */
  readonly isOfNumbers?: true
  /** Whether the limit forbids the piece to start. */
  isOver(piece: Piece): boolean
  /** The most nodes, of a limit on these: whether tasks that share nodes may not have these, or so many that the group does not hold yet. */
  readonly nodes?: { isOver(nodes: readonly NodeId[] | number): boolean }
  /** When the limit has room again if nothing else starts; absent: only when something is given back. */
  opensAt?(piece: Piece): Seconds
}

const whose = (reason: string, of: Counted) => `${reason} of ${of.name}`

/** A limit on the number of running jobs. */
export function jobsLimit(of: Counted, most: number, reason: string): Limit {
  of.fewest = Math.min(of.fewest, most)
  return { of, isOfNumbers: true, reason: whose(reason, of), isOver: ({ isFirst }) => isFirst && of.running >= most }
}

/** A limit on the amount of a resource that running jobs hold. A piece that asks for none of it may start. */
export function amountLimit(of: Counted, resource: number, most: number, reason: string): Limit {
  if (resource === of.used.length - 1) of.hasOthers = true // what a piece costs depends on what else of the job runs
  else of.least[resource] = Math.min(of.least[resource] as number, most)
  return { of, reason: whose(reason, of), isOver: (piece) => piece.amount(resource) > 0 && (of.used[resource] as number) + piece.amount(resource) > most }
}

/**
 * A limit on the number of nodes, of which a task that has its node for itself asks for one. Those that share nodes hold each node once, together with all others
 * of the group that share it: what they would hold is known when nodes have been found for them.
 *
 * Source: Slurm, `_get_unique_job_node_cnt` of acct_policy.c.
 */
export function nodesHeldLimit(of: Counted, resource: number, most: number, reason: string): Limit {
  of.hasOthers = true
  const held = () => (of.used[resource] as number) + of.nodes.size
  const isOver = (nodes: readonly NodeId[] | number): boolean => {
    const more = typeof nodes === 'number' ? nodes : [...new Set(nodes)].filter((node) => !of.nodes.has(node)).length
    return more > 0 && held() + more > most
  }
  return { of, reason: whose(reason, of), isOver: (piece) => piece.amount(resource) > 0 && held() + piece.amount(resource) > most, nodes: { isOver } }
}

/** The limit of a licence: there are `most`, and the job asks for `asked`, which it holds as long as any of its tasks runs. */
export function licenseLimit(of: Counted, name: string, asked: number, most: number): Limit {
  of.hasOthers = true
  return { of, reason: `Licenses of ${name}`, isOver: ({ isFirst }) => isFirst && of.licenses + asked > most }
}

/** The past usage that a limit is about. */
export interface Charge {
  readonly usage: DecayedUsage
  /** The id under which it is kept. */
  readonly id: number
  readonly resource: number
  /** Whether past and remaining usage do not count for the job, because its own usage counts for nothing (UsageFactor 0). */
  readonly isFree: boolean
  readonly lengthOf: Length
}

/** A limit on past usage: `most` in amount x seconds. Jobs that ask for none of the resource may start. */
export const pastLimit = (of: Counted, { usage, id, resource, isFree }: Charge, most: number, reason: string): Limit => ({
  of, reason: whose(reason, of), isOver: (piece) => piece.amount(resource) > 0 && (isFree ? 0 : usage.of(id)) >= most, opensAt: () => usage.below(id, most),
})

/** Slurm counts past usage, and the remaining usage of running jobs, in whole minutes. */
const wholeMinutes = (seconds: number): number => Math.floor(seconds / MINUTE) * MINUTE

/**
 * The same limit if all jobs must be able to run to their time limits within it: past usage, the remaining usage of running jobs (both in whole minutes) and
 * the usage of the piece must together be at most `most`.
 *
 * Source: Slurm, `_validate_tres_usage_limits` with AccountingStorageEnforce=safe.
 */
export function safeLimit(of: Counted, { usage, id, resource, isFree, lengthOf }: Charge, most: number, reason: string, now: () => Seconds): Limit {
  of.hasOthers = true
  const parts = () => (isFree ? [] : [usage.until(id, now()), of.left(resource, now())])
  const asked = (piece: Piece) => (piece.estimate < Infinity ? piece.amount(resource) * lengthOf(piece) : 0)
  return {
    of, reason: whose(reason, of),
    isOver: (piece) => piece.amount(resource) > 0 && ((isFree ? 0 : usage.of(id)) >= most || sum(parts().map(wholeMinutes)) + asked(piece) > most),
    opensAt: (piece) => (asked(piece) > most ? Infinity : usage.notBefore(sum(parts()), most - asked(piece) + 2 * MINUTE)),
  }
}

const sum = (amounts: readonly number[]) => amounts.reduce((all, each) => all + each, 0)

/**
 * A limit on the time that jobs have run: `most` in seconds. With `isSafe` the job must be able to run to its time limit within it; running jobs do not count.
 *
 * Source: Slurm, `acct_policy_job_runnable_pre_select`.
 */
export const wallLimit = (of: Counted, { usage, id, lengthOf }: Charge, most: Seconds, reason: string, isSafe: boolean): Limit => {
  const asked = (piece: Piece) => (isSafe && piece.estimate < Infinity ? lengthOf(piece) : 0)
  const opensAt = (length: Seconds) => (length === 0 ? usage.below(id, most) : length > most ? Infinity : usage.notBefore(usage.of(id), most - length + MINUTE))
  return { of, isOfNumbers: true, reason: whose(reason, of), isOver: (piece) => usage.of(id) >= most || wholeMinutes(usage.of(id)) + asked(piece) > most, opensAt: (piece) => opensAt(asked(piece)) }
}

/**
 * A limit on the remaining usage of running jobs until their time limits: `most` in amount x seconds. What they have left falls at the ends of the periods of
 * `usage`. `isFree` and `lengthOf` as in `Charge`.
 *
 * Source: Slurm, `grp_used_tres_run_secs`, from which `_apply_new_usage` of priority/multifactor takes what has passed.
 */
export function leftLimit(of: Counted, resource: number, most: number, reason: string, { usage, isFree, lengthOf }: Pick<Charge, 'usage' | 'isFree' | 'lengthOf'>): Limit {
  of.hasOthers = true
  const beyond = (piece: Piece, tick = usage.tick) => (piece.estimate < Infinity ? (isFree ? 0 : of.leftAtTick(resource, tick)) + piece.amount(resource) * lengthOf(piece) - most : 0)
  return {
    of, reason: whose(reason, of),
    isOver: (piece) => piece.amount(resource) > 0 && beyond(piece) > 0,
    opensAt: (piece) => {
      if (piece.amount(resource) * lengthOf(piece) > most) return Infinity
      const after = Math.max(0, beyond(piece, usage.next)) / of.pace(resource)
      return usage.next + (after > 0 ? Math.ceil(after / usage.period) * usage.period : 0)
    },
  }
}

/** A limit on the usage of one job until its time limit: `most` in amount x seconds. A job without a time limit passes. */
export const spanLimit = (resource: number, most: number, reason: string, lengthOf: Length): Limit => ({
  reason, isOver: (piece) => piece.whole(resource) > 0 && piece.estimate < Infinity && piece.whole(resource) * lengthOf(piece) > most,
})

/** A limit on the amount that one job holds. */
export const sizeLimit = (resource: number, most: number, reason: string): Limit => ({ reason, isOver: (piece) => piece.whole(resource) > most })

/** The least amount that one job must ask for. `maySayNothing`: a job that asks for 0 passes, since it has not said how many it wants. */
export const leastLimit = (resource: number, least: number, reason: string, maySayNothing: boolean): Limit => ({
  reason, isOver: (piece) => piece.whole(resource) < least && !(maySayNothing && piece.whole(resource) === 0),
})

/** The fewest nodes that jobs are on: one that may only be on fewer cannot start. */
export const nodesLimit = (least: number, reason: string): Limit => ({ reason, isOver: ({ mostNodes }) => mostNodes < least })

/** The most nodes that jobs are on: one that needs more cannot start. */
export const widthLimit = (most: number, reason: string): Limit => ({ reason, isOver: ({ leastNodes }) => leastNodes > most })

/** The longest time limit. A job without one passes: it gets the longest that it may have. */
export const timeLimit = (most: Seconds, reason: string): Limit => ({ isOfNumbers: true, reason, isOver: ({ estimate }) => estimate > most && estimate < Infinity })

/**
 * The least that fair share must add to the priorities of the jobs of a QOS.
 *
 * Source: Slurm, QOS_FLAG_ENFORCE_USAGE_THRES in `job_limits_check`.
 */
export const thresholdLimit = (of: Counted, fairShare: FairShareView, least: number): Limit => ({
  of, reason: whose('QOSUsageThreshold', of), isOver: ({ job }) => job !== undefined && fairShare.of(job) < least, opensAt: () => fairShare.next,
})

/** Forbids every start. */
export const never = (reason: string): Limit => ({ reason, isOver: () => true })
