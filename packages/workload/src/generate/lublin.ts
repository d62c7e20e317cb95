import type { JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Demands } from '../rigid/resources.js'
import { workloadFrom } from '../workload.js'
import { count, callable, positive, seed } from './callable.js'
import { lublinColumns, type LublinColumns } from './lublin-columns.js'
import { assignEstimates, shortestLimit, tsafrirHistogram } from './tsafrir-model.js'

const probability = z.number().min(0).max(1)
const size = z.number().min(0)
const parameters = z.strictObject({
  serial: probability.describe('Fraction of jobs of one processor.'),
  powerOfTwo: probability.describe('Fraction of the parallel jobs whose size is a power of two.'),
  low: size.describe('Smallest log2 of a size.'),
  medium: size.describe('log2 of the size at which the lower range ends.'),
  high: size.describe('Largest log2 of a size.'),
  lowProbability: probability.describe('Probability of the lower range.'),
  a1: positive.describe('Shape of the first gamma distribution of the natural logarithm of a run time in seconds.'),
  b1: positive.describe('Scale of the first gamma distribution.'),
  a2: positive.describe('Shape of the second gamma distribution.'),
  b2: positive.describe('Scale of the second gamma distribution.'),
  pa: z.number().describe('Slope: the first gamma distribution has the probability pa x size + pb.'),
  pb: z.number().describe('Constant: the first gamma distribution has the probability pa x size + pb.'),
  aArrival: positive.describe('Shape of the gamma distribution of the natural logarithm of a gap between arrivals in rush hours, in seconds.'),
  bArrival: positive.describe('Scale of the gamma distribution of gaps.'),
  rushToAll: positive.describe('Factor on the shape of the gamma distribution of gaps, for the whole day.'),
  aDay: positive.describe('Shape of the gamma density of arrivals over the day, in half hours.'),
  bDay: positive.describe('Scale of the gamma density of arrivals.'),
}).partial()

/**
 * Rigid jobs of a parallel supercomputer. The logarithm of sizes has a two-stage uniform distribution, with many serial jobs and powers of two; the
 * logarithm of run times has a hyper-gamma distribution, longer for larger jobs; arrivals have a daily cycle that begins at midnight.
 *
 * Source: Lublin and Feitelson, "The Workload on Parallel Supercomputers", JPDC 63(11), 2003, and the authors' program `lublin99`; estimates: see
 * `tsafrirEstimates`. Sizes and run times of both kinds agree with 200,000 jobs of the program's functions (largest distance between two
 * distributions 0.009), times between arrivals agree except for its rounding (0.013), and all three agree with the model's densities. The mean time
 * between arrivals of `all` is 911 s, but for 10,000 jobs it is from 818 to 1,024 s in nine of ten seeds, because a few gaps of days decide it; that
 * of the known file lublin_256.swf, 771 s, is rarer than one in fifty.
 *
 * Deviations: gamma values are drawn by another method, so individual jobs differ from the program's, but not their distributions; sizes never exceed
 * the machine; seconds are rounded once, while the program drops half a second per job, so that its time of day falls behind by an hour in 7,200
 * jobs; `load` stretches the time between arrivals without changing the length of the day.
 */
export const lublin = callable({
  name: 'lublin',
  summary: 'rigid jobs of a parallel supercomputer, with a daily cycle and users\' estimates',
  source: 'Lublin and Feitelson, JPDC 2003; estimates: Tsafrir et al., JSSPP 2005',
  options: z.strictObject({
    seed,
    jobs: count.default(1000).describe('Number of jobs.'),
    procs: z.int().min(2).max(1_048_576).default(128).describe('Processors of the machine; the published parameters are for 128.'),
    kind: z.enum(['all', 'batch', 'interactive', 'both']).default('all')
      .describe('all: one kind of jobs, fitted to all; batch, interactive: one of the two kinds; both: the two kinds mixed, in queues of these names.'),
    load: positive.optional().describe('Offered load: processor seconds of the jobs over those of the machine until the last arrival. Default: as the model gives it.'),
    estimates: z.union([z.enum(['tsafrir', 'exact', 'unknown']), z.number().min(1)]).default('tsafrir')
      .describe('Estimates of run times: tsafrir: as users give them; exact; unknown: none; a number: this many times the run time.'),
    maxEstimate: z.int().min(shortestLimit).default(172_800).describe('Longest estimate that users may give, seconds (tsafrir); a run is cut at it.'),
    parameters: parameters.default({}).describe('Values of model parameters that replace the published ones.'),
  }),
  create(options) {
    const limit = options.estimates === 'tsafrir' ? options.maxEstimate : Infinity
    const jobs = lublinColumns(options, limit)
    const estimates = estimatesOf(jobs, options)
    const demands = new Demands(['procs'])
    const { kind } = options
    const names = kind === 'both' ? ['batch', 'interactive'] : undefined
    const { procs } = options
    const machine = { procs, resources: { procs }, origin: `${procs} procs: option procs` }
    const workload = workloadFrom(`lublin ${kind}`, options.jobs, () => (i): JobSpec => ({
      id: String(i + 1),
      submit: jobs.submits[i]!,
      ...(names !== undefined && { queue: names[jobs.kinds[i]!]!, label: names[jobs.kinds[i]!]! }),
      ...(estimates !== undefined && { estimate: estimates[i]! }),
      stages: [{ name: 'job', tasks: 1, demand: demands.of(jobs.procs, i), duration: jobs.runtimes[i]! }],
    }))
    return { ...workload, machine }
  },
})

interface EstimateOptions {
  readonly seed: number
  readonly estimates: 'tsafrir' | 'exact' | 'unknown' | number
  readonly maxEstimate: number
}

function estimatesOf({ runtimes }: LublinColumns, { estimates, maxEstimate, seed }: EstimateOptions): Float64Array | undefined {
  if (estimates === 'unknown') return undefined
  if (typeof estimates === 'number') return runtimes.map((runtime) => runtime * estimates)
  if (estimates === 'exact') return runtimes
  return assignEstimates(runtimes, tsafrirHistogram({ jobs: runtimes.length, maxEstimate, seed }), seed)
}
