import type { Env, JobId, LaneId, NodeId, ShapeId, TaskId } from '@sched/core'
import { proportionalParts } from './redeploy.js'
import type { RackLayout } from './rack-layout.js'

/** The nodes to which a job's tasks are moved: those of one rack, or all. */
export type Target = number | 'everywhere'

/** How many tasks a job may still start: in all, and on each node. */
interface Quota {
  left: number
  readonly byNode: Map<NodeId, number>
}

/** The quota of tasks that no node of the target could hold: they may start anywhere. */
const FREE: Quota = { left: Infinity, byNode: new Map() }

/**
 * Quotas of moved jobs: how many tasks each may start on each node. The unplaced tasks of a job are divided over the nodes of its target by performance. When
 * all of these are claimed and the job has more, such as reducers whose stage has opened, those are divided in the same way. A task that is taken back or
 * killed may start on its node again.
 */
export class Quotas {
  readonly #env: Env
  readonly #layout: RackLayout
  readonly #performance: readonly number[]
  readonly #moved = new Map<JobId, { readonly target: Target; readonly byShape: Map<ShapeId, Quota> }>()
  #reach: readonly NodeId[] | undefined
  readonly #isInReach: Uint8Array

  constructor(env: Env, layout: RackLayout, performance: readonly number[]) {
    this.#env = env
    this.#layout = layout
    this.#performance = performance
    this.#isInReach = new Uint8Array(env.cluster.nodes)
  }

  /** Tells which nodes may be in sight. If they have changed, all quotas are divided anew. Single nodes are added to those told before. */
  seeReach(reach: readonly NodeId[]): void {
    const isOne = reach.length === 1
    if (isOne ? this.#isInReach[reach[0] as NodeId] === 1 : reach === this.#reach) return
    if (!isOne) this.#isInReach.fill(0)
    this.#reach = reach
    for (const node of reach) this.#isInReach[node] = 1
    this.divideAnew()
  }

  /** Whether a node is up and may be in sight. */
  isThere(node: NodeId): boolean {
    return this.#isInReach[node] === 1 && this.#env.cluster.up(node)
  }

  /** The nodes of the target that could hold a task of the shape if they were empty. */
  nodesFor(target: Target, shape: ShapeId, lane: LaneId): NodeId[] {
    const nodes = target === 'everywhere' ? this.#layout.racks.flat() : (this.#layout.racks[target] ?? [])
    return nodes.filter((node) => this.isThere(node) && this.#couldHold(shape, lane, node))
  }

  move(job: JobId, target: Target): void {
    this.#moved.set(job, { target, byShape: new Map() })
  }

  forget(job: JobId): void {
    this.#moved.delete(job)
  }

  /** Drops all quotas, which are divided anew when they are asked for. */
  divideAnew(): void {
    for (const { byShape } of this.#moved.values()) byShape.clear()
  }

  isMoved(job: JobId): boolean {
    return this.#moved.has(job)
  }

  /** Whether the job's quota allows its next task to start on the node. Gangs and jobs that are not moved may start anywhere. */
  allows(job: JobId, lane: LaneId, node: NodeId): boolean {
    if (this.#moved.size === 0) return true
    const moved = this.#moved.get(job)
    if (moved === undefined || this.#env.work.together(job, lane) > 1) return true
    const shape = this.#env.work.shape(job, lane)
    let quota = moved.byShape.get(shape)
    if (quota === undefined || quota.left <= 0) moved.byShape.set(shape, (quota = this.#divide(moved.target, job, lane, shape)))
    return quota === FREE || (quota.byNode.get(node) ?? 0) > 0
  }

  #divide(target: Target, job: JobId, lane: LaneId, shape: ShapeId): Quota {
    const nodes = this.nodesFor(target, shape, lane)
    if (nodes.length === 0) return FREE
    const left = this.#env.work.unplaced(job, lane)
    const parts = proportionalParts(left, nodes.map((node) => this.#performance[node] as number))
    return { left, byNode: new Map(nodes.map((node, i) => [node, parts[i] as number])) }
  }

  #couldHold(shape: ShapeId, lane: LaneId, node: NodeId): boolean {
    const { cluster, work } = this.#env
    for (const resource of cluster.lanes[lane]?.resources ?? []) if (work.demand(shape, resource) > cluster.total(node, resource)) return false
    return work.mayRunOn(shape, node)
  }

  onClaim(job: JobId, task: TaskId, node: NodeId): void {
    this.#count(job, task, node, -1)
  }

  /** A claim was taken back, or a task was killed. */
  onReturn(job: JobId, task: TaskId, node: NodeId): void {
    this.#count(job, task, node, 1)
  }

  #count(job: JobId, task: TaskId, node: NodeId, by: 1 | -1): void {
    if (this.#moved.size === 0) return
    const quota = this.#moved.get(job)?.byShape.get(this.#env.work.shapeOf(task))
    const tasks = quota?.byNode.get(node)
    if (quota === undefined || tasks === undefined) return
    quota.byNode.set(node, tasks + by)
    quota.left += by
  }
}
