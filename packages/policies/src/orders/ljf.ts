import { defineOrder, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'
import { estimates } from './estimates.js'

/** Longest job first, by the user's estimate; jobs without one come first, ties by submission. */
export const ljfOrder = defineOrder({
  name: 'ljf',
  summary: 'longest estimate first',
  options: z.strictObject({}),
  create(_, env) {
    const estimate = estimates(env, 'come first under ljf, by submission')
    return byKey(env, (job) => -estimate(job))
  },
})

/** Longest job first, by estimate. */
export const ljf = (): Plug<'order'> => ljfOrder.plug({})
