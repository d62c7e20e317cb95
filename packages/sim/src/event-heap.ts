import { grown } from '@sched/core'

/**
 * A 4-ary heap of event ids by (time, order), in two parallel columns; orders are in a column by id, looked up only on
 * equal times. The child to follow is chosen by arithmetic on compare results, because mispredicted branches are what a
 * heap of up to 1e5 events costs.
 */
export class EventHeap {
  length = 0
  times = new Float64Array(68).fill(Infinity)
  ids = new Int32Array(68)
  /** By id: its place among events of one time. */
  orders: Float64Array

  constructor(ids: number) {
    this.orders = new Float64Array(ids)
  }

  push(time: number, id: number): void {
    if (this.length + 4 >= this.ids.length) this.#grow()
    this.#lift(this.length++, time, id)
  }

  /** Walks the hole to the bottom along the smallest children, then lifts the last element up from there. */
  removeTop(): void {
    const { times, ids } = this
    const last = --this.length
    const time = times[last] as number
    const id = ids[last] as number
    times[last] = Infinity
    let hole = 0
    for (let child = 1; child < last; child = 4 * hole + 1) {
      const t0 = times[child] as number
      const t1 = times[child + 1] as number
      const t2 = times[child + 2] as number
      const t3 = times[child + 3] as number
      const left = child + +(t1 < t0)
      const right = child + 2 + +(t3 < t2)
      const l = times[left] as number
      const r = times[right] as number
      let best = left + (right - left) * +(r < l)
      if ((+(t0 === t1) | +(t2 === t3) | +(l === r)) !== 0) best = this.#firstOf(child, times[best] as number)
      times[hole] = times[best] as number
      ids[hole] = ids[best] as number
      hole = best
    }
    if (hole !== last) this.#lift(hole, time, id)
  }

  clear(): void {
    this.times.fill(Infinity, 0, this.length)
    this.length = 0
  }

  /** Moves the hole up to where an event belongs, and puts it there. */
  #lift(from: number, time: number, id: number): void {
    const { times, ids } = this
    let hole = from
    while (hole > 0) {
      const parent = (hole - 1) >> 2
      const above = times[parent] as number
      if (above < time || (above === time && this.#before(ids[parent] as number, id))) break
      times[hole] = above
      ids[hole] = ids[parent] as number
      hole = parent
    }
    times[hole] = time
    ids[hole] = id
  }

  /** Among four children, the one of the least time that fires first. */
  #firstOf(child: number, least: number): number {
    let best = -1
    for (let i = child; i < child + 4; i++)
      if (this.times[i] === least && (best < 0 || this.#before(this.ids[i] as number, this.ids[best] as number))) best = i
    return best
  }

  #before(a: number, b: number): boolean {
    return (this.orders[a] as number) < (this.orders[b] as number)
  }

  /** A parent's four children may lie past the last element. */
  #grow(): void {
    this.times = grown(this.times, this.times.length * 2, Infinity)
    this.ids = grown(this.ids, this.times.length)
  }
}
