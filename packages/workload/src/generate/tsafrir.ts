import { checkOptions, SchedError, type JobSpec, type Workload } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { factsOf } from '../trace/facts.js'
import { jobsOf, workloadFrom } from '../workload.js'
import { seed } from './callable.js'
import { assignEstimates, shortestLimit, tsafrirHistogram } from './tsafrir-model.js'

const options = z.strictObject({
  seed: seed.default(1),
  maxEstimate: z.int().min(shortestLimit).describe('Longest estimate that users may give, seconds; a run is cut at it.'),
  maxShare: z.number().min(0).max(0.89).optional().describe('Fraction of jobs that use the longest estimate. Default: that of the model, about 0.22.'),
})
/** Options of `tsafrirEstimates`; `maxEstimate` is required. */
export type TsafrirOptions = z.input<typeof options>

/**
 * The same jobs with modelled users' estimates in place of their own: few different values, mostly round ones, of which the longest allowed one is
 * the most popular, and none below the job's run time. Reads the workload once to its end. Throws `BAD_OPTION`, `BAD_INPUT` for a job that is not
 * rigid or has no fixed run time, and `BROKEN_CONTRACT` for a source that reads on.
 *
 * Source: Tsafrir, Etsion and Feitelson, "Modeling User Runtime Estimates", JSSPP 2005; see `tsafrirHistogram` for deviations.
 */
export function tsafrirEstimates(workload: Workload, given: TsafrirOptions): Workload {
  const { seed, maxEstimate, maxShare } = checkOptions('tsafrir', options, given)
  const runtimes = new Float64Array(Array.from(jobsOf(workload), (job) => Math.min(runtimeOf(job), maxEstimate)))
  const histogram = tsafrirHistogram({ jobs: runtimes.length, maxEstimate, maxShare, seed })
  const estimates = assignEstimates(runtimes, histogram, seed)
  const changed = workloadFrom(`${workload.name}, users' estimates`, runtimes.length, () => {
    const source = workload.open()
    return (i) => estimated(source.next()!, runtimes[i]!, estimates[i]!)
  }, { chained: workload.chained ?? true })
  return { ...changed, ...factsOf(workload) }
}

function runtimeOf({ id, stages: [stage, ...others] }: JobSpec): number {
  if (stage !== undefined && others.length === 0 && (stage.tasks === 1 || stage.gang === true) && typeof stage.duration === 'number') return stage.duration
  throw new SchedError('BAD_INPUT', 'has no one run time.', { field: `job "${id}"` }, 'Users\' estimates are modelled for rigid jobs: one task, or a gang, with a fixed duration.')
}

function estimated(job: JobSpec, runtime: number, estimate: number): JobSpec {
  const [stage] = job.stages
  if (stage!.duration === runtime) return { ...job, estimate }
  return { ...job, estimate, recorded: { runtime: runtimeOf(job), ...job.recorded }, stages: [{ ...stage!, duration: runtime }] }
}
