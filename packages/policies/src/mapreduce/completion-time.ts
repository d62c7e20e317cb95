import { phasesTime, SchedError, type Moulding, type Seconds } from '@sched/core'

/** A MapReduce job as its user describes it: activities, their predicted mean times, and the workers asked for. */
export interface MapReduceJob {
  /** Number of maps, at least 0. */
  readonly maps: number
  /** Predicted mean time of a map, seconds. */
  readonly mapTime: Seconds
  /** Number of reduces, at least 0. */
  readonly reduces: number
  /** Predicted mean time of a reduce, seconds. */
  readonly reduceTime: Seconds
  /** Workers that the user asked for, at least 1. */
  readonly requested: number
}

/** The job as its scheduler sees it: maps first, reduces after all maps. Throws `BAD_OPTION` for numbers that are not whole, or for no workers. */
export function mapReduceJob({ maps, mapTime, reduces, reduceTime, requested }: MapReduceJob): Moulding {
  const phases = [
    { activities: whole('maps', maps, 0), time: mapTime },
    { activities: whole('reduces', reduces, 0), time: reduceTime },
  ]
  return { requested: whole('requested', requested, 1), phases: phases.filter(({ activities }) => activities > 0) }
}

/** Predicted run time with `workers` workers: `phasesTime`. Throws `BAD_OPTION` for a number of workers that is not whole, or for none. */
export const completionTime = ({ phases }: Moulding, workers: number): Seconds => phasesTime(phases, whole('workers', workers, 1))

/** How many times faster the job is than with the workers that its user asked for. */
export function speedUp(job: Moulding, workers: number): number {
  return completionTime(job, job.requested) / completionTime(job, workers)
}

function whole(field: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new SchedError('BAD_OPTION', `${field} is ${value}.`, { field }, `Use a whole number of at least ${least}.`)
}
