import { grown } from '@sched/core'

/**
 * A 4-ary heap of event ids by (time, order). Times and ids are parallel columns; orders are a column by id, read only if times are equal. The child
 * to follow is chosen by arithmetic on comparison results, because mispredicted branches are the main cost of a heap of up to 1e5 events.
 */
export class EventHeap {
  length = 0
  times = new Float64Array(68).fill(Infinity)
  ids = new Int32Array(68)
  /** By id: order among events of the same time. */
  orders: Float64Array

  constructor(ids: number) {
    this.orders = new Float64Array(ids)
  }

  push(time: number, id: number): void {
    if (this.length + 4 >= this.ids.length) this.#grow()
    this.#lift(this.length++, time, id)
  }

  /** Moves the hole at the top down along the smallest children, then places the last element there and lifts it. */
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

  /** Moves the hole up to the position of an event, and puts the event there. */
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

  /** Of four children, the one that fires first among those with the time `least`. */
  #firstOf(child: number, least: number): number {
    let best = -1
    for (let i = child; i < child + 4; i++)
      if (this.times[i] === least && (best < 0 || this.#before(this.ids[i] as number, this.ids[best] as number))) best = i
    return best
  }

  #before(a: number, b: number): boolean {
    return (this.orders[a] as number) < (this.orders[b] as number)
  }

  /** Keeps room for four children past the last element. */
  #grow(): void {
    this.times = grown(this.times, this.times.length * 2, Infinity)
    this.ids = grown(this.ids, this.times.length)
  }
}
