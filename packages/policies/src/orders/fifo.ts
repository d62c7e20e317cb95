import { defineOrder, type JobId, type LaneId, type Plug, type WorkView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'

const fifoOptions = z.strictObject({
  again: z
    .enum(['place', 'last'])
    .default('place')
    .describe("where a job goes that waits again, after an attempt that left tasks of it or with a task that came back: to its place by submission, or behind all that wait, as in the Omega authors' simulator"),
})
/** Options of `fifo`; all may be left out. */
export type FifoOptions = z.input<typeof fifoOptions>

/**
 * Jobs by priority, highest first, then by submission.
 *
 * Source: Hadoop's default scheduler with its five priorities (Zaharia et al., EuroSys 2010, section 2); `again: last` is the
 * queue of the simulator of Schwarzkopf et al., EuroSys 2013.
 */
export const fifoOrder = defineOrder({
  name: 'fifo',
  summary: 'by priority, then by submission',
  source: 'Zaharia et al., EuroSys 2010, section 2 (Hadoop FIFO)',
  options: fifoOptions,
  create: ({ again }, env) => byKey(env, negatedPriority, again === 'last' ? 'turn' : 'submission'),
})

/** Jobs by priority, then by submission. */
export const fifo = (options: FifoOptions = {}): Plug<'order'> => fifoOrder.plug({}, options)

const negatedPriority = (job: JobId, _lane: LaneId, work: WorkView) => -work.priority(job)
