import type { CellState } from '@sched/cluster'
import { None, type NodeId, type Seconds } from '@sched/core'
import type { Observers } from '../observers.js'

/** Calls a function at a time. */
export type At = (time: Seconds, call: (now: Seconds) => void) => void

/** What takes nodes away and brings them back: the outages of a run. */
export interface Drains {
  /** `isEndless`: it is not to come back. */
  drain(node: NodeId, now: Seconds, isEndless: boolean): void
  restore(node: NodeId, now: Seconds): void
  /** Number of nodes that are down now. */
  readonly away: number
}

/** What drained nodes are drained in. */
export interface DrainedNodesEnv {
  readonly cell: CellState
  readonly outages: () => Drains
  readonly observers: Pick<Observers, 'onAvoid'>
}

/** Nodes that are drained because tasks have failed there, so that no job uses them. */
export class DrainedNodes {
  readonly at: At
  readonly #cell: CellState
  readonly #outages: () => Drains
  readonly #observers: Pick<Observers, 'onAvoid'>
  readonly #drained = new Set<NodeId>()
  /** Number of them that go later in this instant. */
  #going = 0

  constructor({ cell, outages, observers }: DrainedNodesEnv, at: At) {
    this.#cell = cell
    this.#outages = outages
    this.#observers = observers
    this.at = at
  }

  /** Number of nodes that are drained now. */
  get drained(): number {
    return this.#drained.size
  }

  /** Number of nodes that are up. */
  get up(): number {
    return this.#cell.nodes - this.#outages().away - this.#going
  }

  has(node: NodeId): boolean {
    return this.#drained.has(node)
  }

  /** Drains a node, later in this instant: a job may be about to end. `isEndless`: it is not restored. */
  drain(node: NodeId, now: Seconds, isEndless = false): void {
    if (this.#drained.has(node)) return
    this.#drained.add(node)
    this.#going++
    this.at(now, (time) => {
      this.#going--
      this.#outages().drain(node, time, isEndless)
      this.#observers.onAvoid(node, None, -1, -1, true, time)
    })
  }

  restore(node: NodeId, now: Seconds): void {
    if (!this.#drained.delete(node)) return
    this.#outages().restore(node, now)
    this.#observers.onAvoid(node, None, -1, -1, false, now)
  }
}
