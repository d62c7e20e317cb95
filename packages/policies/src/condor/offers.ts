import { None, WrappedRound, type JobId, type NodeId, type Placement, type ResourceId, type Round, type TaskId } from '@sched/core'
import { onlyNode, rulesHold } from '../disciplines/lowest-fitting.js'
import type { Submitter } from './accountant.js'
import type { MachineRanks } from './machine-ranks.js'
import type { OfferRanks } from './offer-ranks.js'
import type { SlotWeight } from './slot-weight.js'

/** The nodes that are offered in a cycle: those in sight with room, without the ones that have been matched. */
export class Offers extends WrappedRound {
  #nodes: NodeId[] = []
  readonly #taken = new Set<NodeId>()
  readonly #weight: SlotWeight
  readonly #ranks: OfferRanks
  readonly #machines: MachineRanks
  readonly #placement: Placement | undefined

  constructor(weight: SlotWeight, ranks: OfferRanks, machines: MachineRanks, placement: Placement | undefined) {
    super()
    this.#weight = weight
    this.#ranks = ranks
    this.#machines = machines
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

  /** Whether a node is offered no more, since it has been matched. */
  isTaken(node: NodeId): boolean {
    return this.#taken.has(node)
  }

  /** Offers what those leave free on a node who had to go. */
  reopen(node: NodeId): void {
    if (!this.#taken.has(node) && !this.#nodes.includes(node) && this.cluster.hasRoom(this.lane, node)) this.#nodes.push(node)
  }

  /** The round itself, in which matched nodes are no different from others. */
  get whole(): Round {
    return this.inner
  }

  /** What is free on a node of each resource. */
  freeOn(node: NodeId): (resource: ResourceId) => number {
    return (r) => this.cluster.free(node, r)
  }

  /** Slot weight of what is free on a node. */
  freeWeight(node: NodeId): number {
    return this.#weight.of(this.freeOn(node))
  }

  /** Whether the next task of a job may run on a node on offer, or of the whole round, also by the rules about other tasks that the placement heeds. */
  mayPlace(job: JobId, node: NodeId, round: Round = this): boolean {
    return round.fits(job, node) && (!rulesHold(round) || this.#placement?.wouldAllow?.(job, node, [], round) !== false)
  }

  /** The node for the next task of a job of a submitter: the one that the placement names, else the best of those for which `may` holds. */
  pick(job: JobId, submitter: Submitter, may: (node: NodeId) => boolean): NodeId | None {
    if (this.#placement !== undefined) {
      const node = this.nodes.length === 1 ? onlyNode(job, this, this.#placement) : this.#placement.pick(job, this)
      return node !== None && may(node) ? node : None
    }
    const ranks = this.#machines.of(submitter)
    let best: NodeId | None = None
    let first = -Infinity
    let second = -Infinity
    for (let i = 0; i < this.#nodes.length; i++) {
      const node = this.#nodes[i] as NodeId
      if (!this.inner.fits(job, node) || !may(node)) continue
      const rank = ranks[node] as number
      const preferred = this.#ranks.first(rank)
      if (preferred < first) continue
      const value = this.#ranks.second(rank, true, this.freeOn(node))
      if (best === None || preferred > first || value > second || (value === second && this.#isBefore(node, best))) [best, first, second] = [node, preferred, value]
    }
    return best
  }

  /** Which of two nodes that are equal otherwise comes first: by what is free, then the faster, then the lower one. */
  #isBefore(a: NodeId, b: NodeId): boolean {
    return (this.#ranks.third(this.freeOn(a), this.freeOn(b)) || this.cluster.speed(b) - this.cluster.speed(a) || a - b) < 0
  }
}
