import { randomStream, type JobSpec, type StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { workloadOf } from '../workload.js'
import { callable, seconds, seed, spread, startup } from './callable.js'
import { around, arrivals, shuffled } from './sampling.js'

/** Jobs and maps per job in bins 1 to 9 of DS-T2, column "benchmark": 100 jobs, 26,410 maps. */
const bins = [
  { jobs: 38, maps: 1 }, { jobs: 16, maps: 2 }, { jobs: 14, maps: 10 },
  { jobs: 8, maps: 50 }, { jobs: 6, maps: 100 }, { jobs: 6, maps: 200 },
  { jobs: 4, maps: 400 }, { jobs: 4, maps: 800 }, { jobs: 4, maps: 4800 },
].map((bin, i) => ({ ...bin, number: i + 1 }))

/**
 * The Facebook-like schedule of 100 map-only jobs (DS-T2). The seed draws the order of the jobs and their gaps; the counts per bin are fixed. Every
 * job has its own user and reads its own blocks.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, table 2 and section 5 (macrobenchmarks).
 *
 * Choices: the gaps are scaled so that the last job comes after 100 mean gaps (1,400 s); local maps take 15 s, which fits the published figures best;
 * CPU-heavy jobs are slower by a factor that is linear in their bin, and locality does not matter to them.
 */
export const facebook = callable({
  name: 'facebook',
  summary: '100 map-only jobs with the sizes of Facebook jobs in October 2009',
  source: 'Zaharia et al., EuroSys 2010, table 2',
  options: z.strictObject({
    seed,
    kind: z.enum(['io', 'cpu']).default('io')
      .describe('io: text search, bound by disks; cpu: the same with a user function that makes jobs slower, large ones most.'),
    meanGap: seconds.default(14).describe('Mean time between submissions, seconds.'),
    localMapTime: seconds.default(15).describe('Duration of a disk-bound map with its data on the node, seconds.'),
    cpuFactors: z.tuple([seconds, seconds]).default([2, 7])
      .describe('Factors by which CPU-heavy jobs are slower than disk-bound ones in bin 1 and in bin 9; linear in between.'),
    spread,
    startup,
  }),
  create(options) {
    const order = shuffled(bins.flatMap((bin) => Array.from({ length: bin.jobs }, () => bin)), randomStream(options.seed, 'facebook/order'))
    const submits = arrivals(order.length, options.meanGap, randomStream(options.seed, 'facebook/gaps'))
    const stages = bins.map(({ number, maps }) => [mapStage(maps, number, options)])
    return workloadOf(`facebook ${options.kind}`, order.map(({ number }, i): JobSpec => ({
      id: `job${i}`,
      submit: submits[i]!,
      user: `job${i}`,
      ...(options.startup > 0 && { startup: options.startup }),
      label: `bin ${number}`,
      stages: stages[number - 1]!,
    })))
  },
})

interface MapOptions {
  readonly kind: 'io' | 'cpu'
  readonly localMapTime: number
  readonly cpuFactors: readonly [number, number]
  readonly spread: number
}

function mapStage(maps: number, bin: number, { kind, localMapTime, cpuFactors: [least, most], spread }: MapOptions): StageSpec {
  const factor = kind === 'io' ? 1 : least + ((most - least) * (bin - 1)) / (bins.length - 1)
  return {
    name: 'map',
    tasks: maps,
    demand: { map: 1 },
    duration: around(localMapTime * factor, spread),
    data: {},
    ...(kind === 'cpu' && { localityFactors: [1, 1, 1] }),
  }
}
