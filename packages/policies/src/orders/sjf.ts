import { defineOrder, type JobId, type LaneId, type Plug, type WorkView } from '@sched/core'
import { z } from 'zod'
import { byKey } from './by-key.js'

/** Shortest job first, by the user's estimate; jobs without one come last, ties by submission. */
export const sjfOrder = defineOrder({
  name: 'sjf',
  summary: 'shortest estimate first',
  options: z.strictObject({}),
  create: (_, env) => byKey(env, estimate),
})

/** Shortest job first, by estimate. */
export const sjf = (): Plug<'order'> => sjfOrder.plug({})

const estimate = (job: JobId, _lane: LaneId, work: WorkView) => work.estimate(job)
