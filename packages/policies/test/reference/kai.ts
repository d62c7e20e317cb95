import type { JobId, LaneId, ResourceId, Round } from '@sched/core'
import type { KaiOptions } from '@sched/policies'
import { fairShares } from '../../src/kai/fair-shares.js'
import { compareQueues, type Standing } from '../../src/kai/queue-order.js'
import { by, JobsInSystem, pathAbove, pathOf, pathsTo, usedBy, type MakeOrder } from './naive.js'

// Queues of the KAI Scheduler from nothing but the tasks that run and the jobs that wait: what each has, asks and is due is computed at every decision.

/** Queues by what they have of what they are due; jobs of one by priority, by what they have of what they must have at once, and submission; none that would exceed a limit. */
export const naiveKai =
  ({ queues = {} }: KaiOptions): MakeOrder =>
  ({ cluster, work }) => {
    const all = new JobsInSystem()
    const seen: string[] = []
    const named = Object.entries(queues).map(([name, settings]) => [pathOf(name), settings] as const)
    const capacity = cluster.resources.map((_, r) => cluster.capacity(r as ResourceId))
    const queueOf = (job: JobId) => pathOf(work.queueName(work.queue(job)))
    const jobsIn = (path: string) => all.jobs.filter((job) => queueOf(job) === path || queueOf(job).startsWith(`${path}/`))
    const childrenOf = (path: string) => seen.filter((each) => pathAbove(each) === path)
    const claim = (path: string, r: number) => named.find(([name]) => name === path)?.[1].resources?.[cluster.resources[r] ?? '']
    const unbound = (amount: number) => (amount === -1 ? Infinity : amount)
    const amounts = (of: (r: number) => number) => cluster.resources.map((_, r) => of(r))

    const placeOf = (path: string) => [...seen].sort().indexOf(path)
    const allocated = (path: string, lane: LaneId) => usedBy(jobsIn(path), lane, { cluster, work })
    const asked = (job: JobId, lane: LaneId, tasks: number) => amounts((r) => ((cluster.lanes[lane]?.resources ?? []).includes(r as ResourceId) ? tasks * work.demand(work.shape(job, lane), r as ResourceId) : 0))

    return {
      onSubmit: (job) => {
        all.add(job)
        for (const path of pathsTo(queueOf(job))) if (!seen.includes(path)) seen.push(path)
      },
      onFinish: all.remove,
      list: (round: Round) => {
        const { lane } = round
        const resources = cluster.lanes[lane]?.resources ?? []
        const runnable = all.runnable(round)
        const standings = new Map<string, Standing>()
        const divide = (path: string, total: readonly number[]): void => {
          const children = childrenOf(path).sort(by<string>(placeOf))
          const priorityOf = (child: string) => named.find(([name]) => name === child)?.[1].priority ?? 100
          const request = (child: string) => {
            const waits = jobsIn(child).filter((job) => runnable.includes(job)).map((job) => asked(job, lane, work.unplaced(job, lane)))
            return allocated(child, lane).map((has, r) => has + waits.reduce((sum, each) => sum + (each[r] ?? 0), 0))
          }
          const requests = children.map(request)
          const byResource = amounts((r) => r).map((r) =>
            resources.includes(r as ResourceId)
              ? fairShares(total[r] ?? 0, children.map((child, i) => ({ priority: priorityOf(child), quota: unbound(claim(child, r)?.quota ?? 0), limit: unbound(claim(child, r)?.limit ?? -1), weight: claim(child, r)?.overQuotaWeight ?? 1, request: requests[i]?.[r] ?? 0 })), cluster.deviceSize(r as ResourceId) || 1)
              : children.map(() => 0),
          )
          for (const [i, child] of children.entries()) {
            const fairShare = byResource.map((shares) => shares[i] ?? 0)
            const column = (of: (r: number) => number) => Float64Array.from(amounts(of))
            standings.set(child, { priority: priorityOf(child), quota: column((r) => unbound(claim(child, r)?.quota ?? 0)), limit: column((r) => unbound(claim(child, r)?.limit ?? -1)), weight: column(() => 1), allocated: allocated(child, lane), fairShare, asked: amounts(() => 0) })
            divide(child, fairShare)
          }
        }
        divide('', capacity)
        const inOrder = (path: string): JobId[] => {
          const children = childrenOf(path)
          if (path !== '' && children.length === 0) return jobsIn(path).filter((job) => runnable.includes(job)).sort(by<JobId>((job) => -work.priority(job), (job) => Math.sign(work.running(job, lane) - work.least(job, lane)), (job) => work.rank(job)))
          const lists = children.map((child) => ({ child, jobs: inOrder(child) })).filter(({ jobs }) => jobs.length > 0)
          const standing = ({ child, jobs }: (typeof lists)[number]): Standing => ({ ...(standings.get(child) as Standing), asked: asked(jobs[0] as JobId, lane, work.together(jobs[0] as JobId, lane)) })
          return lists.sort((a, b) => compareQueues(standing(a), standing(b), resources, capacity) || placeOf(a.child) - placeOf(b.child)).flatMap(({ jobs }) => jobs)
        }
        const isWithinLimits = (job: JobId) => {
          const next = asked(job, lane, work.together(job, lane))
          return [...standings].every(([path, { allocated: has, limit }]) => !jobsIn(path).includes(job) || resources.every((r) => (has[r] ?? 0) + (next[r] ?? 0) <= (limit[r] ?? Infinity)))
        }
        return inOrder('').filter(isWithinLimits)
      },
    }
  }
