import { grown, type Seconds } from '@sched/core'
import { FairRates } from './fair-rates.js'
import { FlowLinks } from './flow-links.js'

/**
 * Flows of bytes over links of fixed capacity at max-min fair rates: no flow can be faster without making one slower that
 * is no faster.
 *
 * Bytes, seconds, bytes per second. A change costs as much as it touches (see `FairRates`), a look for the next end as
 * much as there are flows.
 */
export class FlowNetwork {
  readonly #links: FlowLinks
  readonly #fair: FairRates
  /** By flow: when it ends at its rate; its bytes while it has no rate yet. */
  #ends = new Float64Array(64)
  #bytes = new Float64Array(64)
  /** Flows that have not been taken out, and the place of each in that list. */
  readonly #live: number[] = []
  #at = new Int32Array(64)
  #now: Seconds = 0

  /** Links by number, with their capacities above 0. */
  constructor(capacity: ArrayLike<number>) {
    this.#links = new FlowLinks(capacity.length)
    this.#fair = new FairRates(this.#links, capacity, (flow, rate) => this.#setRate(flow, rate))
  }

  /** Flows that have not been taken out. */
  get flows(): number {
    return this.#live.length
  }

  /** A flow of so many bytes over one to four different links; it moves after the next `share`. Returns its number. */
  add(links: readonly number[], bytes: number): number {
    const flow = this.#links.add(links)
    if (flow >= this.#ends.length) this.#grow()
    this.#fair.added(flow)
    this.#ends[flow] = Infinity
    this.#bytes[flow] = bytes
    this.#at[flow] = this.#live.push(flow) - 1
    return flow
  }

  /** Takes a flow out, ended or not. */
  remove(flow: number): void {
    this.#fair.removing(flow)
    this.#links.remove(flow)
    const last = this.#live.pop() as number
    if (last === flow) return
    const at = this.#at[flow] as number
    this.#live[at] = last
    this.#at[last] = at
  }

  /** 0 before the flow's first `share`. */
  rate(flow: number): number {
    return this.#fair.rates[flow] as number
  }

  /** When the flow ends if nothing changes. */
  end(flow: number): Seconds {
    return this.#ends[flow] as number
  }

  /** Gives every flow its rate from `now` on, if flows have come or gone. Returns the time at which the first one ends. */
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

  /** Flows that have ended by `now`, lowest number first; appended to `out`. */
  ended(now: Seconds, out: number[]): void {
    const from = out.length
    for (let i = 0; i < this.#live.length; i++) {
      const flow = this.#live[i] as number
      if ((this.#ends[flow] as number) <= now) out.push(flow)
    }
    if (out.length - from > 1) out.sort((a, b) => a - b)
  }

  /** An unchanged rate leaves the end as it is; otherwise the bytes left are those until the old end. */
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
