import { defineOrder, type JobId, type LaneId, type Plug, type WorkView } from '@sched/core'
import { z } from 'zod'
import { byKey } from './by-key.js'

/** Longest job first, by the user's estimate; jobs without one come first, ties by submission. */
export const ljfOrder = defineOrder({
  name: 'ljf',
  summary: 'longest estimate first',
  options: z.strictObject({}),
  create: (_, env) => byKey(env, negatedEstimate),
})

/** Longest job first, by estimate. */
export const ljf = (): Plug<'order'> => ljfOrder.plug({})

const negatedEstimate = (job: JobId, _lane: LaneId, work: WorkView) => -work.estimate(job)
