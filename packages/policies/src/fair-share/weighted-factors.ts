import type { FairShareView } from '@sched/core'
import type { AccountUsage } from './account-usage.js'

/**
 * What fair share adds to priorities, as limits around an order see it: the factor of a job's user times `weight`. Where that is 0, because the weight or the
 * factor is, 2^(-usage / shares) without a weight.
 *
 * Source: Slurm, `priority_fs` in `_get_priority_internal` of priority/multifactor and in `job_limits_check`.
 */
export const weightedFactors = (usage: AccountUsage, weight: number): FairShareView => ({
  of: (job) => {
    usage.version() // a new user may have come
    return (weight === 0 ? 0 : weight * usage.factor(job)) || usage.halving(job)
  },
  version: (now) => usage.versionAt(now),
  get next() {
    return usage.changesAt
  },
})
