import type { Seconds } from '@sched/core'
import type { Profile } from './profile.js'
import { classes, classOf } from './size-class.js'

/** Gaps kept per class. With more the list would stay exact for longer, but few are needed, since each kept gap is longer than all before it. */
const KEPT = 12

/** Tolerance relative to the end of a gap: rounding may make the difference of its two times a little less than the length of a job that just fits. */
const ROUNDING = 2 * Number.EPSILON

/**
 * An approximate index of the gaps of a profile: for every size class the first gap of each length, so that a search for a start can
 * be left out where no gap is long enough. A gap of a class is an uninterrupted time during which at least the smallest amount of
 * the class is free, of the first resource.
 *
 * A gap that is filled stays in the index until `build` finds all gaps anew, so a reported gap may be gone. No existing gap is missed,
 * provided that `note` is called for everything that is given back.
 */
export class Gaps {
  readonly #profile: Profile
  /** `[class * KEPT + i]`: starts and lengths, both ascending. */
  readonly #starts = new Float64Array(classes * KEPT)
  readonly #lengths = new Float64Array(classes * KEPT)
  readonly #count = new Int32Array(classes)
  /** By class, in seconds: no waiting job is shorter, so shorter gaps are not kept; and the same for the jobs seen since the last `build`. */
  #shortest = new Float64Array(classes).fill(Infinity)
  #found = new Float64Array(classes).fill(Infinity)
  /** While steps are read in order: where the open gap of a class began. */
  readonly #open = new Float64Array(classes)

  constructor(profile: Profile) {
    this.#profile = profile
  }

  /** A job of this amount and length waits from now on: gaps that are long enough for it are kept from now on. */
  want(amount: number, length: Seconds): void {
    const c = classOf(amount)
    if (length < (this.#shortest[c] as number)) this.#shortest[c] = length
    if (length < (this.#found[c] as number)) this.#found[c] = length
  }

  /** Finds all gaps anew, for the jobs given to `want` or `first` since the last time. */
  build(): void {
    const shortest = this.#shortest
    this.#shortest = this.#found
    this.#found = shortest.fill(Infinity)
    this.#count.fill(0)
    const { first, last, times, free, width } = this.#profile
    const open = this.#open
    let level = -1 // classes up to this one have an open gap
    for (let i = first; i <= last; i++) {
      const now = levelOf(free[i * width] as number)
      for (; level < now; level++) open[level + 1] = times[i] as number
      for (; level > now; level--) this.#add(level, open[level] as number, times[i] as number)
    }
    for (; level >= 0; level--) this.#add(level, open[level] as number, Infinity)
  }

  /** Something was given back from `start` to `end`: keeps the gaps around it, taking the largest free amount within that time as free throughout it. */
  note(start: Seconds, end: Seconds): void {
    const { first, last, times, free, width } = this.#profile
    const begin = this.#profile.stepAt(start)
    let peak = 0
    let after = begin
    for (; after <= last && (times[after] as number) < end; after++) if ((free[after * width] as number) > peak) peak = free[after * width] as number
    const open = this.#open
    let level = levelOf(peak)
    const top = level
    let at = begin
    while (level >= 0 && at > first) {
      const below = levelOf(free[--at * width] as number)
      for (; level > below; level--) open[level] = times[at + 1] as number
    }
    for (; level >= 0; level--) open[level] = times[first] as number
    level = top
    for (at = after; level >= 0 && at <= last; at++) {
      const below = levelOf(free[at * width] as number)
      for (; level > below; level--) this.#add(level, open[level] as number, times[at] as number)
    }
    for (; level >= 0; level--) this.#add(level, open[level] as number, Infinity)
  }

  /** A lower bound on the start of a wanted job of this amount and length: before it no gap is long enough; `Infinity`: none is at all. */
  first(amount: number, length: Seconds): Seconds {
    const c = classOf(amount)
    if (length < (this.#found[c] as number)) this.#found[c] = length
    const from = c * KEPT
    const to = from + (this.#count[c] as number)
    for (let i = from; i < to; i++) if ((this.#lengths[i] as number) >= length) return this.#starts[i] as number
    return Infinity
  }

  #add(c: number, start: Seconds, end: Seconds): void {
    const starts = this.#starts
    const lengths = this.#lengths
    const base = c * KEPT
    const length = end - start + end * ROUNDING
    if (length < (this.#shortest[c] as number)) return
    let count = this.#count[c] as number
    let at = base + count
    while (at > base && (starts[at - 1] as number) >= start) at-- // entries from `at` on start no earlier
    if (at > base && (lengths[at - 1] as number) >= length) return
    let keep = at
    while (keep < base + count && (lengths[keep] as number) <= length) keep++ // entries from `at` to before `keep` are no longer and no earlier: they go
    if (keep === at) {
      if (count === KEPT) {
        // joins the entry behind it, or if there is none the one before: that reports a gap as earlier or longer than it is, which is safe
        if (at < base + count) starts[at] = start
        else lengths[at - 1] = length
        return
      }
      for (let i = base + count; i > at; i--) {
        starts[i] = starts[i - 1] as number
        lengths[i] = lengths[i - 1] as number
      }
      count++
    } else {
      const less = keep - at - 1
      for (let i = at + 1; i < base + count - less; i++) {
        starts[i] = starts[i + less] as number
        lengths[i] = lengths[i + less] as number
      }
      count -= less
    }
    starts[at] = start
    lengths[at] = length
    this.#count[c] = count
  }
}

/** The class of an amount, -1 for nothing. */
const levelOf = (amount: number) => (amount > 0 ? classOf(amount) : -1)
