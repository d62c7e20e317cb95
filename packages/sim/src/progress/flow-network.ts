/** Most links that a flow goes over. */
const HOPS = 4
const NONE = -1

/**
 * Flows over links of fixed capacity with max-min fair rates: no flow can be faster without making one slower that is
 * no faster. Rates are found by progressive filling whenever flows have come or gone: the link that gives its flows
 * least is full, its flows are settled, and so on with what is left.
 *
 * Bytes, seconds, bytes per second. Source: Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2.
 */
export class FlowNetwork {
  readonly #capacity: Float64Array
  /** Flows on each link, in no particular order. */
  readonly #on: number[][]
  /** By flow: links `[flow * HOPS + hop]`, its place in each link's list, rate and when it ends at that rate. */
  #links = new Int32Array(64 * HOPS)
  #places = new Int32Array(64 * HOPS)
  #rates = new Float64Array(64)
  #ends = new Float64Array(64)
  /** Bytes of a flow that has no rate yet. */
  #bytes = new Float64Array(64)
  readonly #live: number[] = []
  #at = new Int32Array(64)
  readonly #free: number[] = []
  #used = 0
  #isChanged = false
  /** Per link while filling: capacity left and flows not settled. */
  readonly #left: Float64Array
  readonly #count: Int32Array
  #settled = new Uint8Array(64)
  readonly #busy: number[] = []

  /** Links by number, with their capacities above 0. */
  constructor(capacity: ArrayLike<number>) {
    this.#capacity = Float64Array.from(capacity)
    this.#on = Array.from(capacity, () => [])
    this.#left = new Float64Array(capacity.length)
    this.#count = new Int32Array(capacity.length)
  }

  /** Flows that have not been taken out. */
  get flows(): number {
    return this.#live.length
  }

  /** A flow of so many bytes over one to four links; it moves after the next `share`. Returns its number. */
  add(links: readonly number[], bytes: number): number {
    const flow = this.#free.pop() ?? this.#used++
    if (flow >= this.#rates.length) this.#grow()
    for (let hop = 0; hop < HOPS; hop++) {
      const link = links[hop] ?? NONE
      this.#links[flow * HOPS + hop] = link
      if (link === NONE) continue
      this.#places[flow * HOPS + hop] = (this.#on[link] as number[]).push(flow * HOPS + hop) - 1
    }
    this.#rates[flow] = 0
    this.#ends[flow] = Infinity
    this.#bytes[flow] = bytes
    this.#at[flow] = this.#live.push(flow) - 1
    this.#isChanged = true
    return flow
  }

  /** Takes a flow out, ended or not. */
  remove(flow: number): void {
    for (let hop = 0; hop < HOPS; hop++) {
      const link = this.#links[flow * HOPS + hop] as number
      if (link === NONE) continue
      const on = this.#on[link] as number[]
      const last = on.pop() as number
      const place = this.#places[flow * HOPS + hop] as number
      if (last === flow * HOPS + hop) continue
      on[place] = last
      this.#places[last] = place
    }
    const last = this.#live.pop() as number
    const at = this.#at[flow] as number
    if (last !== flow) {
      this.#live[at] = last
      this.#at[last] = at
    }
    this.#free.push(flow)
    this.#isChanged = true
  }

  rate(flow: number): number {
    return this.#rates[flow] as number
  }

  /** When the flow ends if nothing changes. */
  end(flow: number): number {
    return this.#ends[flow] as number
  }

  /** Gives every flow its rate from `now` on, if flows have come or gone. Returns the time at which the first one ends. */
  share(now: number): number {
    if (this.#isChanged) {
      this.#isChanged = false
      this.#fill(now)
    }
    let first = Infinity
    for (let i = 0; i < this.#live.length; i++) {
      const end = this.#ends[this.#live[i] as number] as number
      if (end < first) first = end
    }
    return first
  }

  /** Flows that have ended by `now`, lowest number first; appended to `out`. */
  ended(now: number, out: number[]): void {
    const from = out.length
    for (let i = 0; i < this.#live.length; i++) {
      const flow = this.#live[i] as number
      if ((this.#ends[flow] as number) <= now) out.push(flow)
    }
    if (out.length - from > 1) out.sort((a, b) => a - b)
  }

  #fill(now: number): void {
    const busy = this.#busy
    busy.length = 0
    for (let link = 0; link < this.#on.length; link++) {
      const flows = (this.#on[link] as number[]).length
      if (flows === 0) continue
      this.#left[link] = this.#capacity[link] as number
      this.#count[link] = flows
      busy.push(link)
    }
    for (let i = 0; i < this.#live.length; i++) this.#settled[this.#live[i] as number] = 0
    for (let link = this.#tightest(); link !== NONE; link = this.#tightest()) this.#settle(link, now)
  }

  /** The link whose flows get least, the lowest of equals; links without flows to settle are dropped on the way. */
  #tightest(): number {
    const busy = this.#busy
    let tightest = NONE
    let least = Infinity
    for (let i = 0; i < busy.length; i++) {
      const link = busy[i] as number
      const count = this.#count[link] as number
      if (count === 0) continue
      const share = (this.#left[link] as number) / count
      if (share >= least) continue
      least = share
      tightest = link
    }
    return tightest
  }

  #settle(link: number, now: number): void {
    const share = Math.max(0, (this.#left[link] as number) / (this.#count[link] as number))
    const on = this.#on[link] as number[]
    for (let i = 0; i < on.length; i++) {
      const flow = ((on[i] as number) / HOPS) | 0
      if (this.#settled[flow] === 1) continue
      this.#settled[flow] = 1
      this.#setRate(flow, share, now)
      for (let hop = flow * HOPS; hop < flow * HOPS + HOPS; hop++) {
        const other = this.#links[hop] as number
        if (other === NONE) continue
        this.#left[other] = (this.#left[other] as number) - share
        this.#count[other] = (this.#count[other] as number) - 1
      }
    }
  }

  /** An unchanged rate leaves the end as it is; otherwise the bytes left are those until the old end. */
  #setRate(flow: number, rate: number, now: number): void {
    const was = this.#rates[flow] as number
    if (was === rate) return
    const left = was === 0 ? (this.#bytes[flow] as number) : Math.max(0, (this.#ends[flow] as number) - now) * was
    this.#rates[flow] = rate
    this.#bytes[flow] = left
    this.#ends[flow] = now + left / rate
  }

  #grow(): void {
    const size = this.#rates.length * 2
    this.#links = wider(this.#links, size * HOPS)
    this.#places = wider(this.#places, size * HOPS)
    this.#at = wider(this.#at, size)
    this.#rates = wider(this.#rates, size)
    this.#ends = wider(this.#ends, size)
    this.#bytes = wider(this.#bytes, size)
    this.#settled = wider(this.#settled, size)
  }
}

function wider<Column extends Int32Array | Float64Array | Uint8Array>(column: Column, size: number): Column {
  const larger = new (column.constructor as new (length: number) => Column)(size)
  larger.set(column)
  return larger
}
