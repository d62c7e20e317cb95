import { grown, None, WrappedRound, type JobId, type NodeId, type Placement, type ResourceId, type Round, type TaskId } from '@sched/core'
import { onlyNode, rulesHold } from '../disciplines/lowest-fitting.js'
import type { Submitter } from './accountant.js'
import type { MachineRanks } from './machine-ranks.js'
import type { OfferRanks } from './offer-ranks.js'
import type { SlotWeight } from './slot-weight.js'

/** A cycle sorts its nodes once it has looked through all so many times: that costs about as much, and most cycles look for few jobs. */
const LOOKS_PER_SORT = 16

/** Nodes that have changed since the nodes were sorted are looked through as well; with more than so many they are sorted again. */
const MOST_CHANGED = 64

/** The nodes that are offered in a cycle: those in sight with room, without the ones that have been matched. */
export class Offers extends WrappedRound {
  /** All that were put on offer; some are no more. */
  #nodes: NodeId[] = []
  /** By node: whether it is on offer. */
  readonly #isOffered: Uint8Array
  /** How many nodes are. */
  #count = 0
  readonly #taken = new Set<NodeId>()
  /** The same nodes, the best first, by what they had free then; absent: not sorted. */
  #sorted: NodeId[] | undefined
  /** Those that may have more or less free since. */
  readonly #changed = new Set<NodeId>()
  /** By node: the rank that it was sorted by. */
  #values = new Float64Array(0)
  /** Nodes looked at in this cycle since they were sorted. */
  #looks = 0
  readonly #weight: SlotWeight
  readonly #ranks: OfferRanks
  readonly #machines: MachineRanks
  readonly #placement: Placement | undefined

  constructor(weight: SlotWeight, ranks: OfferRanks, machines: MachineRanks, placement: Placement | undefined, nodes: number) {
    super()
    this.#isOffered = new Uint8Array(nodes)
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
    for (const node of this.#nodes) this.#isOffered[node] = 0
    this.#nodes = []
    this.#count = 0
    for (const node of nodes) if (cluster.hasRoom(lane, node)) this.#offer(node)
    this.reorder()
  }

  #offer(node: NodeId): void {
    this.#nodes.push(node)
    this.#isOffered[node] = 1
    this.#changed.add(node) // it is in no order yet
    this.#count++
  }

  /** What is free may have changed anywhere. */
  reorder(): void {
    this.#sorted = undefined
    this.#changed.clear()
    this.#looks = 0
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  override fits(job: JobId, node: NodeId): boolean {
    return !this.#taken.has(node) && this.inner.fits(job, node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    if (this.#taken.has(node)) return false
    this.#changed.add(node) // if that is taken back, too
    return this.inner.claim(task, node)
  }

  /** Offers a node no more in this cycle. */
  withdraw(node: NodeId): void {
    this.#taken.add(node)
    if (this.#isOffered[node] === 0) return
    this.#isOffered[node] = 0
    if (--this.#count >= this.#nodes.length / 2) return
    const isOffered = (each: NodeId) => this.#isOffered[each] === 1
    this.#nodes = this.#nodes.filter(isOffered)
    this.#sorted = this.#sorted?.filter(isOffered)
  }

  /** Whether a node is offered no more, since it has been matched. */
  isTaken(node: NodeId): boolean {
    return this.#taken.has(node)
  }

  /** Offers what those leave free on a node who had to go. */
  reopen(node: NodeId): void {
    if (!this.#taken.has(node) && this.#isOffered[node] === 0 && this.cluster.hasRoom(this.lane, node)) this.#offer(node)
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
    return this.#machines.areAny || !this.#isWorthSorting() ? this.#best(job, this.#machines.of(submitter), may) : this.#first(job, may)
  }

  /** Calls `may` for all nodes among which `pick` chooses. */
  tryAll(job: JobId, may: (node: NodeId) => boolean): void {
    if (this.#placement === undefined) for (const node of this.#nodes) if (this.#isOffered[node] === 1 && this.inner.fits(job, node)) may(node)
  }

  /** Looks through all nodes. */
  #best(job: JobId, ranks: Float64Array, may: (node: NodeId) => boolean): NodeId | None {
    let best: NodeId | None = None
    let first = -Infinity
    let second = -Infinity
    for (let i = 0; i < this.#nodes.length; i++) {
      const node = this.#nodes[i] as NodeId
      if (this.#isOffered[node] === 0) continue
      this.#looks++
      if (!this.inner.fits(job, node) || !may(node)) continue
      const rank = ranks[node] as number
      const preferred = this.#ranks.first(rank)
      if (preferred < first) continue
      const value = this.#ranks.second(rank, true, this.freeOn(node))
      if (best === None || preferred > first || value > second || (value === second && this.#isBefore(node, best))) [best, first, second] = [node, preferred, value]
    }
    return best
  }

  /** The same where all nodes rank jobs alike: the first that may be, by order, or one that has changed since. */
  #first(job: JobId, may: (node: NodeId) => boolean): NodeId | None {
    const isOpen = (node: NodeId) => this.#isOffered[node] === 1 && this.inner.fits(job, node) && may(node)
    let best: NodeId | None = this.#order().find((node) => !this.#changed.has(node) && isOpen(node)) ?? None
    for (const node of this.#changed) {
      if (!isOpen(node)) continue
      const [value, most] = [this.#valueOf(node), best === None ? -Infinity : this.#valueOf(best)]
      if (best === None || value > most || (value === most && this.#isBefore(node, best))) best = node
    }
    return best
  }

  #isWorthSorting(): boolean {
    return this.#sorted !== undefined || this.#looks >= LOOKS_PER_SORT * this.#count
  }

  /** The nodes on offer, the best first, but for those that have changed since they were sorted. */
  #order(): readonly NodeId[] {
    if (this.#sorted !== undefined && this.#changed.size <= MOST_CHANGED) return this.#sorted
    this.#changed.clear()
    const values = (this.#values = grown(this.#values, this.#isOffered.length))
    const sorted = this.#nodes.filter((node) => this.#isOffered[node] === 1)
    for (const node of sorted) values[node] = this.#valueOf(node)
    return (this.#sorted = sorted.sort((a, b) => (values[b] as number) - (values[a] as number) || (this.#isBefore(a, b) ? -1 : 1)))
  }

  #valueOf(node: NodeId): number {
    return this.#ranks.second(0, true, this.freeOn(node))
  }

  /** Which of two nodes that are equal otherwise comes first: by what is free, then the faster, then the lower one. */
  #isBefore(a: NodeId, b: NodeId): boolean {
    return (this.#ranks.third(this.freeOn(a), this.freeOn(b)) || this.cluster.speed(b) - this.cluster.speed(a) || a - b) < 0
  }
}
