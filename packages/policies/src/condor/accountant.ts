import { portableExp2, type Seconds } from '@sched/core'
import { SortedIds, type Keys } from '../orders/sorted-ids.js'
import type { NegotiatorSettings } from './options.js'
import type { SlotWeight } from './slot-weight.js'

/** The least real priority, as in HTCondor. */
const FLOOR = 0.5

/** Who asks for slots: a user, or a user with an account. */
export interface Submitter {
  readonly name: string
  readonly user: string
  /** The account of its jobs, '' for none. */
  readonly account: string
  readonly factor: number
  /** Real priority: what it has used, on average over time. */
  real: number
  /** What counts as used since the last cycle, in slot weight: what it held then, and its matches. */
  used: number
  /** What it holds, by resource. */
  readonly held: Float64Array
  /** Number of its claims. */
  claims: number
  /** Its jobs with tasks to start: by priority, then by submission. */
  readonly waiting: SortedIds
  /** Whether it had such jobs when the cycle began. */
  isIdle: boolean
}

/** State of an accountant for another one that goes on from there. */
export interface AccountantMemory {
  readonly last: Seconds
  readonly next: Seconds
  readonly isLate: boolean
  /** Of each submitter its account and user, its real priority, and what counts as used. */
  readonly submitters: readonly (readonly [account: string, user: string, real: number, used: number])[]
}

/**
 * The accountant of HTCondor, and the clock of its cycles. At each cycle the real priority p of a submitter becomes a p + (1 - a) u, where u is what counts
 * as used since the cycle before and a = 2^(-seconds / PRIORITY_HALFLIFE); only then what has ended and started by itself since is noticed.
 *
 * Source: HTCondor, Accountant.cpp (UpdatePriorities, CheckMatches), matchmaker.cpp (negotiationTime). Deviation: times are not whole seconds.
 */
export class Accountant {
  readonly submitters = new Map<string, Submitter>()
  /** When the next cycle is due. */
  next: Seconds = 0
  /** Whether a cycle has come and gone without a round while jobs waited. */
  #isLate = false
  #last: Seconds = 0
  readonly #settings: NegotiatorSettings
  readonly #weight: SlotWeight
  readonly #keys: Keys
  readonly #resources: number
  readonly #isNew: (submitter: Submitter) => void
  /** Number of submitters with waiting jobs. */
  asking = 0

  constructor(settings: NegotiatorSettings, weight: SlotWeight, keys: Keys, resources: number, isNew: (submitter: Submitter) => void) {
    this.#settings = settings
    this.#weight = weight
    this.#keys = keys
    this.#resources = resources
    this.#isNew = isNew
  }

  submitter(user: string, account: string): Submitter {
    const name = account === '' ? user : `${account}.${user}`
    const known = this.submitters.get(name)
    if (known !== undefined) return known
    const { PriorityFactor, DEFAULT_PRIO_FACTOR } = this.#settings
    const made: Submitter = { name, user, account, real: FLOOR, used: 0, factor: Object.hasOwn(PriorityFactor, name) ? (PriorityFactor[name] as number) : DEFAULT_PRIO_FACTOR, held: new Float64Array(this.#resources), claims: 0, waiting: new SortedIds(this.#keys), isIdle: false }
    this.submitters.set(name, made)
    this.#isNew(made)
    return made
  }

  /** A job has come: the schedd asks for a cycle. */
  ask(now: Seconds): void {
    this.next = Math.min(this.next, Math.max(now, this.#last + this.#settings.NEGOTIATOR_CYCLE_DELAY))
  }

  /** Cycles before `now`, which start nothing. To be called before anything changes. */
  catchUp(now: Seconds): void {
    while (this.next < now) {
      if (this.asking > 0) this.#isLate = true
      this.#account(this.next)
      const more = Math.ceil((now - this.next) / this.#interval) - 1 // what is held does not change meanwhile, so that these are as one
      this.next += this.#interval * Math.max(1, more)
    }
  }

  isDue(now: Seconds): boolean {
    return this.#isLate || this.next <= now
  }

  /** Begins a cycle. */
  begin(now: Seconds): void {
    this.#account(now)
    this.next = now
    for (const each of this.submitters.values()) each.isIdle = each.waiting.size > 0
  }

  /** Ends a cycle; unless the round was over before, so that the next one goes on. */
  end(now: Seconds): void {
    this.#isLate = false
    this.next = now + this.#interval
  }

  /** Effective priority: the lower, the better. */
  priority({ real, factor }: Submitter): number {
    return real * factor
  }

  holds({ held }: Submitter): number {
    return this.#weight.of((r) => held[r] as number)
  }

  memory(): AccountantMemory {
    const known = [...this.submitters.values()].filter(({ real, used }) => real > FLOOR || used > 0)
    return { last: this.#last, next: this.next, isLate: this.#isLate, submitters: known.map(({ account, user, real, used }) => [account, user, real, used] as const) }
  }

  recall({ last, next, isLate, submitters }: AccountantMemory): void {
    this.#last = last
    this.next = next
    this.#isLate = isLate
    for (const each of this.submitters.values()) [each.real, each.used] = [FLOOR, 0]
    for (const [account, user, real, used] of submitters) Object.assign(this.submitter(user, account), { real, used })
  }

  get #interval(): Seconds {
    return Math.max(this.#settings.NEGOTIATOR_INTERVAL, this.#settings.NEGOTIATOR_CYCLE_DELAY)
  }

  #account(now: Seconds): void {
    const age = portableExp2((this.#last - now) / this.#settings.PRIORITY_HALFLIFE)
    for (const each of this.submitters.values()) {
      each.real = Math.max(FLOOR, each.real * age + each.used * (1 - age))
      each.used = this.holds(each)
    }
    this.#last = now
  }
}
