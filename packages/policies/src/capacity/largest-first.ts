/**
 * Reads ids by a key, the largest first; reading a few of many costs far less than sorting all. If ids were added in ascending order
 * of keys, as jobs and their tasks mostly are, they are read from the end; otherwise they form a heap.
 */
export class LargestFirst {
  #ids = new Int32Array(64)
  #keys = new Float64Array(64)
  /** Decides between equal keys; no two ids share a tie. */
  #ties = new Float64Array(64)
  #size = 0
  #isAscending = true
  #isHeap = false

  clear(): void {
    this.#size = 0
    this.#isAscending = true
    this.#isHeap = false
  }

  /** Adds an id; to be called before the first `next`. */
  add(id: number, key: number, tie: number): void {
    const at = this.#size++
    if (at === this.#ids.length) this.#grow()
    if (at > 0 && this.#isLarger(at - 1, key, tie)) this.#isAscending = false
    this.#put(at, id, key, tie)
  }

  /** The id of the largest key that is left; -1: none. */
  next(): number {
    if (this.#size === 0) return -1
    if (this.#isAscending) return this.#ids[--this.#size] as number
    if (!this.#isHeap) this.#makeHeap()
    const first = this.#ids[0] as number
    const last = --this.#size
    if (last > 0) this.#sink(0, this.#ids[last] as number, this.#keys[last] as number, this.#ties[last] as number)
    return first
  }

  #makeHeap(): void {
    this.#isHeap = true
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at, this.#ids[at] as number, this.#keys[at] as number, this.#ties[at] as number)
  }

  /** Puts an id into the hole of the heap, or to its place below it. */
  #sink(hole: number, id: number, key: number, tie: number): void {
    const size = this.#size
    for (;;) {
      let below = 2 * hole + 1
      if (below >= size) break
      if (below + 1 < size && this.#isLarger(below + 1, this.#keys[below] as number, this.#ties[below] as number)) below++
      if (!this.#isLarger(below, key, tie)) break
      this.#put(hole, this.#ids[below] as number, this.#keys[below] as number, this.#ties[below] as number)
      hole = below
    }
    this.#put(hole, id, key, tie)
  }

  #isLarger(at: number, key: number, tie: number): boolean {
    const own = this.#keys[at] as number
    return own > key || (own === key && (this.#ties[at] as number) > tie)
  }

  #put(at: number, id: number, key: number, tie: number): void {
    this.#ids[at] = id
    this.#keys[at] = key
    this.#ties[at] = tie
  }

  #grow(): void {
    const [ids, keys, ties] = [this.#ids, this.#keys, this.#ties]
    this.#ids = new Int32Array(ids.length * 2)
    this.#keys = new Float64Array(ids.length * 2)
    this.#ties = new Float64Array(ids.length * 2)
    this.#ids.set(ids)
    this.#keys.set(keys)
    this.#ties.set(ties)
  }
}
