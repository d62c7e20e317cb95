import { SchedError, suggest, type Workload } from '@sched/core'
import { generators, scaleLoad, take, timeWindow, type Trace } from '@sched/workload'
import { openTrace } from '@sched/workload/node'
import { resolve } from 'node:path'
import type { WorkloadSpec } from './schema.js'

/** The jobs of an experiment, which may depend on the seed of a run. */
export interface WorkloadOfSeed {
  /** The trace that was opened, if it is one. */
  readonly trace?: Trace
  of(seed: number): Workload
}

/** Opens the trace, or chooses the generator, of an experiment. Throws with fields that start with `workload`. */
export function workloadOfSeed(spec: WorkloadSpec, directory: string): WorkloadOfSeed {
  if ((spec.trace === undefined) === (spec.generate === undefined))
    throw new SchedError('BAD_INPUT', 'needs either `trace` or `generate`.', { field: 'workload' }, 'For example `trace: jobs.tsv` or `generate: facebook`.')
  if (spec.trace === undefined) return generated(spec)
  const trace = openTrace(resolve(directory, spec.trace), { format: spec.format, options: spec.options, onBadLine: spec.onBadLine })
  const workload = changed(trace, spec)
  return { trace, of: () => workload }
}

/** A generator with a seed of its own keeps it; otherwise every seed of the run draws its jobs anew. */
function generated(spec: WorkloadSpec): WorkloadOfSeed {
  for (const key of ['format', 'options', 'onBadLine'] as const)
    if (spec[key] !== undefined) throw new SchedError('BAD_INPUT', 'is for traces.', { field: `workload.${key}` }, 'Give a generator its options beneath its name.')
  const [name, options] = named(spec.generate)
  const generator = generators.find((each) => each.generator === name)
  if (generator === undefined)
    throw new SchedError('UNKNOWN_NAME', `no generator is called "${name}".`, { field: 'workload.generate' }, suggest(name, generators.map((each) => each.generator)))
  const draws = 'seed' in generator.options.shape && options['seed'] === undefined
  return { of: (seed) => changed(placed(() => generator.from(draws ? { ...options, seed } : options)), spec) }
}

function named(config: WorkloadSpec['generate']): [string, Readonly<Record<string, unknown>>] {
  if (typeof config === 'string') return [config, {}]
  const [first, ...others] = Object.entries(config ?? {})
  const options = first?.[1] ?? {}
  if (first === undefined || others.length > 0 || typeof options !== 'object')
    throw new SchedError('BAD_INPUT', 'expected the name of one generator.', { field: 'workload.generate' }, 'Write `generate: facebook` or `generate: { facebook: { kind: cpu } }`.')
  return [first[0], options as Readonly<Record<string, unknown>>]
}

/** Errors about a generator's options say where they are in the experiment. */
function placed(make: () => Workload): Workload {
  try {
    return make()
  } catch (error) {
    throw error instanceof SchedError ? error.at({ field: `workload.generate.${error.place.field ?? ''}` }) : error
  }
}

function changed(workload: Workload, { window, take: first, load }: WorkloadSpec): Workload {
  const inside = window === undefined ? workload : timeWindow(workload, window.from, window.to)
  const some = first === undefined ? inside : take(inside, first)
  return load === undefined ? some : scaleLoad(some, load)
}
