import { grown, type Seconds } from '@sched/core'
import { FairRates } from './fair-rates.js'
import { FlowLinks } from './flow-links.js'

/**
 * Flows of bytes over links of fixed capacity at max-min fair rates: no flow can get faster without slowing down one that is not faster.
 *
 * Units: bytes, seconds, bytes per second. A change costs in proportion to what it touches (see `FairRates`), finding the next end in proportion to
 * the number of flows.
 */
export class FlowNetwork {
  readonly #links: FlowLinks
  readonly #fair: FairRates
  /** By flow: when it ends at its current rate; and its bytes, used until it has a rate. */
  #ends = new Float64Array(64)
  #bytes = new Float64Array(64)
  /** Flows that have not been removed, and the index of each in that list. */
  readonly #live: number[] = []
  #at = new Int32Array(64)
  #now: Seconds = 0

  /** `capacity`: the capacity of each link, by number; above 0. */
  constructor(capacity: ArrayLike<number>) {
    this.#links = new FlowLinks(capacity.length)
    this.#fair = new FairRates(this.#links, capacity, (flow, rate) => this.#setRate(flow, rate))
  }

  /** Number of flows that have not been removed. */
  get flows(): number {
    return this.#live.length
  }

  /** Adds a flow of so many bytes over one to four distinct links; it moves from the next `share` on. Returns its number. */
  add(links: readonly number[], bytes: number): number {
    const flow = this.#links.add(links)
    if (flow >= this.#ends.length) this.#grow()
    this.#fair.added(flow)
    this.#ends[flow] = Infinity
    this.#bytes[flow] = bytes
    this.#at[flow] = this.#live.push(flow) - 1
    return flow
  }

  /** Removes a flow, ended or not. */
  remove(flow: number): void {
    this.#fair.removing(flow)
    this.#links.remove(flow)
    const last = this.#live.pop() as number
    if (last === flow) return
    const at = this.#at[flow] as number
    this.#live[at] = last
    this.#at[last] = at
  }

  /** Rate of the flow; 0 before its first `share`. */
  rate(flow: number): number {
    return this.#fair.rates[flow] as number
  }

  /** When the flow ends if nothing changes. */
  end(flow: number): Seconds {
    return this.#ends[flow] as number
  }

  /** Updates the rates from `now` on, if flows have come or gone. Returns when the first flow ends. */
  share(now: Seconds): Seconds {
    this.#now = now
    this.#fair.fill()
    let first = Infinity
    for (let i = 0; i < this.#live.length; i++) {
      const end = this.#ends[this.#live[i] as number] as number
      if (end < first) first = end
    }
    return first
  }

  /** Appends the flows that have ended by `now` to `out`, lowest number first. */
  ended(now: Seconds, out: number[]): void {
    const from = out.length
    for (let i = 0; i < this.#live.length; i++) {
      const flow = this.#live[i] as number
      if ((this.#ends[flow] as number) <= now) out.push(flow)
    }
    if (out.length - from > 1) out.sort((a, b) => a - b)
  }

  /** Updates the end of a flow. With an unchanged rate the end stays as it is; otherwise the bytes left follow from the old end and rate. */
  #setRate(flow: number, rate: number): void {
    const was = this.#fair.rates[flow] as number
    if (was === rate) return
    const left = was === 0 ? (this.#bytes[flow] as number) : Math.max(0, (this.#ends[flow] as number) - this.#now) * was
    this.#ends[flow] = this.#now + left / rate
  }

  #grow(): void {
    const size = this.#ends.length * 2
    this.#ends = grown(this.#ends, size)
    this.#bytes = grown(this.#bytes, size)
    this.#at = grown(this.#at, size)
  }
}
