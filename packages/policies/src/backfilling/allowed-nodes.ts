import { runningTasks, type ClusterView, type JobId, type LaneId, type NodeId, type Round, type ShapeId, type WorkView } from '@sched/core'
import { bitsFor, clearBit, countBits, setBit, type NodeBits } from './node-bits.js'

/** The nodes that a job may use, whatever runs there: those in sight that have its labels, and none that it must not share with its own tasks. */
export class AllowedNodes {
  /** The nodes that were asked for last. */
  readonly bits: NodeBits
  readonly #lane: LaneId
  readonly #work: WorkView
  #cluster: ClusterView
  readonly #inSight: NodeBits
  /** The nodes with a label. */
  readonly #labelled = new Map<string, NodeBits>()
  /** The nodes with the labels that a shape requires, valid in one pass. */
  readonly #suitable = new Map<ShapeId, NodeBits>()

  constructor(lane: LaneId, work: WorkView, cluster: ClusterView) {
    this.#lane = lane
    this.#work = work
    this.#cluster = cluster
    this.bits = bitsFor(cluster.nodes)
    this.#inSight = bitsFor(cluster.nodes)
  }

  /** Begins a pass over the nodes of a round. */
  begin({ cluster, nodes }: Round): void {
    this.#cluster = cluster
    this.#inSight.fill(0)
    for (const node of nodes) if (cluster.up(node)) setBit(this.#inSight, node)
    this.#suitable.clear()
  }

  /** Hides the nodes with a label for the rest of the pass. */
  close(label: string): void {
    const own = this.withLabel(label)
    for (let w = 0; w < own.length; w++) this.#inSight[w] = (this.#inSight[w] as number) & ~(own[w] as number)
  }

  /** The number of nodes in sight, of those with a label if one is given. */
  countInSight(label: string | undefined): number {
    this.setAll()
    if (label !== undefined) this.keep(this.withLabel(label))
    return countBits(this.bits)
  }

  /** Sets `bits` to all nodes in sight. */
  setAll(): void {
    this.bits.set(this.#inSight)
  }

  /**
   * Sets `bits` to the nodes for tasks of a shape of the job: not those whose labels do not match, nor, if its tasks must be on different nodes, those of
   * its running tasks. Returns whether it lacks such nodes that others of its shape may use.
   */
  set(job: JobId, shape: ShapeId): boolean {
    this.bits.set(this.#inSight)
    if (this.#work.requiresLabels(shape)) this.keep(this.#suitableFor(shape))
    if (!this.#work.isDistinct(shape) || this.#work.running(job, this.#lane) === 0) return false
    for (const task of runningTasks(job, this.#lane, this.#work)) clearBit(this.bits, this.#work.nodeOf(task))
    return true
  }

  /** Keeps only those nodes that are among these, too. */
  keep(nodes: NodeBits): void {
    const { bits } = this
    for (let w = 0; w < bits.length; w++) bits[w] = (bits[w] as number) & (nodes[w] as number)
  }

  /** The nodes with a label, or with one of several between bars; with `*` among these all nodes. */
  withLabel(label: string): NodeBits {
    const known = this.#labelled.get(label)
    if (known !== undefined) return known
    const any = label.split('|')
    const nodes = bitsFor(this.#cluster.nodes)
    for (let node = 0; node < this.#cluster.nodes; node++)
      if (any.some((each) => each === '*' || this.#cluster.label(node as NodeId, each) !== undefined)) setBit(nodes, node)
    this.#labelled.set(label, nodes)
    return nodes
  }

  /** The nodes whose labels are those that tasks of the shape require. */
  #suitableFor(shape: ShapeId): NodeBits {
    const known = this.#suitable.get(shape)
    if (known !== undefined) return known
    const nodes = bitsFor(this.#cluster.nodes)
    for (let node = 0; node < this.#cluster.nodes; node++) if (this.#work.mayRunOn(shape, node as NodeId)) setBit(nodes, node)
    this.#suitable.set(shape, nodes)
    return nodes
  }
}
