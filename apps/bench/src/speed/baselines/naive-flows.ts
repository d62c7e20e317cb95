interface Flow {
  readonly links: readonly number[]
  left: number
  rate: number
}

/** Flows as a first version keeps them: objects in a map, and all rates found again by progressive filling after every change. */
export class NaiveFlows {
  readonly #capacity: readonly number[]
  readonly #flows = new Map<number, Flow>()
  #next = 0
  #now = 0

  constructor(capacity: readonly number[]) {
    this.#capacity = capacity
  }

  add(links: readonly number[], bytes: number): number {
    this.#flows.set(this.#next, { links, left: bytes, rate: 0 })
    return this.#next++
  }

  remove(flow: number): void {
    this.#flows.delete(flow)
  }

  share(now: number): number {
    this.#move(now)
    const left = [...this.#capacity]
    const counts = left.map(() => 0)
    const growing = new Set(this.#flows.values())
    for (const { links } of growing) for (const link of links) counts[link]!++
    while (growing.size > 0) this.#settle(left, counts, growing)
    return Math.min(...[...this.#flows.values()].map(({ left, rate }) => now + left / rate))
  }

  ended(now: number, out: number[]): void {
    this.#move(now)
    for (const [id, { left, rate }] of this.#flows) if (left <= 1e-9 * rate) out.push(id)
  }

  #move(now: number): void {
    for (const flow of this.#flows.values()) flow.left -= flow.rate * (now - this.#now)
    this.#now = now
  }

  /** The link that gives its flows least is full. */
  #settle(left: number[], counts: number[], growing: Set<Flow>): void {
    const shares = left.map((each, link) => (counts[link] === 0 ? Infinity : each / counts[link]!))
    const share = Math.min(...shares)
    const tightest = shares.indexOf(share)
    for (const flow of growing) {
      if (!flow.links.includes(tightest)) continue
      growing.delete(flow)
      flow.rate = share
      for (const link of flow.links) {
        left[link]! -= share
        counts[link]!--
      }
    }
  }
}
