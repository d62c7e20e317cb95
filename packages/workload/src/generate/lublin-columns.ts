import { SchedError } from '@sched/core'
import { arrivalPoints, dayClock } from './lublin-arrivals.js'
import { lublinRuntimes, lublinSizes } from './lublin-jobs.js'
import { lublinParameters, type LublinKind, type LublinParameters } from './lublin-parameters.js'

/** Options of the model that concern the jobs. */
export interface LublinOptions {
  readonly seed: number
  readonly jobs: number
  readonly procs: number
  readonly kind: LublinKind | 'both'
  readonly load?: number | undefined
  readonly parameters: { readonly [P in keyof LublinParameters]?: number | undefined }
}

/** Jobs as columns, in order of submission. */
export interface LublinColumns {
  readonly submits: Float64Array
  readonly procs: Int32Array
  readonly runtimes: Float64Array
  /** Kind of the job, 0 or 1 if there are two kinds. */
  readonly kinds: Uint8Array
}

/** The jobs of the model. Run times are cut at `limit` seconds. */
export function lublinColumns(options: LublinOptions, limit: number): LublinColumns {
  const kinds: LublinKind[] = options.kind === 'both' ? ['batch', 'interactive'] : [options.kind]
  const sources = kinds.map((kind) => kindOfJobs(kind, options, limit))
  return merged(sources, options.jobs, options.load === undefined ? 1 : scaleFor(options.load, sources, options))
}

/** As many jobs of one kind as may be needed, with their arrivals in points. */
interface KindOfJobs {
  readonly points: Float64Array
  readonly clock: (points: number) => number
  readonly procs: Int32Array
  readonly runtimes: Float64Array
}

function kindOfJobs(kind: LublinKind, { seed, jobs, procs, parameters: changed }: LublinOptions, limit: number): KindOfJobs {
  const parameters = { ...lublinParameters(kind, procs), ...(changed as Partial<LublinParameters>) }
  if (!(parameters.low <= parameters.medium && parameters.medium <= parameters.high))
    throw new SchedError(
      'BAD_OPTION',
      `found low ${parameters.low}, medium ${parameters.medium}, high ${parameters.high}, expected them in ascending order.`,
      { field: 'lublin.parameters' },
      'Write all three in this order, or none: those left out follow from the paper and from procs.',
    )
  const stream = `lublin/${kind}`
  const size = lublinSizes(parameters, procs, seed, stream)
  const runtime = lublinRuntimes(parameters, seed, stream)
  const sizes = new Int32Array(jobs).map(size)
  return {
    points: arrivalPoints(parameters, jobs, seed, stream),
    clock: dayClock(parameters),
    procs: sizes,
    runtimes: new Float64Array(jobs).map((_, i) => Math.min(limit, runtime(sizes[i]!))),
  }
}

/** The first `count` jobs of all kinds by arrival time, in whole seconds. `scale` stretches the points. */
function merged(sources: readonly KindOfJobs[], count: number, scale: number): LublinColumns {
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

/** The scale of points that gives the offered load, to 9 digits, by bisection. */
function scaleFor(load: number, sources: readonly KindOfJobs[], { jobs, procs }: LublinOptions): number {
  const [only, other] = sources
  // of two kinds of jobs, which ones come first depends on the scale
  const fixed = other === undefined ? workOf(only!) : undefined
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

function workOf({ procs, runtimes }: Pick<LublinColumns, 'procs' | 'runtimes'>): number {
  return procs.reduce((work, size, i) => work + size * runtimes[i]!, 0)
}
