import type { Env, JobBlock, JobId, LaneId, Order, Round } from '@sched/core'
import { SortedBlocks } from './sorted-blocks.js'
import { Keys } from './sorted-ids.js'

/** An order by a number that a job has from when it begins to wait in a lane, smallest first; ties by submission. */
export function byKey({ cluster, work }: Env, keyOf: (job: JobId, lane: LaneId) => number): Order {
  const keys = cluster.lanes.map(() => new Keys())
  const lists = keys.map((each) => new SortedBlocks(each))
  let reading: SortedBlocks | undefined
  return {
    onReady: (job: JobId, lane: LaneId) => {
      keys[lane]?.set(job, keyOf(job, lane), work.rank(job))
      lists[lane]?.add(job)
    },
    onDrained: (job: JobId, lane: LaneId) => lists[lane]?.remove(job),
    begin: ({ lane }: Round) => {
      reading = lists[lane]
      reading?.begin()
    },
    next: (): JobBlock | undefined => reading?.next(),
  }
}
