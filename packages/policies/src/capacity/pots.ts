import { grown, type ClusterView, type LaneId, type NodeId, type ResourceId, type ShapeId, type WorkView } from '@sched/core'

/**
 * Pots: what capacities are shares of. A pot is the nodes of one partition as seen by one lane; a cluster without labels and slot types
 * has one pot. In a pot only some resources are counted: all of the lane, or memory alone.
 */
export class Pots {
  readonly count: number
  readonly lanes: number
  /** Names of the partitions; the first, '', is the default partition: the nodes without the label. */
  readonly partitions: readonly string[]
  /** The largest number of counted resources of a pot, which is the stride of columns of amounts. */
  readonly width: number
  /** Resources counted in each lane. */
  readonly counted: readonly (readonly ResourceId[])[]
  /** By lane: which of its counted resources is memory; the first if none is. */
  readonly memory: readonly number[]
  /** `[pot * width + i]`: total of the nodes that are up. */
  readonly totals: Float64Array
  /** `[lane * width + i]`: the smallest demand of all shapes seen by `demandAt`. */
  readonly least: Float64Array
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #partitionOf: Uint16Array
  /** `[shape * width + i]`: counted demand, NaN until `demandAt` is called for the shape; a shape belongs to one lane. */
  #demands = new Float64Array(0)

  constructor(cluster: ClusterView, work: WorkView, isDominant: boolean, label: string) {
    this.#cluster = cluster
    this.#work = work
    this.lanes = cluster.lanes.length
    const names = [...new Set(Array.from({ length: cluster.nodes }, (_, node) => cluster.label(node as NodeId, label) ?? ''))]
    this.partitions = ['', ...names.filter((name) => name !== '').sort()]
    this.#partitionOf = Uint16Array.from({ length: cluster.nodes }, (_, node) => this.partitions.indexOf(cluster.label(node as NodeId, label) ?? ''))
    this.count = this.lanes * this.partitions.length
    this.counted = cluster.lanes.map(({ resources }) => (isDominant ? resources : [memoryOf(resources, cluster)]))
    this.memory = this.counted.map((resources) => resources.indexOf(memoryOf(resources, cluster)))
    this.width = Math.max(...this.counted.map((resources) => resources.length))
    this.totals = new Float64Array(this.count * this.width)
    this.least = new Float64Array(this.lanes * this.width).fill(Infinity)
    this.refresh()
  }

  /** Counts totals anew, after a node went down or came up. */
  refresh(): void {
    this.totals.fill(0)
    for (let node = 0; node < this.#cluster.nodes; node++) {
      if (!this.#cluster.up(node as NodeId)) continue
      for (let lane = 0; lane < this.lanes; lane++) {
        const at = this.of(lane, node) * this.width
        for (const [i, r] of (this.counted[lane] ?? []).entries()) this.totals[at + i] = (this.totals[at + i] as number) + this.#cluster.total(node as NodeId, r)
      }
    }
  }

  /** The pot of a node in a lane. */
  of(lane: number, node: number): number {
    return (this.#partitionOf[node] as number) * this.lanes + lane
  }

  /** The partitions, ascending, with a node for which `holds` is true. */
  partitionsWith(holds: (node: NodeId) => boolean): number[] {
    const found = new Set<number>()
    for (const [node, partition] of this.#partitionOf.entries()) if (!found.has(partition) && holds(node as NodeId)) found.add(partition)
    return [...found].sort((a, b) => a - b)
  }

  /** Whether a node is in the default partition. */
  isDefault(node: number): boolean {
    return this.#partitionOf[node] === 0
  }

  at(lane: number, partition: number): number {
    return partition * this.lanes + lane
  }

  laneOf(pot: number): number {
    return pot % this.lanes
  }

  /** The lane whose resources a shape asks for. */
  laneOfShape(shape: ShapeId): LaneId {
    return Math.max(0, this.#cluster.lanes.findIndex(({ resources }) => resources.some((r) => this.#work.demand(shape, r) > 0))) as LaneId
  }

  partitionOf(pot: number): number {
    return Math.floor(pot / this.lanes)
  }

  /** The index in `demands` at which the counted demand of a shape starts; may replace `demands`. */
  demandAt(shape: ShapeId, lane: LaneId): number {
    const at = shape * this.width
    if (at >= this.#demands.length || Number.isNaN(this.#demands[at])) this.#readDemand(shape, lane)
    return at
  }

  get demands(): Float64Array {
    return this.#demands
  }

  #readDemand(shape: ShapeId, lane: LaneId): void {
    const { width } = this
    this.#demands = grown(this.#demands, (shape + 1) * width, NaN)
    this.#demands.fill(0, shape * width, (shape + 1) * width)
    for (const [i, r] of (this.counted[lane] ?? []).entries()) this.#demands[shape * width + i] = this.#work.demand(shape, r)
    for (let i = 0; i < width; i++) this.least[lane * width + i] = Math.min(this.least[lane * width + i] as number, this.#demands[shape * width + i] as number)
  }
}

/** The partition of tasks that may run in the `allowed` ones (ascending): that of their queue, if it is among them, else the first. */
export const choosePartition = (allowed: readonly number[], byDefault: number): number => (allowed.includes(byDefault) ? byDefault : (allowed[0] ?? byDefault))

/** Hadoop's default calculator counts memory alone; a lane without it, a slot type for example, its first resource. */
export function memoryOf(resources: readonly ResourceId[], { resources: names }: ClusterView): ResourceId {
  return resources.find((r) => /^mem/i.test(names[r] ?? '')) ?? (resources[0] as ResourceId)
}
