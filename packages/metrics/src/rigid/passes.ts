import type { Observer, Pass, Seconds } from '@sched/core'
import { counts, wholeRun, type Period } from '../period.js'

/** What a policy tells of its looks at the queue, of one kind; in Slurm the figures of `sdiag`. */
export interface PassesResult {
  /** `first`: the first jobs start in order until one does not fit; `plan`: later ones are looked at, too. */
  readonly kind: Pass['kind']
  /** How many there were. None is counted while nobody waits. */
  readonly passes: number
  /** A minute, between the first and the last; NaN for fewer than two instants. */
  readonly perMinute: number
  /** Jobs that were started, all in all. */
  readonly started: number
  /** Jobs that waited at the begin. */
  readonly waiting: PerPass
  /** Jobs that were looked at. */
  readonly looked: PerPass
  /** Jobs of these for which a start was sought. */
  readonly tried: PerPass
  /** Entries of the plan at the end. */
  readonly entries: PerPass
}

/** A figure of every pass. */
export interface PerPass {
  /** Over the passes; NaN where there is none. */
  readonly mean: number
  /** The largest of any. */
  readonly max: number
  /** That of the last. */
  readonly last: number
}

/** Looks of policies at their queue, by kind in the order in which they were first told of; in a period, those that are made in it. */
export const passes = (period?: Period): Passes => new Passes(period)

export class Passes implements Observer {
  readonly #period: Period
  readonly #kinds = new Map<Pass['kind'], Kind>()

  constructor(period = wholeRun) {
    this.#period = period
  }

  onPass(pass: Pass, now: Seconds): void {
    if (!counts(this.#period, now)) return
    let kind = this.#kinds.get(pass.kind)
    if (kind === undefined) this.#kinds.set(pass.kind, (kind = new Kind(now)))
    kind.add(pass, now)
  }

  /** `undefined` where no policy has told of any. */
  result(): readonly PassesResult[] | undefined {
    return this.#kinds.size === 0 ? undefined : [...this.#kinds].map(([kind, own]) => ({ kind, ...own.result() }))
  }
}

class Kind {
  readonly #first: Seconds
  #last: Seconds
  #passes = 0
  #started = 0
  readonly #waiting = new Mean()
  readonly #looked = new Mean()
  readonly #tried = new Mean()
  readonly #entries = new Mean()

  constructor(first: Seconds) {
    this.#first = this.#last = first
  }

  add({ waiting, looked, tried, started, entries }: Pass, now: Seconds): void {
    this.#last = now
    this.#passes++
    this.#started += started
    this.#waiting.add(waiting)
    this.#looked.add(looked)
    this.#tried.add(tried)
    if (entries !== undefined) this.#entries.add(entries)
  }

  result(): Omit<PassesResult, 'kind'> {
    const minutes = (this.#last - this.#first) / 60
    return {
      passes: this.#passes,
      perMinute: minutes > 0 ? (this.#passes - 1) / minutes : NaN,
      started: this.#started,
      waiting: this.#waiting.result(),
      looked: this.#looked.result(),
      tried: this.#tried.result(),
      entries: this.#entries.result(),
    }
  }
}

class Mean {
  #count = 0
  #sum = 0
  #max = NaN
  #last = NaN

  add(value: number): void {
    this.#count++
    this.#sum += value
    this.#last = value
    if (!(this.#max >= value)) this.#max = value
  }

  result(): PerPass {
    return { mean: this.#sum / this.#count, max: this.#max, last: this.#last }
  }
}
