import { None, type Cell, type LaneId, type NodeId, type ResourceId, type Seconds } from '@sched/core'
import type { Framework } from './framework.js'
import { NodeOffers } from './node-offers.js'
import type { OfferRules } from './offer-rules.js'
import type { Reservations } from './reservations.js'
import type { Roles } from './roles.js'
import { Timer, timer } from './timers.js'

export interface AllocatorOptions {
  /** `all`: an offer is everything that is free; `by-node`: offers are made node by node. */
  readonly offers: 'all' | 'by-node'
  readonly batch: Seconds
  readonly offerTime: Seconds
  /** Smallest amount of each resource that an offer must have over all its nodes. */
  readonly minimum: Float64Array
  readonly reservations: Reservations
  /** Whether an offer ends with the node that gives the framework its fair share. */
  readonly fairShare: boolean
}

/** Collects the requests of frameworks and makes offers, at most one at a time to each framework. */
export class Allocator {
  readonly #cell: Cell
  readonly #frameworks: readonly Framework[]
  readonly #roles: Roles
  readonly #rules: OfferRules
  readonly #options: AllocatorOptions
  readonly #byNode: NodeOffers | undefined
  readonly #hasMinimum: boolean
  readonly #offered: (readonly NodeId[])[] = []
  /** Number of nodes that are down now. */
  #away = 0
  #isArmed = false
  #offers = 0
  /** Index of the node after the last one offered, where offers have only some nodes. */
  #cursor = 0

  constructor(cell: Cell, frameworks: readonly Framework[], roles: Roles, rules: OfferRules, options: AllocatorOptions) {
    this.#cell = cell
    this.#frameworks = frameworks
    this.#roles = roles
    this.#rules = rules
    this.#options = options
    this.#byNode = options.offers === 'by-node' ? new NodeOffers(cell, roles, rules, options.reservations) : undefined
    this.#hasMinimum = options.minimum.some((amount) => amount > 0)
  }

  /** Notes which frameworks want an offer. */
  collect(): void {
    for (let i = 0; i < this.#frameworks.length; i++) {
      const framework = this.#frameworks[i] as Framework
      if (framework.isWaiting || framework.isServed || !framework.hasWork) continue
      framework.isWaiting = true
      this.#arm()
    }
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#cell.after(this.#options.batch, timer(Timer.Allocate, 0))
  }

  /** Called when requests have been collected for a while: makes offers in order until nothing is left, and tries again later for the rest. */
  allocate(): void {
    this.#isArmed = false
    for (const framework of this.#frameworks) if (!framework.hasWork) framework.isWaiting = false
    this.#roles.count(this.#byNode !== undefined || this.#roles.paths.length > 0)
    const waiting = this.#roles.waiting()
    this.#byNode?.divide()
    for (const framework of waiting) {
      const nodes = this.#take(framework)
      if (nodes === undefined) this.#arm()
      else this.#offer(framework, nodes)
    }
  }

  /** Counts nodes that are down: they are not offered. */
  onNode(up: boolean): void {
    this.#away += up ? -1 : 1
  }

  /** Delivers an offer to its framework. */
  deliver(id: number): void {
    this.#frameworks[id]?.receive(this.#offered[id] as readonly NodeId[])
  }

  #offer(framework: Framework, nodes: readonly NodeId[]): void {
    const { id } = framework.scheduler
    framework.isWaiting = false
    framework.isServed = true
    if (this.#byNode === undefined) this.#roles.serve(framework, this.#offers++)
    this.#offered[id] = nodes
    this.#cell.after(this.#options.offerTime, timer(Timer.Offer, id))
  }

  /** Moves what is to be offered into the framework's stock and returns its nodes; `undefined` if there is too little. */
  #take(framework: Framework): readonly NodeId[] | undefined {
    const { stock } = framework
    if (this.#byNode === undefined && !this.#takeFree(framework)) return undefined
    const nodes = stock.nodes() ?? this.#cell.nodes
    if (nodes.length > 0 && (!this.#hasMinimum || this.#isEnough(nodes, framework))) return nodes
    stock.giveBack()
    return undefined
  }

  /** Takes everything free on nodes that are up and may be offered to the framework; false if no task has room anywhere. */
  #takeFree(framework: Framework): boolean {
    if (!this.#hasRoom()) return false
    if (this.#options.fairShare || framework.refusals !== undefined || !this.#rules.isEmptyFor(framework)) this.#takeSome(framework)
    else if (this.#away === 0) framework.stock.takeAll()
    else for (const node of this.#cell.nodes) if (this.#cell.cluster.up(node)) framework.stock.takeNode(node)
    return true
  }

  #hasRoom(): boolean {
    const { cluster } = this.#cell
    for (let lane = 0 as LaneId; lane < cluster.lanes.length; lane++) if (cluster.nextWithRoom(lane, 0) !== None) return true
    return false
  }

  /**
   * Takes nodes in turn that the framework may be offered and has not refused, until it has its fair share of some resource. It takes whole nodes,
   * since a part may have no room for any task.
   */
  #takeSome(framework: Framework): void {
    const { nodes, cluster } = this.#cell
    const left = this.#options.fairShare ? this.#lacking(framework) : undefined
    const first = this.#cursor
    for (let i = 0; i < nodes.length && (left === undefined || left.every((amount) => amount > 0)); i++) {
      const node = nodes[(first + i) % nodes.length] as NodeId
      if (!this.#rules.isOfUse(node) || !this.#rules.allows(framework, node, (r) => cluster.free(node, r))) continue
      if (left !== undefined) for (let r = 0; r < left.length; r++) left[r] = (left[r] as number) - cluster.free(node, r as ResourceId)
      framework.stock.takeNode(node)
      this.#cursor = (node + 1) % nodes.length
    }
  }

  /** What the framework lacks of its fair share, by weight among the frameworks that hold or want something. */
  #lacking(framework: Framework): number[] {
    const active = this.#frameworks.filter((each) => each.tasks > 0 || each.hasWork)
    const part = framework.weight / active.reduce((sum, { weight }) => sum + weight, 0)
    const { cluster } = this.#cell
    return cluster.resources.map((_, r) => part * cluster.capacity(r as ResourceId) - (framework.held[r] as number))
  }

  #isEnough(nodes: readonly NodeId[], { stock }: Framework): boolean {
    const { minimum } = this.#options
    return minimum.every((least, r) => least === 0 || nodes.reduce((sum, node) => sum + stock.cluster.free(node, r as ResourceId), 0) >= least)
  }
}
