import { SchedError } from '@sched/core'
import { completionTime, type MapReduceJob } from './completion-time.js'

/** The cell in workers: how many it holds in all, and how many more there is room for. */
export interface Room {
  readonly total: number
  readonly idle: number
}

/** Most workers that a job may get; never fewer than its user asked for. */
export type WorkerLimit = (job: MapReduceJob, room: Room) => number

/** As many as help: one per activity of the larger phase, as far as there is room. */
export const maxParallelism: WorkerLimit = (job, { idle }) => helpful(job, job.requested + idle)

/**
 * Idle resources only while the cell is used below `cap`, a fraction in [0, 1] (the paper: 60 %). Throws `BAD_OPTION`.
 */
export function globalCap(cap = 0.6): WorkerLimit {
  if (!(cap >= 0 && cap <= 1)) throw new SchedError('BAD_OPTION', `the cap is ${cap}.`, { field: 'cap' }, 'Use a fraction from 0 to 1.')
  return (job, { total, idle }) => {
    const used = total - idle
    return helpful(job, job.requested + Math.max(0, Math.min(idle, Math.floor(cap * total + 1e-9) - used))) // 0.6 x 1000 is 600, not 599
  }
}

/** At most `factor` times what the user asked for (the paper: 4), as far as there is room. Throws `BAD_OPTION`. */
export function relativeSize(factor = 4): WorkerLimit {
  if (!(factor >= 1)) throw new SchedError('BAD_OPTION', `the factor is ${factor}.`, { field: 'factor' }, 'Use a number of at least 1.')
  return (job, { idle }) => helpful(job, Math.min(Math.floor(factor * job.requested), job.requested + idle))
}

const helpful = ({ maps, reduces, requested }: MapReduceJob, most: number): number => Math.max(requested, Math.min(most, Math.max(maps, reduces)))

/**
 * The number of workers with the earliest predicted finish among all from what was asked for to what the limit allows;
 * the smallest of those that finish together.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 6.1.
 */
export function chooseWorkers(job: MapReduceJob, limit: WorkerLimit, room: Room): number {
  let best = job.requested
  let earliest = completionTime(job, best)
  const most = limit(job, room)
  for (let workers = best + 1; workers <= most; workers++) {
    const finish = completionTime(job, workers)
    if (finish >= earliest) continue
    earliest = finish
    best = workers
  }
  return best
}
