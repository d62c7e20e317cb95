import { leastTasks, listOf, None, SchedError, type Constraints, type Demand, type LaneId, type NodeId, type ResourceId, type ShapeId, type StageSpec } from '@sched/core'
import type { DeviceTable } from './devices.js'
import { resourceId, type ClusterModel } from './model.js'
import { Rules, type Rule } from './rules.js'

/** What decides beside the amounts whether a shape fits: bits of `Shape.special`. */
export const Special = { Labels: 1, Distinct: 2, Devices: 4 } as const

/**
 * A demand vector with its constraints: `amounts[i]` of `resources[i]`. What is asked of the first two resources are fields
 * of its own: few shapes ask more, and a loop over two costs several times as much.
 */
export class Shape {
  readonly count: number
  readonly resource0: number
  readonly amount0: number
  readonly resource1: number
  readonly amount1: number

  constructor(
    readonly resources: readonly number[],
    readonly amounts: readonly number[],
    readonly lane: LaneId,
    /** 0 where the amounts are all. */
    readonly special: number,
  ) {
    this.count = resources.length
    this.resource0 = resources[0] ?? 0
    this.amount0 = amounts[0] ?? 0
    this.resource1 = resources[1] ?? 0
    this.amount1 = amounts[1] ?? 0
  }
}

/** Interned demand vectors with their constraints, by id in `all`. */
export class Shapes {
  /** Every shape, by its id. */
  readonly all = listOf<Shape>()
  /** By lane: the smallest amount of each of its resources that any shape asks; huge until one is known. */
  readonly least: Shape[]
  readonly #watchers: (() => void)[] = []
  readonly #model: ClusterModel
  readonly #ids = new Map<string, ShapeId>()
  readonly #known = new WeakMap<Demand, ShapeId>()
  /** What was asked for last: the same again where a job is checked, and then submitted. */
  #last: Demand | undefined
  #lastShape = 0 as ShapeId
  readonly #rules: Rules
  /** Whether some node could hold one; `undefined` until it is asked. */
  readonly #feasible = listOf<boolean | undefined>()
  /** Whether there is room beside a master: by its shape, that of the others and how many of these start at once. */
  readonly #beside = new Map<string, boolean>()
  /** The rule of each constrained shape. */
  readonly #ruleOf = listOf<Rule | undefined>()
  /** Constrained shapes by rule and by the shape without it. */
  readonly #constrained = new Map<Rule, Map<ShapeId, ShapeId>>()

  constructor(model: ClusterModel) {
    this.#model = model
    this.#rules = new Rules(model.labels)
    this.least = model.lanes.map(({ resources }, lane) => new Shape(resources, resources.map(() => 0x7fffffff), lane as LaneId, 0))
  }

  /**
   * The shape of a demand and its constraints. Throws `BAD_INPUT` for an unknown resource, an amount that is no positive
   * integer, slots of two types, or a required label without a value. Without constraints it may not be on nodes with taints.
   */
  intern(demand: Demand, constraints?: Constraints): ShapeId {
    const plain = demand === this.#last ? this.#lastShape : this.#internPlain(demand)
    const rule = this.#rules.intern(constraints)
    return rule === undefined ? plain : this.#constrain(plain, rule)
  }

  /** Whether a node is one that the shape may be on, by its labels, its name and its taints. */
  allows(shape: ShapeId, node: NodeId): boolean {
    const rule = this.#ruleOf[shape]
    return rule?.allowed === undefined || rule.allowed[rule.at[node] as number] === 1
  }

  /** How many taints of a node that keep nobody off the shape does not tolerate. */
  softTaints(shape: ShapeId, node: NodeId): number {
    const rule = this.#ruleOf[shape]
    return rule?.disliked?.[rule.at[node] as number] ?? 0
  }

  /** What keeps tasks with these constraints off a node, in words; `undefined`: nothing. */
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined {
    const rule = this.#rules.intern(constraints)
    return rule && this.#rules.keepsOff(rule, node)
  }

  /** Taints without which a rule would allow more nodes, in words. */
  taintsThatBar(rule: Rule): string[] {
    return this.#rules.taintsThatBar(rule)
  }

  /** The constraints of a shape, if it has any. */
  rule(shape: ShapeId): Rule | undefined {
    return this.#ruleOf[shape]
  }

  /** Whether the resource comes in devices. */
  isDevice(resource: number): boolean {
    const devices = this.#model.devices
    return devices !== undefined && (devices.sizes[resource] as number) > 0
  }

  #checkDevices(resource: number, amount: number): void {
    const size = this.#model.devices?.sizes[resource] ?? 0
    if (size === 0 || amount <= size || amount % size === 0) return
    const name = this.#model.resources[resource] ?? ''
    throw new SchedError(
      'BAD_INPUT',
      `a task asks ${amount} of ${name}, which comes in devices of ${size}`,
      { field: 'demand' },
      `Ask for a share of one device (up to ${size}) or for whole ones (a multiple of ${size}).`,
    )
  }

  /** What is left of a demand without some resources, constraints aside; `None` where that is nothing. No job asks it: what is free is not measured by it. */
  without(shape: ShapeId, freed: readonly ResourceId[]): ShapeId | None {
    const { resources, amounts, lane, special } = this.of(shape)
    const left = resources.flatMap((r, i) => ((freed as readonly number[]).includes(r) ? [] : [[r, amounts[i] as number] as const]))
    if (left.length === 0) return None
    const key = `held ${lane};${left.join(';')}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const made = (this.all.push(new Shape(left.map(([r]) => r), left.map(([, amount]) => amount), lane, special & Special.Devices)) - 1) as ShapeId
    this.#ids.set(key, made)
    return made
  }

  #constrain(plain: ShapeId, rule: Rule): ShapeId {
    const shapes = this.#constrained.get(rule) ?? new Map<ShapeId, ShapeId>()
    this.#constrained.set(rule, shapes)
    const known = shapes.get(plain)
    if (known !== undefined) return known
    const { resources, amounts, lane, special } = this.of(plain)
    const constraints = (rule.allowed === undefined ? 0 : Special.Labels) | (rule.isDistinct ? Special.Distinct : 0)
    const shape = (this.all.push(new Shape(resources, amounts, lane, special | constraints)) - 1) as ShapeId
    this.#ruleOf[shape] = rule
    shapes.set(plain, shape)
    return shape
  }

  #internPlain(demand: Demand): ShapeId {
    const shape = this.#known.get(demand) ?? this.#internNew(demand)
    this.#last = demand
    this.#lastShape = shape
    return shape
  }

  #internNew(demand: Demand): ShapeId {
    const entries = Object.entries(demand)
      .filter(([, amount]) => amount !== 0)
      .map(([name, amount]) => [resourceId(this.#model, name), amount] as const)
      .sort((a, b) => a[0] - b[0])
    const key = entries.join(';')
    const shape = this.#ids.get(key) ?? this.#add(entries, key)
    this.#known.set(demand, shape)
    return shape
  }

  /** Has `watcher` called when an amount in `least` has fallen. */
  watchLeast(watcher: () => void): void {
    this.#watchers.push(watcher)
  }

  /** The shape of that id. */
  of(shape: ShapeId): Shape {
    return this.all[shape] as Shape
  }

  /** What a task of the shape asks of a resource; 0 where it asks nothing. */
  amount(shape: ShapeId, resource: number): number {
    const { resources, amounts, count } = this.of(shape)
    for (let i = 0; i < count; i++) if (resources[i] === resource) return amounts[i] as number
    return 0
  }

  /** Whether some node of the cluster, empty, could run a task of the shape. */
  feasible(shape: ShapeId): boolean {
    return (this.#feasible[shape] ??= this.#hasRoom(shape))
  }

  /** Whether the cluster, empty, could run a task of the stage, and of a gang as many at once as it has to. */
  canRun(stage: StageSpec): boolean {
    const shape = this.intern(stage.demand, stage.constraints)
    if (!this.feasible(shape)) return false
    const least = leastTasks(stage)
    return least === 1 || this.most(shape, least) === least
  }

  #hasRoom(shape: ShapeId): boolean {
    for (let node = 0 as NodeId; node < this.#model.nodes; node++) if (this.roomOn(shape, node) > 0) return true
    return false
  }

  /** How many tasks of one job and this shape the cluster, empty, could run at once; at most `enough`, where the count stops. */
  most(shape: ShapeId, enough: number): number {
    let room = 0
    for (let node = 0 as NodeId; node < this.#model.nodes && room < enough; node++) room += this.roomOn(shape, node)
    return Math.min(room, enough)
  }

  /** Whether the cluster, empty, could run as many tasks of the stage as start at once beside a task of another one of its job, its master. */
  canRunBeside(master: StageSpec, stage: StageSpec): boolean {
    const [first, shape] = [this.intern(master.demand, master.constraints), this.intern(stage.demand, stage.constraints)]
    const least = leastTasks(stage)
    const key = `${first};${shape};${least}`
    const known = this.#beside.get(key) ?? this.#hasRoomBeside(first, shape, least)
    this.#beside.set(key, known)
    return known
  }

  #hasRoomBeside(first: ShapeId, shape: ShapeId, least: number): boolean {
    const all = this.most(shape, Infinity)
    for (let node = 0 as NodeId; node < this.#model.nodes; node++)
      if (this.roomOn(first, node) > 0 && all - this.roomOn(shape, node) + this.roomOn(shape, node, first) >= least) return true
    return false
  }

  /** How many tasks of one job an empty node could run, or one that runs a task of another shape of the job and nothing else; of devices it is taken for empty. */
  roomOn(shape: ShapeId, node: NodeId, beside?: ShapeId): number {
    const { total, nodes, devices } = this.#model
    const { resources, amounts, count, special } = this.of(shape)
    if ((special & Special.Labels) !== 0 && !this.allows(shape, node)) return 0
    let room = (special & Special.Distinct) === 0 ? Infinity : 1
    if (room === 1 && beside !== undefined && (this.of(beside).special & Special.Distinct) !== 0) return 0
    for (let i = 0; i < count && room > 0; i++) {
      const r = resources[i] as number
      const amount = amounts[i] as number
      const held = beside === undefined ? 0 : this.amount(beside, r)
      room = Math.min(room, this.isDevice(r) ? (devices as DeviceTable).roomOn(node, r, amount) : Math.floor(((total[r * nodes + node] as number) - held) / amount))
    }
    return room
  }

  #add(entries: readonly (readonly [number, number])[], key: string): ShapeId {
    for (const [r, amount] of entries)
      if (!Number.isInteger(amount) || amount < 0 || amount > 0x7fffffff)
        throw new SchedError(
          'BAD_INPUT',
          `a task asks ${amount} of ${this.#model.resources[r] ?? ''}`,
          { field: 'demand' },
          `Amounts are whole numbers from 0 to 2147483647${unitFor(amount)}.`,
        )
    for (const [r, amount] of entries) this.#checkDevices(r, amount)
    const lane = this.#laneOf(entries)
    const special = entries.some(([r]) => this.isDevice(r)) ? Special.Devices : 0
    const [asked, amounts] = [entries.map(([r]) => r), entries.map(([, amount]) => amount)]
    const shape = (this.all.push(new Shape(asked, amounts, lane, special)) - 1) as ShapeId
    this.#ids.set(key, shape)
    this.lowerLeast(lane, (r) => this.amount(shape, r))
    return shape
  }

  /** Notes that a task asks so little, or did. */
  lowerLeast(lane: LaneId, amountOf: (resource: number) => number): void {
    const { resources, amounts: least } = this.least[lane] as Shape
    const lower = resources.map((r, i) => Math.min(amountOf(r), least[i] as number))
    if (!lower.some((amount, i) => amount < (least[i] as number))) return
    this.least[lane] = new Shape(resources, lower, lane, 0)
    for (const watcher of this.#watchers) watcher()
  }

  #laneOf(entries: readonly (readonly [number, number])[]): LaneId {
    const { lanes } = this.#model
    const first = entries[0]?.[0]
    if (first === undefined) throw new SchedError('BAD_INPUT', 'a task asks for nothing', { field: 'demand' }, 'Give at least one positive amount.')
    const lane = lanes.findIndex(({ resources }) => (resources as readonly number[]).includes(first))
    const other = entries.find(([r]) => !(lanes[lane]?.resources as readonly number[]).includes(r))
    if (other !== undefined)
      throw new SchedError('BAD_INPUT', `a task asks slots of two types`, { field: 'demand' }, 'Describe the nodes with resources instead of slots.')
    return lane as LaneId
  }
}

const unitFor = (amount: number): string => (!Number.isInteger(amount) ? ': count in a smaller unit, such as thousandths' : amount > 0 ? ': count in a larger unit' : '')
