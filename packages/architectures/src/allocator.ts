import { None, type Cell, type LaneId, type NodeId, type ResourceId, type Seconds } from '@sched/core'
import type { AllocatorOrder } from './allocator-order.js'
import type { Framework } from './framework.js'
import { Timer, timer } from './timers.js'

export interface AllocatorOptions {
  readonly order: AllocatorOrder
  readonly batch: Seconds
  readonly offerTime: Seconds
  /** Least of every resource over all nodes of an offer. */
  readonly minimum: Float64Array
  /** Whether an offer has at most what the framework lacks of its fair share. */
  readonly fairShare: boolean
}

/** Collects requests of frameworks and makes offers, at most one at a time to each. */
export class Allocator {
  readonly #cell: Cell
  readonly #frameworks: readonly Framework[]
  readonly #options: AllocatorOptions
  readonly #hasMinimum: boolean
  readonly #offered: (readonly NodeId[])[] = []
  #isArmed = false
  #offers = 0
  /** The node after the last one of an offer of some nodes. */
  #cursor = 0

  constructor(cell: Cell, frameworks: readonly Framework[], options: AllocatorOptions) {
    this.#cell = cell
    this.#frameworks = frameworks
    this.#options = options
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

  /** The requests of a while are together: makes offers in order until nothing is left, and tries again later for the rest. */
  allocate(): void {
    this.#isArmed = false
    const waiting = this.#frameworks.filter((framework) => framework.isWaiting)
    const { order } = this.#options
    const { cluster } = this.#cell
    waiting.sort((a, b) => order(a, b, cluster) || (a.name < b.name ? -1 : 1))
    for (const framework of waiting) {
      if (!framework.hasWork) framework.isWaiting = false
      else if (!this.#offer(framework)) this.#arm()
    }
  }

  /** The offer reaches its framework. */
  deliver(id: number): void {
    this.#frameworks[id]?.receive(this.#offered[id] as readonly NodeId[])
  }

  #offer(framework: Framework): boolean {
    const nodes = this.#take(framework)
    if (nodes === undefined) return false
    const { id } = framework.scheduler
    framework.isWaiting = false
    framework.isServed = true
    framework.served = this.#offers++
    this.#offered[id] = nodes
    this.#cell.after(this.#options.offerTime, timer(Timer.Offer, id))
    return true
  }

  /** Locks what is to be offered; undefined when there is too little. */
  #take(framework: Framework): readonly NodeId[] | undefined {
    const { stock } = framework
    if (!this.#hasRoom()) return undefined
    if (this.#options.fairShare || framework.refusals !== undefined) this.#takeSome(framework)
    else stock.takeAll()
    const nodes = stock.nodes() ?? this.#cell.nodes
    if (nodes.length > 0 && (!this.#hasMinimum || this.#isEnough(nodes, framework))) return nodes
    stock.giveBack()
    return undefined
  }

  #hasRoom(): boolean {
    const { cluster } = this.#cell
    for (let lane = 0 as LaneId; lane < cluster.lanes.length; lane++) if (cluster.nextWithRoom(lane, 0) !== None) return true
    return false
  }

  /** Takes node by node, going round, what the framework does not refuse and up to its share. */
  #takeSome(framework: Framework): void {
    const { nodes, cluster } = this.#cell
    const left = this.#options.fairShare ? this.#lacking(framework) : undefined
    const now = this.#cell.now()
    const first = this.#cursor
    for (let i = 0; i < nodes.length && (left === undefined || left.every((amount) => amount > 0)); i++) {
      const node = nodes[(first + i) % nodes.length] as NodeId
      if (!this.#isOfUse(node) || framework.refusals?.refuses(node, now) === true) continue
      if (left !== undefined) for (let r = 0; r < left.length; r++) left[r] = (left[r] as number) - cluster.free(node, r as ResourceId)
      framework.stock.takeNode(node)
      this.#cursor = (node + 1) % nodes.length
    }
  }

  #isOfUse(node: NodeId): boolean {
    const { cluster } = this.#cell
    return cluster.lanes.some((_, lane) => cluster.hasRoom(lane as LaneId, node))
  }

  /** What the framework lacks of its fair share: by weight among the frameworks that hold or want something. */
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
