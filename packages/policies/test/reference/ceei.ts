import type { JobId, LaneId, Round } from '@sched/core'
import { ceeiShares, type CeeiOptions } from '@sched/policies'
import { by, JobsInSystem, pathOf, usedBy, type MakeOrder } from './naive.js'

/** Who has the smallest part of what it would buy in a market that is solved anew at every decision. */
export const naiveCeei =
  ({ by: who = 'user', inner = 'fifo', weights = {} }: CeeiOptions): MakeOrder =>
  ({ cluster, work }) => {
    const all = new JobsInSystem()
    const seen: string[] = []
    const nameOf = (job: JobId) => (who === 'user' ? work.userName(work.user(job)) : pathOf(work.queueName(work.queue(job))))
    const weightOf = new Map(Object.entries(weights).map(([name, weight]) => [who === 'user' ? name : pathOf(name), weight]))

    function dominantShare(name: string, lane: LaneId): number {
      const used = usedBy(all.jobs.filter((job) => nameOf(job) === name), lane, { cluster, work })
      return Math.max(0, ...(cluster.lanes[lane]?.resources ?? []).map((r) => (used[r] === 0 ? 0 : used[r]! / cluster.capacity(r))))
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
