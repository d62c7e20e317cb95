import { grown } from '@sched/core'

/** Most links that a flow passes over. */
export const HOPS = 4
const NONE = -1

/** Which flows pass over which links. Numbers of removed flows are reused. */
export class FlowLinks {
  /** By link: its flows as `flow * HOPS + hop`, in no particular order. */
  readonly on: readonly (readonly number[])[]
  /** `[flow * HOPS + hop]`: a link, or -1 after the last. */
  links = new Int32Array(64 * HOPS)
  /** `[flow * HOPS + hop]`: index of the entry in the list of that link. */
  #places = new Int32Array(64 * HOPS)
  readonly #free: number[] = []
  #used = 0

  constructor(links: number) {
    this.on = Array.from({ length: links }, () => [])
  }

  add(links: readonly number[]): number {
    const flow = this.#free.pop() ?? this.#used++
    if (flow * HOPS >= this.links.length) this.#grow()
    for (let hop = 0; hop < HOPS; hop++) {
      const link = links[hop] ?? NONE
      this.links[flow * HOPS + hop] = link
      if (link !== NONE) this.#places[flow * HOPS + hop] = (this.on[link] as number[]).push(flow * HOPS + hop) - 1
    }
    return flow
  }

  remove(flow: number): void {
    for (let entry = flow * HOPS; entry < flow * HOPS + HOPS; entry++) {
      const link = this.links[entry] as number
      if (link === NONE) break
      const on = this.on[link] as number[]
      const last = on.pop() as number
      const place = this.#places[entry] as number
      if (last === entry) continue
      on[place] = last
      this.#places[last] = place
    }
    this.#free.push(flow)
  }

  #grow(): void {
    this.links = grown(this.links, this.links.length * 2)
    this.#places = grown(this.#places, this.links.length)
  }
}
