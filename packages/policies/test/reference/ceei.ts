import type { JobId, LaneId, Round, TaskId } from '@sched/core'
import { ceeiShares, type CeeiOptions } from '@sched/policies'
import { by, JobsInSystem, type MakeOrder } from './naive.js'

/** Who has the smallest part of what it would buy in a market that is solved anew at every decision. */
export const naiveCeei =
  ({ by: who = 'user', inner = 'fifo', weights = {} }: CeeiOptions): MakeOrder =>
  ({ cluster, work }) => {
    const all = new JobsInSystem()
    const seen: string[] = []
    const clean = (queue: string) => queue.replace(/^root\./, '').replaceAll('.', '/')
    const nameOf = (job: JobId) => (who === 'user' ? work.userName(work.user(job)) : clean(work.queueName(work.queue(job))))
    const weightOf = new Map(Object.entries(weights).map(([name, weight]) => [who === 'user' ? name : clean(name), weight]))

    function dominantShare(name: string, lane: LaneId): number {
      const resources = cluster.lanes[lane]?.resources ?? []
      const tasks: TaskId[] = []
      for (const job of all.jobs) if (nameOf(job) === name) work.runningTasks(job, lane, tasks)
      return Math.max(0, ...resources.map((r) => tasks.reduce((sum, task) => sum + work.demand(work.shapeOf(task), r), 0)).map((used, i) => (used === 0 ? 0 : used / cluster.capacity(resources[i]!))))
    }

    return {
      onSubmit: (job) => {
        all.add(job)
        if (!seen.includes(nameOf(job))) seen.push(nameOf(job))
      },
      onFinish: all.remove,
      list: (round: Round) => {
        const { lane } = round
        const resources = cluster.lanes[lane]?.resources ?? []
        const runnable = all.runnable(round)
        const key = (job: JobId) => (inner === 'fifo' ? -work.priority(job) : work.running(job, lane) / work.weight(job))
        const jobsOf = (name: string) => runnable.filter((job) => nameOf(job) === name).sort(by<JobId>(key, (job) => work.rank(job)))
        const buyers = seen.filter((name) => jobsOf(name).length > 0)
        if (buyers.length === 0) return []
        const { shares } = ceeiShares({
          capacities: resources.map((r) => cluster.capacity(r)),
          demands: buyers.map((name) => resources.map((r) => work.demand(work.shape(jobsOf(name)[0]!, lane), r))),
          weights: buyers.map((name) => weightOf.get(name) ?? 1),
        })
        const part = new Map(buyers.map((name, i) => [name, Math.fround(dominantShare(name, lane) / shares[i]!)]))
        return [...buyers].sort(by<string>((name) => part.get(name)!, (name) => name)).flatMap(jobsOf)
      },
    }
  }
