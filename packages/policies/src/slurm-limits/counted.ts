import type { Seconds } from '@sched/core'
import type { DecayedUsage } from '../fair-share/decayed-usage.js'

/** A waiting job in a lane. */
export type Entry = number

/** Jobs that limits count together: those of a QOS, of one of its users or accounts, of an association with all below it. */
export class Counted {
  /** For messages: `user ann in QOS normal`. */
  readonly name: string
  /** Jobs with a running task, and jobs in the system. */
  running = 0
  submitted = 0
  /** What its running jobs hold of a licence, where it is those of one. */
  licenses = 0
  /** What its running tasks hold, by resource, and last what they cost. */
  readonly used: Float64Array
  /** What runs with a time limit, by how much of it counts (UsageFactor). */
  readonly #timed = new Map<number, Timed>()
  readonly #resources: number
  /** What of its past use counts, by the ids of that: a resource, or -1 for the time of its jobs. */
  readonly charges: { readonly id: number; readonly resource: number }[] = []
  /** That use is kept for ever. */
  lasts = false
  /** The smallest of its limits of running jobs, the smallest of amounts by resource, and whether there are others of what they hold. */
  fewest = Infinity
  readonly least: Float64Array
  hasOthers = false
  /** By resource with such a limit: none of `shown` asks for more. */
  readonly #largest: Float64Array
  /** Waiting jobs that it limits and the policy knows of. */
  readonly shown = new Set<Entry>()
  /** Jobs that wait because of a limit on this. */
  readonly held = new Set<Entry>()

  constructor(name: string, resources: number) {
    this.name = name
    this.used = new Float64Array(resources)
    this.least = new Float64Array(resources).fill(Infinity)
    this.#largest = new Float64Array(resources)
    this.#resources = resources
  }

  /** Whether any of `shown` may be over a limit of it, now that more of its jobs run. */
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

  /** Something runs until `end`, or with an amount below 0 no more. */
  holds(resource: number, amount: number, end: Seconds, factor: number): void {
    this.used[resource] = (this.used[resource] as number) + amount
    if (end === Infinity) return
    let timed = this.#timed.get(factor)
    if (timed === undefined) this.#timed.set(factor, (timed = { amounts: new Float64Array(this.#resources), ends: new Float64Array(this.#resources) }))
    timed.amounts[resource] = (timed.amounts[resource] as number) + amount
    timed.ends[resource] = (timed.ends[resource] as number) + amount * end
  }

  /** Amounts x seconds that are left to what runs. */
  left(resource: number, now: Seconds): number {
    let left = 0
    for (const [factor, { amounts, ends }] of this.#timed) left += factor * Math.max(0, (ends[resource] as number) - (amounts[resource] as number) * now)
    return left
  }

  /** By how much that becomes less in a second. */
  pace(resource: number): number {
    let pace = 0
    for (const [factor, { amounts }] of this.#timed) pace += factor * (amounts[resource] as number)
    return pace
  }
}

/** By resource: amounts, and amounts x expected ends. */
interface Timed {
  readonly amounts: Float64Array
  readonly ends: Float64Array
}

/** How long a piece may run in limits of time that jobs use: with UsageFactorSafe its time limit times UsageFactor, in whole minutes. */
export type Length = (piece: Piece) => Seconds

/** What a job's next piece, tasks that start together, asks for. */
export interface Piece {
  /** No task of the job runs. */
  readonly isFirst: boolean
  /** What it asks, and with it what the job holds then, by resource; after the last one, what that costs. */
  amount(resource: number): number
  whole(resource: number): number
  readonly estimate: Seconds
}

/** A limit that can keep a job from starting. */
export interface Limit {
  /** As squeue prints it; of what is counted for several jobs with whose limit it is. */
  readonly reason: string
  /** What it counts; absent: the job alone, for which nothing changes. */
  readonly of?: Counted
  /** It is about how many jobs run or for how long, and so known before nodes are looked for. */
  readonly isOfNumbers?: true
  isOver(piece: Piece): boolean
  /** When it is not over any more if nothing else is used; absent: when something is given back. */
  opensAt?(piece: Piece): Seconds
}

const whose = (reason: string, of: Counted) => `${reason} of ${of.name}`

export function jobsLimit(of: Counted, most: number, reason: string): Limit {
  of.fewest = Math.min(of.fewest, most)
  return { of, isOfNumbers: true, reason: whose(reason, of), isOver: ({ isFirst }) => isFirst && of.running >= most }
}

export function amountLimit(of: Counted, resource: number, most: number, reason: string): Limit {
  if (resource === of.used.length - 1) of.hasOthers = true // what a piece costs depends on what else of the job runs
  else of.least[resource] = Math.min(of.least[resource] as number, most)
  return { of, reason: whose(reason, of), isOver: (piece) => piece.amount(resource) > 0 && (of.used[resource] as number) + piece.amount(resource) > most }
}

/** `asked` of `most` licences, which a job holds as long as any of its tasks runs. */
export function licenseLimit(of: Counted, name: string, asked: number, most: number): Limit {
  of.hasOthers = true
  return { of, reason: `Licenses of ${name}`, isOver: ({ isFirst }) => isFirst && of.licenses + asked > most }
}

/** What a limit of past use is about: the id under which it is counted, and of a resource. `isFree`: what others have used or have left does not count, since what these jobs use counts for nothing. `lengthOf`: how long they may run. */
export interface Charge {
  readonly usage: DecayedUsage
  readonly id: number
  readonly resource: number
  readonly isFree: boolean
  readonly lengthOf: Length
}

/** `most` in amounts x seconds; jobs that ask nothing of the resource go on. */
export const pastLimit = (of: Counted, { usage, id, resource, isFree }: Charge, most: number, reason: string): Limit => ({
  of, reason: whose(reason, of), isOver: (piece) => piece.amount(resource) > 0 && (isFree ? 0 : usage.of(id)) >= most, opensAt: () => usage.below(id, most),
})

const MINUTE: Seconds = 60
/** Slurm counts what has been used, and what is left to what runs, in whole minutes. */
const wholeMinutes = (seconds: number): number => Math.floor(seconds / MINUTE) * MINUTE

/**
 * The same for jobs that must be able to run to their time limit, all that run with them: with that, what has been used and what they have left, each in whole minutes,
 * come to no more than `most`. Source: Slurm, `_validate_tres_usage_limits` with AccountingStorageEnforce=safe.
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

/** `most` in seconds that jobs have run; with `isSafe` a job must be able to run to its time limit within it, whatever runs beside it. Source: Slurm, `acct_policy_job_runnable_pre_select`. */
export const wallLimit = (of: Counted, { usage, id, lengthOf }: Charge, most: Seconds, reason: string, isSafe: boolean): Limit => {
  const asked = (piece: Piece) => (isSafe && piece.estimate < Infinity ? lengthOf(piece) : 0)
  const opensAt = (length: Seconds) => (length === 0 ? usage.below(id, most) : length > most ? Infinity : usage.notBefore(usage.of(id), most - length + MINUTE))
  return { of, isOfNumbers: true, reason: whose(reason, of), isOver: (piece) => usage.of(id) >= most || wholeMinutes(usage.of(id)) + asked(piece) > most, opensAt: (piece) => opensAt(asked(piece)) }
}

/** `most` in amounts x seconds that running jobs have left; `isFree` and `lengthOf` as above. */
export function leftLimit(of: Counted, resource: number, most: number, reason: string, now: () => Seconds, { isFree, lengthOf }: Pick<Charge, 'isFree' | 'lengthOf'>): Limit {
  of.hasOthers = true
  const beyond = (piece: Piece) => (piece.estimate < Infinity ? (isFree ? 0 : of.left(resource, now())) + piece.amount(resource) * lengthOf(piece) - most : 0)
  return {
    of, reason: whose(reason, of),
    isOver: (piece) => piece.amount(resource) > 0 && beyond(piece) > 0,
    opensAt: (piece) => (piece.amount(resource) * lengthOf(piece) > most ? Infinity : now() + Math.max(1, Math.ceil(beyond(piece) / of.pace(resource)))),
  }
}

/** `most` in amounts x seconds of the job by its time limit. */
export const spanLimit = (resource: number, most: number, reason: string, lengthOf: Length): Limit => ({
  reason, isOver: (piece) => piece.whole(resource) > 0 && piece.estimate < Infinity && piece.whole(resource) * lengthOf(piece) > most,
})

export const sizeLimit = (resource: number, most: number, reason: string): Limit => ({ reason, isOver: (piece) => piece.whole(resource) > most })
/** `maySayNothing`: a job that asks for none has not said how many it wants. */
export const leastLimit = (resource: number, least: number, reason: string, maySayNothing: boolean): Limit => ({
  reason, isOver: (piece) => piece.whole(resource) < least && !(maySayNothing && piece.whole(resource) === 0),
})
/** A job without a time limit gets the longest that it may have. */
export const timeLimit = (most: Seconds, reason: string): Limit => ({ isOfNumbers: true, reason, isOver: ({ estimate }) => estimate > most && estimate < Infinity })
export const never = (reason: string): Limit => ({ reason, isOver: () => true })
