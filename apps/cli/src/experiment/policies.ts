import { resolve, SchedError, suggest, type Plug, type Registry, type Workload } from '@sched/core'
import { YamlSource } from '@sched/cluster'
import type { Finding } from '@sched/queue-files'
import { readModel, withModels } from '../bayes/model-files.js'

/** A policy of an experiment under the name it is reported by. */
export interface NamedPolicy {
  readonly name: string
  readonly plug: Plug<'policy'>
  /** Other policies of some schedulers of the architecture, by name or kind. */
  readonly ofSchedulers?: Readonly<Record<string, Plug<'policy'>>>
  /** Where the experiment configures it, for messages. */
  readonly path: readonly (string | number)[]
  /** What the policy makes of the workload before it is run, for example the queues that its rules give to jobs. */
  readonly workload?: (workload: Workload) => Workload
  /** What became of the settings of the file that it comes from. */
  readonly findings?: readonly Finding[]
}

/**
 * Resolves policies as a file lists them: configurations, or `{ name, policy, schedulers }` to choose the name and other
 * policies for some schedulers. Models that they name are read from `directory`. `at` says where each stands. Throws with their paths.
 */
export function namedPolicies(
  registry: Registry,
  configs: readonly unknown[],
  directory: string,
  at = (index: number): NamedPolicy['path'] => ['policies', index],
): NamedPolicy[] {
  const plugOf = (config: unknown, path: NamedPolicy['path']) => resolve(registry, 'policy', withModels(config, (file) => readModel(file, directory)), written(path))
  const policies = configs.map((entry, index): NamedPolicy => {
    if (!isNamed(entry)) return { name: policyName(entry), plug: plugOf(entry, at(index)), path: at(index) }
    const { name, policy, schedulers = {} } = entry
    const path = [...at(index), 'policy']
    const other = Object.keys(entry).find((each) => !named.includes(each))
    if (other !== undefined)
      throw new SchedError(
        'BAD_OPTION',
        `unknown key "${other}".`,
        { field: `${written(at(index))}.${other}` },
        `${suggest(other, named)} Options stand inside \`policy\`.`,
      )
    const own = Object.entries(schedulers).map(([scheduler, config]) => [scheduler, plugOf(config, [...at(index), 'schedulers', scheduler])])
    return { name, plug: plugOf(policy, path), path, ...(own.length > 0 && { ofSchedulers: Object.fromEntries(own) as NonNullable<NamedPolicy['ofSchedulers']> }) }
  })
  policies.forEach(({ name }, index) => {
    if (policies.findIndex((each) => each.name === name) !== index)
      throw new SchedError('TAKEN_NAME', `two policies are called "${name}".`, { field: written(at(index)) }, 'Write `{ name: ..., policy: ... }` to tell them apart.')
  })
  return policies
}

/** Policies as the command line lists them: `fifo,naive-fair,{delay: {node: 5}}`. */
export function policyList(text: string, option = '--policies'): unknown[] {
  try {
    const { value } = new YamlSource(`[${text}]`)
    if (Array.isArray(value) && value.length > 0) return value
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
  }
  throw new SchedError('BAD_OPTION', `found "${text}".`, { field: option }, 'Write for example `fifo,naive-fair,delay` or `fifo,{delay: {node: 5}}`.')
}

/** A path in an experiment, for messages: `policies[1].schedulers`. */
export const written = ([key, ...rest]: readonly (string | number)[]) => rest.reduce<string>(
  (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${part}`),
  String(key),
)

/** What an entry that chooses a name has. */
const named = ['name', 'policy', 'schedulers']

function isNamed(entry: unknown): entry is { readonly name: string; readonly policy: unknown; readonly schedulers?: Readonly<Record<string, unknown>> } {
  return typeof entry === 'object' && entry !== null && 'policy' in entry && typeof (entry as { name?: unknown }).name === 'string'
}

/** A configuration on one line: `delay(node=5, order=fair(pools=false))`. */
export function policyName(config: unknown): string {
  if (typeof config !== 'object' || config === null) return String(config)
  if (Array.isArray(config)) return `[${config.map(policyName).join(' ')}]`
  const entries = Object.entries(config)
  const [first] = entries
  const isPlug = entries.length === 1 && first !== undefined && typeof first[1] === 'object' && first[1] !== null && !Array.isArray(first[1])
  if (isPlug) return Object.keys(first[1] as object).length === 0 ? first[0] : `${first[0]}(${assignments(first[1] as object)})`
  return entries.length === 1 && first?.[1] === null ? first[0] : `(${assignments(config)})`
}

const assignments = (options: object) => Object.entries(options).map(([key, value]) => `${key}=${policyName(value)}`).join(', ')
