import { resolve } from 'node:path'
import { withModels } from '../bayes/model-files.js'
import type { Description } from './experiment.js'
import type { ExperimentOptions } from './given-options.js'
import { filesOf } from './queues.js'
import type { ExperimentSpec } from './schema.js'

/** An experiment with the paths of all files that it names changed; `from` is the directory that they are relative to. */
export function withPaths(spec: ExperimentSpec, from: string, moved: Move): ExperimentSpec {
  const plugins = spec.plugins?.map((plugin) => (/^(\.|\/)/.test(plugin) ? moved(plugin).replace(/^(?!\.)/, './') : plugin))
  return {
    ...spec,
    ...(plugins !== undefined && { plugins }),
    ...(spec.cluster !== undefined && { cluster: typeof spec.cluster === 'string' ? moved(spec.cluster) : spec.cluster }),
    ...(spec.policies !== undefined && { policies: withModels(spec.policies, moved) as typeof spec.policies }),
    ...(spec.policy !== undefined && { policy: withModels(spec.policy, moved) as typeof spec.policy }),
    workload: movedWorkload(spec.workload, moved),
    ...(spec.prefill !== undefined && { prefill: movedPrefill(spec.prefill, moved) }),
    ...(spec.outages !== undefined && { outages: movedOutages(spec.outages, moved) }),
    ...(spec.queues !== undefined && { queues: movedQueues(spec.queues, from, moved) }),
    ...(spec.yarnSite !== undefined && { yarnSite: moved(spec.yarnSite) }),
    ...(spec.matrix !== undefined && { matrix: movedMatrix(spec.matrix, from, moved) }),
  }
}

/** All files of an experiment as whole paths: its own, those it names, and the mapping of columns that the command line names. */
export function filesRead({ spec, directory, source }: Description, { mapping }: Pick<ExperimentOptions, 'mapping'>, cwd: string): string[] {
  const files = [source?.file, mapping].flatMap((path) => (path === undefined ? [] : [resolve(cwd, path)]))
  withPaths(spec, directory, (path) => {
    files.push(resolve(directory, path))
    return path
  })
  return files
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
