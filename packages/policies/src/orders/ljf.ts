import { defineOrder, type Plug } from '@sched/core'
import { z } from 'zod'
import { byKey } from './by-key.js'

/** Longest job first, by the user's estimate; jobs without one come first, ties by submission. */
export const ljfOrder = defineOrder({
  name: 'ljf',
  summary: 'longest estimate first',
  options: z.strictObject({}),
  create: (_, env) => byKey(env, (job) => -env.work.estimate(job)),
})

/** Longest job first, by estimate. */
export const ljf = (): Plug<'order'> => ljfOrder.plug({})
