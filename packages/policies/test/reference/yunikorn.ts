import type { JobId, LaneId, ResourceId, Round } from '@sched/core'
import type { QueueOptions, YunikornOptions } from '../../src/yunikorn/options.js'
import { JobsInSystem, usedBy, type MakeOrder } from './naive.js'

// Queues of YuniKorn from nothing but the tasks that run and the jobs that wait: all is counted and compared anew at every decision.

type Amounts = Readonly<Record<string, number>>
const rooted = (name: string) => (name === 'root' || name.startsWith('root.') ? name : `root.${name}`)
const around = (path: string) => path.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'))
/** Every list compared in turn. */
const compareLists = (a: readonly (number | string)[], b: readonly (number | string)[]): number => {
  for (const [i, value] of a.entries()) if (value !== b[i]) return value < (b[i] as typeof value) ? -1 : 1
  return 0
}

export const naiveYunikorn =
  ({ root = {}, groups = {} }: YunikornOptions): MakeOrder =>
  ({ cluster, work }) => {
    const all = new JobsInSystem()
    const started = new Set<JobId>()
    const capacity = cluster.resources.map((_, r) => cluster.capacity(r as ResourceId))
    const settings = (path: string): QueueOptions => {
      let found: QueueOptions | undefined = root
      for (const name of path.split('.').slice(1)) found = found?.queues?.[name]
      return found ?? {}
    }
    const queueOf = (job: JobId) => rooted(work.queueName(work.queue(job)))
    const jobsIn = (path: string) => all.jobs.filter((job) => around(queueOf(job)).includes(path))
    const said = (amounts: Amounts | undefined, r: number): number | undefined => (Object.values(amounts ?? {}).some((amount) => amount > 0) ? amounts?.[cluster.resources[r] ?? ''] : undefined)
    const runs = (job: JobId) => started.has(job) || cluster.lanes.some((_, lane) => work.running(job, lane as LaneId) > 0)

    return {
      onSubmit: all.add,
      onFinish: (job) => {
        all.remove(job)
        started.delete(job)
      },
      onRelease: (job, _lane, _task, _node, why) => {
        if (why !== 'withdrawn') started.add(job)
      },
      list: (round: Round) => {
        const { lane } = round
        const resources = cluster.lanes[lane]?.resources ?? []
        const runnable = all.runnable(round)
        const asked = (job: JobId, tasks: number) => cluster.resources.map((_, r) => (resources.includes(r as ResourceId) ? tasks * work.demand(work.shape(job, lane), r as ResourceId) : 0))
        const sum = (jobs: readonly JobId[]) => cluster.resources.map((_, r) => jobs.reduce((total, job) => total + (asked(job, work.unplaced(job, lane))[r] ?? 0), 0))
        const priorityIn = (path: string): number => {
          const inside = runnable.filter((job) => queueOf(job) === path).map((job) => work.priority(job))
          const children = childrenOf(path).map(priorityIn)
          const { priorityPolicy, priorityOffset = 0 } = settings(path)
          return priorityPolicy === 'fence' ? priorityOffset : Math.max(...inside, ...children) + priorityOffset
        }
        const childrenOf = (path: string) => [...new Set(runnable.map(queueOf).filter((each) => each.startsWith(`${path}.`)).map((each) => around(each)[path.split('.').length] as string))]
        const ratio = (path: string): number => {
          const used = usedBy(jobsIn(path), lane, { cluster, work })
          return Math.max(0, ...resources.map((r) => {
            const whole = said(settings(path).guaranteed, r) ?? around(path).reverse().map((each) => said(settings(each).max, r)).find((max) => max !== undefined) ?? capacity[r] ?? 0
            return (used[r] ?? 0) === 0 ? 0 : whole === 0 ? 1 : (used[r] ?? 0) / whole
          }))
        }
        const queueKey = (path: string, byPriority: boolean) => {
          const first = [-priorityIn(path), ratio(path)]
          return [...(byPriority ? first : first.reverse()), ...resources.map((r) => -(sum(jobsIn(path).filter((job) => runnable.includes(job)))[r] ?? 0)), path]
        }
        const jobKey = (job: JobId) => {
          const { sort, sortPriority = true, guaranteed } = settings(queueOf(job))
          const used = usedBy([job], lane, { cluster, work })
          const shares = resources.map((r) => (used[r] ?? 0) / ((said(guaranteed, r) ?? 0) || 1)).sort((a, b) => b - a)
          const own = sort === 'fair' ? shares : sortPriority ? [] : [work.submitted(job)]
          return [...(sortPriority ? [-work.priority(job), ...own] : [...own, -work.priority(job)]), work.rank(job)]
        }
        const inOrder = (path: string): JobId[] => {
          const own = runnable.filter((job) => queueOf(job) === path)
          if (own.length > 0) return own.sort((a, b) => compareLists(jobKey(a), jobKey(b)))
          const { sortPriority = true } = settings(path)
          return childrenOf(path).map((child) => ({ child, key: queueKey(child, sortPriority) })).sort((a, b) => compareLists(a.key, b.key)).flatMap(({ child }) => inOrder(child))
        }
        const within = (amounts: Amounts | undefined, used: readonly number[], next: readonly number[]) => resources.every((r) => (next[r] ?? 0) === 0 || (used[r] ?? 0) + (next[r] ?? 0) <= (said(amounts, r) ?? Infinity))
        const userOf = (job: JobId) => work.userName(work.user(job))
        const groupOf = (job: JobId) => {
          for (const path of around(queueOf(job)).reverse()) {
            const named = (settings(path).limits ?? []).flatMap((limit) => limit.groups ?? [])
            const own = groups[userOf(job)] ?? []
            const found = named.find((name) => name !== '*' && own.includes(name)) ?? (own.length > 0 && named.includes('*') ? '*' : undefined)
            if (found !== undefined) return found
          }
          return undefined
        }
        const mayStart = (job: JobId) => {
          const next = asked(job, work.together(job, lane))
          const allow = (jobs: readonly JobId[], amounts: Amounts | undefined, applications: number | undefined) =>
            within(amounts, usedBy(jobs, lane, { cluster, work }), next) && (runs(job) || (applications ?? 0) === 0 || jobs.filter(runs).length < (applications ?? 0))
          return around(queueOf(job)).every((path) => {
            const { max, maxApplications, limits = [] } = settings(path)
            const users = limits.findLast((limit) => limit.users?.includes(userOf(job))) ?? limits.findLast((limit) => limit.users?.includes('*'))
            const group = groupOf(job)
            const ofGroup = limits.findLast((limit) => group !== undefined && limit.groups?.includes(group))
            return (
              allow(jobsIn(path), max, maxApplications) &&
              (users === undefined || allow(jobsIn(path).filter((other) => userOf(other) === userOf(job)), users.maxResources, users.maxApplications)) &&
              (ofGroup === undefined || allow(jobsIn(path).filter((other) => groupOf(other) === group), ofGroup.maxResources, ofGroup.maxApplications))
            )
          })
        }
        return inOrder('root').filter(mayStart)
      },
    }
  }
