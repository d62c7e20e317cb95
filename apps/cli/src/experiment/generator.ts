import { readCluster, type ClusterDescription } from '@sched/cluster'
import { SchedError, resolve, type Plug, type Registry } from '@sched/core'
import { generatedBy } from '@sched/workload'

/** A generator, and the options that it is given. */
export interface ChosenGenerator {
  readonly name: string
  readonly plug: Plug<'generator'>
  readonly options: Readonly<Record<string, unknown>>
}

/** What the command line or a file chooses: a name, alone or with options. Throws `BAD_INPUT`, `BAD_OPTION` or `UNKNOWN_NAME`; options start with the name. */
export function chosenGenerator(generate: unknown, registry: Registry): ChosenGenerator {
  const [name, options] = typeof generate === 'string' ? [generate, {}] : nameAndOptions(generate)
  return { name, options, plug: resolve(registry, 'generator', { [name]: options }, '') }
}

function nameAndOptions(generate: unknown): [string, ChosenGenerator['options']] {
  const [first, ...others] = Object.entries((generate ?? {}) as Readonly<Record<string, unknown>>)
  const options = first?.[1] ?? {}
  if (first === undefined || others.length > 0 || typeof options !== 'object')
    throw new SchedError('BAD_INPUT', 'expected the name of one generator.', {}, 'Write `generate: facebook` or `generate: { facebook: { kind: cpu } }`.')
  return [first[0], options as ChosenGenerator['options']]
}

/** The name alone, as the command line or a file writes it; whether there is such a generator is not asked. */
export const generatorName = (generate: unknown): string | undefined => (typeof generate === 'string' ? generate : Object.keys(generate ?? {})[0])

/** Whether a generator says what its jobs are made for. One that cannot be made does not; why not is told elsewhere. */
export function hasOwnCluster(generate: unknown, registry: Registry): boolean {
  try {
    const { machine, cluster } = generatedBy(chosenGenerator(generate, registry).plug, 1)
    return machine !== undefined || cluster !== undefined
  } catch (error) {
    if (error instanceof SchedError) return false
    throw error
  }
}

/** The cluster that a generator says its jobs are made for, which may be one of a plug-in. Throws `BAD_INPUT`. */
export function checkedCluster(generator: string, cluster: object): ClusterDescription {
  try {
    return readCluster(cluster)
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    const { fact, place: { field = 'cluster' } } = error
    throw new SchedError('BAD_INPUT', `the cluster of the generator "${generator}" is wrong: ${field}: ${fact}`, { field: 'workload.generate' }, 'That is for its author to mend.')
  }
}
