import { grown, type LaneId, type NodeId, type ResourceId } from '@sched/core'
import type { ShareRule, Shares } from './share-order.js'
import { weightIn, type Weight } from './sharing-options.js'

/**
 * Hierarchical DRF. A leaf queue is blocked while it has no waiting task, or its next task asks for more than the whole cluster has
 * left; an inner queue is blocked when all queues inside it are. The usage of an inner queue is the sum over the queues inside it, each
 * scaled down to M, the smallest share among those that are not blocked. So what one queue inside has beyond the others does not count
 * against a sibling that waits.
 *
 * Every reading costs a pass over all queues; a task that starts or ends costs a pass over all siblings on its path.
 *
 * Source: Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013, section 4 (static
 * H-DRF). Deviations: tasks are whole, so a queue is blocked when it cannot start one; a blocked queue with less than M counts with
 * what it has; blocked queues come last.
 */
export function rescaledShares({ cluster, work, tree, lists, usage }: Shares, weightOf: ReadonlyMap<string, Weight>): ShareRule {
  const lanes = cluster.lanes.length
  const { resources } = usage
  /** `[pool * lanes + lane]`: dominant shares, of inner queues those of their scaled usage, and whether the queue is blocked. */
  const share: number[] = []
  const isBlocked: boolean[] = []
  /** `[pool * resources + resource]`: scaled usage of inner queues. */
  let scaled = new Float64Array(64)
  const inUse = new InUse(cluster.nodes, resources)

  const childrenOf = (pool: number) => tree.pools[pool]?.children ?? []
  const resourcesIn = (lane: LaneId) => cluster.lanes[lane]?.resources ?? []

  function cannotStart(leaf: number, lane: LaneId): boolean {
    if (lists.isEmpty(leaf, lane)) return true
    const job = lists.firstJob(leaf, lane)
    if (work.unplaced(job, lane) === 0) return true // its last task was claimed just now
    const shape = work.shape(job, lane)
    return resourcesIn(lane).some((r) => work.demand(shape, r) > usage.capacity(r) - inUse.of(r))
  }

  function addScaled(pool: number, lane: LaneId, smallest: number): void {
    for (const r of resourcesIn(lane)) scaled[pool * resources + r] = 0
    for (const child of childrenOf(pool)) {
      const own = share[child * lanes + lane] ?? 0
      if (own === 0) continue
      const column = childrenOf(child).length === 0 ? usage.used : scaled
      for (const r of resourcesIn(lane)) {
        const amount = column[child * resources + r] as number
        const at = pool * resources + r
        scaled[at] = (scaled[at] as number) + (own <= smallest ? amount : (amount * smallest) / own)
      }
    }
  }

  return {
    readsFirst: true,
    addPool({ id, path }) {
      scaled = grown(scaled, (id + 1) * resources)
      return weightIn(path, weightOf.get(path), cluster)
    },
    onChange(pool, lane, _sign, _why, amounts, node) {
      if (lists.parent(pool) === 0) for (const r of resourcesIn(lane)) inUse.add(node, r, amounts[r] as number)
    },
    onNode: (node, up) => inUse.onNode(node, up),
    poolKey(pool, lane) {
      const at = pool * lanes + lane
      const inside = childrenOf(pool)
      if (inside.length === 0) {
        share[at] = usage.dominantShare(pool, lane)
        isBlocked[at] = cannotStart(pool, lane)
      } else {
        let smallest = Infinity
        for (const child of inside) if (isBlocked[child * lanes + lane] === false) smallest = Math.min(smallest, share[child * lanes + lane] as number)
        isBlocked[at] = smallest === Infinity
        addScaled(pool, lane, smallest)
        share[at] = usage.dominantShare(pool, lane, scaled)
      }
      return isBlocked[at] ? Infinity : share[at]
    },
    jobKey: (job, lane, ofJobs) => ofJobs.dominantShare(job, lane),
    onBegin({ lane }) {
      return tree.pools.some(({ id, children }) => id > 0 && children.length === 0 && isBlocked[id * lanes + lane] !== cannotStart(id, lane))
    },
  }
}

/** Amounts in use on the nodes that are up: tasks that still run on a drained node take no room from others. */
class InUse {
  readonly #resources: number
  /** `[node * resources + resource]`. */
  readonly #onNode: Float64Array
  readonly #ofAll: Float64Array
  readonly #isAway: Uint8Array

  constructor(nodes: number, resources: number) {
    this.#resources = resources
    this.#onNode = new Float64Array(nodes * resources)
    this.#ofAll = new Float64Array(resources)
    this.#isAway = new Uint8Array(nodes)
  }

  of(resource: ResourceId): number {
    return this.#ofAll[resource] as number
  }

  add(node: NodeId, resource: ResourceId, amount: number): void {
    const at = node * this.#resources + resource
    this.#onNode[at] = (this.#onNode[at] as number) + amount
    if (this.#isAway[node] === 0) this.#ofAll[resource] = (this.#ofAll[resource] as number) + amount
  }

  onNode(node: NodeId, up: boolean): void {
    if ((this.#isAway[node] === 0) === up) return
    this.#isAway[node] = up ? 0 : 1
    const first = node * this.#resources
    for (let r = 0; r < this.#resources; r++) this.#ofAll[r] = (this.#ofAll[r] as number) + (up ? 1 : -1) * (this.#onNode[first + r] as number)
  }
}
