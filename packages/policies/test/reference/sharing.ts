import { to40Bits, type JobId, type JobSpec, type LaneId, type ResourceId, type Round, type TaskId } from '@sched/core'
import type { DrfOptions, MaxMinOptions, PlainWeights, RoundRobinOptions, SharingOptions, WfqOptions } from '@sched/policies'
import { by, JobsInSystem, pathAbove, pathOf, pathsTo, usedBy, type MakeOrder } from './naive.js'

// The orders by shares, from nothing but the tasks that run: who shares, what each has, and a sort, at every decision.
// Shares that differ by rounding alone are equal.

type NaiveEnv = Parameters<MakeOrder>[0]
type Weight = number | Readonly<Record<string, number>>

/** A user, a queue at some level, or a job: its jobs, and what they have in use by resource. */
interface Sharer {
  readonly path: string
  readonly jobs: readonly JobId[]
  readonly used: readonly number[]
}
type KeyOf = (sharer: Sharer, weight: Weight, round: Round) => number

interface Rule {
  /** The key of a sharer; of a job its path is empty. */
  readonly key: KeyOf
  readonly weights?: Readonly<Record<string, Weight>>
  /** Whether what the first job of a sharer would start next counts as if it ran. */
  readonly countsNext?: boolean
  readonly mayStart?: (job: JobId, chain: readonly Sharer[], round: Round) => boolean
  /** The most that one sharer may have of each resource, by name. */
  readonly most?: (path: string, resource: string) => number
}

export function naiveSharing(options: SharingOptions, makeRule: (env: NaiveEnv) => Rule): MakeOrder {
  return (env) => {
    const { work } = env
    const rule = makeRule(env)
    const all = new JobsInSystem()
    const firstSeen = new Map<string, number>()
    const { by: who = 'user', inner = 'fifo', ties = 'name' } = options
    const named = new Map(Object.entries(rule.weights ?? {}).map(([name, weight]) => [who === 'queue' ? pathOf(name) : name, weight]))
    const fullPath = (job: JobId) => (who === 'job' ? '' : who === 'user' ? work.userName(work.user(job)) : pathOf(work.queueName(work.queue(job))))
    /** The paths a job is counted in, outermost first. */
    const chainOf = (job: JobId): string[] => {
      const path = fullPath(job)
      return who === 'queue' ? pathsTo(path) : [path]
    }
    const tie = ({ path }: Sharer) => {
      if (ties === 'name') return 0
      if (ties === 'submission') return firstSeen.get(path) ?? 0
      const at = ties.map((name) => (who === 'queue' ? pathOf(name) : name)).indexOf(path)
      return at < 0 ? Infinity : at
    }
    const sharer = (path: string, lane: LaneId): Sharer => {
      const jobs = all.jobs.filter((job) => chainOf(job).includes(path))
      return { path, jobs, used: usedBy(jobs, lane, env) }
    }
    const jobsInOrder = (jobs: readonly JobId[], round: Round): JobId[] => {
      const key = (job: JobId) => {
        if (who === 'job' || inner === 'share') return rule.key({ path: '', jobs: [job], used: usedBy([job], round.lane, env) }, work.weight(job), round)
        return inner === 'fifo' ? -work.priority(job) : work.running(job, round.lane) / work.weight(job)
      }
      return [...jobs].sort(by<JobId>((job) => to40Bits(key(job)), (job) => work.rank(job)))
    }
    const inOrder = (jobs: readonly JobId[], depth: number, round: Round): JobId[] => {
      const paths = [...new Set(jobs.map((job) => chainOf(job)[depth]))]
      if (who === 'job' || paths.includes(undefined)) return jobsInOrder(jobs, round)
      const inside = new Map(paths.map((path) => [path as string, inOrder(jobs.filter((job) => chainOf(job)[depth] === path), depth + 1, round)]))
      const sharers = [...inside.keys()].map((path) => sharer(path, round.lane))
      const counted = (each: Sharer) => (rule.countsNext === true ? withNext(each, inside.get(each.path)?.[0] as JobId, round) : each)
      sharers.sort(by<Sharer>((each) => to40Bits(rule.key(counted(each), named.get(each.path) ?? 1, round)), tie, ({ path }) => path))
      return sharers.flatMap(({ path }) => inside.get(path) ?? [])
    }
    const pathsOf = ({ user, queue }: JobSpec) => (who === 'user' ? [user ?? 'user'] : pathsTo(pathOf(queue ?? user ?? 'default')))
    return {
      admits: (spec) => {
        const isTooLarge = spec.stages.some(({ demand, tasks, gang }) => Object.entries(demand).some(([name, amount]) => pathsOf(spec).some((path) => (gang ? tasks * amount : amount) > (rule.most?.(path, name) ?? Infinity))))
        return isTooLarge ? 'too large' : undefined
      },
      onSubmit: (job) => {
        all.add(job)
        for (const path of chainOf(job)) if (!firstSeen.has(path)) firstSeen.set(path, work.rank(job))
      },
      onFinish: all.remove,
      list: (round) => inOrder(all.runnable(round), 0, round).filter((job) => rule.mayStart?.(job, chainOf(job).map((path) => sharer(path, round.lane)), round) ?? true),
    }
  }
}

const withNext = (sharer: Sharer, job: JobId, { work, lane }: Round): Sharer => {
  const [tasks, shape] = [work.together(job, lane), work.shape(job, lane)]
  return { ...sharer, used: sharer.used.map((amount, r) => amount + tasks * work.demand(shape, r as ResourceId)) }
}

const fractions = (used: readonly number[], weight: Weight, { cluster, lane }: Round): number[] =>
  (cluster.lanes[lane]?.resources ?? []).map((r) => {
    const each = typeof weight === 'number' ? weight : (weight[cluster.resources[r] ?? ''] ?? 1)
    return used[r] === 0 ? 0 : (used[r] ?? 0) / (cluster.capacity(r) * each)
  })
const dominant: KeyOf = ({ used }, weight, round) => Math.max(0, ...fractions(used, weight, round))

export const naiveDrf = (options: DrfOptions): MakeOrder => {
  const order = naiveSharing(options, () => ({ key: dominant, countsNext: options.countNext === true, ...(options.weights && { weights: options.weights }) }))
  if (options.blocked !== 'strict') return order
  return (env) => {
    const made = order(env)
    return { ...made, list: (round) => made.list(round).slice(0, 1) }
  }
}

export const naiveAssets = (options: SharingOptions & { readonly weights?: PlainWeights }): MakeOrder =>
  naiveSharing(options, () => ({ key: ({ used }, weight, round) => fractions(used, weight, round).reduce((sum, each) => sum + each, 0), ...(options.weights && { weights: options.weights }) }))

export const naiveMaxMin = (options: MaxMinOptions): MakeOrder =>
  naiveSharing(options, ({ cluster, work }) => {
    const resource = ({ lane }: Round) => {
      const { resources } = cluster.lanes[lane] ?? { resources: [] }
      return resources.find((r) => cluster.resources[r] === options.resource) ?? resources[0] ?? (0 as never)
    }
    const of = (path: string) => options.shares?.[path] ?? {}
    return {
      weights: Object.fromEntries(Object.entries(options.shares ?? {}).map(([path, { weight = 1 }]) => [path, weight])),
      key: ({ path, used }, weight, round) => {
        const amount = used[resource(round)] ?? 0
        const { min = 0 } = of(path)
        return amount < min ? amount / min - 2 : amount / (weight as number)
      },
      most: (path, name) => (cluster.lanes.some((_, lane) => cluster.resources[resource({ lane } as Round)] === name) ? (of(path).max ?? Infinity) : Infinity),
      mayStart: (job, chain, round) => {
        const asked = work.together(job, round.lane) * work.demand(work.shape(job, round.lane), resource(round))
        return chain.every(({ path, used }) => (used[resource(round)] ?? 0) + asked <= (of(path).max ?? Infinity))
      },
    }
  })

/** Where sharers stand that are ordered by what they started, kept per lane and path. */
interface Standing {
  last: number
  left: number
}

/** Orders by what was started: their memory is part of their definition, so the reference remembers too. */
function naiveStarts(
  options: WfqOptions | RoundRobinOptions,
  rules: (env: NaiveEnv) => {
    readonly key: (standing: Standing, first: JobId, weight: number, lane: LaneId) => number
    readonly join: (standing: Standing, weight: number, clock: Standing) => void
    readonly start: (standing: Standing, weight: number, clock: Standing, task: TaskId, lane: LaneId) => void
    readonly back: (standing: Standing, weight: number, task: TaskId, lane: LaneId) => void
  },
): MakeOrder {
  return (env) => {
    const { work } = env
    const rule = rules(env)
    const standings = new Map<string, Standing>()
    const listed = new Set<string>()
    const of = (lane: LaneId, path: string): Standing => {
      const standing = standings.get(`${lane} ${path}`) ?? { last: 0, left: 0 }
      standings.set(`${lane} ${path}`, standing)
      return standing
    }
    const chainOf = (job: JobId): string[] => (options.by === 'queue' ? pathsTo(pathOf(work.queueName(work.queue(job)))) : [work.userName(work.user(job))])
    const jobs = new JobsInSystem()
    const above = (path: string) => (options.by === 'queue' ? pathAbove(path) : '')
    const weight = (path: string) => options.weights?.[path] ?? 1
    const waiting = (path: string, lane: LaneId) => jobs.jobs.some((job) => listed.has(`${lane} ${job}`) && chainOf(job).includes(path))
    const inOrder = (some: readonly JobId[], depth: number, lane: LaneId): JobId[] => {
      const paths = [...new Set(some.map((job) => chainOf(job)[depth]))]
      if (paths.includes(undefined))
        return [...some].sort(by<JobId>((job) => (options.inner === 'fair' ? work.running(job, lane) / work.weight(job) : -work.priority(job)), (job) => work.rank(job)))
      const groups = (paths as string[]).map((path) => ({ path, inside: inOrder(some.filter((job) => chainOf(job)[depth] === path), depth + 1, lane) }))
      return groups.sort(by((each: (typeof groups)[number]) => rule.key(of(lane, each.path), each.inside[0] as JobId, weight(each.path), lane), ({ path }) => path)).flatMap(({ inside }) => inside)
    }
    return {
      onSubmit: jobs.add,
      onFinish: jobs.remove,
      onReady: (job, lane) => {
        const joining = chainOf(job).reverse().filter((path) => !waiting(path, lane))
        for (const path of joining) rule.join(of(lane, path), weight(path), of(lane, `clock ${above(path)}`))
        listed.add(`${lane} ${job}`)
      },
      onDrained: (job, lane) => listed.delete(`${lane} ${job}`),
      onClaim: (job, lane, task) => {
        for (const path of chainOf(job).reverse()) rule.start(of(lane, path), weight(path), of(lane, `clock ${above(path)}`), task, lane)
      },
      onRelease: (job, lane, task, _, why) => {
        if (why !== 'ended') for (const path of chainOf(job).reverse()) rule.back(of(lane, path), weight(path), task, lane)
      },
      list: (round) => inOrder(jobs.runnable(round), 0, round.lane),
    }
  }
}

export const naiveWfq = (options: WfqOptions): MakeOrder =>
  naiveStarts(options, ({ cluster, work }) => {
    const cost = (shape: ReturnType<typeof work.shape>, lane: LaneId) =>
      options.cost === 'tasks' ? 1 : Math.max(...(cluster.lanes[lane]?.resources ?? []).map((r) => work.demand(shape, r) / cluster.capacity(r)))
    return {
      key: ({ last }, first, weight, lane) => Number((last + cost(work.shape(first, lane), lane) / weight).toPrecision(12)),
      join: (standing, _, clock) => (standing.last = Math.max(standing.last, clock.last)),
      start: (standing, weight, clock, task, lane) => {
        standing.last += cost(work.shapeOf(task), lane) / weight
        clock.last = Math.max(clock.last, standing.last)
      },
      back: (standing, weight, task, lane) => (standing.last -= cost(work.shapeOf(task), lane) / weight),
    }
  })

export const naiveRoundRobin = (options: RoundRobinOptions): MakeOrder =>
  naiveStarts(options, () => {
    let turns = 0
    const toTheEnd = (standing: Standing, weight: number) => Object.assign(standing, { last: ++turns, left: weight })
    return {
      key: ({ last }) => last,
      join: toTheEnd,
      start: (standing, weight) => {
        if (--standing.left <= 0) toTheEnd(standing, weight)
      },
      back: () => undefined, // nothing is taken back in these worlds
    }
  })
