import type { JobId, LaneId, ResourceId } from '@sched/core'
import type { QueueOptions, YarnFairOptions } from '@sched/policies'
import type { MakeOrder } from '../reference/naive.js'

// YARN's fair scheduler as its comparators have it: two things are compared at a time, everything is summed up anew.

interface Queue {
  readonly path: string
  readonly options: QueueOptions
  readonly children: Map<string, Queue>
}

/** What a comparator sees of a queue or a job; amounts by resource id. */
interface Schedulable {
  readonly usage: readonly number[]
  readonly demand: readonly number[]
  readonly min: readonly number[]
  readonly weight: number
  readonly jobs: number
}
type Compare = (a: Schedulable, b: Schedulable) => number

const sign = Math.sign

const fairComparator =
  (memory: number): Compare =>
  (a, b) => {
    const [wantsA, wantsB] = [a.demand[memory]! > 0, b.demand[memory]! > 0]
    if (wantsA !== wantsB) return wantsA ? -1 : 1
    const minA = Math.min(a.min[memory]!, a.demand[memory]!)
    const minB = Math.min(b.min[memory]!, b.demand[memory]!)
    const [usageA, usageB] = [a.usage[memory]!, b.usage[memory]!]
    const needyA = usageA < minA
    const needyB = usageB < minB
    if (needyA !== needyB) return needyA ? -1 : 1
    const byMin = needyA ? sign(usageA / Math.max(minA, 1) - usageB / Math.max(minB, 1)) : 0
    if (byMin !== 0) return byMin
    if (a.weight > 0 && b.weight > 0) return sign(usageA / a.weight - usageB / b.weight)
    return a.weight === b.weight ? sign(usageA - usageB) : sign(b.weight - a.weight)
  }

const surveyComparator =
  (memory: number): Compare =>
  (a, b) => {
    const [minA, minB] = [Math.min(a.min[memory]!, a.demand[memory]!), Math.min(b.min[memory]!, b.demand[memory]!)]
    const [needyA, needyB] = [a.usage[memory]! < minA, b.usage[memory]! < minB]
    if (needyA !== needyB) return needyA ? -1 : 1
    const byMin = needyA ? sign(a.usage[memory]! / minA - b.usage[memory]! / minB) : 0
    return byMin || sign(a.weight / Math.max(a.jobs, 1) - b.weight / Math.max(b.jobs, 1))
  }

const drfComparator =
  (resources: readonly number[], capacity: (r: number) => number): Compare =>
  (a, b) => {
    const share = (s: Schedulable, r: number) => s.usage[r]! / capacity(r)
    const byShare = (s: Schedulable) => resources.map((r, i) => ({ r, i })).sort((x, y) => share(s, y.r) - share(s, x.r) || x.i - y.i).map(({ r }) => r)
    const [orderA, orderB] = [byShare(a), byShare(b)]
    const isNeedy = (s: Schedulable, order: number[]) => s.usage[order[0]!]! < s.min[order[0]!]!
    const [needyA, needyB] = [isNeedy(a, orderA), isNeedy(b, orderB)]
    if (needyA !== needyB) return needyA ? -1 : 1
    const ratio = (s: Schedulable, r: number) => (needyA ? (s.min[r]! === 0 ? Infinity : s.usage[r]! / s.min[r]!) : s.weight === 0 ? Infinity : share(s, r) / s.weight)
    for (let i = 0; i < resources.length; i++) {
      const [ra, rb] = [ratio(a, orderA[i]!), ratio(b, orderB[i]!)]
      if (ra !== rb) return ra < rb ? -1 : 1
    }
    return 0
  }

export const naiveYarnFair =
  (options: YarnFairOptions): MakeOrder =>
  ({ work, cluster }) => {
    const { root: rootOptions = {}, defaults = {} } = options
    const make = (path: string, own: QueueOptions): Queue => ({
      path,
      options: own,
      children: new Map(Object.entries(own.queues ?? {}).map(([name, inside]) => [name, make(`${path}.${name}`, inside)])),
    })
    const root = make('root', rootOptions)
    const pathOf = new Map<JobId, string>()
    const admitted: JobId[] = []
    const waiting: JobId[] = []

    const vector = (amounts: QueueOptions['minResources'], missing: number) => cluster.resources.map((name, r) => {
      const amount = amounts?.[name] ?? missing
      return typeof amount === 'string' ? Math.floor((Number.parseFloat(amount) / 100) * cluster.capacity(r as ResourceId)) : amount
    })
    const chain = (path: string): Queue[] => {
      const found = [root]
      for (const name of path.split('.').slice(1)) found.push(found[found.length - 1]!.children.get(name)!)
      return found
    }
    const isIn = (job: JobId, { path }: Queue) => `${pathOf.get(job)}.`.startsWith(`${path}.`)
    const jobsIn = (queue: Queue) => admitted.filter((job) => isIn(job, queue))
    const maxApps = (queue: Queue) => queue.options.maxRunningApps ?? (queue === root ? Infinity : (defaults.maxRunningApps ?? Infinity))
    const mayRun = (job: JobId) =>
      admitted.filter((other) => work.user(other) === work.user(job)).length < (options.users?.[work.userName(work.user(job))]?.maxRunningApps ?? options.userMaxRunningApps ?? Infinity) &&
      chain(pathOf.get(job)!).every((queue) => jobsIn(queue).length < maxApps(queue))

    /** What the running tasks of a job hold: the sum over its tasks, by resource. */
    const held = new Map<JobId, number[]>()
    const usage = (jobs: readonly JobId[]) => cluster.resources.map((_, r) => jobs.reduce((sum, job) => sum + (held.get(job)?.[r] ?? 0), 0))
    const demand = (jobs: readonly JobId[], lane: LaneId) =>
      cluster.resources.map((_, r) => jobs.reduce((sum, job) => sum + (held.get(job)?.[r] ?? 0) + (work.unplaced(job, lane) === 0 ? 0 : work.unplaced(job, lane) * work.demand(work.shape(job, lane), r as ResourceId)), 0))
    const policyOf = (queue: Queue) => queue.options.policy ?? defaults.policy ?? 'fair'
    const maxOf = (queue: Queue) => {
      const min = vector(queue.options.minResources, 0)
      return vector(queue.options.maxResources ?? (queue === root ? undefined : defaults.maxResources), Infinity).map((max, r) => Math.max(max, min[r]!))
    }

    return {
      admits: ({ queue: name, user, stages }) => {
        const path = `root.${(name ?? user ?? 'default').replace(/^root\./, '')}`
        let queue: Queue | undefined = root
        const around = [root]
        for (const part of path.split('.').slice(1)) {
          const above: Queue | undefined = queue
          queue = queue?.children.get(part) ?? make(part, above?.options.maxChildResources === undefined ? {} : { maxResources: above.options.maxChildResources })
          around.push(queue)
        }
        const largest = [...around].reverse().find(({ options: { maxContainerAllocation } }) => maxContainerAllocation !== undefined)
        const asked = stages.map(({ demand: each }) => cluster.resources.map((r) => each[r] ?? 0))
        const together = stages.map(({ gang, tasks }) => (gang === true ? tasks : 1))
        const isTooLarge = asked.some((each, i) => each.some((amount, r) => amount > vector(largest?.options.maxContainerAllocation, Infinity)[r]! || around.some((one) => together[i]! * amount > maxOf(one)[r]!)))
        return isTooLarge ? 'too large' : undefined
      },
      onSubmit: (job) => {
        const path = `root.${work.queueName(work.queue(job)).replace(/^root\./, '')}`
        let queue = root
        for (const name of path.split('.').slice(1)) {
          const inside = queue.children.get(name) ?? make(`${queue.path}.${name}`, queue.options.maxChildResources === undefined ? {} : { maxResources: queue.options.maxChildResources })
          queue.children.set(name, inside)
          queue = inside
        }
        pathOf.set(job, path)
        held.set(job, cluster.resources.map(() => 0))
        if (mayRun(job)) admitted.push(job)
        else waiting.push(job)
      },
      onClaim: (job, _, task) => held.set(job, held.get(job)!.map((amount, r) => amount + work.demand(work.shapeOf(task), r as ResourceId))),
      onRelease: (job, _, task) => held.set(job, held.get(job)!.map((amount, r) => amount - work.demand(work.shapeOf(task), r as ResourceId))),
      onFinish: (job) => {
        admitted.splice(admitted.indexOf(job), 1)
        for (const next of [...waiting].sort((a, b) => work.priority(b) - work.priority(a) || work.rank(a) - work.rank(b))) {
          if (!mayRun(next)) continue
          waiting.splice(waiting.indexOf(next), 1)
          admitted.push(next)
        }
      },
      list: ({ lane }) => {
        const resources = cluster.lanes[lane]!.resources
        const memory = resources.find((r) => cluster.resources[r] === (options.memory ?? 'mem')) ?? resources[0]!
        const comparator = (policy: 'fair' | 'drf', isOfQueues: boolean) =>
          policy === 'drf' ? drfComparator([...resources].sort((a, b) => Number(cluster.resources[b] === 'mem') - Number(cluster.resources[a] === 'mem')), (r) => cluster.capacity(r as ResourceId)) : isOfQueues && options.poolOrder === 'survey-literal' ? surveyComparator(memory) : fairComparator(memory)
        const weightOf = (job: JobId) => work.weight(job) * (options.sizeBasedWeight ? Math.log2(1 + demand([job], lane)[memory]!) : 1)
        const zeros = cluster.resources.map(() => 0)
        const jobOf = (job: JobId): Schedulable => ({ usage: usage([job]), demand: demand([job], lane), min: zeros, weight: weightOf(job), jobs: 1 })
        const isLeaf = ({ children, options: own }: Queue) => children.size === 0 && own.type !== 'parent'
        const wanted = (queue: Queue): number[] => {
          const inside = [...queue.children.values()].map(wanted)
          const all = isLeaf(queue) ? demand(jobsIn(queue), lane) : cluster.resources.map((_, r) => inside.reduce((sum, each) => sum + each[r]!, 0))
          return all.map((amount, r) => Math.min(amount, maxOf(queue)[r]!))
        }
        const queueOf = (queue: Queue): Schedulable => ({
          usage: usage(jobsIn(queue)), demand: wanted(queue), min: vector(queue.options.minResources, 0), weight: queue.options.weight ?? 1, jobs: jobsIn(queue).length,
        })
        const fits = (job: JobId) => {
          const amounts = cluster.resources.map((_, r) => (resources.includes(r as ResourceId) ? work.together(job, lane) * work.demand(work.shape(job, lane), r as ResourceId) : 0))
          const around = chain(pathOf.get(job)!)
          return around.every((queue) => amounts.every((each, r) => usage(jobsIn(queue))[r]! + each <= maxOf(queue)[r]!))
        }
        const ordered = (queue: Queue): JobId[] => {
          const policy = policyOf(queue)
          if (queue !== root && isLeaf(queue)) {
            const jobs = jobsIn(queue).filter((job) => work.unplaced(job, lane) > 0)
            const byPolicy = policy === 'fifo' ? (a: JobId, b: JobId) => work.priority(b) - work.priority(a) : (a: JobId, b: JobId) => comparator(policy, false)(jobOf(a), jobOf(b))
            return jobs.sort((a, b) => byPolicy(a, b) || work.rank(a) - work.rank(b)).filter(fits)
          }
          const compare = comparator(policy as 'fair' | 'drf', true)
          return [...queue.children.values()].sort((a, b) => compare(queueOf(a), queueOf(b)) || (a.path < b.path ? -1 : 1)).flatMap(ordered)
        }
        return ordered(root)
      },
    }
  }
