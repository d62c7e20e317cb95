import { defineOrder, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'
import { estimates } from './estimates.js'

/** Shortest job first, by the user's estimate; jobs without one come last, ties by submission. */
export const sjfOrder = defineOrder({
  name: 'sjf',
  summary: 'shortest estimate first',
  options: z.strictObject({}),
  create: (_, env) => byKey(env, estimates(env, 'come last under sjf, by submission')),
})

/** Shortest job first, by estimate. */
export const sjf = (): Plug<'order'> => sjfOrder.plug({})
