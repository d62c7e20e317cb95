import {
  defineOrder, askedTogether, resourceNamed, startedTogether, whatStarts, type ClusterView, type JobId, type JobSpec, type LaneId,
  type Plug, type ResourceId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ShareOrder, type ShareRule, type Shares } from './share-order.js'
import { settingsByPath, sharingFields, type SharingOptions } from './sharing-options.js'

const claim = z.strictObject({
  weight: z.number().positive().default(1).describe('share relative to others at the same level'),
  min: z.number().nonnegative().default(0).describe('amount up to which it comes before all who have theirs'),
  max: z.number().nonnegative().optional().describe('amount it never exceeds; default unlimited'),
})
const maxMinOptions = z.strictObject({
  ...sharingFields,
  resource: z.string().optional().describe('the resource that is shared; default the first of each lane'),
  shares: z.record(z.string(), claim).default({}).describe('weight, minimum and maximum of users or queues by name'),
})
/** Options of `max-min`; all may be left out. */
export interface MaxMinOptions extends SharingOptions {
  /** The resource that is shared; default the first of each lane. */
  readonly resource?: string
  /** Weight, minimum and maximum of users or queues by name. Default none. */
  readonly shares?: Readonly<Record<string, z.input<typeof claim>>>
}
type Claim = z.output<typeof claim>

/**
 * Max-min fairness of one resource with minimum, maximum and weight. Sharers below their minimum come first, by amount in use /
 * minimum; then the others by amount / weight. Minimums that together exceed the cluster are filled in proportion. A maximum holds at
 * every level and is checked when the order is read: a discipline that starts several tasks of a job after one reading may exceed it by
 * these tasks. A job that asks for more than a maximum at once is refused.
 *
 * Source: the survey's section 1 (weighted max-min); minimum first as in Zaharia et al., EuroSys 2010.
 */
export const maxMinOrder = defineOrder({
  name: 'max-min',
  summary: 'users, queues or jobs by their amount of one resource, with minimum, maximum and weight',
  options: maxMinOptions,
  create: (options, env) => {
    const claims = settingsByPath('shares', options.shares, options.by)
    const resources = resourceOf(options.resource, env.cluster)
    return new ShareOrder(env, options, (shares) => maxMinRule(shares, claims, resources))
  },
})

/** By amounts of one resource. */
export const maxMin = (options: MaxMinOptions = {}): Plug<'order'> => maxMinOrder.plug({}, options)

/** The resource shared in each lane. */
function resourceOf(name: string | undefined, { lanes, resources }: ClusterView): ResourceId[] {
  const chosen = name === undefined ? -1 : resourceNamed(name, resources, 'resource')
  return lanes.map((lane) => lane.resources.find((r) => r === chosen) ?? (lane.resources[0] as ResourceId))
}

/** Base of the key of a sharer below its minimum: such keys are below those of all others, which are 0 or more. */
const NEEDY = -2

function maxMinRule({ cluster, tree, usage, work }: Shares, claims: ReadonlyMap<string, Claim>, resourceIn: readonly ResourceId[]): ShareRule {
  const none: Claim = { weight: 1, min: 0 }
  const of: Claim[] = []
  const usedBy = (owner: number, lane: LaneId, { used, resources } = usage) => used[owner * resources + (resourceIn[lane] as number)] as number
  const rule: ShareRule = {
    addPool: ({ id, path }) => (of[id] = claims.get(path) ?? none).weight,
    poolKey(pool, lane) {
      const { min, weight } = of[pool] as Claim
      const used = usedBy(pool, lane)
      return used < min ? NEEDY + used / min : used / weight
    },
    jobKey: (job, lane, ofJobs) => usedBy(job, lane, ofJobs) / work.weight(job),
    claimOf: (pool) => {
      const { weight, min, max = Infinity } = of[pool] as Claim
      return { weight, min, max }
    },
  }
  const mayStart = (job: JobId, leaf: number, lane: LaneId): boolean => {
    const asked = work.asked(job, lane, resourceIn[lane] as ResourceId)
    for (let pool = leaf; pool > 0; pool = tree.pools[pool]?.parent ?? 0) if (usedBy(pool, lane) + asked > ((of[pool] as Claim).max ?? Infinity)) return false
    return true
  }
  const shared = [...new Set(resourceIn)].map((r) => cluster.resources[r] ?? '')
  const refusal = (job: JobSpec, paths: readonly string[]): string | undefined => {
    for (const stages of startedTogether(job))
      for (const name of shared)
        for (const path of paths) {
          const asked = askedTogether(stages, name)
          const { max = Infinity } = claims.get(path) ?? none
          if (asked > max) return `${whatStarts(stages)} asks ${asked} ${name}, and the maximum of "${path}" is ${max}`
        }
    return undefined
  }
  return [...claims.values()].some(({ max }) => max !== undefined) ? { ...rule, mayStart, refusal } : rule
}
