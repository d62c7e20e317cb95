import { leastTasks, listOf, None, SchedError, type Constraints, type Demand, type LaneId, type NodeId, type ResourceId, type ShapeId, type StageSpec } from '@sched/core'
import type { DeviceTable } from './devices.js'
import { resourceId, type ClusterModel } from './model.js'
import { Rules, type Rule } from './rules.js'

/** What besides amounts decides whether a shape fits: bits of `Shape.special`. */
export const Special = { Labels: 1, Distinct: 2, Devices: 4 } as const

/**
 * A demand vector with its constraints: `amounts[i]` of `resources[i]`. The first two resources have fields of their own: few shapes ask for more,
 * and a loop over two costs several times as much.
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
    /** 0 if only amounts matter. */
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
  /** By lane: the smallest amount of each resource that any shape asks for; huge until there is one. */
  readonly least: Shape[]
  readonly #watchers: (() => void)[] = []
  readonly #model: ClusterModel
  readonly #ids = new Map<string, ShapeId>()
  readonly #known = new WeakMap<Demand, ShapeId>()
  /** By list of resources: what `without` has answered for each shape, since a task is suspended many times by one that tries what fits. */
  readonly #left = new WeakMap<readonly ResourceId[], (ShapeId | None | undefined)[]>()
  /** The last demand asked for: it is often repeated, because a job is checked and then submitted. */
  #last: Demand | undefined
  #lastShape = 0 as ShapeId
  readonly #rules: Rules
  /** Whether some node could hold a task of the shape; `undefined` until asked. */
  readonly #feasible = listOf<boolean | undefined>()
  /** Whether tasks fit next to a master, by the master's shape, their shape, and how many of them start at once. */
  readonly #beside = new Map<string, boolean>()
  /** The rule of each constrained shape. */
  readonly #ruleOf = listOf<Rule | undefined>()
  /** Constrained shapes by rule, then by the unconstrained shape. */
  readonly #constrained = new Map<Rule, Map<ShapeId, ShapeId>>()
  /** Shapes of `barred`, by what they are like and the nodes that they lack: each has its id for ever, as others keep facts by ids. */
  readonly #barred = new Map<string, ShapeId>()
  /** How often `barred` has answered a shape that was not dropped since. */
  readonly #uses = new Map<ShapeId, number>()

  constructor(model: ClusterModel) {
    this.#model = model
    this.#rules = new Rules(model.labels, model.nodes)
    this.least = model.lanes.map(({ resources }, lane) => new Shape(resources, resources.map(() => 0x7fffffff), lane as LaneId, 0))
  }

  /**
   * The shape of a demand and its constraints. Throws `BAD_INPUT` for an unknown resource, an amount that is not a non-negative integer, a demand for
   * nothing, slots of two types, or a required label without a value. Without constraints the shape may not run on nodes with taints.
   */
  intern(demand: Demand, constraints?: Constraints): ShapeId {
    const plain = demand === this.#last ? this.#lastShape : this.#internPlain(demand)
    const rule = this.#rules.intern(constraints)
    return rule === undefined ? plain : this.#constrain(plain, rule)
  }

  /** Whether the shape may run on a node by the node's labels, name and taints. */
  allows(shape: ShapeId, node: NodeId): boolean {
    const rule = this.#ruleOf[shape]
    return rule?.allowed === undefined || rule.allowed[rule.at[node] as number] === 1
  }

  /** Number of `PreferNoSchedule` taints of a node that the shape does not tolerate. */
  softTaints(shape: ShapeId, node: NodeId): number {
    const rule = this.#ruleOf[shape]
    return rule?.disliked?.[rule.at[node] as number] ?? 0
  }

  /** What keeps tasks with these constraints off a node, in words; `undefined`: nothing does. */
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined {
    const rule = this.#rules.intern(constraints)
    return rule && this.#rules.keepsOff(rule, node)
  }

  /** Untolerated taints of nodes that the rule would otherwise allow, in words. */
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

  /**
   * The demand of a shape without some resources and without its constraints; `None` if nothing is left. No job asks for such a shape, so `least`
   * does not count it. The list is not to change between calls.
   */
  without(shape: ShapeId, freed: readonly ResourceId[]): ShapeId | None {
    let known = this.#left.get(freed)
    if (known === undefined) this.#left.set(freed, (known = listOf<ShapeId | None | undefined>()))
    return (known[shape] ??= this.#without(shape, freed))
  }

  #without(shape: ShapeId, freed: readonly ResourceId[]): ShapeId | None {
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

  /** The shape that is like another one but for some nodes, by ascending id, that it may not run on either. To be dropped (`dropBarred`) as often as asked for. */
  barred(shape: ShapeId, nodes: readonly NodeId[]): ShapeId {
    const key = `${shape};${nodes.join()}`
    const barred = this.#barred.get(key) ?? this.#like(shape)
    this.#barred.set(key, barred)
    const uses = this.#uses.get(barred) ?? 0
    if (uses === 0) this.#ruleOf[barred] = this.#rules.barring(this.#ruleOf[shape], nodes)
    this.#uses.set(barred, uses + 1)
    return barred
  }

  #like(shape: ShapeId): ShapeId {
    const { resources, amounts, lane, special } = this.of(shape)
    return (this.all.push(new Shape(resources, amounts, lane, special | Special.Labels)) - 1) as ShapeId
  }

  /** Forgets what nodes a shape of `barred` may run on, unless others use it. */
  dropBarred(shape: ShapeId): void {
    const uses = (this.#uses.get(shape) as number) - 1
    if (uses > 0) return void this.#uses.set(shape, uses)
    this.#uses.delete(shape)
    this.#ruleOf[shape] = undefined
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

  /** Registers a function to call when an amount in `least` falls. */
  watchLeast(watcher: () => void): void {
    this.#watchers.push(watcher)
  }

  /** The shape with that id. */
  of(shape: ShapeId): Shape {
    return this.all[shape] as Shape
  }

  /** Amount of a resource that a task of the shape asks for; 0 if it asks for none. */
  amount(shape: ShapeId, resource: number): number {
    const { resources, amounts, count } = this.of(shape)
    for (let i = 0; i < count; i++) if (resources[i] === resource) return amounts[i] as number
    return 0
  }

  /** Whether some node of the empty cluster could run a task of the shape. */
  feasible(shape: ShapeId): boolean {
    return (this.#feasible[shape] ??= this.#hasRoom(shape))
  }

  /** Whether the empty cluster could run a task of the stage and, for a gang, as many tasks at once as must start together. */
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

  /** How many tasks of the shape, all of one job, the empty cluster could run at once. Counting stops at `enough`, which is the most it returns. */
  most(shape: ShapeId, enough: number): number {
    let room = 0
    for (let node = 0 as NodeId; node < this.#model.nodes && room < enough; node++) room += this.roomOn(shape, node)
    return Math.min(room, enough)
  }

  /** Whether the empty cluster could run the job's master and, at the same time, as many tasks of the stage as start at once. */
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

  /**
   * How many tasks of the shape, all of one job, a node could run that is empty or, with `beside`, runs one task of that shape of the same job.
   * Devices held by the latter are not subtracted.
   */
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

  /** Lowers `least` where a task asks for less, or did before a restart. */
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
