import { grown, type Seconds } from '@sched/core'

/** A power of two, so that doubled steps and their sums stay exact. */
const FIRST_STEP = 2 ** -10

/**
 * Means of some levels over equal steps of time, without knowing the length of the run in advance: when more than `most` steps would be needed, every
 * two become one. So between half of `most` and `most` steps are kept, and a change costs the same however many there were before.
 */
export class TimeMeans {
  step: Seconds = FIRST_STEP
  readonly #most: number
  readonly #from: Seconds
  readonly #levels: number[] = []
  readonly #since: Seconds[] = []
  /** Integrals of the levels over time, `[column][step]`. */
  readonly #sums: Float64Array[] = []

  constructor(from: Seconds, most: number) {
    this.#from = from
    this.#most = most
  }

  /** Adds a column whose level is 0 until now; returns its number. */
  add(): number {
    this.#sums.push(new Float64Array(0))
    this.#since.push(this.#from)
    return this.#levels.push(0) - 1
  }

  change(column: number, now: Seconds, by: number): void {
    this.#settle(column, now)
    this.#levels[column] = (this.#levels[column] as number) + by
  }

  /** The means of a column until `end`, which may cut the last step short. */
  until(end: Seconds, column: number): number[] {
    this.#settle(column, end)
    const sums = this.#sums[column] as Float64Array
    const steps = Math.ceil((end - this.#from) / this.step)
    return Array.from({ length: steps }, (_, i) => (sums[i] ?? 0) / Math.min(this.step, end - this.#from - i * this.step))
  }

  #settle(column: number, now: Seconds): void {
    while (now - this.#from > this.step * this.#most) this.#double()
    const [since, level] = [this.#since[column] as number, this.#levels[column] as number]
    this.#since[column] = now
    if (level === 0 || now <= since) return
    const { step } = this
    const first = Math.floor((since - this.#from) / step)
    const last = Math.min(this.#most - 1, Math.floor((now - this.#from) / step))
    const sums = (this.#sums[column] = grown(this.#sums[column] as Float64Array, last + 1))
    for (let i = first; i <= last; i++) {
      const begin = this.#from + i * step
      sums[i] = (sums[i] as number) + level * (Math.min(now, begin + step) - Math.max(since, begin))
    }
  }

  #double(): void {
    this.step *= 2
    for (const sums of this.#sums) {
      for (let i = 0; i < sums.length; i++) sums[i] = (sums[2 * i] ?? 0) + (sums[2 * i + 1] ?? 0)
    }
  }
}
