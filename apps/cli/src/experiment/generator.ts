import { SchedError, resolve, type Plug, type Registry } from '@sched/core'

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

/** Whether a generator knows the cluster that it is meant for. */
export const hasOwnCell = (generate: unknown): boolean => ['omega-example', 'omega-cluster'].includes(generatorName(generate) ?? '')
