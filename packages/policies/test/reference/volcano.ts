import { Reason, type JobId, type ResourceId, type Round } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { by, JobsInSystem, usedBy, type MakeOrder } from './naive.js'

// The actions enqueue and allocate of Volcano with its plug-ins priority, gang, overcommit, drf and proportion, from nothing but the
// tasks that run and the jobs that wait: all is counted, divided round by round as there, and compared anew at every decision.

type Options = Pick<VolcanoOptions, 'queues'> & { readonly factor: number }
const ROUNDS = 300

export const naiveVolcano =
  ({ queues = {}, factor }: Options): MakeOrder =>
  ({ cluster, work }) => {
    const all = new JobsInSystem()
    const isIn = new Set<string>()
    const minimums = new Map<string, number[]>()
    const ended = new Map<string, number>()
    let session = NaN
    const whole = cluster.resources.map((_, r) => Array.from({ length: cluster.nodes }, (__, node) => cluster.total(node as never, r as ResourceId)).reduce((a, b) => a + b, 0))
    const said = (queue: string, kind: 'capability' | 'guarantee', r: number, absent: number) => queues[queue]?.[kind]?.[cluster.resources[r] as string] ?? absent
    const exceeds = (a: number, b: number) => a > b && a - b > 1e-7 * a
    const part = (amount: number, of: number) => (of === 0 ? Number(amount !== 0) : amount / of)

    const state = ({ lane }: Round) => {
      const resources = cluster.lanes[lane]?.resources ?? []
      const keyOf = (job: JobId) => `${lane} ${job}`
      const zero = () => cluster.resources.map(() => 0)
      const asked = (job: JobId, tasks: number) => cluster.resources.map((_, r) => (resources.includes(r as ResourceId) ? tasks * work.demand(work.shape(job, lane), r as ResourceId) : 0))
      const jobs = all.jobs.map((job) => {
        const unplaced = work.unplaced(job, lane)
        if (unplaced > 0) minimums.set(keyOf(job), asked(job, work.least(job, lane)))
        const has = usedBy([job], lane, { cluster, work })
        const isReady = work.running(job, lane) + (ended.get(`${keyOf(job)} ${work.shape(job, lane)}`) ?? 0) >= work.least(job, lane)
        return { job, key: keyOf(job), queue: work.queueName(work.queue(job)), unplaced, has, isReady, next: unplaced > 0 ? asked(job, 1) : zero(), least: minimums.get(keyOf(job)) ?? zero(), runs: work.running(job, lane) > 0 }
      })
      const sum = (of: (each: (typeof jobs)[number]) => number[], queue?: string) =>
        jobs.filter((each) => queue === undefined || each.queue === queue).reduce((total, each) => total.map((amount, r) => amount + (of(each)[r] ?? 0)), zero())
      const waits = (each: (typeof jobs)[number]) => isIn.has(each.key) && each.unplaced > 0
      const used = (queue?: string) => sum(({ has }) => has, queue)
      const lacked = (queue?: string) => sum((each) => (waits(each) && !each.isReady ? each.least.map((amount, r) => Math.max(0, amount - (each.has[r] ?? 0))) : zero()), queue)
      const beyond = (queue: string) => sum(({ has, least }) => has.map((amount, r) => Math.max(0, amount - (least[r] ?? 0))), queue)
      const known = [...new Set([...Object.keys(queues), ...jobs.map(({ queue }) => queue)])]
      const most = (queue: string) =>
        cluster.resources.map((_, r) => {
          const others = known.filter((each) => each !== queue).reduce((total, each) => total + said(each, 'guarantee', r, 0), 0)
          return Math.min(Math.max(0, cluster.capacity(r as ResourceId) - others - said(queue, 'guarantee', r, 0)) + said(queue, 'guarantee', r, 0), said(queue, 'capability', r, Infinity))
        })
      return { resources, jobs, sum, waits, used, lacked, beyond, most, zero }
    }

    /** By queue with jobs that run or are in: what it deserves, round by round until nothing changes. */
    const deserved = ({ resources, jobs, sum, waits, used, most, zero }: ReturnType<typeof state>): Map<string, number[]> => {
      const active = [...new Set(jobs.filter(({ key, runs }) => isIn.has(key) || runs).map(({ queue }) => queue))].sort()
      const found = new Map(active.map((queue) => [queue, zero()]))
      const request = new Map(active.map((queue) => [queue, sum((each) => (waits(each) ? each.next.map((amount) => amount * each.unplaced) : zero()), queue).map((amount, r) => amount + (used(queue)[r] ?? 0))]))
      for (const r of resources) {
        let left = cluster.capacity(r)
        const weights = active.reduce((total, queue) => total + (queues[queue]?.weight ?? 1), 0)
        let hungry = active
        for (let round = 0; round < ROUNDS && hungry.length > 0 && left > 0; round++) {
          const given = left
          const sharing = round === 0 ? weights : hungry.reduce((total, queue) => total + (queues[queue]?.weight ?? 1), 0)
          hungry = (round === 0 ? active : hungry).filter((queue) => {
            const own = found.get(queue) as number[]
            const before = own[r] ?? 0
            const after = Math.max(Math.min(before + (given * (queues[queue]?.weight ?? 1)) / sharing, most(queue)[r] ?? 0, request.get(queue)?.[r] ?? 0), said(queue, 'guarantee', r, 0))
            own[r] = after
            left -= after - before
            return after < Math.min(most(queue)[r] ?? 0, request.get(queue)?.[r] ?? 0)
          })
        }
      }
      return found
    }
    const shareOf = (used: readonly number[], of: readonly number[], resources: readonly number[]) => Math.max(0, ...resources.map((r) => part(used[r] ?? 0, of[r] ?? 0)))
    const settled = (share: number) => Math.round(share * 2 ** 24)

    return {
      admits: ({ queue, user, stages }) => {
        const own = queue ?? user ?? 'default'
        const most = cluster.resources.map((_, r) => Math.min(said(own, 'capability', r, Infinity), (whole[r] ?? 0) - Object.keys(queues).filter((each) => each !== own).reduce((total, each) => total + said(each, 'guarantee', r, 0), 0)))
        return stages.some(({ demand }) => cluster.resources.some((name, r) => (demand[name] ?? 0) > (most[r] ?? 0))) ? `queue ${own}` : undefined
      },
      onSubmit: all.add,
      onFinish: (job) => {
        all.remove(job)
        for (const lane of cluster.lanes.keys()) {
          isIn.delete(`${lane} ${job}`)
          minimums.delete(`${lane} ${job}`)
        }
        for (const key of ended.keys()) if (key.split(' ')[1] === String(job)) ended.delete(key)
      },
      onRelease: (job, lane, task, _, why) => {
        const key = `${lane} ${job} ${work.shapeOf(task)}`
        if (why === 'ended') ended.set(key, (ended.get(key) ?? 0) + 1)
      },
      list: (round: Round) => {
        const jobKey = ({ job, isReady, has }: ReturnType<typeof state>['jobs'][number], resources: readonly number[]) => [-work.priority(job), Number(isReady), shareOf(has, whole, resources), work.rank(job)] as const
        const first = (now: ReturnType<typeof state>, shares: ReadonlyMap<string, number>, isOne: (each: ReturnType<typeof state>['jobs'][number]) => boolean) =>
          now.jobs.filter((each) => each.unplaced > 0 && isOne(each)).sort(by(({ queue }) => -(queues[queue]?.priority ?? 0), ({ queue }) => settled(shares.get(queue) ?? 0), ({ queue }) => queue, ...[0, 1, 2, 3].map((k) => (each: typeof now.jobs[number]) => jobKey(each, now.resources)[k] as number)))
        const sharesOf = (now: ReturnType<typeof state>) => {
          const due = deserved(now)
          return { due, shares: new Map([...due].map(([queue, of]) => [queue, shareOf(now.used(queue), of, now.resources)])) }
        }
        const refused = new Set<string>()
        while (round.serial !== session) {
          const now = state(round)
          const next = first(now, sharesOf(now).shares, ({ key }) => !isIn.has(key) && !refused.has(key))[0]
          if (next === undefined) break
          const fits = (held: readonly number[], bound: readonly number[]) => next.least.every((amount, r) => amount === 0 || !exceeds((held[r] ?? 0) + amount, bound[r] ?? 0))
          const used = now.used()
          const isAllowed = fits(used.map((amount, r) => amount + (now.lacked()[r] ?? 0)), cluster.resources.map((_, r) => factor * cluster.capacity(r as ResourceId)))
          const held = now.used(next.queue).map((amount, r) => amount + (now.lacked(next.queue)[r] ?? 0) - (now.beyond(next.queue)[r] ?? 0))
          if (isAllowed && fits(held, now.most(next.queue))) isIn.add(next.key)
          else refused.add(next.key)
        }
        session = round.serial
        const now = state(round)
        const { due, shares } = sharesOf(now)
        const listed = first(now, shares, ({ key, queue, next }) => {
          const used = now.used(queue)
          const of = due.get(queue) ?? now.zero()
          if (!isIn.has(key) || now.resources.every((r) => !exceeds(of[r] ?? 0, used[r] ?? 0))) return false
          return next.every((amount, r) => amount === 0 || !exceeds((used[r] ?? 0) + amount, of[r] ?? 0))
        }).map(({ job }) => job)
        for (const { job, unplaced } of now.jobs) if (unplaced > 0 && !listed.includes(job)) round.defer(job, Reason.Limit)
        return listed
      },
    }
  }
