import { SchedError, suggest, type Registry } from '@sched/core'
import type { GeneratedWorkload, WorkloadGenerator } from './callable.js'
import { facebookMixed } from './facebook-mixed.js'
import { facebook } from './facebook.js'
import { lublin } from './lublin.js'
import { omegaCluster } from '../omega/cluster-jobs.js'
import { omegaDistributions } from '../omega/distributions.js'
import { omegaExample } from '../omega/example.js'
import { hibench, hibenchTenants } from '../hibench/hibench.js'
import { poissonJobs } from './poisson-jobs.js'
import { schedulerOverhead } from './scheduler-overhead.js'
import { sensitivity } from './sensitivity.js'
import { smallJobs } from './small-jobs.js'
import { stickySlots } from './sticky-slots.js'

/** A generator with options of any shape, for listings. */
export type AnyGenerator = Pick<WorkloadGenerator, 'generator' | 'summary' | 'source' | 'options' | 'definition' | 'from'>

/** All built-in generators, in the order of listings. */
export const generators: readonly AnyGenerator[] = [
  facebook, facebookMixed, smallJobs, stickySlots, sensitivity, schedulerOverhead, lublin, poissonJobs, hibench, hibenchTenants,
  omegaExample, omegaCluster, omegaDistributions,
]

/** Adds all built-in generators. */
export function registerGenerators(registry: Registry): void {
  for (const { definition } of generators) registry.add(definition)
}

/** A generator by name. Throws `UNKNOWN_NAME` with the known names. */
function generatorNamed(name: string): AnyGenerator {
  const found = generators.find((one) => one.generator === name)
  if (found === undefined)
    throw new SchedError('UNKNOWN_NAME', `no generator is called "${name}".`, {}, suggest(name, generators.map((one) => one.generator)))
  return found
}

/** A workload from the name of a generator and unchecked options, for example from a file. Throws `UNKNOWN_NAME` or `BAD_OPTION`. */
export const generate = (name: string, options?: unknown): GeneratedWorkload => generatorNamed(name).from(options)
