import { randomStream } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { count, callable, seconds, seed } from '../generate/callable.js'
import { demandSchema } from '../native/schema.js'
import { classWorkload, type ClassLoad, type JobClass } from './class-loads.js'
import { quantileOf, type Samples } from './distribution-files.js'

const samples = (value: z.ZodNumber) => z.array(value).min(1)
const byClass = (value: z.ZodNumber) => z.strictObject({ batch: samples(value).describe('Measured values, in any order.'), service: samples(value).describe('Measured values, in any order.') })

/**
 * Jobs drawn from measured values: gaps, tasks per job and run times of each class, independently of each other, by inverting the empirical
 * distribution with linear interpolation.
 *
 * Source: the authors' simulator (Schwarzkopf et al., EuroSys 2013, section 4.1), which reads such values from files (`omegaFiles` of
 * `@sched/workload/node`).
 */
export const omegaDistributions = callable({
  name: 'omega-distributions',
  summary: 'batch and service jobs drawn from measured gaps, sizes and run times',
  source: 'lightweight simulator of Schwarzkopf et al., EuroSys 2013',
  options: z.strictObject({
    seed,
    horizon: seconds.default(86_400).describe('Seconds in which jobs are submitted. Default: one day.'),
    interarrival: byClass(z.number().min(0)).describe('Seconds between submissions, by class.'),
    csizes: byClass(count).describe('Tasks per job, by class.'),
    runtimes: byClass(z.number().positive()).describe('Run times in seconds, by class.'),
    demand: demandSchema.default({ cpu: 1000, mem: 2048 }).describe('Amounts per task; the files have none.'),
  }).refine(({ interarrival }) => Object.values(interarrival).every((gaps) => gaps.some((gap) => gap > 0)), 'a gap above 0 in each class'),
  create({ seed, horizon, demand, ...given }) {
    const load = (kind: JobClass): ClassLoad => {
      const draw = (what: 'interarrival' | 'csizes' | 'runtimes') => drawQuantile(given[what], kind, randomStream(seed, `omega/${kind}/${what}`))
      const tasks = draw('csizes')
      return { gap: draw('interarrival'), tasks: () => Math.round(tasks()), duration: draw('runtimes'), demand }
    }
    return classWorkload('omega distributions', horizon, () => ({ batch: load('batch'), service: load('service') }))
  },
})

function drawQuantile(samples: Samples, kind: JobClass, next: () => number): () => number {
  const ascending = [...samples[kind]].sort((a, b) => a - b)
  return () => quantileOf(ascending, next())
}
