import { defineOrder, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byScore } from './by-score.js'
import { estimates } from './estimates.js'

/** Smallest estimate that counts, in seconds: a job with an estimate of 0 would outrank all others at once. */
const SHORTEST = 1

/**
 * Largest expansion factor first: (wait + estimate) / estimate. It is 1 on arrival and grows faster for short jobs, so
 * they go first and nobody starves. A job without an estimate stays at 1.
 */
export const lxfOrder = defineOrder({
  name: 'lxf',
  summary: 'largest expansion factor first: (wait + estimate) / estimate',
  options: z.strictObject({}),
  create(_, env) {
    const estimate = estimates(env, 'stay behind all others under lxf')
    return byScore(env, (job, now) => 1 + (now - env.work.submitted(job)) / Math.max(estimate(job), SHORTEST))
  },
})

/** Largest expansion factor first. */
export const lxf = (): Plug<'order'> => lxfOrder.plug({})
