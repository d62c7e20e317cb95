import { None, WrappedRound, type JobId, type NodeId, type Placement, type Round, type TaskId } from '@sched/core'
import { onlyNode, rulesHold } from '../disciplines/lowest-fitting.js'
import type { SlotWeight } from './slot-weight.js'

/**
 * The nodes that are offered in a cycle: those in sight with room, without the ones that have been matched.
 *
 * Source: HTCondor, NEGOTIATOR_PRE_JOB_RANK, whose default prefers fewer free processors and then less free memory. Deviation: less free of each
 * other resource in turn, then the lowest node.
 */
export class Offers extends WrappedRound {
  #nodes: NodeId[] = []
  readonly #taken = new Set<NodeId>()
  readonly #weight: SlotWeight
  readonly #placement: Placement | undefined

  constructor(weight: SlotWeight, placement: Placement | undefined) {
    super()
    this.#weight = weight
    this.#placement = placement
  }

  of(round: Round): this {
    this.inner = round
    this.#taken.clear()
    return this
  }

  /** Puts all nodes in sight with room on offer. */
  open(): void {
    const { nodes, cluster, lane } = this.inner
    this.#nodes = nodes.filter((node) => cluster.hasRoom(lane, node))
  }

  get isEmpty(): boolean {
    return this.#nodes.length === 0
  }

  override fits(job: JobId, node: NodeId): boolean {
    return !this.#taken.has(node) && this.inner.fits(job, node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return !this.#taken.has(node) && this.inner.claim(task, node)
  }

  /** Offers a node no more in this cycle. */
  withdraw(node: NodeId): void {
    this.#taken.add(node)
    this.#nodes = this.#nodes.filter((other) => other !== node)
  }

  /** Slot weight of what is free on a node. */
  freeWeight(node: NodeId): number {
    return this.#weight.of((r) => this.cluster.free(node, r))
  }

  /** Whether the next task of a job may run on a node on offer, also by the rules about other tasks that the placement heeds. */
  mayPlace(job: JobId, node: NodeId): boolean {
    return this.fits(job, node) && (!rulesHold(this) || this.#placement?.wouldAllow?.(job, node, [], this) !== false)
  }

  /** The node for the next task of a job: the one that the placement names, else of those for which `may` holds the one with the least free. */
  pick(job: JobId, may: (node: NodeId) => boolean): NodeId | None {
    if (this.#placement !== undefined) {
      const node = this.nodes.length === 1 ? onlyNode(job, this, this.#placement) : this.#placement.pick(job, this)
      return node !== None && may(node) ? node : None
    }
    let best: NodeId | None = None
    let least = Infinity
    for (let i = 0; i < this.#nodes.length; i++) {
      const node = this.#nodes[i] as NodeId
      if (!this.inner.fits(job, node) || !may(node)) continue
      const weight = this.freeWeight(node)
      if (best === None || weight < least || (weight === least && this.#hasLess(node, best))) [best, least] = [node, weight]
    }
    return best
  }

  /** Whether the first of two nodes whose free slot weights are equal comes first. */
  #hasLess(a: NodeId, b: NodeId): boolean {
    for (const r of this.cluster.lanes[this.lane]?.resources ?? []) {
      const [freeOfA, freeOfB] = [this.cluster.free(a, r), this.cluster.free(b, r)]
      if (freeOfA !== freeOfB) return freeOfA < freeOfB
    }
    return a < b
  }
}
