import { SchedError, type Seconds } from '@sched/core'

/** A MapReduce job as its scheduler sees it: activities, their predicted mean times, and the workers that its user asked for. */
export interface MapReduceJob {
  readonly maps: number
  readonly mapTime: Seconds
  readonly reduces: number
  readonly reduceTime: Seconds
  /** Workers that the user asked for, at least 1. */
  readonly requested: number
}

/**
 * Predicted run time with `workers` workers, each of which does one activity at a time: maps first, reduces after all
 * maps, linear speed-up up to one worker per activity.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 6.1, which gives the model in words; the formula is ours:
 * T(w) = m d_m / min(w, m) + r d_r / min(w, r). Start-up of workers is not modelled. Throws `BAD_OPTION` for a number of
 * workers or activities that is not whole, or for none.
 */
export function completionTime({ maps, mapTime, reduces, reduceTime }: MapReduceJob, workers: number): Seconds {
  whole('workers', workers, 1)
  return phase(whole('maps', maps, 0), mapTime, workers) + phase(whole('reduces', reduces, 0), reduceTime, workers)
}

/** How many times faster the job is than with the workers that its user asked for. */
export function speedUp(job: MapReduceJob, workers: number): number {
  return completionTime(job, job.requested) / completionTime(job, workers)
}

const phase = (activities: number, time: Seconds, workers: number): Seconds => (activities === 0 ? 0 : (activities * time) / Math.min(workers, activities))

function whole(field: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new SchedError('BAD_OPTION', `${field} is ${value}.`, { field }, `Use a whole number of at least ${least}.`)
}
