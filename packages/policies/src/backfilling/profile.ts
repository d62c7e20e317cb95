import { grown, type Seconds } from '@sched/core'
import { StartBounds } from './start-bounds.js'

/** Above this many entries one block copy beats a loop. */
const LOOP = 32

/** A search over more steps than this costs more than to remember what it has found. */
const LONG = 32

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
  readonly #bounds: StartBounds

  constructor(width: number) {
    this.width = width
    this.free = new Float64Array(64 * width)
    this.#bounds = new StartBounds(width)
  }

  /** Everything from `now` on has the same amounts. */
  reset(now: Seconds, amounts: Float64Array): void {
    this.first = this.last = 0
    this.times[0] = now
    this.free.set(amounts.subarray(0, this.width))
    this.#bounds.clear()
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

  /** The earliest time, from `notBefore` on, from which `length` seconds have room for the vector; `Infinity` if there is none. */
  earliest(length: Seconds, vector: Float64Array, from: number, notBefore: Seconds = -Infinity): Seconds {
    const { times, last } = this
    const known = Math.max(times[this.first] as number, this.#bounds.of(length, vector, from))
    const first = Math.max(known, notBefore)
    const begin = this.stepAt(first)
    const step = this.#search(length, vector, from, Infinity, begin, first)
    const start = step === begin ? first : step > last ? Infinity : (times[step] as number)
    if (step > begin + LONG && first === known) this.#bounds.note(length, vector, from, start)
    return start
  }

  /** The earliest time before `before` from which `length` seconds, as far as they are before it, have room for the vector; `Infinity` if there is none. */
  earliestBefore(before: Seconds, length: Seconds, vector: Float64Array, from: number): Seconds {
    const { times, first, last } = this
    const step = this.#search(length, vector, from, before, first, times[first] as number)
    return step <= last && (times[step] as number) < before ? (times[step] as number) : Infinity
  }

  /**
   * The step of the earliest time, from time `first` in step `begin` on; one that is not before `before`, or more than the last, if there is none. It looks
   * at one resource after another, in tight loops: a start from which one lacks room moves to where that one has room again.
   */
  #search(length: Seconds, vector: Float64Array, from: number, before: Seconds, begin: number, first: Seconds): number {
    const { times, width, last } = this
    let step = begin
    for (let r = 0, fitting = 0; fitting < width && step <= last; r = r + 1 < width ? r + 1 : 0) {
      const start = step === begin ? first : (times[step] as number)
      if (start >= before) return step
      const next = this.#whenRoom(r, vector[from + r] as number, length, before, step, start)
      fitting = next === step ? fitting + 1 : 1
      step = next
    }
    return step
  }

  /**
   * The first step, from `step` on, from which `length` seconds, as far as they are before `before`, have room for an amount of one resource; more than
   * the last if there is none. In `step` they begin at `start`.
   */
  #whenRoom(resource: number, amount: number, length: Seconds, before: Seconds, step: number, start: Seconds): number {
    if (amount === 0) return step
    const { times, free, width, last } = this
    let from = step
    let end = Math.min(start + length, before)
    let at = step * width + resource
    for (;;) {
      let i = from
      while (i <= last && (free[at] as number) >= amount) {
        if (++i > last || (times[i] as number) >= end) return from
        at += width
      }
      while (i <= last && (free[at] as number) < amount) {
        i++
        at += width
      }
      if (i > last) return i
      from = i
      end = Math.min((times[i] as number) + length, before)
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

  /** For how many seconds from the first step's beginning on the vector has room. */
  roomLasts(vector: Float64Array, from: number): Seconds {
    for (let i = this.first; i <= this.last; i++) if (!this.#fits(i, vector, from)) return (this.times[i] as number) - (this.times[this.first] as number)
    return Infinity
  }

  /** Takes (`sign` 1) or gives back (-1) the vector from `start` to `end`. Nothing happens before the first step. */
  take(start: Seconds, end: Seconds, vector: Float64Array, from: number, sign: 1 | -1 = 1): void {
    if (!(start < end)) return
    if (sign < 0) this.#bounds.clear()
    const { width } = this
    const begin = this.#split(start)
    const stop = end === Infinity ? this.last + 1 : this.#split(end)
    const { free } = this
    for (let r = 0; r < width; r++) {
      const amount = sign * (vector[from + r] as number)
      for (let at = begin * width + r; at < stop * width; at += width) free[at] = (free[at] as number) - amount
    }
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
