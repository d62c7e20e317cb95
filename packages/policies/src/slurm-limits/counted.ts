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
  /** What its running tasks hold, by resource. */
  readonly used: Float64Array
  /** Of what runs with a time limit, by resource: amounts, and amounts x expected ends. */
  readonly timed: Float64Array
  readonly ends: Float64Array
  /** What of its past use counts, by the ids of that: a resource, or -1 for the time of its jobs. */
  readonly charges: { readonly id: number; readonly resource: number }[] = []
  /** The smallest of its limits of running jobs, and whether what they hold is limited: until then no claim holds others back. */
  fewest = Infinity
  hasAmounts = false
  /** Waiting jobs that it limits and the policy knows of. */
  readonly shown = new Set<Entry>()
  /** Jobs that wait because of a limit on this. */
  readonly held = new Set<Entry>()

  constructor(name: string, resources: number) {
    this.name = name
    this.used = new Float64Array(resources)
    this.timed = new Float64Array(resources)
    this.ends = new Float64Array(resources)
  }

  /** Amounts x seconds that are left to what runs. */
  left(resource: number, now: Seconds): number {
    return Math.max(0, (this.ends[resource] as number) - (this.timed[resource] as number) * now)
  }
}

/** What a job's next piece, tasks that start together, asks for. */
export interface Piece {
  /** No task of the job runs. */
  readonly isFirst: boolean
  /** What it asks, and with it what the job holds then, by resource. */
  amount(resource: number): number
  whole(resource: number): number
  readonly estimate: Seconds
}

/** A limit that can keep a job from starting. */
export interface Limit {
  readonly reason: string
  /** What it counts; absent: the job alone, for which nothing changes. */
  readonly of?: Counted
  isOver(piece: Piece): boolean
  /** When it is not over any more if nothing else is used; absent: when something is given back. */
  opensAt?(piece: Piece): Seconds
}

export function jobsLimit(of: Counted, most: number, reason: string): Limit {
  of.fewest = Math.min(of.fewest, most)
  return { of, reason, isOver: ({ isFirst }) => isFirst && of.running >= most }
}

export function amountLimit(of: Counted, resource: number, most: number, reason: string): Limit {
  of.hasAmounts = true
  return { of, reason, isOver: (piece) => piece.amount(resource) > 0 && (of.used[resource] as number) + piece.amount(resource) > most }
}

/** What a limit of past use is about: the id under which it is counted, of a resource, or of time where that is below 0. */
export interface Charge {
  readonly usage: DecayedUsage
  readonly id: number
  readonly resource: number
}

/** `most` in amounts x seconds; jobs that ask nothing of the resource go on. */
export const pastLimit = (of: Counted, { usage, id, resource }: Charge, most: number, reason: string): Limit => ({
  of, reason, isOver: (piece) => (resource < 0 || piece.amount(resource) > 0) && usage.of(id) >= most, opensAt: () => usage.below(id, most),
})

/** The same for jobs that must be able to run to their time limit, all that run with them. Source: Slurm, `_validate_tres_usage_limits` with AccountingStorageEnforce=safe. */
export function safeLimit(of: Counted, { usage, id, resource }: Charge, most: number, reason: string, now: () => Seconds): Limit {
  of.hasAmounts = true
  const promised = () => usage.until(id, now()) + of.left(resource, now())
  const asked = (piece: Piece) => (piece.estimate < Infinity ? piece.amount(resource) * piece.estimate : 0)
  return {
    of, reason,
    isOver: (piece) => piece.amount(resource) > 0 && (usage.of(id) >= most || promised() + asked(piece) > most),
    opensAt: (piece) => usage.notBefore(promised(), most - asked(piece)),
  }
}

/** `most` in amounts x seconds that running jobs have left. */
export function leftLimit(of: Counted, resource: number, most: number, reason: string, now: () => Seconds): Limit {
  of.hasAmounts = true
  const beyond = (piece: Piece) => (piece.estimate < Infinity ? of.left(resource, now()) + piece.amount(resource) * piece.estimate - most : 0)
  return {
    of, reason,
    isOver: (piece) => piece.amount(resource) > 0 && beyond(piece) > 0,
    opensAt: (piece) => (piece.amount(resource) * piece.estimate > most ? Infinity : now() + Math.max(1, Math.ceil(beyond(piece) / (of.timed[resource] as number)))),
  }
}

/** `most` in amounts x seconds of the job by its time limit. */
export const spanLimit = (resource: number, most: number, reason: string): Limit => ({
  reason, isOver: (piece) => piece.whole(resource) > 0 && piece.estimate < Infinity && piece.whole(resource) * piece.estimate > most,
})

export const sizeLimit = (resource: number, most: number, reason: string): Limit => ({ reason, isOver: (piece) => piece.whole(resource) > most })
export const leastLimit = (resource: number, least: number, reason: string): Limit => ({ reason, isOver: (piece) => piece.whole(resource) < least })
/** A job without a time limit gets the longest that it may have. */
export const timeLimit = (most: Seconds, reason: string): Limit => ({ reason, isOver: ({ estimate }) => estimate > most && estimate < Infinity })
export const never = (reason: string): Limit => ({ reason, isOver: () => true })
