import type { LaneId } from '@sched/core'
import type { ShareRule, Shares } from './share-order.js'
import { weightIn, type Weight } from './sharing-options.js'

/**
 * Hierarchical DRF. A queue is blocked while its next task does not fit into what the whole cluster has left, or it has
 * none; a queue of queues when all inside are. To compute what a queue of queues has, the usage of each inside it is
 * scaled down to M, the smallest share among those that are not blocked. So what a sibling has beyond the others does
 * not count against a queue that waits.
 *
 * Costs a pass over all queues at every reading, and one over all siblings on the path of a task that starts or ends.
 *
 * Source: Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013, section 4 (static
 * H-DRF). Deviations: tasks are whole, so blocked is what cannot start one; a blocked queue with less than M counts with
 * what it has; blocked queues come last.
 */
export function rescaledShares({ cluster, work, tree, lists, usage }: Shares, weightOf: ReadonlyMap<string, Weight>): ShareRule {
  const lanes = cluster.lanes.length
  const { resources } = usage
  /** `[pool * lanes + lane]`; shares are of what is scaled. */
  const share: number[] = []
  const isBlocked: boolean[] = []
  /** `[pool * resources + resource]` of queues of queues. */
  let scaled = new Float64Array(64)
  /** `[node * resources + resource]`. */
  const inUse = new Float64Array(cluster.nodes * resources)
  /** By resource, on the nodes that are there: what runs on a drained one takes no room of others. */
  const inUseOfAll = new Float64Array(resources)
  const isAway = new Uint8Array(cluster.nodes)

  const childrenOf = (pool: number) => tree.pools[pool]?.children ?? []
  const resourcesIn = (lane: LaneId) => cluster.lanes[lane]?.resources ?? []

  function cannotStart(leaf: number, lane: LaneId): boolean {
    if (lists.isEmpty(leaf, lane)) return true
    const job = lists.firstJob(leaf, lane)
    if (work.unplaced(job, lane) === 0) return true // its last task was claimed just now
    const shape = work.shape(job, lane)
    return resourcesIn(lane).some((r) => work.demand(shape, r) > usage.capacity(r) - (inUseOfAll[r] as number))
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
      if ((id + 1) * resources > scaled.length) {
        const larger = new Float64Array(2 * scaled.length + resources)
        larger.set(scaled)
        scaled = larger
      }
      return weightIn(path, weightOf.get(path), cluster)
    },
    onChange(pool, lane, _sign, _why, amounts, node) {
      if (lists.parent(pool) !== 0) return
      for (const r of resourcesIn(lane)) {
        inUse[node * resources + r] = (inUse[node * resources + r] as number) + (amounts[r] as number)
        if (isAway[node] === 0) inUseOfAll[r] = (inUseOfAll[r] as number) + (amounts[r] as number)
      }
    },
    onNode(node, up) {
      if ((isAway[node] === 0) === up) return
      isAway[node] = up ? 0 : 1
      for (let r = 0; r < resources; r++) inUseOfAll[r] = (inUseOfAll[r] as number) + (up ? 1 : -1) * (inUse[node * resources + r] as number)
    },
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
