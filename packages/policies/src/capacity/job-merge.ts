import { grown, listOf } from '@sched/core'
import type { Keys, SortedIds } from '../orders/sorted-ids.js'

/**
 * Reads several sorted lists of jobs as one, by a heap of the lists ordered by their next job; its keys are copied into the heap, since they are
 * compared again and again.
 */
export class JobMerge {
  readonly #lists = listOf<SortedIds>()
  #at = new Int32Array(16)
  #key = new Float64Array(16)
  #tie = new Float64Array(16)
  #size = 0
  #keys: Keys | undefined

  begin(keys: Keys): void {
    this.#keys = keys
    this.#size = 0
  }

  /** Adds a list with at least one job left from position `at`. */
  add(list: SortedIds, at: number): void {
    if (this.#size === this.#at.length) this.#grow()
    const { key, tie } = this.#keys as Keys
    const job = list.ids[at] as number
    let hole = this.#size++
    while (hole > 0) {
      const above = (hole - 1) >> 1
      if (!this.#isAfter(above, key[job] as number, tie[job] as number)) break
      this.#move(above, hole)
      hole = above
    }
    this.#put(hole, list, at, key[job] as number, tie[job] as number)
  }

  /** The next job; -1 at the end. */
  next(): number {
    if (this.#size === 0) return -1
    const list = this.#lists[0] as SortedIds
    const at = this.#at[0] as number
    const job = list.ids[at] as number
    if (at + 1 < list.to) this.#sink(list, at + 1)
    else {
      this.#size--
      if (this.#size > 0) this.#sink(this.#lists[this.#size] as SortedIds, this.#at[this.#size] as number)
    }
    return job
  }

  /** Puts a list at the top and lets it sink to its place. */
  #sink(list: SortedIds, at: number): void {
    const size = this.#size
    const keys = this.#keys as Keys
    const job = list.ids[at] as number
    const key = keys.key[job] as number
    const tie = keys.tie[job] as number
    let hole = 0
    for (let below = 1; below < size; below = 2 * hole + 1) {
      if (below + 1 < size && this.#isAfter(below, this.#key[below + 1] as number, this.#tie[below + 1] as number)) below++
      if (this.#isAfter(below, key, tie)) break
      this.#move(below, hole)
      hole = below
    }
    this.#put(hole, list, at, key, tie)
  }

  /** Whether the next job of the list at `place` comes after a job with these keys. */
  #isAfter(place: number, key: number, tie: number): boolean {
    const own = this.#key[place] as number
    return own > key || (own === key && (this.#tie[place] as number) > tie)
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#lists[from] as SortedIds, this.#at[from] as number, this.#key[from] as number, this.#tie[from] as number)
  }

  #put(place: number, list: SortedIds, at: number, key: number, tie: number): void {
    this.#lists[place] = list
    this.#at[place] = at
    this.#key[place] = key
    this.#tie[place] = tie
  }

  #grow(): void {
    const size = 2 * this.#at.length
    this.#at = grown(this.#at, size)
    this.#key = grown(this.#key, size)
    this.#tie = grown(this.#tie, size)
  }
}
