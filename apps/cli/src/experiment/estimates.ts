import { isGangJob, SchedError, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { jobsOf, mapJobs, tsafrirEstimates } from '@sched/workload'
import type { EstimatesSpec } from './schema.js'

const HOUR = 3600

/** Whether estimates are drawn anew for every seed of a run. */
export const drawsEstimates = (spec: EstimatesSpec | undefined): boolean =>
  spec === 'tsafrir' || (typeof spec === 'object' && spec.tsafrir.seed === undefined)

/** The same jobs with other estimates. Throws `BAD_INPUT` for a job that has no one run time, `BAD_OPTION` for a workload that is streamed. */
export function estimated(workload: Workload, spec: EstimatesSpec, seed: number): Workload {
  if (spec === 'unknown') return changed(workload, 'no estimates', withoutEstimate)
  if (spec === 'exact') return changed(workload, 'exact estimates', (job) => ({ ...job, estimate: runtimeOf(job) }))
  if (typeof spec === 'number') return changed(workload, `estimates x ${spec}`, (job) => ({ ...job, estimate: spec * runtimeOf(job) }))
  if (workload.open().more !== undefined)
    throw new SchedError(
      'BAD_OPTION',
      'the log is too large to be held in memory, which this model needs.',
      { field: 'estimates' },
      'Cut the log into pieces, or choose other estimates.',
    )
  const { maxEstimate = longest(workload), maxShare, seed: own = seed } = spec === 'tsafrir' ? {} : spec.tsafrir
  return tsafrirEstimates(workload, { maxEstimate, seed: own, ...(maxShare !== undefined && { maxShare }) })
}

function withoutEstimate(job: JobSpec): JobSpec {
  const { estimate: _, ...rest } = job
  return rest
}

const changed = (workload: Workload, name: string, change: (job: JobSpec) => JobSpec): Workload => ({ ...mapJobs(workload, change), name: `${workload.name}, ${name}` })

/** The longest run time, in whole hours. */
function longest(workload: Workload): Seconds {
  let most = 1
  for (const job of jobsOf(workload)) most = Math.max(most, runtimeOf(job))
  return Math.ceil(most / HOUR) * HOUR
}

function runtimeOf(job: JobSpec): Seconds {
  const { id, stages } = job
  const times = stages.flatMap(({ duration }) => (typeof duration === 'number' ? [duration] : []))
  if (times.length === stages.length && (stages.length === 1 || isGangJob(job))) return Math.max(...times)
  throw new SchedError(
    'BAD_INPUT',
    'has no one run time.',
    { field: `job "${id}"` },
    'Estimates are for rigid jobs: one stage, or several that start together, with a fixed duration.',
  )
}
