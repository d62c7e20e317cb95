import { defineOrder } from '@sched/core'

/** An order as a stranger would write it, in plain JavaScript and without a schema library: the youngest job first. */
export default defineOrder({
  name: 'last-first',
  summary: 'the youngest job first',
  options: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
  create(_options, { cluster, work }) {
    const ready = cluster.lanes.map(() => [])
    let unread
    return {
      onReady: (job, lane) => void ready[lane].push(job),
      onDrained: (job, lane) => void ready[lane].splice(ready[lane].indexOf(job), 1),
      begin(round) {
        const ids = Int32Array.from(ready[round.lane]).sort((a, b) => work.rank(b) - work.rank(a))
        unread = { ids, from: 0, to: ids.length }
      },
      next() {
        const block = unread
        unread = undefined
        return block
      },
    }
  },
})
