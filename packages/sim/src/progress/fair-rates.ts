import { grown } from '@sched/core'
import { HOPS, type FlowLinks } from './flow-links.js'

const NONE = -1
/** Rates of one level may differ in their last bits: a rate this close below a level counts as equal to it. */
const NEARLY = 1 - 1e-9

/**
 * Max-min fair rates of flows over links of fixed capacity, by progressive filling: all flows grow together until a link is full; the flows of that
 * link keep their rate, and the others go on. Links are not kept sorted by level. Instead: a link that gives its flows no more than each of their
 * other links does is full before those, whatever happens elsewhere. From any link, going on to a link that gives less leads to such a link, so a
 * filling costs in proportion to its flows.
 *
 * When flows come or go, the filling stays the same up to the first level that the change can touch. Slower flows keep their rates, and so do flows
 * that share no link with a change, directly or through others. Only the rest is filled again. A link that would not be full even if each of its
 * flows had the whole of its narrowest link slows nothing down, and is left out.
 *
 * Source: Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2; the rule for what need not be filled again is ours.
 */
export class FairRates {
  readonly #flows: FlowLinks
  readonly #capacity: Float64Array
  /** Rate by flow; 0 until a new flow has its share. */
  rates = new Float64Array(64)
  /** By flow: capacity of its narrowest link, the most that it can get. */
  #most = new Float64Array(64)
  /** By link: sum of `#most` over its flows, and whether that exceeds its capacity. */
  readonly #asked: Float64Array
  readonly #isTight: Uint8Array
  /** Links on which flows have come or gone, and the lowest rate of the flows that have gone. */
  readonly #changed: number[] = []
  readonly #isChanged: Uint8Array
  #level = Infinity
  /** The part to fill again. Links and flows of the part are marked with the number of the filling, which is even; settled flows with 1 more. */
  #filling = 0
  readonly #links: number[] = []
  readonly #linkMarks: Int32Array
  #flowMarks = new Int32Array(64)
  #unsettled = 0
  /** By link of the part: capacity left, and number of flows not settled. */
  readonly #left: Float64Array
  readonly #count: Int32Array
  /** Links in the order in which they became full, a good order to start with next time; and a stack of links to come back to. */
  #order: number[] = []
  #before: number[] = []
  readonly #way: number[] = []
  readonly #set: (flow: number, rate: number) => void

  /** `set` is called for each flow with its new rate, while `rates` still has the old one. */
  constructor(flows: FlowLinks, capacity: ArrayLike<number>, set: (flow: number, rate: number) => void) {
    this.#flows = flows
    this.#capacity = Float64Array.from(capacity)
    this.#set = set
    this.#asked = new Float64Array(capacity.length)
    this.#isChanged = new Uint8Array(capacity.length)
    this.#isTight = new Uint8Array(capacity.length)
    this.#linkMarks = new Int32Array(capacity.length)
    this.#left = new Float64Array(capacity.length)
    this.#count = new Int32Array(capacity.length)
  }

  /** Adds a flow. */
  added(flow: number): void {
    while (flow >= this.rates.length) this.#grow()
    let most = Infinity
    for (let entry = flow * HOPS; entry < flow * HOPS + HOPS; entry++) {
      const link = this.#flows.links[entry] as number
      if (link !== NONE) most = Math.min(most, this.#capacity[link] as number)
    }
    this.rates[flow] = 0
    this.#most[flow] = most
    this.#note(flow, most)
  }

  /** To be called before a flow is removed. */
  removing(flow: number): void {
    const rate = this.rates[flow] as number
    if (rate > 0 && rate < this.#level) this.#level = rate
    this.#note(flow, -(this.#most[flow] as number))
  }

  /** Finds the rates after all changes so far. */
  fill(): void {
    if (this.#changed.length === 0) return
    this.#gather(this.#firstLevel())
    const before = this.#order
    this.#order = this.#before
    this.#before = before
    this.#order.length = 0
    for (let i = 0; i < before.length; i++) {
      const link = before[i] as number
      if (this.#linkMarks[link] === this.#filling) this.#fillAround(link)
      else this.#order.push(link)
    }
    for (let i = 0; this.#unsettled > 0; i++) this.#fillAround(this.#links[i] as number)
  }

  #note(flow: number, asked: number): void {
    for (let entry = flow * HOPS; entry < flow * HOPS + HOPS; entry++) {
      const link = this.#flows.links[entry] as number
      if (link === NONE) break
      this.#asked[link] = (this.#asked[link] as number) + asked
      this.#isTight[link] = this.#asked[link] > (this.#capacity[link] as number) ? 1 : 0
      if (this.#isChanged[link] === 1) continue
      this.#isChanged[link] = 1
      this.#changed.push(link)
    }
  }

  #shareOf(link: number): number {
    return (this.#left[link] as number) / (this.#count[link] as number)
  }

  /** The level up to which the filling stays the same. */
  #firstLevel(): number {
    let level = this.#level
    for (let i = 0; i < this.#changed.length; i++) level = Math.min(level, this.#fullAt(this.#changed[i] as number))
    this.#level = Infinity
    return level * NEARLY
  }

  /** The level at which a changed link is full: slower flows leave more capacity to the others. New flows are among the others. */
  #fullAt(link: number): number {
    const on = this.#flows.on[link] as readonly number[]
    let level = 0
    for (let slower = -1, before = -2; slower !== before; ) {
      before = slower
      slower = 0
      let left = this.#capacity[link] as number
      for (let i = 0; i < on.length; i++) {
        const rate = this.rates[(on[i] as number) >> 2] as number
        if (rate === 0 || rate >= level) continue
        slower++
        left -= rate
      }
      if (slower === on.length) return Infinity
      level = Math.max(level, left / (on.length - slower))
    }
    return level
  }

  /** Finds the links and flows to fill again: those at or above the level that are connected with a changed link. */
  #gather(level: number): void {
    this.#filling += 2
    this.#links.length = 0
    this.#unsettled = 0
    for (let i = 0; i < this.#changed.length; i++) {
      const link = this.#changed[i] as number
      this.#isChanged[link] = 0
      this.#reach(link)
    }
    this.#changed.length = 0
    for (let i = 0; i < this.#links.length; i++) this.#gatherOn(this.#links[i] as number, level)
  }

  #reach(link: number): void {
    if (this.#linkMarks[link] === this.#filling) return
    this.#linkMarks[link] = this.#filling
    this.#links.push(link)
  }

  #gatherOn(link: number, level: number): void {
    const on = this.#flows.on[link] as readonly number[]
    const { rates } = this
    const seen = this.#flowMarks
    const filling = this.#filling
    let left = this.#capacity[link] as number
    let count = 0
    for (let i = 0; i < on.length; i++) {
      const flow = (on[i] as number) >> 2
      const rate = rates[flow] as number
      if (rate > 0 && rate < level) left -= rate
      else {
        count++
        if ((seen[flow] as number) < filling) this.#gatherFlow(flow)
      }
    }
    this.#left[link] = left
    this.#count[link] = count
  }

  #gatherFlow(flow: number): void {
    const { links } = this.#flows
    const isTight = this.#isTight
    const seen = this.#linkMarks
    const filling = this.#filling
    let isHeld = false
    for (let entry = flow * HOPS; entry < flow * HOPS + HOPS; entry++) {
      const link = links[entry] as number
      if (link === NONE) break
      if (isTight[link] === 0) continue
      isHeld = true
      if (seen[link] === filling) continue
      seen[link] = filling
      this.#links.push(link)
    }
    this.#flowMarks[flow] = isHeld ? filling : filling + 1
    if (isHeld) this.#unsettled++
    else this.#rate(flow, this.#most[flow] as number)
  }

  /** Settles all flows of a link, after the flows of links that must be full before it. */
  #fillAround(start: number): void {
    const way = this.#way
    way.push(start)
    while (way.length > 0) {
      const link = way[way.length - 1] as number
      if ((this.#count[link] as number) === 0 || this.#isTight[link] === 0) {
        way.pop()
        continue
      }
      const share = this.#shareOf(link)
      const earlier = this.#fullBefore(link, share)
      if (earlier !== NONE) way.push(earlier)
      else this.#settleOn(link, share)
    }
  }

  /** A link that gives some flow of this link less than this link does, and less than the flow's narrowest link can; `NONE` if there is none. */
  #fullBefore(link: number, share: number): number {
    const on = this.#flows.on[link] as readonly number[]
    const { links } = this.#flows
    const [left, count] = [this.#left, this.#count]
    for (let i = 0; i < on.length; i++) {
      const flow = (on[i] as number) >> 2
      if (!this.#isOpen(flow)) continue
      const limit = Math.min(share, this.#most[flow] as number)
      for (let entry = flow * HOPS; entry < flow * HOPS + HOPS; entry++) {
        const other = links[entry] as number
        if (other === NONE) break
        if (other !== link && (left[other] as number) < limit * (count[other] as number) && this.#isTight[other] === 1 && this.#shareOf(other) < limit) return other
      }
    }
    return NONE
  }

  /** Gives the flows of a link their rates. If some have a narrower link elsewhere, only these are settled, and the others get more later. */
  #settleOn(link: number, share: number): void {
    const on = this.#flows.on[link] as readonly number[]
    let isSlow = false
    for (let i = 0; i < on.length; i++) {
      const flow = (on[i] as number) >> 2
      const most = this.#most[flow] as number
      if (most >= share || !this.#isOpen(flow)) continue
      this.#settle(flow, most)
      isSlow = true
    }
    if (isSlow) return
    this.#order.push(link)
    for (let i = 0; i < on.length; i++) {
      const flow = (on[i] as number) >> 2
      if (this.#isOpen(flow)) this.#settle(flow, share)
    }
  }

  #isOpen(flow: number): boolean {
    return this.#flowMarks[flow] === this.#filling
  }

  #settle(flow: number, rate: number): void {
    this.#flowMarks[flow] = this.#filling + 1
    this.#unsettled--
    this.#rate(flow, rate)
    for (let entry = flow * HOPS; entry < flow * HOPS + HOPS; entry++) {
      const link = this.#flows.links[entry] as number
      if (link === NONE) break
      this.#left[link] = (this.#left[link] as number) - rate
      this.#count[link] = (this.#count[link] as number) - 1
    }
  }

  #rate(flow: number, rate: number): void {
    this.#set(flow, rate)
    this.rates[flow] = rate
  }

  #grow(): void {
    const size = this.rates.length * 2
    this.rates = grown(this.rates, size)
    this.#most = grown(this.#most, size)
    this.#flowMarks = grown(this.#flowMarks, size)
  }
}
