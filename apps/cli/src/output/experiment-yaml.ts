import { relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { withModels } from '../bayes/model-files.js'
import { filesOf } from '../experiment/queues.js'
import { DEFAULT_SEEDS, type Description } from '../experiment/experiment.js'
import { experimentSchema, type ExperimentSpec } from '../experiment/schema.js'
import { version } from '../version.js'

/** The experiment as it ran, paths relative to the directory it is written to: the same command on it gives the same numbers. */
export function experimentYaml({ spec, directory: from }: Description, directory: string): string {
  const moved = (path: string) => relative(directory, resolve(from, path))
  const plugins = spec.plugins?.map((plugin) => (/^(\.|\/)/.test(plugin) ? moved(plugin).replace(/^(?!\.)/, './') : plugin))
  const asRun = {
    ...spec,
    ...(plugins !== undefined && { plugins }),
    seed: spec.seed ?? 1,
    ...(spec.seeds === undefined && spec.matrix !== undefined ? {} : { seeds: spec.seeds ?? DEFAULT_SEEDS }), // points of a matrix may differ in it
    ...(spec.cluster !== undefined && { cluster: typeof spec.cluster === 'string' ? moved(spec.cluster) : spec.cluster }),
    ...(spec.policies !== undefined && { policies: withModels(spec.policies, moved) }),
    ...(spec.policy !== undefined && { policy: withModels(spec.policy, moved) }),
    workload: movedWorkload(spec.workload, moved),
    ...(spec.prefill !== undefined && { prefill: movedPrefill(spec.prefill, moved) }),
    ...(spec.outages !== undefined && { outages: movedOutages(spec.outages, moved) }),
    ...(spec.queues !== undefined && { queues: movedQueues(spec.queues, from, moved) }),
    ...(spec.yarnSite !== undefined && { yarnSite: moved(spec.yarnSite) }),
    ...(spec.matrix !== undefined && { matrix: movedMatrix(spec.matrix, from, moved) }),
  }
  const inOrder = Object.keys(experimentSchema.shape).flatMap((key) => (Object.hasOwn(asRun, key) ? [[key, asRun[key as keyof typeof asRun]] as const] : [])) // as its own copy has them
  return `# As run by sched ${version}; paths are relative to this file.\n${stringify(Object.fromEntries(inOrder))}`
}

type Move = (path: string) => string
type Queues = NonNullable<ExperimentSpec['queues']>

function movedQueues(queues: Queues, from: string, moved: Move): Queues {
  const file = (joined: string) => filesOf(joined, from).map(moved).join('+')
  return typeof queues === 'string' ? file(queues) : queues.map(file)
}

function movedOutages(outages: NonNullable<ExperimentSpec['outages']>, moved: Move): ExperimentSpec['outages'] {
  const one = (each: Exclude<typeof outages, readonly unknown[]>) => {
    if (typeof each === 'string') return moved(each)
    return 'file' in each ? { ...each, file: moved(each.file) } : each
  }
  return Array.isArray(outages) ? outages.map(one) : one(outages)
}

/** Values of paths that are files. */
function movedMatrix(matrix: NonNullable<ExperimentSpec['matrix']>, from: string, moved: Move): NonNullable<ExperimentSpec['matrix']> {
  const at = (path: string, value: unknown) => {
    if (path === 'queues') return movedQueues(value as Queues, from, moved)
    return typeof value === 'string' && ['cluster', 'outages', 'outages.file', 'yarnSite', 'workload.trace'].includes(path) ? moved(value) : value
  }
  const settings = (given: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(given).map(([path, value]) => [path, at(path, value)]))
  return Object.fromEntries(
    Object.entries(matrix).map(([name, given]) => [
      name,
      Array.isArray(given) ? given.map((value: unknown) => at(name, value)) : Object.fromEntries(Object.entries(given).map(([label, each]) => [label, settings(each)])),
    ]),
  )
}

function movedWorkload(workload: ExperimentSpec['workload'], moved: Move): ExperimentSpec['workload'] {
  const { trace, distributions, google } = workload
  return {
    ...workload,
    ...(trace !== undefined && { trace: moved(trace) }),
    ...(distributions !== undefined && {
      distributions: { ...distributions, interarrival: moved(distributions.interarrival), csizes: moved(distributions.csizes), runtimes: moved(distributions.runtimes) },
    }),
    ...(google !== undefined && {
      google: {
        ...google,
        taskEvents: google.taskEvents.map(moved),
        ...(google.jobEvents !== undefined && { jobEvents: google.jobEvents.map(moved) }),
        ...(google.machines !== undefined && { machines: moved(google.machines) }),
      },
    }),
  }
}

function movedPrefill(prefill: NonNullable<ExperimentSpec['prefill']>, moved: Move): ExperimentSpec['prefill'] {
  const path = (from: string) => (from === 'workload' ? from : moved(from))
  if (typeof prefill === 'string') return path(prefill)
  return { ...prefill, ...(prefill.from !== undefined && { from: path(prefill.from) }) }
}
