import { hashUnit, randomStream, streamKey, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { demandSchema, distributionSchema } from '../native/schema.js'
import { workloadFrom } from '../workload.js'
import { count, callable, positive, seed, startup } from './callable.js'
import { exponential, toMillis } from './sampling.js'

const duration = z.union([positive, distributionSchema])
const range = z.strictObject({ min: count.describe('Smallest number of tasks.'), max: count.describe('Largest number of tasks.') }).refine(({ min, max }) => min <= max, 'min to be at most max')

/**
 * Jobs of one stage that arrive as a Poisson process, for general use. Sizes are uniform in the given range; the user and the queue of each job are
 * drawn uniformly and independently.
 */
export const poissonJobs = callable({
  name: 'poisson-jobs',
  summary: 'jobs of one stage with exponential gaps, for general use',
  options: z.strictObject({
    seed,
    jobs: count.default(100).describe('Number of jobs.'),
    rate: positive.default(0.1).describe('Mean number of submissions per second.'),
    tasks: z.union([count, range]).default(10).describe('Tasks per job: a number, or the smallest and the largest number of a uniform range.'),
    duration: duration.default({ kind: 'exponential', mean: 20 }).describe('Duration of a task, seconds, or a distribution that the run draws from.'),
    demand: demandSchema.default({ map: 1 }),
    data: z.boolean().default(true).describe('Whether every task reads a block of its own, which makes some nodes nearer than others.'),
    users: count.default(1).describe('Number of users: user0, user1, ...'),
    queues: z.array(z.string().min(1)).min(1).optional().describe('Queues, drawn for each job. Without them every user has a queue of their own.'),
    startup,
  }),
  create(options) {
    return workloadFrom('poisson jobs', options.jobs, () => {
      const gap = randomStream(options.seed, 'poisson-jobs/gaps')
      const key = streamKey(options.seed, 'poisson-jobs/jobs')
      const { tasks, users, queues, startup, demand, duration } = options
      const draw = (job: number, what: number, choices: number) => Math.floor(hashUnit(key, job, what) * choices)
      let now = 0
      return (i): JobSpec => {
        now += exponential(gap(), 1 / options.rate)
        const size = typeof tasks === 'number' ? tasks : tasks.min + draw(i, 0, tasks.max - tasks.min + 1)
        return {
          id: `job${i}`,
          submit: toMillis(now),
          user: `user${draw(i, 1, users)}`,
          ...(queues !== undefined && { queue: queues[draw(i, 2, queues.length)]! }),
          ...(startup > 0 && { startup }),
          stages: [{ name: 'tasks', tasks: size, demand, duration, ...(options.data && { data: {} }) }],
        }
      }
    })
  },
})
