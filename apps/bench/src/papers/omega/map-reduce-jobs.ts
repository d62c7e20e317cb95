import { randomStream, type JobSource, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { chooseWorkers, completionTime, speedUp, type MapReduceJob, type Room, type WorkerLimit } from '@sched/policies'

/** A MapReduce job that was sized. */
export interface Sized {
  readonly at: Seconds
  readonly speedUp: number
  readonly utilisation: number
}

export interface MapReduceOptions {
  readonly seed: number
  /** `undefined`: every job has the workers that its user asked for. */
  readonly limit: WorkerLimit | undefined
  /** What the cell has room for now. */
  readonly room: () => Room
  readonly onSized: (sized: Sized) => void
}

/** Part of all jobs that are MapReduce jobs, and the numbers of workers that users ask for (EuroSys 2013, section 6). */
const MAP_REDUCE = 0.2
const usual = [5, 11, 200, 1000] as const

/** Amounts of one worker. */
const worker = { cpu: 1000, mem: 2048 }

/**
 * Makes a fifth of the batch jobs MapReduce jobs of class `mapreduce`, which a scheduler of their own sizes when their turn
 * comes: a job enters as one task that asks for next to nothing and takes no time; when that has been placed, the job
 * itself is submitted with the workers chosen for the cell of that instant, and goes through a transaction like any other.
 *
 * Choices: the four usual numbers of workers with probabilities 0.35, 0.35, 0.2 and 0.1; maps per worker log-normal with
 * median 2, reduces with median 0.5 (sigma 1.2 both); activities take 30 s on average. Google's distributions are not public.
 */
export function withMapReduce(workload: Workload, options: MapReduceOptions): Workload {
  return {
    ...workload,
    open(): JobSource {
      const source = workload.open()
      const waiting = new Map<string, MapReduceJob>()
      const next = randomStream(options.seed, 'omega/mapreduce')
      const draw = mapReduceJobs(next)
      return {
        next() {
          const job = source.next()
          if (job?.class !== 'batch' || next() >= MAP_REDUCE) return job
          waiting.set(job.id, draw())
          return { id: job.id, submit: job.submit, class: 'mapreduce', user: 'mapreduce', stages: [{ name: 'request', tasks: 1, demand: { cpu: 1 }, duration: 0.001 }] }
        },
        ended(id, now) {
          const job = waiting.get(id)
          if (job === undefined) return undefined
          waiting.delete(id)
          return sized(id, job, now, options)
        },
      }
    },
  }
}

function sized(id: string, job: MapReduceJob, now: Seconds, { limit, room, onSized }: MapReduceOptions): JobSpec {
  const here = room()
  const workers = limit === undefined ? job.requested : chooseWorkers(job, limit, here)
  onSized({ at: now, speedUp: speedUp(job, workers), utilisation: 1 - here.idle / here.total })
  const stage = { name: 'workers', tasks: workers, demand: worker, duration: completionTime(job, workers) }
  return { id: `${id}-workers`, submit: now, class: 'mapreduce', user: 'mapreduce', stages: [stage] }
}

function mapReduceJobs(next: () => number): () => MapReduceJob {
  return () => {
    const u = next()
    const requested = usual[u < 0.35 ? 0 : u < 0.7 ? 1 : u < 0.9 ? 2 : 3]
    const activities = (median: number) => Math.max(1, Math.round(requested * median * logNormal(next)))
    return { maps: activities(2), mapTime: 30, reduces: activities(0.5), reduceTime: 30, requested }
  }
}

/** Median 1, sigma 1.2: the sum of twelve uniform numbers is nearly normal. */
function logNormal(next: () => number): number {
  let sum = -6
  for (let i = 0; i < 12; i++) sum += next()
  return Math.exp(1.2 * sum)
}
