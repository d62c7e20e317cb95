import { SchedError, type ClusterView, type Lane, type LaneId, type NodeId, type None, type ResourceId, type Seconds, type ShapeId } from '@sched/core'
import { BitSet } from './bit-set.js'
import type { ClusterModel } from './model.js'
import type { Shapes } from './shapes.js'

/**
 * What is free on every node, live: the authoritative copy. Claims and releases move whole demand vectors, amounts are
 * integers, so conservation is exact. With `validate` every move is checked.
 */
export class CellState implements ClusterView {
  readonly nodes: number
  readonly resources: readonly string[]
  readonly lanes: readonly Lane[]
  readonly levels: number
  readonly heartbeat: Seconds
  readonly model: ClusterModel
  readonly shapes: Shapes
  /** Amounts, `[resource * nodes + node]`. */
  freeAmounts: Int32Array
  /** Committed claims per node: what coarse conflict detection compares. */
  readonly versions: Int32Array
  readonly #capacity: Float64Array
  readonly #up: Uint8Array
  readonly #validate: boolean
  /** Nodes with room, per lane. */
  readonly #roomy: readonly BitSet[]

  constructor(model: ClusterModel, shapes: Shapes, options: { readonly validate?: boolean; readonly empty?: boolean } = {}) {
    this.model = model
    this.shapes = shapes
    this.nodes = model.nodes
    this.resources = model.resources
    this.lanes = model.lanes
    this.levels = model.groups.length
    this.heartbeat = model.heartbeat?.interval ?? 0
    this.freeAmounts = options.empty === true ? new Int32Array(model.total.length) : model.total.slice()
    this.versions = new Int32Array(model.nodes)
    this.#up = new Uint8Array(model.nodes).fill(1)
    this.#validate = options.validate ?? false
    this.#roomy = model.lanes.map(() => new BitSet(model.nodes))
    this.#capacity = new Float64Array(model.resources.length)
    shapes.watchLeast(() => this.#noteAllRoom())
    for (let r = 0; r < model.resources.length; r++)
      for (let n = 0; n < model.nodes; n++) this.#capacity[r] = (this.#capacity[r] ?? 0) + (model.total[r * model.nodes + n] ?? 0)
  }

  free(node: NodeId, resource: ResourceId): number {
    return this.freeAmounts[resource * this.nodes + node] as number
  }
  total(node: NodeId, resource: ResourceId): number {
    return this.model.total[resource * this.nodes + node] as number
  }
  capacity(resource: ResourceId): number {
    return this.#capacity[resource] as number
  }
  group(level: number, node: NodeId): number {
    return (this.model.groups[level] as Int32Array)[node] as number
  }
  groups(level: number): number {
    return (this.model.groupNames[level] as readonly string[]).length
  }
  speed(node: NodeId): number {
    return this.model.speed[node] as number
  }
  version(node: NodeId): number {
    return this.versions[node] as number
  }
  up(node: NodeId): boolean {
    return this.#up[node] === 1
  }
  name(node: NodeId): string {
    return this.model.nodeNames[node] ?? ''
  }

  fits(shape: ShapeId, node: NodeId): boolean {
    const { amounts, from, to, resource } = this.shapes
    const end = to[shape] as number
    for (let i = from[shape] as number; i < end; i++)
      if ((this.freeAmounts[(resource[i] as number) * this.nodes + node] as number) < (amounts[i] as number)) return false
    return this.#up[node] === 1
  }

  hasRoom(lane: LaneId, node: NodeId): boolean {
    return (this.#roomy[lane] as BitSet).has(node)
  }

  #countRoom(lane: number, node: NodeId): boolean {
    const { least } = this.shapes
    const resources = (this.lanes[lane] as Lane).resources
    for (let i = 0; i < resources.length; i++) {
      const r = resources[i] as number
      if ((this.freeAmounts[r * this.nodes + node] as number) < (least[lane * this.resources.length + r] as number)) return false
    }
    return this.#up[node] === 1
  }

  nextWithRoom(lane: LaneId, from: number): NodeId | None {
    return (this.#roomy[lane] as BitSet).next(from) as NodeId | None
  }

  take(shape: ShapeId, node: NodeId): void {
    this.#move(shape, node, -1)
  }

  give(shape: ShapeId, node: NodeId): void {
    this.#move(shape, node, 1)
  }

  /** Moves all that is free to an empty state of the same cluster. */
  moveAllTo(other: CellState): void {
    for (let i = 0; i < this.freeAmounts.length; i++) {
      other.freeAmounts[i] = (other.freeAmounts[i] as number) + (this.freeAmounts[i] as number)
      this.freeAmounts[i] = 0
    }
    this.#noteAllRoom()
    other.#noteAllRoom()
  }

  /** A node that goes down offers nothing until it is up again; its tasks are the engine's to end. */
  setUp(node: NodeId, up: boolean): void {
    if (this.up(node) === up) return
    this.#up[node] = up ? 1 : 0
    for (let r = 0; r < this.resources.length; r++)
      this.#capacity[r] = this.capacity(r as ResourceId) + (up ? 1 : -1) * this.total(node, r as ResourceId)
    this.#noteAllRoom()
  }

  #move(shape: ShapeId, node: NodeId, sign: 1 | -1): void {
    const { amounts, from, to, resource } = this.shapes
    const end = to[shape] as number
    for (let i = from[shape] as number; i < end; i++) {
      const at = (resource[i] as number) * this.nodes + node
      const amount = (this.freeAmounts[at] as number) + sign * (amounts[i] as number)
      this.freeAmounts[at] = amount
      if (this.#validate && (amount < 0 || amount > (this.model.total[at] as number))) this.#broken(node, resource[i] as number, amount)
    }
    this.#noteRoom(this.shapes.lanes[shape] as number, node)
  }

  #noteRoom(lane: number, node: NodeId): void {
    const roomy = this.#roomy[lane] as BitSet
    if (this.#countRoom(lane, node)) roomy.add(node)
    else roomy.delete(node)
  }

  /** Recomputes which nodes have room, after a shape smaller than all before it, or a node's change of state. */
  #noteAllRoom(): void {
    for (let lane = 0; lane < this.lanes.length; lane++) for (let node = 0; node < this.nodes; node++) this.#noteRoom(lane, node as NodeId)
  }

  #broken(node: NodeId, resource: number, amount: number): never {
    throw new SchedError(
      'INVARIANT',
      `node ${this.name(node)} would have ${amount} of ${this.resources[resource] ?? ''} free of ${this.total(node, resource as ResourceId)}`,
    )
  }
}
