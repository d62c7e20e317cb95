import type { Observer, Pass, Seconds } from '@sched/core'
import { counts, wholeRun, type Period } from '../period.js'

/** Passes of a policy over its queue, of one kind; in Slurm, the figures of `sdiag`. */
export interface PassesResult {
  /** `first`: the first jobs start in order until one does not fit; `plan`: later jobs are considered, too. */
  readonly kind: Pass['kind']
  /** Number of passes. None is counted while nobody waits. */
  readonly passes: number
  /** Passes per minute between the first and the last; NaN if they are not at two different instants at least. */
  readonly perMinute: number
  /** Jobs started in all passes together. */
  readonly started: number
  /** Jobs waiting when the pass began. */
  readonly waiting: PerPass
  /** Jobs considered. */
  readonly looked: PerPass
  /** Jobs for which the pass looked for a start. */
  readonly tried: PerPass
  /** Entries in the plan when the pass ended. */
  readonly entries: PerPass
}

/** A figure over all passes. */
export interface PerPass {
  /** Mean over the passes; NaN if there are none. */
  readonly mean: number
  /** Largest value of any pass. */
  readonly max: number
  /** Value of the last pass. */
  readonly last: number
}

/** Measures passes of policies over their queues, by kind in order of first appearance; with a period, only the passes in it. */
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

  /** `undefined` if no policy has reported a pass. */
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
