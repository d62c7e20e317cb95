import type { JobId, Round } from '@sched/core'
import type { FairOptions, PoolOptions } from '@sched/policies'
import { by, type MakeOrder } from './naive.js'

/** A pool with the pools inside it, made anew whenever a job arrives. */
interface NaivePool {
  readonly path: string
  readonly options: PoolOptions
  readonly children: Map<string, NaivePool>
}

/**
 * The pools and jobs of the Hadoop Fair Scheduler: pools below their minimum share first, by running / minimum; then by
 * running / weight; ties by name; at every level of the tree. Limits of running jobs by pool and user.
 */
export const naiveFair =
  (options: FairOptions): MakeOrder =>
  ({ work, cluster }) => {
    const root: NaivePool = { path: '', options: {}, children: declared(options.pools === false ? {} : (options.pools ?? {}), '', options) }
    const pathOf = new Map<JobId, string>()
    const admitted: JobId[] = []
    const waiting: JobId[] = []

    const isIn = (job: JobId, { path }: NaivePool) => path === '' || `${pathOf.get(job)}/`.startsWith(`${path}/`)
    const poolsOf = (job: JobId): NaivePool[] => chain(root, pathOf.get(job) ?? '')
    const limitOfUser = (job: JobId) => options.users?.[work.userName(work.user(job))]?.maxRunningJobs ?? options.userMaxRunningJobs ?? Infinity
    const mayRun = (job: JobId) =>
      admitted.filter((other) => work.user(other) === work.user(job)).length < limitOfUser(job) &&
      poolsOf(job).every((pool) => jobsIn(pool).length < (pool.options.maxRunningJobs ?? Infinity))

    /** Jobs of a pool and all pools inside it. */
    const jobsIn = (pool: NaivePool) => admitted.filter((job) => isIn(job, pool))
    const minShare = ({ options: { minShare = 0 } }: NaivePool, lane: number): number =>
      typeof minShare === 'number' ? minShare : (minShare[cluster.lanes[lane]?.name ?? ''] ?? 0)
    /** Minimum shares of siblings that together exceed the slots are scaled down. */
    const scaledMin = (pool: NaivePool, siblings: readonly NaivePool[], lane: number): number => {
      const { resources } = cluster.lanes[lane] ?? { resources: [] }
      const slots = resources.length === 1 ? cluster.capacity(resources[0] as (typeof resources)[number]) : Infinity
      const sum = siblings.reduce((total, each) => total + minShare(each, lane), 0)
      return sum > slots ? (minShare(pool, lane) * slots) / sum : minShare(pool, lane)
    }

    function ordered(pool: NaivePool, round: Round): JobId[] {
      const { lane } = round
      const children = [...pool.children.values()]
      if (children.length === 0) {
        const jobs = jobsIn(pool).filter((job) => work.unplaced(job, lane) > 0)
        const key = pool.options.inner === 'fifo' ? (job: JobId) => -work.priority(job) : (job: JobId) => work.running(job, lane) / work.weight(job)
        return jobs.sort(by<JobId>(key, (job) => work.rank(job)))
      }
      const running = (child: NaivePool) => jobsIn(child).reduce((sum, job) => sum + work.running(job, lane), 0)
      const demand = (child: NaivePool) => jobsIn(child).reduce((sum, job) => sum + work.running(job, lane) + work.unplaced(job, lane), 0)
      const usable = (child: NaivePool) => Math.min(scaledMin(child, children, lane), demand(child))
      const isNeedy = (child: NaivePool) => running(child) < usable(child)
      const share = (child: NaivePool) => (isNeedy(child) ? running(child) / Math.max(usable(child), 1) : running(child) / (child.options.weight ?? 1))
      return children.sort(by<NaivePool>((child) => (isNeedy(child) ? 0 : 1), share, ({ path }) => path)).flatMap((child) => ordered(child, round))
    }

    return {
      onSubmit: (job) => {
        const path = options.pools === false ? 'all' : work.queueName(work.queue(job)).replace(/^root\./, '').replaceAll('.', '/')
        make(root, path, options)
        pathOf.set(job, path)
        if (mayRun(job)) admitted.push(job)
        else waiting.push(job)
      },
      onFinish: (job) => {
        admitted.splice(admitted.indexOf(job), 1)
        for (const next of [...waiting].sort(by<JobId>((each) => -work.priority(each), (each) => work.rank(each)))) {
          if (!mayRun(next)) continue
          waiting.splice(waiting.indexOf(next), 1)
          admitted.push(next)
        }
      },
      list: (round) => ordered(root, round),
    }
  }

function declared(pools: Readonly<Record<string, PoolOptions>>, above: string, { defaults = {} }: FairOptions): Map<string, NaivePool> {
  const made = new Map<string, NaivePool>()
  for (const [name, own] of Object.entries(pools)) {
    const path = above === '' ? name : `${above}/${name}`
    const inside = declared(own.pools ?? {}, path, { defaults })
    made.set(name, { path, options: inside.size > 0 ? own : { ...defaults, ...own }, children: inside })
  }
  return made
}

/** Makes the pool of a path, and those above it, where they are missing. */
function make(root: NaivePool, path: string, { defaults = {} }: FairOptions): void {
  let pool = root
  const parts = path.split('/')
  for (const [depth, name] of parts.entries()) {
    let child = pool.children.get(name)
    if (child === undefined) {
      child = { path: parts.slice(0, depth + 1).join('/'), options: depth === parts.length - 1 ? defaults : {}, children: new Map() }
      pool.children.set(name, child)
    }
    pool = child
  }
}

/** The pools of a path, outermost first. */
function chain(root: NaivePool, path: string): NaivePool[] {
  const pools: NaivePool[] = []
  let pool: NaivePool | undefined = root
  for (const name of path.split('/')) {
    pool = pool?.children.get(name)
    if (pool !== undefined) pools.push(pool)
  }
  return pools
}
