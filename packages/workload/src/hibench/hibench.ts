import { randomStream, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { count, callable, positive, seed } from '../generate/callable.js'
import { arrivals, shuffled } from '../generate/sampling.js'
import { workloadOf } from '../workload.js'
import { jobCodes, jobTypes } from './job-types.js'
import { jobOptions, mapReduceJob } from './map-reduce-job.js'

const code = z.enum(jobCodes)
const source = 'Cao and Wang, intermediate-data communication of map-intensive jobs, 2018, table 1'

/** One job of each type, one after the other, with its published volumes. */
export const hibench = callable({
  name: 'hibench',
  summary: 'HiBench programs with maps, a shuffle and reduces: Sort, WordCount, TeraSort, Bayes, K-means',
  source,
  options: z.strictObject({
    types: z.array(code).min(1).default([...jobCodes]).describe('Types in order of submission: st Sort, wc WordCount, ts TeraSort, bc Bayesian classification, kc K-means.'),
    input: positive.optional().describe('Input of every job in GB. Default: that of table 1, by type.'),
    scale: positive.default(1).describe('Factor on all volumes of data.'),
    gap: z.number().min(0).default(0).describe('Seconds between submissions.'),
    ...jobOptions,
  }),
  create: (options) =>
    workloadOf('hibench', options.types.map((type, i): JobSpec => {
      const input = (options.input ?? jobTypes[type].input) * options.scale
      return mapReduceJob(type, input, options, { id: `${type}-${i}`, submit: i * options.gap, user: `user${i}` })
    })),
})

/** Jobs of all types with data sets of different sizes, each of its own user, in random order. */
export const hibenchTenants = callable({
  name: 'hibench-tenants',
  summary: 'several users with HiBench programs: 5 types x 10 data sets at random times',
  source: `${source} and section 4; sizes of the data sets and gaps are ours`,
  options: z.strictObject({
    seed,
    types: z.array(code).min(1).default([...jobCodes]).describe('Types: st Sort, wc WordCount, ts TeraSort, bc Bayesian classification, kc K-means.'),
    dataSets: count.default(10).describe('Data sets of each type: the k-th of n has k / n of the input of table 1.'),
    scale: positive.default(1).describe('Factor on all volumes of data.'),
    meanGap: positive.default(60).describe('Mean time between submissions, seconds; gaps are exponential.'),
    ...jobOptions,
  }),
  create(options) {
    const all = options.types.flatMap((type) => Array.from({ length: options.dataSets }, (_, i) => ({ type, set: i + 1 })))
    const order = shuffled(all, randomStream(options.seed, 'hibench-tenants/order'))
    const submits = arrivals(order.length, options.meanGap, randomStream(options.seed, 'hibench-tenants/gaps'))
    return workloadOf('hibench tenants', order.map(({ type, set }, i): JobSpec => {
      const input = (jobTypes[type].input * options.scale * set) / options.dataSets
      return mapReduceJob(type, input, options, { id: `${type}-${set}`, submit: submits[i]!, user: `user${i}` })
    }))
  },
})
