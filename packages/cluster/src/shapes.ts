import { SchedError, type Demand, type LaneId, type ShapeId } from '@sched/core'
import { resourceId, type ClusterModel } from './model.js'

/** Interned demand vectors: entries `from[shape]` to `to[shape]` of the parallel columns `resource` and `amounts`. */
export class Shapes {
  readonly from: number[] = []
  readonly to: number[] = []
  readonly resource: number[] = []
  readonly amounts: number[] = []
  readonly lanes: LaneId[] = []
  /** Smallest amount that any shape of a lane asks, `[lane * resources + resource]`; huge until one is known. */
  readonly least: Int32Array
  readonly #watchers: (() => void)[] = []
  readonly #model: ClusterModel
  readonly #ids = new Map<string, ShapeId>()
  readonly #known = new WeakMap<Demand, ShapeId>()

  constructor(model: ClusterModel) {
    this.#model = model
    this.least = new Int32Array(model.lanes.length * model.resources.length).fill(0x7fffffff)
  }

  /** The shape of a demand. Throws `BAD_INPUT` for an unknown resource, an amount that is no positive integer, or slots of two types. */
  intern(demand: Demand): ShapeId {
    const known = this.#known.get(demand)
    if (known !== undefined) return known
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

  amount(shape: ShapeId, resource: number): number {
    for (let i = this.from[shape] as number; i < (this.to[shape] as number); i++)
      if (this.resource[i] === resource) return this.amounts[i] as number
    return 0
  }

  /** Whether some node of the cluster, empty, could run a task of the shape. */
  feasible(shape: ShapeId): boolean {
    const { total, nodes } = this.#model
    for (let node = 0; node < nodes; node++) {
      let fits = true
      for (let i = this.from[shape] as number; i < (this.to[shape] as number) && fits; i++)
        fits = (total[(this.resource[i] as number) * nodes + node] as number) >= (this.amounts[i] as number)
      if (fits) return true
    }
    return false
  }

  #add(entries: readonly (readonly [number, number])[], key: string): ShapeId {
    for (const [r, amount] of entries)
      if (!Number.isInteger(amount) || amount < 0 || amount > 0x7fffffff)
        throw new SchedError('BAD_INPUT', `a task asks ${amount} of ${this.#model.resources[r] ?? ''}`, { field: 'demand' }, 'Amounts are whole numbers from 0 to 2147483647.')
    const shape = this.from.length as ShapeId
    const lane = this.#laneOf(entries)
    this.from.push(this.resource.length)
    for (const [r, amount] of entries) {
      this.resource.push(r)
      this.amounts.push(amount)
    }
    this.to.push(this.resource.length)
    this.lanes.push(lane)
    this.#ids.set(key, shape)
    const { resources } = this.#model
    let fell = false
    for (const r of this.#model.lanes[lane]?.resources ?? []) {
      const at = lane * resources.length + r
      if (this.amount(shape, r) >= (this.least[at] as number)) continue
      this.least[at] = this.amount(shape, r)
      fell = true
    }
    if (fell) for (const watcher of this.#watchers) watcher()
    return shape
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
