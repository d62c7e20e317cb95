import { phasesTime, SchedError, type Moulding } from '@sched/core'

/**
 * The size of the cell in workers of one job, with the requested workers counted as in use: how many its amounts are worth, how many
 * the amounts in use are worth, and how many more workers find a node.
 */
export interface Room {
  /** Workers for which the amounts of the whole cell would suffice. */
  readonly total: number
  /** Workers for which the amounts in use would suffice. */
  readonly used: number
  /** Number of further workers that find a node. */
  readonly idle: number
}

/** Most workers that a job may get; never fewer than its user asked for. */
export type WorkerLimit = (job: Moulding, room: Room) => number

/** As many as the user asked for. */
export const asRequested: WorkerLimit = ({ requested }) => requested

/** As many as help: one per activity of the largest phase, as far as there is room. */
export const maxParallelism: WorkerLimit = (job, { idle }) => helpful(job, job.requested + idle)

/**
 * Gives out idle resources only while less than `cap` of the cell is in use, a fraction in [0, 1] (the paper: 60 %). Throws `BAD_OPTION`.
 */
export function globalCap(cap = 0.6): WorkerLimit {
  if (!(cap >= 0 && cap <= 1)) throw new SchedError('BAD_OPTION', `the cap is ${cap}.`, { field: 'cap' }, 'Use a fraction from 0 to 1.')
  return (job, { total, used, idle }) => helpful(job, job.requested + Math.max(0, Math.min(idle, Math.floor(cap * total - used + 1e-9)))) // 0.6 x 1000 is 600, not 599
}

/** At most `factor` times what the user asked for (the paper: 4), as far as there is room. Throws `BAD_OPTION`. */
export function relativeSize(factor = 4): WorkerLimit {
  if (!(factor >= 1)) throw new SchedError('BAD_OPTION', `the factor is ${factor}.`, { field: 'factor' }, 'Use a number of at least 1.')
  return (job, { idle }) => helpful(job, Math.min(Math.floor(factor * job.requested), job.requested + idle))
}

const helpful = ({ phases, requested }: Moulding, most: number): number =>
  Math.max(requested, Math.min(most, phases.reduce((largest, { activities }) => Math.max(largest, activities), 0)))

/**
 * The number of workers with the earliest predicted finish among all from what was asked for to what the limit allows;
 * the smallest of those that finish together.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 6.1.
 */
export function chooseWorkers(job: Moulding, limit: WorkerLimit, room: Room): number {
  let best = job.requested
  let earliest = phasesTime(job.phases, best)
  const most = limit(job, room)
  for (let workers = best + 1; workers <= most; workers++) {
    const finish = phasesTime(job.phases, workers)
    if (finish >= earliest) continue
    earliest = finish
    best = workers
  }
  return best
}
