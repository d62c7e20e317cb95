import { defineOrder, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { AccountUsage, decayOptions, usageOptions } from './account-usage.js'
import { byUsage } from './by-usage.js'
import { weightedFactors } from './weighted-factors.js'

const fairShareOptions = z.strictObject({ ...usageOptions, ...decayOptions })
/** Options of `fair-share`; all may be left out. */
export type FairShareOptions = z.input<typeof fairShareOptions>

/**
 * By past usage: jobs of users that have used the smallest part of their shares come first, ties by submission. The usage of
 * whole accounts counts, too, and past usage decays with a half-life.
 *
 * Source: Slurm, fair_tree (default) and classic_fair_share; priority/multifactor with PriorityWeightFairshare alone.
 */
export const fairShareOrder = defineOrder({
  name: 'fair-share',
  summary: 'by past usage of users and accounts relative to their shares, with a half-life',
  source: 'Slurm, fair_tree and classic_fair_share',
  options: fairShareOptions,
  create: (options, env) => {
    const usage = new AccountUsage(options, env)
    return { ...byUsage(usage, env, (job) => usage.factor(job)), fairShare: weightedFactors(usage, 1) }
  },
})

/** By past usage relative to shares. */
export const fairShare = (options: FairShareOptions = {}): Plug<'order'> => fairShareOrder.plug({}, options)
