import type { JobSpec, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { workloadOf } from '../workload.js'
import { count, callable, slowstart } from './callable.js'

const shiftedExponential = (shift: number, mean: number, text: string) => z.strictObject({
  shift: z.number().min(0).default(shift).describe('Seconds added to the exponential part.'),
  mean: z.number().min(0).default(mean).describe('Mean of the exponential part, seconds.'),
}).prefault({}).describe(text)

/**
 * Many large jobs submitted together, as a load on the scheduler itself (DS-S54): 100 jobs of 1,000 maps and 1,000 reduces in 20 pools. Job i is in
 * pool i modulo the number of pools. Only durations are random, and the run draws them.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, section 5.4 (scheduling overhead).
 *
 * Choice (the paper's mock nodes only kept slots busy): a map takes 5 s plus an exponential with mean 15 s, a reduce 10 s plus one with mean 30 s.
 */
export const schedulerOverhead = callable({
  name: 'scheduler-overhead',
  summary: '100 jobs of 1,000 maps and 1,000 reduces in 20 pools, all at once',
  source: 'Zaharia et al., EuroSys 2010, section 5.4',
  options: z.strictObject({
    jobs: count.default(100).describe('Number of jobs.'),
    maps: count.default(1000).describe('Maps per job.'),
    reduces: z.int().min(0).max(10_000_000).default(1000).describe('Reduces per job.'),
    pools: count.default(20).describe('Number of queues: pool0, pool1, ...'),
    mapTime: shiftedExponential(5, 15, 'Duration of a map: shift plus an exponential of this mean, seconds.'),
    reduceTime: shiftedExponential(10, 30, 'Duration of a reduce, likewise.'),
    slowstart,
  }),
  create({ jobs, maps, reduces, pools, mapTime, reduceTime, slowstart }) {
    const map: StageSpec = { name: 'map', tasks: maps, demand: { map: 1 }, duration: { kind: 'exponential', ...mapTime }, data: {} }
    const reduce: StageSpec = {
      name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: { kind: 'exponential', ...reduceTime },
      after: [{ stage: 0, fraction: slowstart }],
    }
    const stages = reduces === 0 ? [map] : [map, reduce]
    return workloadOf('scheduler overhead', Array.from({ length: jobs }, (_, i): JobSpec => (
      { id: `job${i}`, submit: 0, user: `job${i}`, queue: `pool${i % pools}`, stages })))
  },
})
