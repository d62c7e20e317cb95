import { None, SchedError, type ClusterView, type Constraints, type Lane, type LaneId, type NodeId, type NodePower, type NodeSleep, type ResourceId, type Seconds, type ShapeId, type StageSpec } from '@sched/core'
import { BitSet } from './bit-set.js'
import { NodeChanges } from './change-log.js'
import { DeviceCells } from './devices.js'
import { HardwareUse, NodeHardware } from './hardware.js'
import type { ClusterModel } from './model.js'
import { Special, type Shape, type Shapes } from './shapes.js'

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
  readonly labels: readonly string[]
  /** The cluster that this is the state of. */
  readonly model: ClusterModel
  /** What tasks ask for, by shape. */
  readonly shapes: Shapes
  /** Amounts, `[node * resources + resource]`: a node is looked at as a whole, and most often at random. */
  freeAmounts: Int32Array
  /** Committed claims per node: what coarse conflict detection compares. */
  readonly versions: Int32Array
  /** What is free on each device; `undefined`: no resource comes in devices. */
  readonly #devices: DeviceCells | undefined
  /** What nodes have now: less than described where slots are withheld. */
  readonly #total: Int32Array
  /** What tasks really use of the hardware; written by who models it, read through `hardware`. */
  readonly hardwareUse: HardwareUse
  readonly hardware: NodeHardware
  readonly power: readonly (NodePower | undefined)[] | undefined
  readonly sleep: readonly (NodeSleep | undefined)[] | undefined
  /** Tasks that have taken something, by node. */
  readonly #claims: Int32Array
  /** Amounts of a node in `freeAmounts`: resources. */
  readonly #width: number
  readonly #capacity: Float64Array
  readonly #up: Uint8Array
  /** The state of the cluster and its stocks: a node goes down in all of them. */
  readonly #states: CellState[]
  #down = 0
  readonly #validate: boolean
  /** `lane * nodes + node`: all nodes with room, and those that had some when they were last looked at. */
  #roomy: BitSet
  /** By lane: none below is among these. */
  #lowest: Int32Array
  /** Kept from when somebody first asks for it. */
  #changes: NodeChanges | undefined
  /** Of a state that was empty: the nodes that have got something since; `undefined`: any node may have. */
  #filled: BitSet | undefined
  /** See `hasFitted`. */
  #fitting: ShapeId | None = None
  #fittingOn: NodeId | None = None
  /** Where a look found room last, in which lane; nothing has changed since. */
  #roomyOn: NodeId | None = None
  #roomyLane = 0 as LaneId

  constructor(model: ClusterModel, shapes: Shapes, options: { readonly validate?: boolean; readonly stockOf?: CellState } = {}) {
    this.model = model
    this.shapes = shapes
    this.nodes = model.nodes
    this.resources = model.resources
    this.lanes = model.lanes
    this.levels = model.groups.length
    this.labels = model.labels.keys
    this.power = model.power
    this.sleep = model.sleep
    this.heartbeat = model.heartbeat?.interval ?? 0
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
  deviceSize(resource: ResourceId): number {
    return this.model.devices?.sizes[resource] ?? 0
  }
  devices(node: NodeId, resource: ResourceId): number {
    return this.model.devices?.counts[resource * this.nodes + node] ?? 0
  }
  deviceFree(node: NodeId, resource: ResourceId, index: number): number {
    return this.#devices?.free(node, resource, index) ?? 0
  }
  couldTake(shape: ShapeId, node: NodeId): number {
    const { resources, amounts, count, special } = this.shapes.of(shape)
    if (this.#up[node] !== 1 || !this.shapes.allows(shape, node)) return 0
    let room = (special & Special.Distinct) === 0 ? Infinity : 1
    for (let i = 0; i < count && room > 0; i++) {
      const r = resources[i] as number
      const amount = amounts[i] as number
      const here = this.shapes.isDevice(r) ? (this.#devices as DeviceCells).roomOn(node, r, amount) : Math.floor((this.freeAmounts[node * this.#width + r] as number) / amount)
      if (here < room) room = here
    }
    return room
  }
  couldHold({ demand, constraints }: StageSpec, node: NodeId): number {
    return this.shapes.roomOn(this.shapes.intern(demand, constraints), node)
  }
  couldStart({ demand, constraints }: StageSpec, node: NodeId): number {
    return this.couldTake(this.shapes.intern(demand, constraints), node)
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
  groupName(level: number, group: number): string {
    return this.model.groupNames[level]?.[group] ?? ''
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
  label(node: NodeId, key: string): string | undefined {
    return this.model.labels.of(node, key)
  }
  get hasSoftTaints(): boolean {
    return this.model.labels.softTaints.length > 0
  }
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined {
    return this.shapes.keepsOff(constraints, node)
  }

  /** Whether a task of the shape could start on the node, as far as the node decides: not whether its job has one there already. */
  fits(shape: ShapeId, node: NodeId): boolean {
    const asked = this.shapes.all[shape] as Shape
    return this.#holds(asked, node) && this.#up[node] === 1 && (asked.special === 0 || this.#fitsSpecial(shape, node))
  }

  /** Notes that any task of the shape fits on the node, for `hasFitted`. */
  noteFit(shape: ShapeId, node: NodeId): void {
    this.#fitting = shape
    this.#fittingOn = node
  }

  /** Whether that was noted last and nothing has changed since: most jobs that are looked at in turn ask the same. */
  hasFitted(shape: ShapeId, node: NodeId): boolean {
    return shape === this.#fitting && node === this.#fittingOn
  }

  #forgetLooks(): void {
    this.#fitting = None
    this.#roomyOn = None
  }

  /** Whether as much is free on the node. */
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

  /** Labels and taints, and devices: what is free of them in all is not what one task can have. */
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
    const left = this.#roomy.next(first + lowest) // a node that is down has no room and stays
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

  /** The node has, or may have, room. */
  #addRoom(lane: LaneId, node: NodeId): void {
    this.#roomy.add(lane * this.nodes + node)
    if (node < (this.#lowest[lane] as number)) this.#lowest[lane] = node
  }

  /** Looks at a node that had room: one without is forgotten until it gets something back, one that is down is not. */
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
   * Takes what a task asks and returns the devices it gets, one bit each; 0 for a task without. They are `devices` where
   * it has had them before, otherwise the best fitting.
   */
  take(shape: ShapeId, node: NodeId, devices = 0): number {
    const asked = this.shapes.all[shape] as Shape
    this.#move(asked, node, -1)
    if (this.#validate) this.#check(shape, node)
    return (asked.special & Special.Devices) === 0 ? 0 : this.#moveDevices(shape, node, devices, -1)
  }

  /** Gives back what a task had, with the devices that `take` returned. */
  give(shape: ShapeId, node: NodeId, devices = 0): void {
    const asked = this.shapes.all[shape] as Shape
    this.#move(asked, node, 1)
    if (this.#validate) this.#check(shape, node)
    if ((asked.special & Special.Devices) !== 0) this.#moveDevices(shape, node, devices, 1)
    if (!this.#roomy.has(asked.lane * this.nodes + node)) this.#addRoom(asked.lane, node)
  }

  /** Takes a demand from what is free on the node (sign -1), or gives it back (1). */
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

  /** Throws `INVARIANT` when a node on which a task of the shape was claimed or released must not have one, or has less than nothing or more than all. */
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

  /** An empty state of the same cluster, to move to what is free here and to draft on. */
  stock(): CellState {
    return new CellState(this.model, this.shapes, { validate: this.#validate, stockOf: this })
  }

  /**
   * Moves all that is free to another state of the cluster. Costs as much as there are nodes with something free in one
   * of the two that was empty: the columns change hands, and only what the emptier one had is added up.
   */
  moveAllTo(other: CellState): void {
    if (this.#filled === undefined && other.#filled !== undefined) this.#swapWith(other)
    const nodes = this.filled() ?? this.model.nodeNames.map((_, node) => node as NodeId)
    for (let i = 0; i < nodes.length; i++) this.moveNodeTo(other, nodes[i] as NodeId)
    this.#filled?.clear()
    this.#changes?.all()
    other.#changes?.all()
  }

  /** Moves what is free on one node to another state of the cluster, at most so much of every resource. */
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

  /** Nodes on which something may be free, ascending; `undefined`: any. */
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

  /** Takes slots that are free out of the node, or puts them back with a negative number: it has fewer or more from now on. */
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

  /** A node that goes down offers nothing until it is up again; its tasks are the engine's to end. */
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

  /** Whether some node is down. */
  get hasDown(): boolean {
    return this.#down > 0
  }

  /** A node may have more than before. */
  #gained(node: NodeId): void {
    this.#changes?.add(node)
    for (let lane = 0 as LaneId; lane < this.lanes.length; lane++) this.#addRoom(lane, node)
  }

  /** A shape smaller than all before it may find room on any node. */
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

/** What nodes have, node by node. */
function byNode({ total, nodes, resources }: ClusterModel): Int32Array {
  return Int32Array.from(total, (_, at) => total[(at % resources.length) * nodes + Math.floor(at / resources.length)] as number)
}
