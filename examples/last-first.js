// An order in plain JavaScript: the youngest job first. As a package, export what defineOrder() of @sched/core returns.
export default {
  kind: 'order',
  name: 'last-first',
  summary: 'the youngest job first',

  create(_options, { cluster, work }) {
    const ready = cluster.lanes.map(() => []) // jobs with tasks to place, by kind of slot
    let unread

    return {
      onReady: (job, lane) => void ready[lane].push(job),
      onDrained: (job, lane) => void ready[lane].splice(ready[lane].indexOf(job), 1),

      // Whoever reads the order asks for it in blocks; here, all in one.
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
}
