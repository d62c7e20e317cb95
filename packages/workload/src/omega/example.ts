import { randomStream, type Demand } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { demandSchema } from '../native/schema.js'
import { callable, positive, seconds, seed } from '../generate/callable.js'
import { exponential } from '../generate/sampling.js'
import { classWorkload, type ClassLoad, type JobClass } from './class-loads.js'

/** The cell of the authors' example: 10,000 machines with 4 CPU and 16 GB, in millicores and MiB. */
export const omegaExampleCell = { name: 'omega example', nodes: [{ name: 'machine', count: 10_000, resources: { cpu: 4000, mem: 16_384 } }] }

const classOptions = (gap: number, tasks: number, duration: number) =>
  z.strictObject({
    gap: seconds.default(gap).describe('Mean time between submissions, seconds.'),
    tasks: positive.default(tasks).describe('Mean number of tasks per job.'),
    duration: seconds.default(duration).describe('Mean run time of the tasks of a job, seconds.'),
  })

/**
 * The open example of the authors' lightweight simulator: every quantity is exponential, and all tasks of a job run equally long. Numbers of tasks
 * are rounded up, which adds half a task to the mean.
 *
 * Source: the made-up workload in the simulator published with Schwarzkopf et al., EuroSys 2013.
 */
export const omegaExample = callable({
  name: 'omega-example',
  summary: 'batch and service jobs of the Omega authors\' example: all exponential',
  source: 'lightweight simulator of Schwarzkopf et al., EuroSys 2013',
  options: z.strictObject({
    seed,
    horizon: seconds.default(86_400).describe('Seconds in which jobs are submitted. Default: one day.'),
    batch: classOptions(10, 100, 100).prefault({}).describe('How batch jobs are drawn.'),
    service: classOptions(20, 10, 500).prefault({}).describe('How service jobs are drawn.'),
    demand: demandSchema.default({ cpu: 1000, mem: 2048 }).describe('Amounts per task: 1 CPU and 2 GB in millicores and MiB.'),
  }),
  create(options) {
    const load = (kind: JobClass) => exponentialLoad(options.seed, kind, options[kind], options.demand)
    const workload = classWorkload('omega example', options.horizon, () => ({ batch: load('batch'), service: load('service') }))
    return { ...workload, cluster: omegaExampleCell }
  },
})

interface Means {
  readonly gap: number
  readonly tasks: number
  readonly duration: number
}

function exponentialLoad(seed: number, kind: JobClass, means: Means, demand: Demand): ClassLoad {
  const draw = (what: keyof Means) => {
    const next = randomStream(seed, `omega/${kind}/${what}`)
    return () => exponential(next(), means[what])
  }
  const tasks = draw('tasks')
  return { gap: draw('gap'), tasks: () => Math.max(1, Math.ceil(tasks())), duration: draw('duration'), demand }
}
