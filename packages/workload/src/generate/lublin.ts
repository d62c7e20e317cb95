import { SchedError, type JobSpec } from '@sched/core'
import { z } from 'zod'
import { Demands } from '../rigid/resources.js'
import { workloadFrom } from '../workload.js'
import { count, defineGenerator, positive, seed } from './define-generator.js'
import { arrivalPoints, dayClock } from './lublin-arrivals.js'
import { lublinRuntimes, lublinSizes } from './lublin-jobs.js'
import { lublinParameters, type LublinKind, type LublinParameters } from './lublin-parameters.js'
import { assignEstimates, shortestLimit, tsafrirHistogram } from './tsafrir-model.js'

const probability = z.number().min(0).max(1)
const parameters = z.strictObject({
  serial: probability, powerOfTwo: probability, low: z.number().min(0), medium: z.number().min(0), high: z.number().min(0), lowProbability: probability,
  a1: positive, b1: positive, a2: positive, b2: positive, pa: z.number(), pb: z.number(),
  aArrival: positive, bArrival: positive, rushToAll: positive, aDay: positive, bDay: positive,
}).partial()

/**
 * Rigid jobs of a parallel supercomputer: sizes two-stage uniform in their logarithm with many serial jobs and powers of
 * two, run times hyper-gamma in theirs and longer for larger jobs, arrivals with a daily cycle from midnight on.
 *
 * Source: Lublin and Feitelson, "The Workload on Parallel Supercomputers", JPDC 63(11), 2003, and the authors' program
 * `lublin99`; estimates: see `tsafrirEstimates`.
 * Deviations: gamma values are drawn by another method, so jobs differ from the program's, not their distributions; sizes
 * never exceed the machine; seconds are rounded once, where the program drops half a second a job and its time of day
 * falls behind by an hour in 7,200 jobs; `load` stretches the time between arrivals and leaves the day as long as it is.
 */
export const lublin = defineGenerator({
  name: 'lublin',
  summary: 'rigid jobs of a parallel supercomputer, with a daily cycle and users\' estimates',
  source: 'Lublin and Feitelson, JPDC 2003; estimates: Tsafrir et al., JSSPP 2005',
  options: z.strictObject({
    seed,
    jobs: count.max(10_000_000).default(1000),
    procs: z.int().min(2).max(1_048_576).default(128).describe('Processors of the machine; the published parameters are for 128.'),
    kind: z.enum(['all', 'batch', 'interactive', 'both']).default('all')
      .describe('all: one kind of jobs fitted to all; batch, interactive: one of the two kinds; both: the two kinds mixed, as queues of these names.'),
    load: positive.optional().describe('Offered load: processor seconds of the jobs over those of the machine until the last arrival; default: what the model gives.'),
    estimates: z.union([z.enum(['tsafrir', 'exact', 'unknown']), z.number().min(1)]).default('tsafrir')
      .describe('Estimates of run times: as users give them (tsafrir), exact, none, or this many times the run time.'),
    maxEstimate: z.int().min(shortestLimit).default(172_800).describe('Longest estimate that users may give, seconds (tsafrir); a run is cut at it.'),
    parameters: parameters.default({}).describe('Other values for parameters of the model.'),
  }),
  create(options) {
    const jobs = lublinJobs(options)
    const demands = new Demands(['procs'])
    const { kind } = options
    const names = kind === 'both' ? ['batch', 'interactive'] : undefined
    return workloadFrom(`lublin ${kind}`, options.jobs, () => (i): JobSpec => ({
      id: String(i + 1),
      submit: jobs.submits[i]!,
      ...(names !== undefined && { queue: names[jobs.kinds[i]!]!, label: names[jobs.kinds[i]!]! }),
      ...(jobs.estimates !== undefined && { estimate: jobs.estimates[i]! }),
      stages: [{ name: 'job', tasks: 1, demand: demands.of(jobs.procs, i), duration: jobs.runtimes[i]! }],
    }))
  },
})

interface LublinOptions {
  readonly seed: number
  readonly jobs: number
  readonly procs: number
  readonly kind: LublinKind | 'both'
  readonly load?: number | undefined
  readonly estimates: 'tsafrir' | 'exact' | 'unknown' | number
  readonly maxEstimate: number
  readonly parameters: { readonly [P in keyof LublinParameters]?: number | undefined }
}

/** Jobs as columns, in order of submission. */
interface LublinJobs {
  readonly submits: Float64Array
  readonly procs: Int32Array
  readonly runtimes: Float64Array
  /** 0 or 1, the kind of the job where there are two. */
  readonly kinds: Uint8Array
  readonly estimates?: Float64Array | undefined
}

function lublinJobs(options: LublinOptions): LublinJobs {
  const kinds: LublinKind[] = options.kind === 'both' ? ['batch', 'interactive'] : [options.kind]
  const sources = kinds.map((kind) => kindOfJobs(kind, options))
  const jobs = merged(sources, options.jobs, options.load === undefined ? 1 : scaleFor(options.load, sources, options))
  return { ...jobs, estimates: estimatesOf(jobs.runtimes, options) }
}

/** As many jobs of one kind as could be needed, and when they come. */
interface KindOfJobs {
  readonly points: Float64Array
  readonly clock: (points: number) => number
  readonly procs: Int32Array
  readonly runtimes: Float64Array
}

function kindOfJobs(kind: LublinKind, { seed, jobs, procs, parameters: changed, estimates, maxEstimate }: LublinOptions): KindOfJobs {
  const parameters = { ...lublinParameters(kind, procs), ...(changed as Partial<LublinParameters>) }
  if (!(parameters.low <= parameters.medium && parameters.medium <= parameters.high))
    throw new SchedError('BAD_OPTION', `found low ${parameters.low}, medium ${parameters.medium}, high ${parameters.high}, expected them in ascending order.`, { field: 'lublin.parameters' })
  const stream = `lublin/${kind}`
  const size = lublinSizes(parameters, procs, seed, stream)
  const runtime = lublinRuntimes(parameters, seed, stream)
  const sizes = new Int32Array(jobs).map(size)
  const limit = estimates === 'tsafrir' ? maxEstimate : Infinity
  return {
    points: arrivalPoints(parameters, jobs, seed, stream),
    clock: dayClock(parameters),
    procs: sizes,
    runtimes: new Float64Array(jobs).map((_, i) => Math.min(limit, runtime(sizes[i]!))),
  }
}

/** The first jobs of all kinds by arrival time, in whole seconds; points are stretched by `scale`. */
function merged(sources: readonly KindOfJobs[], count: number, scale: number): LublinJobs {
  const jobs = { submits: new Float64Array(count), procs: new Int32Array(count), runtimes: new Float64Array(count), kinds: new Uint8Array(count) }
  const next = sources.map(() => 0)
  const arrival = (kind: number) => sources[kind]!.clock(sources[kind]!.points[next[kind]!]! * scale)
  const arrivals = sources.map((_, kind) => arrival(kind))
  for (let i = 0; i < count; i++) {
    const kind = arrivals[1] !== undefined && arrivals[1] < arrivals[0]! ? 1 : 0
    jobs.submits[i] = Math.floor(arrivals[kind]!)
    jobs.procs[i] = sources[kind]!.procs[next[kind]!]!
    jobs.runtimes[i] = sources[kind]!.runtimes[next[kind]!]!
    jobs.kinds[i] = kind
    next[kind]!++
    if (i + 1 < count) arrivals[kind] = arrival(kind)
  }
  return jobs
}

/** How much points have to be stretched for the offered load, by halving an interval until it is found to 9 digits. */
function scaleFor(load: number, sources: readonly KindOfJobs[], { jobs, procs }: LublinOptions): number {
  const [only, other] = sources
  const fixed = other === undefined ? workOf(only!) : undefined // which jobs of two kinds come first depends on the scale
  const loadAt = (scale: number): number => {
    if (fixed !== undefined) return fixed / (procs * only!.clock(only!.points[jobs - 1]! * scale))
    const mixed = merged(sources, jobs, scale)
    return workOf(mixed) / (procs * mixed.submits[jobs - 1]!)
  }
  let [least, most] = [1e-9, 1e9]
  while (most / least > 1 + 1e-9) {
    const middle = Math.sqrt(least * most)
    if (loadAt(middle) > load) least = middle
    else most = middle
  }
  return most
}

function workOf({ procs, runtimes }: Pick<LublinJobs, 'procs' | 'runtimes'>): number {
  return procs.reduce((work, size, i) => work + size * runtimes[i]!, 0)
}

function estimatesOf(runtimes: Float64Array, { estimates, maxEstimate, seed }: LublinOptions): Float64Array | undefined {
  if (estimates === 'unknown') return undefined
  if (typeof estimates === 'number') return runtimes.map((runtime) => runtime * estimates)
  if (estimates === 'exact') return runtimes
  return assignEstimates(runtimes, tsafrirHistogram({ jobs: runtimes.length, maxEstimate, seed }), seed)
}
