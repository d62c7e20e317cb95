import { defineOrder, type JobBlock, type JobId, type LaneId, type Plug } from '@sched/core'

/** Jobs as they came: an order for tests, sorted anew whenever it is read. */
export const arrival = (): Plug<'order'> =>
  defineOrder({
    name: 'arrival',
    summary: 'jobs as they came',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    create: (_, { cluster, work }) => {
      const waiting = cluster.lanes.map(() => new Set<JobId>())
      let unread: JobBlock | undefined
      return {
        onReady: (job: JobId, lane: LaneId) => void waiting[lane]?.add(job),
        onDrained: (job: JobId, lane: LaneId) => void waiting[lane]?.delete(job),
        begin: ({ lane }) => {
          const ids = Int32Array.from([...(waiting[lane] ?? [])].sort((a, b) => work.rank(a) - work.rank(b)))
          unread = { ids, from: 0, to: ids.length }
        },
        next: () => {
          const block = unread
          unread = undefined
          return block
        },
      }
    },
  }).plug({})
