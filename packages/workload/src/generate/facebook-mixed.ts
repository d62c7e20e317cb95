import { randomStream, type JobSpec, type StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { workloadOf } from '../workload.js'
import { count, callable, seconds, seed, slowstart, spread, startup } from './callable.js'
import { around, arrivals, shuffled } from './sampling.js'

type Type = 'select' | 'textSearch' | 'aggregation' | 'join'

/** Bins of DS-T3: 100 jobs, 21,610 maps and 1,782 reduces, without the small jobs of the join chains. */
const bins: readonly { type: Type; maps: number; reduces: number; jobs: number; number: number }[] = [
  { type: 'select', maps: 1, reduces: 0, jobs: 38 } as const,
  { type: 'textSearch', maps: 2, reduces: 0, jobs: 16 } as const,
  { type: 'aggregation', maps: 10, reduces: 3, jobs: 14 } as const,
  { type: 'select', maps: 50, reduces: 0, jobs: 8 } as const,
  { type: 'textSearch', maps: 100, reduces: 0, jobs: 6 } as const,
  { type: 'aggregation', maps: 200, reduces: 50, jobs: 6 } as const,
  { type: 'select', maps: 400, reduces: 0, jobs: 4 } as const,
  { type: 'aggregation', maps: 800, reduces: 180, jobs: 4 } as const,
  { type: 'join', maps: 2400, reduces: 360, jobs: 2 } as const,
  { type: 'textSearch', maps: 4800, reduces: 0, jobs: 2 } as const,
].map((bin, i) => ({ ...bin, number: i + 1 }))

const times = (defaults: Record<Type, number>, text: string) => z.strictObject({
  select: seconds.default(defaults.select).describe('For a select.'),
  textSearch: seconds.default(defaults.textSearch).describe('For a text search.'),
  aggregation: seconds.default(defaults.aggregation).describe('For an aggregation.'),
  join: seconds.default(defaults.join).describe('For a join.'),
}).prefault({}).describe(text)

/**
 * The mixed schedule of selects, text searches, aggregations and joins (DS-T3). A join is a chain: the large job, then three small ones, each
 * submitted when the one before has ended.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, table 3.
 *
 * Choices (the paper gives counts only): selects and text searches are disk bound, with 15 s per local map as in `facebook`; maps of aggregations and
 * joins take 20 s; reduces take 76 s, the median of a Yahoo! cluster in the paper; the small jobs of a chain have 4 maps and 1 reduce, the user of
 * their join, and the label `bin 9 chain`. A reduce holds its slot only for its own duration: it does not wait for the last map.
 */
export const facebookMixed = callable({
  name: 'facebook-mixed',
  summary: '100 jobs of four types with maps, reduces and chains of jobs',
  source: 'Zaharia et al., EuroSys 2010, table 3',
  options: z.strictObject({
    seed,
    meanGap: seconds.default(14).describe('Mean time between submissions, seconds.'),
    mapTime: times({ select: 15, textSearch: 15, aggregation: 20, join: 20 }, 'Duration of a local map by type of job, seconds.'),
    reduceTime: seconds.default(76).describe('Duration of a reduce, seconds.'),
    slowstart,
    chainMaps: count.default(4).describe('Maps of each small job after a join.'),
    chainReduces: z.int().min(0).max(10_000_000).default(1).describe('Reduces of each small job after a join.'),
    spread,
    startup,
  }),
  create(options) {
    const order = shuffled(bins.flatMap((bin) => Array.from({ length: bin.jobs }, () => bin)), randomStream(options.seed, 'facebook-mixed/order'))
    const submits = arrivals(order.length, options.meanGap, randomStream(options.seed, 'facebook-mixed/gaps'))
    const jobs = order.flatMap(({ type, maps, reduces, number }, i): JobSpec[] => {
      const common = { submit: submits[i]!, user: `job${i}`, ...(options.startup > 0 && { startup: options.startup }) }
      const first: JobSpec = { id: `job${i}`, ...common, label: `bin ${number}`, stages: stagesOf(type, maps, reduces, options) }
      if (type !== 'join') return [first]
      const small = stagesOf(type, options.chainMaps, options.chainReduces, options)
      return [first, ...[1, 2, 3].map((step): JobSpec => (
        { id: `job${i}.${step}`, ...common, after: step === 1 ? first.id : `job${i}.${step - 1}`, label: `bin ${number} chain`, stages: small }))]
    })
    return workloadOf('facebook mixed', jobs)
  },
})

interface StageOptions {
  readonly mapTime: Readonly<Record<Type, number>>
  readonly reduceTime: number
  readonly slowstart: number
  readonly spread: number
}

function stagesOf(type: Type, maps: number, reduces: number, { mapTime, reduceTime, slowstart, spread }: StageOptions): StageSpec[] {
  const map: StageSpec = { name: 'map', tasks: maps, demand: { map: 1 }, duration: around(mapTime[type], spread), data: {} }
  if (reduces === 0) return [map]
  const after = [{ stage: 0, fraction: slowstart }]
  return [map, { name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: around(reduceTime, spread), after }]
}
