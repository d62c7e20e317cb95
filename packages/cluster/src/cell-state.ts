import { None, SchedError, type ClusterView, type LaneId, type NodeId, type ResourceId, type ShapeId, type StageSpec } from '@sched/core'
import { BitSet } from './bit-set.js'
import { NodeChanges } from './change-log.js'
import { DeviceCells } from './devices.js'
import { HardwareUse, NodeHardware } from './hardware.js'
import type { ClusterModel } from './model.js'
import { NodeFacts } from './node-facts.js'
import { Special, type Shape, type Shapes } from './shapes.js'

/**
 * What is free on every node, live: the authoritative copy. Claims and releases move whole demand vectors of integers, so conservation is exact. With
 * `validate` every move is checked.
 */
export class CellState extends NodeFacts implements ClusterView {
  /** Free amounts, `[node * resources + resource]`. All resources of a node are read together and nodes mostly at random, so a node is one row. */
  freeAmounts: Int32Array
  /** By node: raised by every committed claim, and when the node goes down or comes up. Coarse conflict detection compares it. */
  readonly versions: Int32Array
  /** Free amount of each device; `undefined` if no resource comes in devices. */
  readonly #devices: DeviceCells | undefined
  /** Amounts that nodes have now: less than described where slots are withheld. */
  readonly #total: Int32Array
  /** Real use of the hardware, written by the runtime model and read through `hardware`. */
  readonly hardwareUse: HardwareUse
  readonly hardware: NodeHardware
  /** By node: number of tasks that hold resources there. */
  readonly #claims: Int32Array
  /** Width of a row of `freeAmounts`: the number of resources. */
  readonly #width: number
  readonly #capacity: Float64Array
  readonly #up: Uint8Array
  /** The cell and all its stocks: a node goes down in all of them. */
  readonly #states: CellState[]
  #down = 0
  readonly #validate: boolean
  /** Members are `lane * nodes + node`: every node with room, and nodes that had room when last checked. */
  #roomy: BitSet
  /** By lane: no node below this one is in `#roomy`. */
  #lowest: Int32Array
  /** Created when somebody first asks for it. */
  #changes: NodeChanges | undefined
  /** Nodes that have received something since this state was empty; `undefined` for a state that started full: any node may have something. */
  #filled: BitSet | undefined
  /** See `hasFitted`. */
  #fitting: ShapeId | None = None
  #fittingOn: NodeId | None = None
  /** The node, and the lane, for which the last check found room; reset by every change. */
  #roomyOn: NodeId | None = None
  #roomyLane = 0 as LaneId

  constructor(model: ClusterModel, shapes: Shapes, options: { readonly validate?: boolean; readonly stockOf?: CellState } = {}) {
    super(model, shapes)
    this.#validate = options.validate ?? false
    this.#roomy = new BitSet(model.lanes.length * model.nodes)
    this.#lowest = new Int32Array(model.lanes.length)
    shapes.watchLeast(() => this.#allChanged())
    const { stockOf } = options
    if (model.devices !== undefined) this.#devices = new DeviceCells(model.devices, stockOf !== undefined)
    this.#width = model.resources.length
    this.freeAmounts = stockOf === undefined ? byNode(model) : new Int32Array(model.total.length)
    this.#total = stockOf !== undefined ? stockOf.#total : model.dynamicSlots === undefined ? model.total : model.total.slice()
    this.hardwareUse = stockOf?.hardwareUse ?? new HardwareUse(model.hardware, model.nodes)
    this.#claims = stockOf === undefined ? new Int32Array(model.nodes) : stockOf.#claims
    this.hardware = new NodeHardware(this, model.hardware, this.hardwareUse, this.#claims)
    this.versions = stockOf?.versions ?? new Int32Array(model.nodes)
    this.#up = stockOf === undefined ? new Uint8Array(model.nodes).fill(1) : stockOf.#up
    this.#capacity = stockOf === undefined ? new Float64Array(model.resources.length) : stockOf.#capacity
    this.#states = stockOf === undefined ? [] : stockOf.#states
    this.#states.push(this)
    if (stockOf !== undefined) {
      this.#filled = new BitSet(model.nodes)
      return
    }
    for (let r = 0; r < model.resources.length; r++)
      for (let n = 0; n < model.nodes; n++) this.#capacity[r] = (this.#capacity[r] ?? 0) + (model.total[r * model.nodes + n] ?? 0)
  }

  free(node: NodeId, resource: ResourceId): number {
    return this.freeAmounts[node * this.#width + resource] as number
  }
  total(node: NodeId, resource: ResourceId): number {
    return this.#total[resource * this.nodes + node] as number
  }
  deviceFree(node: NodeId, resource: ResourceId, index: number): number {
    return this.#devices?.free(node, resource, index) ?? 0
  }
  couldTake(shape: ShapeId, node: NodeId): number {
    const asked = this.shapes.of(shape)
    if (!this.#holds(asked, node) || this.#up[node] !== 1 || !this.shapes.allows(shape, node)) return 0
    const { resources, amounts, count, special } = asked
    let room = (special & Special.Distinct) === 0 ? Infinity : 1
    for (let i = 0; i < count && room > 0; i++) {
      const r = resources[i] as number
      const amount = amounts[i] as number
      const here = this.shapes.isDevice(r) ? (this.#devices as DeviceCells).roomOn(node, r, amount) : Math.floor((this.freeAmounts[node * this.#width + r] as number) / amount)
      if (here < room) room = here
    }
    return room
  }
  couldStart({ demand, constraints }: StageSpec, node: NodeId): number {
    return this.couldTake(this.shapes.intern(demand, constraints), node)
  }
  capacity(resource: ResourceId): number {
    return this.#capacity[resource] as number
  }
  version(node: NodeId): number {
    return this.versions[node] as number
  }
  up(node: NodeId): boolean {
    return this.#up[node] === 1
  }

  /** Whether a task of the shape could start on the node, apart from rules about other tasks of its job there. */
  fits(shape: ShapeId, node: NodeId): boolean {
    const asked = this.shapes.all[shape] as Shape
    return this.#holds(asked, node) && this.#up[node] === 1 && (asked.special === 0 || this.#fitsSpecial(shape, node))
  }

  /** Remembers that any task of the shape fits on the node, for `hasFitted`. */
  noteFit(shape: ShapeId, node: NodeId): void {
    this.#fitting = shape
    this.#fittingOn = node
  }

  /** Whether `noteFit` was last called with these and nothing has changed since: most jobs checked one after the other have the same demand. */
  hasFitted(shape: ShapeId, node: NodeId): boolean {
    return shape === this.#fitting && node === this.#fittingOn
  }

  #forgetLooks(): void {
    this.#fitting = None
    this.#roomyOn = None
  }

  /** Whether the demand is free on the node. */
  #holds(asked: Shape, node: NodeId): boolean {
    const { freeAmounts } = this
    const at = node * this.#width
    if ((freeAmounts[at + asked.resource0] as number) < asked.amount0) return false
    if (asked.count === 1) return true
    return (freeAmounts[at + asked.resource1] as number) >= asked.amount1 && (asked.count === 2 || this.#holdsRest(asked, at))
  }

  #holdsRest({ resources, amounts, count }: Shape, at: number): boolean {
    for (let i = 2; i < count; i++) if ((this.freeAmounts[at + (resources[i] as number)] as number) < (amounts[i] as number)) return false
    return true
  }

  /** Whether the node has as much free as `shape` asks for, once `held` (`None`: nothing) has been given back there. */
  holdsBeside(held: ShapeId | None, shape: ShapeId, node: NodeId): boolean {
    const { resources, amounts, count } = this.shapes.of(shape)
    for (let i = 0; i < count; i++) {
      const r = resources[i] as ResourceId
      if (this.free(node, r) + (held === None ? 0 : this.shapes.amount(held, r)) < (amounts[i] as number)) return false
    }
    return true
  }

  /** Checks labels and taints, and devices: the free sum over devices may be more than one task can get. */
  #fitsSpecial(shape: ShapeId, node: NodeId): boolean {
    if (!this.shapes.allows(shape, node)) return false
    const { resources, amounts, count, special } = this.shapes.of(shape)
    if ((special & Special.Devices) === 0) return true
    for (let i = 0; i < count; i++)
      if (this.shapes.isDevice(resources[i] as number) && !(this.#devices as DeviceCells).fits(node, resources[i] as number, amounts[i] as number)) return false
    return true
  }

  get changeLog(): NodeChanges {
    return (this.#changes ??= new NodeChanges(this.nodes))
  }

  hasRoom(lane: LaneId, node: NodeId): boolean {
    if (node === this.#roomyOn && lane === this.#roomyLane) return true
    return this.#roomy.has(lane * this.nodes + node) && this.#stillHasRoom(lane, node)
  }

  nextWithRoom(lane: LaneId, from: number): NodeId | None {
    const lowest = this.#lowest[lane] as NodeId
    if (from > lowest) return this.#search(lane, from)
    if (lowest < this.nodes && this.hasRoom(lane, lowest)) return lowest
    const found = this.#search(lane, lowest)
    const first = lane * this.nodes
    const left = this.#roomy.next(first + lowest) // a node that is down has no room and stays in the set
    this.#lowest[lane] = left < 0 ? this.nodes : Math.min(this.nodes, left - first)
    return found
  }

  #search(lane: LaneId, from: number): NodeId | None {
    const { nodes } = this
    const roomy = this.#roomy
    const first = lane * nodes
    for (let at = from < nodes ? roomy.next(first + from) : -1; at >= 0 && at < first + nodes; at = roomy.next(at + 1))
      if (this.#stillHasRoom(lane, (at - first) as NodeId)) return (at - first) as NodeId
    return None
  }

  /** Adds a node that has, or may have, room. */
  #addRoom(lane: LaneId, node: NodeId): void {
    this.#roomy.add(lane * this.nodes + node)
    if (node < (this.#lowest[lane] as number)) this.#lowest[lane] = node
  }

  /** Checks a node that had room. One without room leaves the set until something is given back to it; one that is down stays. */
  #stillHasRoom(lane: LaneId, node: NodeId): boolean {
    if (!this.#holds(this.shapes.least[lane] as Shape, node)) {
      this.#roomy.delete(lane * this.nodes + node)
      return false
    }
    if (this.#up[node] !== 1) return false
    this.#roomyLane = lane
    this.#roomyOn = node
    return true
  }

  /**
   * Takes a task's demand from the node and returns the devices it gets, one bit each; 0 for a task without devices. The devices are `devices` if the
   * task had them before, and for a resource of which these have none the best fitting.
   */
  take(shape: ShapeId, node: NodeId, devices = 0): number {
    const asked = this.shapes.all[shape] as Shape
    this.#move(asked, node, -1)
    if (this.#validate) this.#check(shape, node)
    return (asked.special & Special.Devices) === 0 ? 0 : this.#moveDevices(shape, node, devices, -1)
  }

  /** Gives a task's demand back to the node, with the devices that `take` returned. */
  give(shape: ShapeId, node: NodeId, devices = 0): void {
    const asked = this.shapes.all[shape] as Shape
    this.#move(asked, node, 1)
    if (this.#validate) this.#check(shape, node)
    if ((asked.special & Special.Devices) !== 0) this.#moveDevices(shape, node, devices, 1)
    if (!this.#roomy.has(asked.lane * this.nodes + node)) this.#addRoom(asked.lane, node)
  }

  /** Takes a demand from what is free on the node (sign -1) or gives it back (1). */
  #move(asked: Shape, node: NodeId, sign: 1 | -1): void {
    const { freeAmounts } = this
    this.#forgetLooks()
    const at = node * this.#width
    const first = at + asked.resource0
    freeAmounts[first] = (freeAmounts[first] as number) + sign * asked.amount0
    if (asked.count > 1) {
      const second = at + asked.resource1
      freeAmounts[second] = (freeAmounts[second] as number) + sign * asked.amount1
      for (let i = 2; i < asked.count; i++) {
        const r = at + (asked.resources[i] as number)
        freeAmounts[r] = (freeAmounts[r] as number) + sign * (asked.amounts[i] as number)
      }
    }
    this.#claims[node] = (this.#claims[node] as number) - sign
    this.#filled?.add(node)
    this.#changes?.add(node)
  }

  /** Throws `INVARIANT` if the node must not run tasks of the shape, or if a free amount is negative or above the total. */
  #check(shape: ShapeId, node: NodeId): void {
    if (!this.shapes.allows(shape, node)) throw new SchedError('INVARIANT', `node ${this.name(node)} lacks a label that a task on it requires, or has a taint that it does not tolerate`)
    for (const r of this.shapes.of(shape).resources as readonly ResourceId[]) {
      const free = this.free(node, r)
      if (free < 0 || free > this.total(node, r)) this.#broken(node, r, free)
    }
  }

  #moveDevices(shape: ShapeId, node: NodeId, devices: number, sign: 1 | -1): number {
    const { resources, amounts, count } = this.shapes.of(shape)
    const cells = this.#devices as DeviceCells
    let held = 0
    for (let i = 0; i < count; i++) {
      const r = resources[i] as number
      if (!this.shapes.isDevice(r)) continue
      if (sign < 0) held |= cells.take(node, r, amounts[i] as number, devices)
      else cells.give(node, r, amounts[i] as number, devices)
    }
    if (this.#validate && !cells.addsUp(node, (r) => this.free(node, r as ResourceId)))
      throw new SchedError('INVARIANT', `the devices of node ${this.name(node)} do not add up to what is free there`)
    return held
  }

  /** An empty state of the same cluster, to move free resources to and to draft on. */
  stock(): CellState {
    return new CellState(this.model, this.shapes, { validate: this.#validate, stockOf: this })
  }

  /**
   * Moves everything free to another state of the cluster. If this state started full and the other empty, their columns change hands first, so that
   * only the nodes filled in the emptier of the two are moved one by one.
   */
  moveAllTo(other: CellState): void {
    if (this.#filled === undefined && other.#filled !== undefined) this.#swapWith(other)
    const nodes = this.filled() ?? this.model.nodeNames.map((_, node) => node as NodeId)
    for (let i = 0; i < nodes.length; i++) this.moveNodeTo(other, nodes[i] as NodeId)
    this.#filled?.clear()
    this.#changes?.all()
    other.#changes?.all()
  }

  /** Moves what is free on one node to another state of the cluster, at most `most` of each resource. */
  moveNodeTo(other: CellState, node: NodeId, most?: ArrayLike<number>): void {
    this.#forgetLooks()
    const from = node * this.#width
    for (let r = 0; r < this.#width; r++) {
      const free = this.freeAmounts[from + r] as number
      const moved = most === undefined ? free : Math.min(free, most[r] as number)
      other.freeAmounts[from + r] = (other.freeAmounts[from + r] as number) + moved
      this.freeAmounts[from + r] = free - moved
    }
    other.#filled?.add(node)
    this.#changes?.add(node)
    if (this.#devices !== undefined) this.#devices.moveNodeTo(other.#devices as DeviceCells, node, most)
    other.#gained(node)
  }

  /** Nodes on which something may be free, ascending; `undefined`: any node. */
  filled(): NodeId[] | undefined {
    return this.#filled?.members() as NodeId[] | undefined
  }

  #swapWith(other: CellState): void {
    this.#forgetLooks()
    other.#forgetLooks()
    const { freeAmounts } = this
    this.freeAmounts = other.freeAmounts
    other.freeAmounts = freeAmounts
    this.#devices?.swapWith(other.#devices as DeviceCells)
    const roomy = this.#roomy
    this.#roomy = other.#roomy
    other.#roomy = roomy
    const lowest = this.#lowest
    this.#lowest = other.#lowest
    other.#lowest = lowest
    const filled = this.#filled
    this.#filled = other.#filled
    other.#filled = filled
  }

  /** Removes free slots from the node or, with a negative number, puts them back; its total changes, too. */
  withhold(node: NodeId, resource: ResourceId, slots: number): void {
    const left = this.free(node, resource) - slots
    this.#forgetLooks()
    this.freeAmounts[node * this.#width + resource] = left
    this.#total[resource * this.nodes + node] = this.total(node, resource) - slots
    this.#filled?.add(node)
    if (left < 0) this.#broken(node, resource, left)
    if (this.up(node)) this.#capacity[resource] = this.capacity(resource) - slots
    this.#gained(node)
  }

  /** Sets whether the node is up. A node that is down offers nothing; ending its tasks is up to the engine. */
  setUp(node: NodeId, up: boolean): void {
    if (this.up(node) === up) return
    for (const state of this.#states) state.#forgetLooks()
    this.#up[node] = up ? 1 : 0
    this.versions[node] = (this.versions[node] as number) + 1
    this.#down += up ? -1 : 1
    for (let r = 0; r < this.resources.length; r++)
      this.#capacity[r] = this.capacity(r as ResourceId) + (up ? 1 : -1) * this.total(node, r as ResourceId)
    this.#changes?.add(node)
  }

  /** Whether any node is down. */
  get hasDown(): boolean {
    return this.#down > 0
  }

  /** Notes that a node may have more free than before. */
  #gained(node: NodeId): void {
    this.#changes?.add(node)
    for (let lane = 0 as LaneId; lane < this.lanes.length; lane++) this.#addRoom(lane, node)
  }

  /** Notes that any node may have room: a shape is smaller than all before it. */
  #allChanged(): void {
    this.#changes?.all()
    for (let lane = 0 as LaneId; lane < this.lanes.length; lane++) for (let node = 0 as NodeId; node < this.nodes; node++) this.#addRoom(lane, node)
  }

  #broken(node: NodeId, resource: number, amount: number): never {
    throw new SchedError(
      'INVARIANT',
      `node ${this.name(node)} would have ${amount} of ${this.resources[resource] ?? ''} free of ${this.total(node, resource as ResourceId)}`,
    )
  }
}

/** The total amounts, one row per node. */
function byNode({ total, nodes, resources }: ClusterModel): Int32Array {
  return Int32Array.from(total, (_, at) => total[(at % resources.length) * nodes + Math.floor(at / resources.length)] as number)
}
