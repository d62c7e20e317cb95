import { defineOrder, type JobId, type LaneId, type Plug, type WorkView } from '@sched/core'
import { z } from 'zod'
import { byKey } from './by-key.js'

/**
 * Jobs by priority, highest first, then by submission.
 *
 * Source: Hadoop's default scheduler with its five priorities (Zaharia et al., EuroSys 2010, section 2).
 */
export const fifoOrder = defineOrder({
  name: 'fifo',
  summary: 'by priority, then by submission',
  source: 'Zaharia et al., EuroSys 2010, section 2 (Hadoop FIFO)',
  options: z.strictObject({}),
  create: (_, env) => byKey(env, negatedPriority),
})

/** Jobs by priority, then by submission. */
export const fifo = (): Plug<'order'> => fifoOrder.plug({})

const negatedPriority = (job: JobId, _lane: LaneId, work: WorkView) => -work.priority(job)
