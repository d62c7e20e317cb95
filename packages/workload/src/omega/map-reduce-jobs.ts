import { phasesTime, randomStream, type JobSource, type JobSpec, type Workload } from '@sched/core'
import { drawLogNormal } from './log-normal.js'

/** Usual numbers of workers that users ask for (EuroSys 2013, section 6). */
const usual = [5, 11, 200, 1000] as const
/** Mean time of an activity in seconds. */
const ACTIVITY = 30
const worker = { cpu: 1000, mem: 2048 }

/** Options of MapReduce jobs. */
export interface MapReduceJobs {
  readonly seed: number
  /** Fraction of the batch jobs that become MapReduce jobs, in [0, 1]. */
  readonly part: number
  /** Factor on the times of activities. */
  readonly scale: number
  /** Most workers that a job asks for. */
  readonly mostWorkers: number
}

/**
 * Turns a part of the batch jobs into MapReduce jobs of class `mapreduce`: mouldable, with the number of workers that their user asked for.
 *
 * Choices: the four usual numbers of workers have probabilities 0.35, 0.35, 0.2 and 0.1; maps per worker are log-normal with median 2, reduces with
 * median 0.5 (sigma 1.2 for both); activities take 30 s. Google's distributions are not public.
 */
export function withMapReduce(workload: Workload, options: MapReduceJobs): Workload {
  if (options.part === 0) return workload
  return {
    ...workload,
    open(): JobSource {
      const source = workload.open()
      const next = randomStream(options.seed, 'omega/mapreduce')
      const spread = drawLogNormal({ mu: 0, sigma: 1.2 }, randomStream(options.seed, 'omega/mapreduce/activities'))
      return {
        next() {
          const job = source.next()
          return job?.class === 'batch' && next() < options.part ? drawn(job, next(), spread, options) : job
        },
      }
    },
  }
}

/** The MapReduce job in place of a batch job. `spread` draws from a log-normal distribution with median 1. */
function drawn(job: JobSpec, u: number, spread: () => number, { scale, mostWorkers }: MapReduceJobs): JobSpec {
  const asked = usual[u < 0.35 ? 0 : u < 0.7 ? 1 : u < 0.9 ? 2 : 3]
  const tasks = Math.max(1, Math.min(Math.floor(mostWorkers), asked))
  const activities = (median: number) => Math.max(1, Math.round(tasks * median * spread()))
  const phases = [activities(2), activities(0.5)].map((count) => ({ activities: count, time: ACTIVITY * scale }))
  const stage = { name: 'workers', tasks, demand: worker, duration: phasesTime(phases, tasks), phases }
  return { ...job, class: 'mapreduce', label: 'mapreduce', user: 'mapreduce', stages: [stage] }
}
