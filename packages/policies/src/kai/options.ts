import { resourceNamed, ownValue, type ClusterView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { sharingFields } from '../orders/sharing-options.js'

const amount = z.number().min(-1)
const claim = z.strictObject({
  quota: amount.default(0).describe('amount that it deserves; -1: all there is'),
  limit: amount.default(-1).describe('amount that it never exceeds; -1: no limit'),
  overQuotaWeight: z.number().nonnegative().default(1).describe('part of what no quota takes, relative to siblings; 0: none'),
})
const runtime = z.number().nonnegative()
const queue = z.strictObject({
  priority: z.number().int().default(100).describe('siblings of higher priority have their part of what no quota takes first, and come first where both are within, or above, what is theirs'),
  resources: z.record(z.string(), claim).default({}).describe('by resource'),
  preemptMinRuntime: runtime.optional().describe('seconds for which its jobs run before others of their queue take what they cannot do without; default: as the queue around it'),
  reclaimMinRuntime: runtime.optional().describe('the same before other queues do'),
})

const seconds = z.number().positive()
const pastUsage = z.strictObject({
  kValue: z.number().nonnegative().default(1).describe('how much it counts: k times what a queue has had beyond its part by weight, of all there was, is taken from that part'),
  windowSize: seconds.default(604_800).describe('seconds that are looked back'),
  windowType: z.enum(['sliding', 'tumbling']).default('sliding').describe('`tumbling`: past usage is forgotten every `windowSize` seconds'),
  halfLifePeriod: seconds.optional().describe('seconds in which past usage halves; default: it does not'),
  fetchInterval: seconds.default(60).describe('seconds from one time to the next that it is looked at, from the start of a run on'),
})

export const kaiOptions = z.strictObject({
  queues: z.record(z.string().min(1), queue).default({}).describe('settings by name, `team.project` for a queue in another'),
  defaults: queue.prefault({}).describe('settings of queues that are not named'),
  nonPreemptiblePriority: z.number().int().optional().describe('jobs of this priority and above (in KAI 100), unless they say otherwise (`preemptible`), are never preempted, and together stay within the quotas of their queue and of those around it; default: only those that say so'),
  fairSharesFirst: z.boolean().default(true).describe('whether queues with more than their fair share of everything come after others; in KAI of each of CPU, memory and GPUs, which no queue has on a cluster without GPUs'),
  defaultPreemptMinRuntime: runtime.default(0).describe('seconds where no queue says a `preemptMinRuntime`'),
  defaultReclaimMinRuntime: runtime.default(0).describe('seconds where no queue says a `reclaimMinRuntime`'),
  reclaimResolveMethod: z.enum(['lca', 'queue']).default('lca').describe('whose `reclaimMinRuntime` counts: lca, that of the queue around the job that may be taken which lies beside the one around the taker; queue, that of its own queue. Where that says none, the next one around it does'),
  reclaimerSaturationMultiplier: z.number().min(1).default(1).describe('for a job with which its queue exceeds its fair share: the ratio of what that queue has to its fair share, times this, must stay below that of the queue that gives'),
  queuePriorityInQuotaReclaim: z.boolean().default(false).describe('whether jobs with which their queue stays within its quota take also of queues of lower priority that are within theirs'),
  steadyFairShareReclaim: z.boolean().default(false).describe('whether jobs that ask for GPUs (the resource `gpu`) also take of queues that have more than their steady fair share, which is what they would be due if all queues with a weight asked for everything, while their own has less than its'),
  maxConsolidationPreemptees: z.number().int().min(-1).default(0).describe('most running jobs whose tasks are moved to other nodes for one that finds no room though as much is free as it asks (in KAI 16); 0: none are; -1: any number'),
  gpuJobOrder: z.enum(['evict-larger-first', 'evict-smaller-first']).optional().describe('which of equally important jobs of a queue is preempted first, by the GPUs (the resource `gpu`) of its tasks that run or wait (in KAI the plug-in `gpujoborder`); default: the latest'),
  gangCascadeOrder: z.boolean().default(false).describe('whether of equally important jobs of a queue what takes tasks from fewer nodes goes first, then what takes fewer tasks, before `gpuJobOrder` (in KAI the plug-in `gangcascadeorder`)'),
  stalenessGracePeriod: z.number().default(60).describe('seconds for which a gang may run with fewer tasks than it must have, after it has lost some that start anew alone, before all of it is evicted (in KAI `default-staleness-grace-period`); below 0: for ever'),
  pastUsage: pastUsage.optional().describe('that queues have less of what no quota takes the more they have had of late (time-based fairshare, in KAI `usageDBConfig`); default: past usage does not count'),
  ties: sharingFields.ties,
})
export type KaiSettings = z.output<typeof kaiOptions>
/** Options of `kai` and `kaiPreempting`; all may be left out. */
export type KaiOptions = z.input<typeof kaiOptions>

/** What a queue may claim, by `ResourceId`; `Infinity` where there is no bound. */
export interface Claims {
  readonly priority: number
  readonly quota: Float64Array
  readonly limit: Float64Array
  readonly weight: Float64Array
  readonly preemptMinRuntime?: number | undefined
  readonly reclaimMinRuntime?: number | undefined
}

/** The claims of a queue from its settings. Throws `BAD_OPTION` for a resource that the cluster does not have. */
export function claimsOf({ priority, resources, preemptMinRuntime, reclaimMinRuntime }: KaiSettings['defaults'], cluster: ClusterView, field: string): Claims {
  const column = (valueOf: (given: z.output<typeof claim>) => number, absent: number): Float64Array =>
    Float64Array.from(cluster.resources, (name) => {
      const given = ownValue(resources, name)
      const value = given === undefined ? absent : valueOf(given)
      return value === -1 ? Infinity : value
    })
  for (const name of Object.keys(resources)) resourceNamed(name, cluster.resources, `${field}.resources.${name}`)
  return { priority, preemptMinRuntime, reclaimMinRuntime, quota: column(({ quota }) => quota, 0), limit: column(({ limit }) => limit, -1), weight: column(({ overQuotaWeight }) => overQuotaWeight, 1) }
}
