import { sortAscending } from './sort-ascending.js'

/**
 * Divides an amount among entries that grow with one level r: entry i gets clamp(w_i r, low_i, high_i), and r is chosen so
 * that they sum to min(total, sum of high_i). Add the entries, then `fill`, then read `share`.
 *
 * The sum is piecewise linear in r with a break at every low_i/w_i and high_i/w_i: the breaks are sorted, the right piece
 * is found by bisection over them and solved exactly, O(n log n). Where the sum of the lows exceeds the total, every low
 * is scaled by total / sum, so the shares never exceed what there is.
 *
 * Shares of integer inputs are correctly rounded, hence the same in whatever order the entries are added. Scratch columns
 * are kept between calls; nothing is checked (weights > 0, 0 <= low <= high, low and total finite, high may be `Infinity`).
 */
export class WaterFill {
  #count = 0
  #weight = new Float64Array(0)
  #low = new Float64Array(0)
  #high = new Float64Array(0)
  /** Levels at which an entry starts and stops growing. */
  #from = new Float64Array(0)
  #to = new Float64Array(0)
  /** All finite breaks, two per entry at most. */
  #breaks = new Float64Array(0)
  #share = new Float64Array(0)

  /** Forgets all entries and makes room for `capacity` of them. */
  begin(capacity: number): void {
    this.#count = 0
    if (capacity <= this.#weight.length) return
    const room = Math.max(capacity, 2 * this.#weight.length) // doubling: amortised growth
    this.#weight = new Float64Array(room)
    this.#low = new Float64Array(room)
    this.#high = new Float64Array(room)
    this.#from = new Float64Array(room)
    this.#to = new Float64Array(room)
    this.#share = new Float64Array(room)
    this.#breaks = new Float64Array(2 * room)
  }

  add(weight: number, low: number, high: number): void {
    const i = this.#count++
    this.#weight[i] = weight
    this.#low[i] = low
    this.#high[i] = high
    this.#from[i] = low / weight
    this.#to[i] = high / weight
  }

  /** The share of the i-th entry added, after `fill`. */
  share(i: number): number {
    return this.#share[i]!
  }

  /** Computes the shares. Returns r: `Infinity` when every high is reached, 0 when the lows do not fit. */
  fill(total: number): number {
    let lows = 0
    let highs = 0
    for (let i = 0; i < this.#count; i++) {
      lows += this.#low[i]!
      highs += this.#high[i]!
    }
    if (highs <= total) return this.#reachHighs()
    if (lows > total) return this.#scaleLows(total, lows)
    return this.#solveRightOf(this.#lastBreakWithin(total), total)
  }

  #reachHighs(): number {
    for (let i = 0; i < this.#count; i++) this.#share[i] = this.#high[i]!
    return Infinity
  }

  #scaleLows(total: number, lows: number): number {
    for (let i = 0; i < this.#count; i++) this.#share[i] = (this.#low[i]! * total) / lows
    return 0
  }

  /** The largest break at which the entries still fit in the total; they do at the first, where all are at their lows. */
  #lastBreakWithin(total: number): number {
    const breaks = this.#breaks
    let within = 0
    let beyond = this.#sortBreaks()
    while (beyond - within > 1) {
      const middle = (within + beyond) >> 1
      if (this.#sumAt(breaks[middle]!) <= total) within = middle
      else beyond = middle
    }
    return breaks[within]!
  }

  #sortBreaks(): number {
    let n = 0
    for (let i = 0; i < this.#count; i++) {
      if (this.#low[i] === this.#high[i]) continue
      this.#breaks[n++] = this.#from[i]!
      if (this.#to[i] !== Infinity) this.#breaks[n++] = this.#to[i]!
    }
    sortAscending(this.#breaks, n)
    return n
  }

  #sumAt(level: number): number {
    let sum = 0
    for (let i = 0; i < this.#count; i++) {
      if (this.#to[i]! <= level) sum += this.#high[i]!
      else if (this.#from[i]! >= level) sum += this.#low[i]!
      else sum += this.#weight[i]! * level
    }
    return sum
  }

  /** Solves the piece to the right of a break: the growing entries divide, by weight, what the others leave. */
  #solveRightOf(level: number, total: number): number {
    let rest = total
    let weights = 0
    for (let i = 0; i < this.#count; i++) {
      if (this.#to[i]! <= level) rest -= this.#high[i]!
      else if (this.#from[i]! > level) rest -= this.#low[i]!
      else weights += this.#weight[i]!
    }
    for (let i = 0; i < this.#count; i++) {
      if (this.#to[i]! <= level) this.#share[i] = this.#high[i]!
      else if (this.#from[i]! > level) this.#share[i] = this.#low[i]!
      // one division, after the product: a share that is a whole number comes out whole
      else this.#share[i] = Math.min(Math.max((this.#weight[i]! * rest) / weights, this.#low[i]!), this.#high[i]!)
    }
    return weights === 0 ? level : rest / weights // 0 only where low/w and high/w round to one number
  }
}
