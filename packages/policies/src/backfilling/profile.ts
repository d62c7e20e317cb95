import { grown, type Seconds } from '@sched/core'

/** Above this many entries one block copy beats a loop. */
const LOOP = 32

/**
 * Free amounts over time as steps: from `times[i]` to `times[i + 1]` the vector at `free[i * width]` is free, the last
 * step has no end. Steps `first` to `last` are in use; neighbours differ.
 *
 * A vector to look for or to take is given as a column and the place where it starts in it.
 */
export class Profile {
  readonly width: number
  first = 0
  last = 0
  times = new Float64Array(64)
  free: Float64Array

  constructor(width: number) {
    this.width = width
    this.free = new Float64Array(64 * width)
  }

  /** Everything from `now` on has the same amounts. */
  reset(now: Seconds, amounts: Float64Array): void {
    this.first = this.last = 0
    this.times[0] = now
    this.free.set(amounts.subarray(0, this.width))
  }

  /** Forgets what lies before `now`. */
  advance(now: Seconds): void {
    while (this.first < this.last && (this.times[this.first + 1] as number) <= now) this.first++
    this.times[this.first] = now
    if (this.first > this.last - this.first + LOOP) this.#compact()
  }

  /** Adds a step at `time`, after all others, with the amounts of the last one. */
  append(time: Seconds): void {
    if (this.last + 1 >= this.times.length) this.#grow()
    const { width, free } = this
    const at = ++this.last
    this.times[at] = time
    for (let r = 0; r < width; r++) free[at * width + r] = free[(at - 1) * width + r] as number
  }

  /** The earliest time from the first step on from which `length` seconds have room for the vector, before `before`; else `Infinity`. `known`: there is none before it. */
  earliest(length: Seconds, vector: Float64Array, from: number, before: Seconds = Infinity, known: Seconds = -Infinity): Seconds {
    const first = this.stepAt(known)
    if (this.width === 1) return this.#earliestAmount(length, vector[from] as number, before, first)
    const { times, last } = this
    let start = times[first] as number
    for (let i = first; start < before; i++) {
      if (!this.#fits(i, vector, from)) {
        if (i === last) return Infinity
        start = times[i + 1] as number
      } else if (i === last) return start
      else {
        const end = times[i + 1] as number
        if (end >= start + length || end >= before) return start
      }
    }
    return Infinity
  }

  /** The same for one resource: two tight loops, one over steps that are too full, one over a run that has room. */
  #earliestAmount(length: Seconds, amount: number, before: Seconds, first: number): Seconds {
    const { times, free, last } = this
    let i = first
    for (;;) {
      while (i <= last && (free[i] as number) < amount) i++
      if (i > last) return Infinity
      const start = times[i] as number
      if (start >= before) return Infinity
      const end = start + length < before ? start + length : before
      do i++
      while (i <= last && (times[i] as number) < end && (free[i] as number) >= amount)
      if (i > last || (times[i] as number) >= end) return start
    }
  }

  /** The earliest time from `time` on from which `length` seconds have room for the vector, else `Infinity`. */
  earliestFrom(time: Seconds, length: Seconds, vector: Float64Array, from: number): Seconds {
    const { times, last } = this
    let i = this.stepAt(time)
    let start = Math.max(time, times[i] as number)
    for (; ; i++) {
      if (this.#fits(i, vector, from)) {
        if (i === last || (times[i + 1] as number) >= start + length) return start
      } else if (i === last) return Infinity
      else start = times[i + 1] as number
    }
  }

  /** From when on the vector has room without a break until `time`; `time` itself if there is none just before it. */
  roomUntil(time: Seconds, vector: Float64Array, from: number): Seconds {
    let step = this.lowest(time) - 1
    if (step < this.first || !this.#fits(step, vector, from)) return time
    while (step > this.first && this.#fits(step - 1, vector, from)) step--
    return this.times[step] as number
  }

  /** Whether the vector has room from the first step's beginning for `length` seconds. */
  fitsNow(length: Seconds, vector: Float64Array, from: number): boolean {
    const end = (this.times[this.first] as number) + length
    for (let i = this.first; i <= this.last && (i === this.first || (this.times[i] as number) < end); i++) if (!this.#fits(i, vector, from)) return false
    return true
  }

  /** Takes (`sign` 1) or gives back (-1) the vector from `start` to `end`. Nothing happens before the first step. */
  take(start: Seconds, end: Seconds, vector: Float64Array, from: number, sign: 1 | -1 = 1): void {
    if (!(start < end)) return
    const { width } = this
    const begin = this.#split(start)
    const stop = end === Infinity ? this.last + 1 : this.#split(end)
    const { free } = this
    for (let i = begin; i < stop; i++) for (let r = 0; r < width; r++) free[i * width + r] = (free[i * width + r] as number) - sign * (vector[from + r] as number)
    this.#merge(stop)
    this.#merge(begin)
  }

  /** Moves the vector from `start` to the earlier time `to`: only what does not overlap changes. */
  move(start: Seconds, to: Seconds, length: Seconds, vector: Float64Array, from: number): void {
    const end = to + length
    this.take(to, Math.min(end, start), vector, from)
    this.take(Math.max(end, start), start + length, vector, from, -1)
  }

  /** Less than nothing can be free, where a job outlives its estimate into a window: no matter to those that ask nothing of it. */
  #fits(step: number, vector: Float64Array, from: number): boolean {
    const { width, free } = this
    for (let r = 0; r < width; r++) {
      const amount = vector[from + r] as number
      if ((free[step * width + r] as number) < amount && amount > 0) return false
    }
    return true
  }

  /** The first step that begins at `time` or later; one more than the last if there is none. */
  lowest(time: Seconds): number {
    const { times } = this
    let low = this.first
    let high = this.last + 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((times[middle] as number) < time) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The step in which `time` lies, the first one for what is before it. */
  stepAt(time: Seconds): number {
    const step = this.lowest(time)
    return step > this.first && (step > this.last || this.times[step] !== time) ? step - 1 : step
  }

  /** The step that begins at `time`, or the first one where that is later; made if there is none. */
  #split(time: Seconds): number {
    const step = this.lowest(time)
    if (step === this.first || (step <= this.last && this.times[step] === time)) return step
    this.#insert(step, time)
    return step
  }

  /** A step that has come to equal the one before it goes. */
  #merge(step: number): void {
    if (step <= this.first || step > this.last) return
    const { width, free } = this
    for (let r = 0; r < width; r++) if (free[step * width + r] !== free[(step - 1) * width + r]) return
    this.#shift(step + 1, -1)
    this.last--
  }

  #insert(step: number, time: Seconds): void {
    if (this.last + 1 >= this.times.length) this.#grow()
    this.#shift(step, 1)
    this.last++
    const { width, free } = this
    this.times[step] = time
    for (let r = 0; r < width; r++) free[step * width + r] = free[(step - 1) * width + r] as number
  }

  /** Moves the steps from `step` to the last by one place. */
  #shift(step: number, by: 1 | -1): void {
    const { width, times, free, last } = this
    if (last - step > LOOP || width > 1) {
      times.copyWithin(step + by, step, last + 1)
      free.copyWithin((step + by) * width, step * width, (last + 1) * width)
    } else if (by === 1)
      for (let i = last; i >= step; i--) {
        times[i + 1] = times[i] as number
        free[i + 1] = free[i] as number
      }
    else
      for (let i = step; i <= last; i++) {
        times[i - 1] = times[i] as number
        free[i - 1] = free[i] as number
      }
  }

  #compact(): void {
    const { first, last, width } = this
    this.times.copyWithin(0, first, last + 1)
    this.free.copyWithin(0, first * width, (last + 1) * width)
    this.last -= first
    this.first = 0
  }

  #grow(): void {
    this.times = grown(this.times, this.times.length + 1)
    this.free = grown(this.free, this.times.length * this.width)
  }
}
