import { defineOrder, grown, SchedError, type LaneId, type Order, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { rescaledShares } from './rescaled-drf.js'
import { ShareOrder, type ShareRule, type Shares } from './share-order.js'
import { settingsByPath, sharingFields, weightIn, weights, type SharingOptions, type Weights } from './sharing-options.js'
import { onlyFirst } from './only-first.js'

const drfOptions = z.strictObject({
  ...sharingFields,
  weights,
  blocked: z
    .enum(['skip', 'strict'])
    .default('skip')
    .describe('when the next task of the most deserving does not fit: the others are tried, or nothing starts'),
  hierarchy: z
    .enum(['naive', 'rescaled'])
    .default('naive')
    .describe('what counts for a queue of queues: the sum of all inside, as in Mesos and YARN, or that sum after scaling what is inside to the smallest share (H-DRF), so that no queue inside starves'),
  countNext: z
    .boolean()
    .default(false)
    .describe("whether a sharer also counts with what its first job would start next, all of a gang: who would have least with it comes first (Armada)"),
})
/** Options of `drf`; all may be left out. */
export interface DrfOptions extends SharingOptions {
  /** Weights of users or queues by name, one number or one per resource, above 0; default 1. Jobs have the weight of the workload. */
  readonly weights?: Weights
  /** When the next task of the first sharer does not fit: `skip` tries the others, `strict` starts nothing. Default `skip`. */
  readonly blocked?: 'skip' | 'strict'
  /**
   * The usage of a queue that has queues inside. `naive`: the sum over all queues inside, as in Mesos and YARN. `rescaled`: that sum after the
   * usage of each queue inside is scaled down to the smallest share among them (H-DRF), so that no queue inside starves. Default `naive`.
   */
  readonly hierarchy?: 'naive' | 'rescaled'
  /** Whether a sharer also counts with what its first job would start next: who would have least with it comes first (Armada). Default false. */
  readonly countNext?: boolean
}

/**
 * Dominant resource fairness: the user, queue or job with the smallest dominant share comes first. A dominant share is
 * the largest fraction of the cluster, over all resources of the lane, that somebody has in use, in [0, 1], divided by a
 * weight. On a lane of slots it is weighted max-min fairness. Where queues share, the rule holds at every level of their tree. The
 * usage of a queue is then the sum over all inside it (naive hierarchical DRF, as in Mesos and YARN), or that sum after rescaling (H-DRF).
 * With `countNext` what the first job of each would start next counts as if it ran, so a sharer with a large job waits for the others.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, Algorithm 1 and section 4.3 (weights); Bhattacharya et
 * al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013; Armada, CandidateGangIterator (`countNext`).
 * Deviation: with `blocked: 'skip'` a sharer whose next task does not fit is passed over, so one large task cannot idle the cluster.
 */
export const drfOrder = defineOrder({
  name: 'drf',
  summary: 'users, queues or jobs by dominant share, smallest first',
  source: 'Ghodsi et al., NSDI 2011, Algorithm 1',
  options: drfOptions,
  create: (options, env): Order => {
    const weightOf = settingsByPath('weights', options.weights, options.by)
    if (options.countNext && (options.by === 'job' || options.hierarchy === 'rescaled'))
      throw new SchedError('BAD_OPTION', 'the next job counts for users and queues whose usage is a sum.', { field: 'drf.countNext' }, 'Leave it out, or by: job and hierarchy: rescaled.')
    const sharesOf = options.hierarchy === 'rescaled' ? rescaledShares : options.countNext ? sharesWithNext : dominantShares
    const order = new ShareOrder(env, options, (shares) => sharesOf(shares, weightOf))
    return options.blocked === 'strict' ? onlyFirst(order) : order
  },
})

/** By dominant share. */
export const drf = (options: DrfOptions = {}): Plug<'order'> => drfOrder.plug({}, options)

const dominantShares = ({ cluster, usage }: Shares, weightOf: ReadonlyMap<string, Weights[string]>): ShareRule => ({
  addPool: ({ path }) => weightIn(path, weightOf.get(path), cluster),
  poolKey: (pool, lane) => usage.dominantShare(pool, lane),
  addToKey: (pool, lane, amounts) => usage.addToShare(pool, lane, amounts),
  claimOf: (pool, lane) => ({ weight: usage.weight(pool, lane), min: 0, max: Infinity }),
  jobKey: (job, lane, ofJobs) => ofJobs.dominantShare(job, lane),
})

/** Dominant shares of what each would have with the next piece of its first job. */
function sharesWithNext({ cluster, work, lists, usage }: Shares, weightOf: ReadonlyMap<string, Weights[string]>): ShareRule {
  const { resources } = usage
  /** `[pool * resources + resource]`: usage with the next piece, as of the last time that the pool's key was computed. */
  let withNext = new Float64Array(64)
  const addNext = (pool: number, lane: LaneId): void => {
    const job = lists.isEmpty(pool, lane) ? undefined : lists.firstJob(pool, lane)
    const isWaiting = job !== undefined && work.unplaced(job, lane) > 0 // else its last task was just claimed, and it leaves the list next
    for (const r of cluster.lanes[lane]?.resources ?? []) {
      const at = pool * resources + r
      withNext[at] = (usage.used[at] as number) + (isWaiting ? work.asked(job, lane, r) : 0)
    }
  }
  return {
    readsFirst: true,
    addPool({ id, path }) {
      withNext = grown(withNext, (id + 1) * resources)
      return weightIn(path, weightOf.get(path), cluster)
    },
    poolKey(pool, lane) {
      addNext(pool, lane)
      return usage.dominantShare(pool, lane, withNext)
    },
    claimOf: (pool, lane) => ({ weight: usage.weight(pool, lane), min: 0, max: Infinity }),
    jobKey: (job, lane, ofJobs) => ofJobs.dominantShare(job, lane),
  }
}
