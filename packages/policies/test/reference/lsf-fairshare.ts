import type { JobId, LaneId, NodeId, Seconds, TaskId } from '@sched/core'
import type { LsfFairshareOptions, SharingOptions } from '@sched/policies'
import { pathOf, pathsTo, type MakeOrder } from './naive.js'
import { naiveSharing } from './sharing.js'

/** Slots that somebody has held. */
interface Run {
  readonly paths: readonly string[]
  readonly lane: LaneId
  readonly slots: number
  readonly start: Seconds
  readonly estimate: Seconds
  end: Seconds
  isPast: boolean
}

/** LSF's dynamic priority from all that has ever run, summed anew at every decision. */
export const naiveLsfFairshare = (options: LsfFairshareOptions): MakeOrder => (env) => {
  const { work, cluster } = env
  const { CPU_TIME_FACTOR: cpu = 0.7, RUN_TIME_FACTOR: run = 0.7, RUN_JOB_FACTOR: jobs = 3, COMMITTED_RUN_TIME_FACTOR: committed = 0, HIST_HOURS: hours = 5 } = options
  const tenth = hours * 3600
  const runs: Run[] = []
  const current = new Map<TaskId, Run>()
  const left = (seconds: Seconds) => (hours === 0 ? 1 : 10 ** (-seconds / tenth))
  /** What is left of a slot that was used from `start` to `end`. */
  const decayed = (start: Seconds, end: Seconds, now: Seconds) => (hours === 0 ? end - start : ((left(now - end) - left(now - start)) * tenth) / Math.LN10)
  const sum = (of: readonly Run[], each: (run: Run) => number) => of.reduce((total, one) => total + each(one), 0)
  const order = naiveSharing(options as SharingOptions, () => ({
    weights: options.shares ?? {},
    key: ({ path }, _weight, { lane }) => {
      const now = env.now()
      const own = runs.filter((each) => each.lane === lane && each.paths.includes(path))
      const running = own.filter(({ end }) => end === Infinity)
      const times =
        cpu * sum(own, ({ slots, start, end }) => slots * decayed(start, Math.min(end, now), now)) +
        run * sum(running, ({ slots, start }) => slots * (now - start)) +
        (options.ENABLE_HIST_RUN_TIME === true ? run * sum(own.filter(({ isPast }) => isPast), ({ slots, start, end }) => slots * (end - start) * left(now - end)) : 0) +
        committed * Math.max(0, sum(running.filter(({ estimate }) => estimate < Infinity), ({ slots, start, estimate }) => slots * (start + estimate - now)))
      const shares = Object.entries(options.shares ?? {}).find(([name]) => (options.by === 'queue' ? pathOf(name) : name) === path)?.[1] ?? options.default ?? 1
      return cpu + run + jobs + committed === 0 ? 1 / shares : (times / 3600 + jobs * (1 + sum(running, ({ slots }) => slots))) / shares
    },
  }))(env)
  return {
    ...order,
    onClaim(job: JobId, lane: LaneId, task: TaskId) {
      const { resources } = cluster.lanes[lane] ?? { resources: [] }
      const slots = resources.find((r) => cluster.resources[r] === 'slots') ?? resources[0]
      const paths = options.by === 'queue' ? pathsTo(pathOf(work.queueName(work.queue(job)))) : [work.userName(work.user(job))]
      const one: Run = { paths, lane, slots: slots === undefined ? 0 : work.demand(work.shapeOf(task), slots), start: env.now(), estimate: work.estimate(job), end: Infinity, isPast: false }
      runs.push(one)
      current.set(task, one)
    },
    onRelease(_job: JobId, _lane: LaneId, task: TaskId, _node: NodeId, why: string) {
      const one = current.get(task) as Run
      current.delete(task)
      one.end = env.now()
      one.isPast = why !== 'withdrawn'
    },
  }
}
