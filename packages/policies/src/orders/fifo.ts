import { defineOrder, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round } from '@sched/core'
import { z } from 'zod'
import { Keys, SortedIds } from './sorted-ids.js'

const fifoOptions = z.strictObject({})

/**
 * Jobs by priority, highest first, then by submission.
 *
 * Source: Hadoop's default scheduler with its five priorities (Zaharia et al., EuroSys 2010, section 2).
 */
export const fifoOrder = defineOrder({
  name: 'fifo',
  summary: 'by priority, then by submission',
  source: 'Zaharia et al., EuroSys 2010, section 2 (Hadoop FIFO)',
  options: fifoOptions,
  create: (_, { cluster, work }): Order => {
    const keys = new Keys()
    const lists = cluster.lanes.map(() => new SortedIds(keys))
    let unread: SortedIds | undefined
    return {
      onSubmit: (job: JobId) => keys.set(job, -work.priority(job), work.rank(job)),
      onReady: (job: JobId, lane: LaneId) => lists[lane]?.add(job),
      onDrained: (job: JobId, lane: LaneId) => lists[lane]?.remove(job),
      begin: (round: Round) => {
        unread = lists[round.lane]
      },
      next: (): JobBlock | undefined => {
        const block = unread
        unread = undefined
        return block
      },
    }
  },
})

/** Jobs by priority, then by submission. */
export const fifo = (): Plug<'order'> => fifoOrder.plug({})
