import { defineOrder, type LaneId, type Plug, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ShareOrder, type ShareRule, type Shares } from './share-order.js'
import { ownerFields, plainWeights, settingsByPath, type OwnerOptions, type PlainWeights } from './sharing-options.js'

const wfqOptions = z.strictObject({
  ...ownerFields,
  weights: plainWeights,
  cost: z.enum(['share', 'tasks']).default('share').describe('what a task costs: the largest fraction of the cluster that it asks of any resource, or 1'),
})
/** Options of `wfq`; all may be left out. */
export interface WfqOptions extends OwnerOptions {
  /** Weights of users or queues by name, above 0; default 1. Jobs have the weight of the workload. */
  readonly weights?: PlainWeights
  /** What a task costs: the largest fraction of the cluster that it asks of any resource, or 1. Default `share`. */
  readonly cost?: 'share' | 'tasks'
}

/**
 * Weighted fair queueing: the sharer whose next task has the earliest virtual finish comes first. A task's virtual finish is the
 * later of two times, plus cost / weight: the finish of the sharer's task before it, and the virtual time at which the sharer last began
 * to wait. Unlike the orders by shares it divides starts, not what is in use: a sharer with long tasks does not come later for them.
 * Times that differ by less than 1e-12 of themselves are equal, since sums of fractions are rounded.
 *
 * Source: Demers, Keshav and Shenker, SIGCOMM 1989; virtual time is the latest finish of a task started so far, as in
 * Golestani's self-clocked fair queueing, INFOCOM 1994, since no fluid reference system runs beside a cluster.
 */
export const wfqOrder = defineOrder({
  name: 'wfq',
  summary: 'users or queues by the virtual finish time of their next task',
  source: 'Demers, Keshav and Shenker, SIGCOMM 1989; Golestani, INFOCOM 1994',
  options: wfqOptions,
  create: (options, env) => {
    const weightOf = settingsByPath('weights', options.weights, options.by)
    return new ShareOrder(env, options, (shares) => virtualFinish(shares, weightOf, options.cost))
  },
})

/** Weighted fair queueing. */
export const wfq = (options: WfqOptions = {}): Plug<'order'> => wfqOrder.plug({}, options)

function virtualFinish({ cluster, work, tree, lists, usage }: Shares, weightOf: ReadonlyMap<string, number>, cost: 'share' | 'tasks'): ShareRule {
  const lanes = cluster.lanes.length
  const weight: number[] = []
  /** `[pool * lanes + lane]`: `finish` is the virtual finish of the pool's last task, `clock` the virtual time among the pool's children. */
  const finish: number[] = []
  const clock: number[] = []
  /**
   * By task: the cost of its start, which is given back when the start is taken back. Computing it anew could give another cost, `Infinity` with no
   * node up.
   */
  const paid: number[] = []
  const costOf = (amountOf: (resource: ResourceId) => number, lane: LaneId): number => {
    if (cost === 'tasks') return 1
    let share = 0
    for (const r of cluster.lanes[lane]?.resources ?? []) share = Math.max(share, amountOf(r) === 0 ? 0 : amountOf(r) / usage.capacity(r))
    return share
  }
  const nextCost = (pool: number, lane: LaneId): number => {
    if (lists.isEmpty(pool, lane)) return 0
    const job = lists.firstJob(pool, lane)
    if (work.unplaced(job, lane) === 0) return 0 // its last task was just claimed: it leaves the list next
    const shape = work.shape(job, lane)
    return costOf((r) => work.demand(shape, r), lane)
  }
  const parentOf = (pool: number) => tree.pools[pool]?.parent ?? 0
  return {
    readsFirst: true,
    addPool({ id, path }) {
      for (let lane = 0; lane < lanes; lane++) finish[id * lanes + lane] = clock[id * lanes + lane] = 0
      return (weight[id] = weightOf.get(path) ?? 1)
    },
    poolKey: (pool, lane) => (finish[pool * lanes + lane] as number) + nextCost(pool, lane) / (weight[pool] as number),
    jobKey: () => 0, // jobs do not share: the options offer no such order
    onJoin(pool, lane) {
      finish[pool * lanes + lane] = Math.max(finish[pool * lanes + lane] as number, clock[parentOf(pool) * lanes + lane] as number)
    },
    onChange(pool, lane, sign, why, amounts, _node, task) {
      if (why === 'ended') return // what was served stays counted
      const at = pool * lanes + lane
      if (sign > 0) paid[task] = costOf((r) => amounts[r] as number, lane)
      finish[at] = (finish[at] as number) + (sign * (paid[task] as number)) / (weight[pool] as number)
      const above = parentOf(pool) * lanes + lane
      clock[above] = Math.max(clock[above] as number, finish[at])
    },
    memory: (pool, lane) => [finish[pool * lanes + lane] as number, clock[pool * lanes + lane] as number],
    recall(pool, lane, [itsFinish = 0, itsClock = 0]) {
      finish[pool * lanes + lane] = itsFinish
      clock[pool * lanes + lane] = itsClock
    },
  }
}
