import type { Keys, SortedIds } from '../orders/sorted-ids.js'

/** Reads several sorted lists of jobs as one: a heap of the lists by their next job. */
export class JobMerge {
  #lists: SortedIds[] = []
  #at: number[] = []
  #size = 0
  #keys: Keys | undefined

  begin(keys: Keys): void {
    this.#keys = keys
    this.#size = 0
  }

  /** Adds a list with at least one job left from position `at`. */
  add(list: SortedIds, at: number): void {
    let hole = this.#size++
    while (hole > 0) {
      const above = (hole - 1) >> 1
      if (!this.#isAfter(above, list.ids[at] as number)) break
      this.#lists[hole] = this.#lists[above] as SortedIds
      this.#at[hole] = this.#at[above] as number
      hole = above
    }
    this.#lists[hole] = list
    this.#at[hole] = at
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
    const job = list.ids[at] as number
    let hole = 0
    for (;;) {
      let below = 2 * hole + 1
      if (below >= this.#size) break
      if (below + 1 < this.#size && this.#isAfter(below, this.#job(below + 1))) below++
      if (this.#isBefore(job, this.#job(below))) break
      this.#lists[hole] = this.#lists[below] as SortedIds
      this.#at[hole] = this.#at[below] as number
      hole = below
    }
    this.#lists[hole] = list
    this.#at[hole] = at
  }

  #job(i: number): number {
    return (this.#lists[i] as SortedIds).ids[this.#at[i] as number] as number
  }

  #isAfter(i: number, job: number): boolean {
    return this.#isBefore(job, this.#job(i))
  }

  #isBefore(a: number, b: number): boolean {
    const { key, tie } = this.#keys as Keys
    return (key[a] as number) < (key[b] as number) || (key[a] === key[b] && (tie[a] as number) < (tie[b] as number))
  }
}
