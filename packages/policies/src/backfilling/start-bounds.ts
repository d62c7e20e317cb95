import type { Seconds } from '@sched/core'

/** Most searches that are kept. Few tell anything that later ones do not, seldom more than 20; those with the earliest starts are given up first. */
const KEPT = 32

/** An entry has three parts side by side, which move together: the start that was found, the length, and the vector. */
const START = 0
const LENGTH = 1
const VECTOR = 2

/**
 * Lower bounds on starts in a profile from which amounts are only taken: who asks no less than somebody before, for no shorter time, has no earlier
 * start. Of the searches so far those are kept that tell more than the others, the latest start first.
 */
export class StartBounds {
  readonly #size: number
  readonly #entries: Float64Array
  #end = 0

  /** `width`: numbers of a vector. */
  constructor(width: number) {
    this.#size = VECTOR + width
    this.#entries = new Float64Array((KEPT + 1) * this.#size)
  }

  /** Something was given back: nothing is known any more. */
  clear(): void {
    this.#end = 0
  }

  /** No start for `length` seconds of the vector, which begins at `from` in its column, is earlier; `-Infinity`: nothing is known. */
  of(length: Seconds, vector: Float64Array, from: number): Seconds {
    const entries = this.#entries
    const size = this.#size
    const end = this.#end
    for (let at = 0; at < end; at += size) {
      if ((entries[at + LENGTH] as number) > length) continue
      let i = VECTOR
      while (i < size && (entries[at + i] as number) <= (vector[from + i - VECTOR] as number)) i++
      if (i === size) return entries[at + START] as number
    }
    return -Infinity
  }

  /** Notes a start that a search has found, later than `of` has said. Earlier ones of who asked no less, for no shorter time, tell nothing more. */
  note(length: Seconds, vector: Float64Array, from: number, start: Seconds): void {
    const entries = this.#entries
    const size = this.#size
    let place = 0
    while (place < this.#end && (entries[place + START] as number) > start) place += size
    let end = place
    for (let at = place; at < this.#end; at += size) {
      let i = (entries[at + LENGTH] as number) >= length ? VECTOR : 0
      while (i >= VECTOR && i < size && (entries[at + i] as number) >= (vector[from + i - VECTOR] as number)) i++
      if (i === size) continue
      if (end < at) for (i = 0; i < size; i++) entries[end + i] = entries[at + i] as number
      end += size
    }
    for (let i = end - 1; i >= place; i--) entries[i + size] = entries[i] as number
    entries[place + START] = start
    entries[place + LENGTH] = length
    for (let i = VECTOR; i < size; i++) entries[place + i] = vector[from + i - VECTOR] as number
    this.#end = Math.min(end + size, KEPT * size)
  }
}
