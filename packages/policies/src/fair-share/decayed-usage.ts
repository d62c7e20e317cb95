import { ownValue, portableExp2, portableLog2, type Seconds } from '@sched/core'
import type { Resets } from './usage-resets.js'

/** When charges have grown to this, all are scaled down by a power of two, which is exact. */
const LARGEST = portableExp2(400)
const SMALLER = portableExp2(-400)
/** Most half-lives in one period; after so many, nothing is left beside what is charged later. */
const MOST_HALVINGS = 400
/** Number of periods, 19 years of five minutes, above which a time without events is not gone through period by period. */
const MANY = 2_000_000

/** State of `DecayedUsage`, for another one that goes on from there. */
export interface UsageMemory {
  readonly periods: number
  /** The weight of a unit charged in the current period, and of one charged in the last period that has ended. */
  readonly weights: readonly [now: number, last: number]
  /** By name: the charge of ended periods, that of the current one, and the time until which that is charged. */
  readonly used: Readonly<Record<string, readonly [charged: number, current: number, since: Seconds]>>
}

export interface Decay {
  /** Seconds in which past usage halves; 0: it does not decay. */
  readonly halfLife: Seconds
  /** Seconds of a measurement period, > 0: usage is charged and decays at its multiples. */
  readonly calcPeriod: Seconds
  /** Times at which usage is forgotten: that of the periods before the one that contains such a time, as in Slurm. */
  readonly resets: Resets
}

/**
 * Usage with a half-life: U = current period + D last period + D^2 the one before + ..., where D = 2^(-period / half-life).
 *
 * Only ratios of usage matter. So what was charged is left as it is, and the weight of new charges grows instead, by 1 / D from period to
 * period: one multiplication decays the usage of all users.
 *
 * Source: Slurm, classic_fair_share (normalized usage), PriorityDecayHalfLife and PriorityCalcPeriod.
 */
export class DecayedUsage {
  /** The end of the last period, seconds. */
  tick: Seconds = 0
  readonly #decay: Decay
  /** When usage is forgotten next. */
  #forgetAt: Seconds = NaN
  readonly #growth: number
  #periods = 0
  /** The weight of a unit charged in the current period, and of one charged in the last period that has ended. */
  #weight = 1
  #last = 1
  /** By id: the charge of ended periods, that of the current one, what it uses now, and the time until which that is charged. */
  readonly charged: number[] = []
  readonly #current: number[] = []
  readonly #rate: number[] = []
  readonly #since: Seconds[] = []
  readonly #ids = new Map<string, number>()
  /** Ids that use something now, or have used something in this period. */
  readonly #active = new Set<number>()

  constructor(decay: Decay) {
    this.#decay = decay
    this.#forgetAt = decay.resets.after(0)
    this.#growth = decay.halfLife === 0 ? 1 : portableExp2(Math.min(MOST_HALVINGS, decay.calcPeriod / decay.halfLife))
  }

  /** The id of a name, from 0 on in the order of first calls; a new name has used nothing. */
  id(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.#ids.size
    this.#ids.set(name, id)
    this.charged.push(0)
    this.#current.push(0)
    this.#rate.push(0)
    this.#since.push(0)
    return id
  }

  memory(): UsageMemory {
    const used = [...this.#ids].flatMap(([name, id]) => {
      const row = [this.charged[id] as number, this.#current[id] as number, this.#since[id] as Seconds] as const
      return row[0] === 0 && row[1] === 0 && this.#rate[id] === 0 ? [] : [[name, row] as const]
    })
    return { periods: this.#periods, weights: [this.#weight, this.#last], used: Object.fromEntries(used) }
  }

  /** Goes on from a remembered state, with what is used now; names that are not in it have used nothing before. */
  recall({ periods, weights, used }: UsageMemory): void {
    this.#periods = periods
    this.tick = periods * this.#decay.calcPeriod
    this.#forgetAt = this.#decay.resets.after(this.tick)
    ;[this.#weight, this.#last] = weights
    for (const name of Object.keys(used)) this.id(name)
    for (const [name, id] of this.#ids) {
      const [charged, current, since] = ownValue(used, name) ?? [0, 0, this.tick]
      this.charged[id] = charged
      this.#current[id] = current
      this.#since[id] = since
      if (current !== 0) this.#active.add(id)
    }
  }

  /** From now on an id uses `by` more units, or fewer if below 0. */
  change(id: number, by: number, now: Seconds): void {
    this.advance(now)
    this.#charge(id, now)
    this.#rate[id] = (this.#rate[id] as number) + by
    this.#active.add(id)
  }

  /** Takes back what an id has been charged in this period for so many units, used from `since` to now. */
  forgive(id: number, units: number, since: Seconds, now: Seconds): void {
    const left = (this.#current[id] as number) - units * (now - Math.max(since, this.tick))
    this.#current[id] = this.#rate[id] === 0 ? 0 : left // then all of it has been taken back, and no rest of a rounding may count
  }

  /** Usage in units x seconds as of the end of the last period. */
  of(id: number): number {
    return (this.charged[id] as number) / this.#last
  }

  /**
   * The end of the first period, from the next one on, at which the usage of an id has decayed below an amount, or may have been forgotten;
   * `Infinity`: never.
   */
  below(id: number, amount: number): Seconds {
    return this.#afterPeriods(Math.floor(this.#periodsFrom(this.of(id), amount)) + 1)
  }

  /**
   * A time before which a usage of `from` has certainly neither decayed to an amount nor been forgotten, as the end of a period; `Infinity`: it
   * never does.
   */
  notBefore(from: number, amount: number): Seconds {
    return this.#afterPeriods(Math.floor(this.#periodsFrom(from, amount)))
  }

  /** Usage in units x seconds as of the end of the last period, plus what has been used since, without decay. */
  until(id: number, now: Seconds): number {
    return this.of(id) + (this.#current[id] as number) + (this.#rate[id] as number) * (now - (this.#since[id] as number))
  }

  #periodsFrom(from: number, amount: number): number {
    const { halfLife, calcPeriod } = this.#decay
    return halfLife === 0 || amount <= 0 ? Infinity : (portableLog2(from / amount) * halfLife) / calcPeriod
  }

  #afterPeriods(periods: number): Seconds {
    const { calcPeriod } = this.#decay
    return Math.min(this.tick + Math.max(1, periods) * calcPeriod, Math.ceil(this.#forgetAt / calcPeriod) * calcPeriod)
  }

  /** Ends the periods that are over; very many at once are ended together, without going through each. */
  advance(now: Seconds): void {
    const { calcPeriod } = this.#decay
    while (now - this.tick > MANY * calcPeriod) this.#endMany(Math.floor((now - this.tick) / calcPeriod) - 1)
    while (this.next <= now) this.#end(this.next)
  }

  /** The length of a period, seconds. */
  get period(): Seconds {
    return this.#decay.calcPeriod
  }

  /** When the current period ends. */
  get next(): Seconds {
    return (this.#periods + 1) * this.#decay.calcPeriod
  }

  /** When parts of all usage may change next, unless somebody begins to use something: decay alone leaves them as they are. `Infinity`: never. */
  get changesAt(): Seconds {
    if (this.#active.size > 0) return this.next
    return this.charged.some((each) => each > 0) ? this.#afterPeriods(Infinity) : Infinity
  }

  #charge(id: number, now: Seconds): void {
    this.#current[id] = (this.#current[id] as number) + (this.#rate[id] as number) * (now - (this.#since[id] as number))
    this.#since[id] = now
  }

  #end(end: Seconds): void {
    if (end >= this.#forgetAt) {
      this.charged.fill(0)
      this.#forgetAt = this.#decay.resets.after(end)
    }
    for (const id of this.#active) {
      this.#charge(id, end)
      this.charged[id] = (this.charged[id] as number) + (this.#current[id] as number) * this.#weight
      this.#current[id] = 0
      if (this.#rate[id] === 0) this.#active.delete(id)
    }
    this.tick = end
    this.#periods++
    this.#last = this.#weight
    this.#weight *= this.#growth
    if (this.#weight > LARGEST) this.#scaleDown()
  }

  /**
   * Ends some of so many periods in which nothing else happens: those until usage is forgotten for the last time; or those after which more half-lives have
   * passed than a number has bits; or as many as can be summed without scaling down. With the weight w of the first, n periods add
   * w + w g + ... = w (g^n - 1) / (g - 1).
   */
  #endMany(periods: number): void {
    const { calcPeriod, halfLife, resets } = this.#decay
    const halvings = halfLife === 0 ? 0 : Math.min(MOST_HALVINGS, calcPeriod / halfLife)
    const reset = resets.last(this.tick + periods * calcPeriod)
    const forgotten = Math.max(Math.ceil((reset - this.tick) / calcPeriod) - 1, periods - 4 * Math.ceil(MOST_HALVINGS / halvings))
    if (forgotten > 0) return this.#forget(forgotten)
    if (reset > this.tick) this.charged.fill(0) // the reset lies in the first of these periods
    const count = Math.min(periods, Math.max(1, Math.floor(MOST_HALVINGS / halvings)))
    const growth = portableExp2(count * halvings)
    const weights = this.#weight * (halvings === 0 ? count : (growth - 1) / (this.#growth - 1))
    for (const id of this.#active) {
      this.#charge(id, this.tick + calcPeriod)
      const rate = this.#rate[id] as number
      this.charged[id] = (this.charged[id] as number) + (this.#current[id] as number) * this.#weight + rate * calcPeriod * (weights - this.#weight)
    }
    this.#pass(count)
    this.#last = (this.#weight * growth) / this.#growth
    this.#weight *= growth
    if (this.#weight > LARGEST) this.#scaleDown()
  }

  /** Ends periods of which no usage is left. */
  #forget(periods: number): void {
    this.charged.fill(0)
    this.#pass(periods)
  }

  /** Counts periods as over, with nothing charged in the current one. */
  #pass(periods: number): void {
    this.#periods += periods
    this.tick = this.#periods * this.#decay.calcPeriod
    this.#forgetAt = this.#decay.resets.after(this.tick)
    for (const id of this.#active) {
      this.#current[id] = 0
      this.#since[id] = this.tick
      if (this.#rate[id] === 0) this.#active.delete(id)
    }
  }

  #scaleDown(): void {
    for (let id = 0; id < this.charged.length; id++) this.charged[id] = (this.charged[id] as number) * SMALLER
    this.#weight *= SMALLER
    this.#last *= SMALLER
  }
}
