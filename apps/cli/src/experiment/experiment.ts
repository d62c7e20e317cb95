import { buildCluster, readCluster, type ClusterModel, type YamlSource } from '@sched/cluster'
import { resolve as resolvePlug, SchedError, type Machine, type Plug, type Registry } from '@sched/core'
import { bySize, type ClassOf } from '@sched/metrics'
import { resolve } from 'node:path'
import { builtIns } from '../registry.js'
import { namedMetrics, type NamedMetric } from './metrics.js'
import { fromClusterFile } from './cluster-file.js'
import { fieldsUnder } from './fields-under.js'
import { addPlugIns } from './plug-ins.js'
import { namedPolicies, type NamedPolicy } from './policies.js'
import type { ExperimentSpec } from './schema.js'
import { Parts } from './parts.js'
import { withRecordedTimes } from './recorded-times.js'
import { withRigidDefaults } from './rigid.js'
import { placedQueueOf, queueOf, queueOrLabelOf, queuePolicies } from './queues.js'
import { outagesOf, type Outages } from './outages.js'
import { prefillOfSeed, type PrefillOfSeed } from './prefill.js'
import { workloadOfSeed, type WorkloadOfSeed } from './workload.js'

/** A described experiment and where its description came from. */
export interface Description {
  readonly spec: ExperimentSpec
  /** What paths in it are relative to. */
  readonly directory: string
  /** The file, if it came from one. */
  readonly source?: YamlSource | undefined
  /** Keys that the command line has set, whatever the file says. */
  readonly overridden?: readonly string[]
}

/** An experiment that is ready to run: everything is read, checked and resolved. */
export interface Experiment {
  readonly description: Description
  readonly registry: Registry
  readonly cluster: ClusterModel
  readonly workload: WorkloadOfSeed
  readonly prefill: PrefillOfSeed
  readonly outages: Outages
  readonly policies: readonly NamedPolicy[]
  readonly architecture: Plug<'architecture'>
  readonly seeds: readonly number[]
  readonly classOf: ClassOf | undefined
  /** What is measured besides, by metrics of plug-ins. */
  readonly metrics: readonly NamedMetric[]
}

export const DEFAULT_SEEDS = 5

/**
 * Reads and resolves all that an experiment names; what `parts` holds already is not read again. Throws `SchedError` with
 * file, line and column where there is a file.
 */
export async function prepare(description: Description, parts = new Parts()): Promise<Experiment> {
  const { spec: given, directory } = description
  const registry = await registryOf(description)
  const workload = await placed(description, ['workload'], () =>
    parts.of(['workload', directory, given.plugins, given.workload], () => workloadOfSeed(given.workload, directory, registry)),
  )
  const spec = await placed(description, ['workload'], () => withRecordedTimes(withRigidDefaults(given, workload, DEFAULT_SEEDS), workload, registry))
  const { seed = 1, seeds = DEFAULT_SEEDS } = spec
  await placed(description, ['workload'], () => workload.of(seed)) // so that jobs which cannot be had as described are told now
  const cluster = await placed(description, ['cluster'], () =>
    parts.of(['cluster', directory, spec.cluster, workload.resources, spec.cluster === undefined && spec.workload], () => modelOf(spec, workload, directory)),
  )
  return {
    description: { ...description, spec },
    registry,
    workload,
    cluster,
    prefill: await placed(description, ['prefill'], () => prefillOfSeed(spec.prefill, cluster, workload, directory)),
    outages: await placed(description, ['outages'], () => outagesOf(spec.outages, cluster, directory, () => workload.of(seed))),
    policies: await placed(description, [], () => policiesOf(registry, spec, cluster, directory)),
    architecture: await placed(description, ['architecture'], () => resolvePlug(registry, 'architecture', spec.architecture ?? 'monolithic')),
    seeds: await placed(description, [], () => seedsFrom(seed, seeds)),
    classOf: classesOf(spec),
    metrics: await placed(description, ['metrics'], () => namedMetrics(registry, spec.metrics?.more ?? [])),
  }
}

/** Everything that is built in, and the plug-ins that an experiment names. Throws `BAD_INPUT` or `TAKEN_NAME`, with their place. */
export async function registryOf(description: Pick<Description, 'directory' | 'source' | 'overridden'> & { readonly spec: Pick<ExperimentSpec, 'plugins'> }): Promise<Registry> {
  const registry = builtIns()
  for (const [index, plugIn] of (description.spec.plugins ?? []).entries())
    await placed(description, ['plugins', index], () => addPlugIns(registry, plugIn, description.directory))
  return registry
}

/** Beyond the largest whole number of a 64-bit float two seeds would be one. */
function seedsFrom(first: number, count: number): number[] {
  if (first > Number.MAX_SAFE_INTEGER - (count - 1))
    throw new SchedError('BAD_INPUT', `the last of ${count} seeds from ${first} on is larger than ${Number.MAX_SAFE_INTEGER}.`, { field: 'seed' }, 'Begin with a smaller one.')
  return Array.from({ length: count }, (_, i) => first + i)
}

/** An error about a part of the experiment, with the line on which its field stands. */
async function placed<T>(description: Pick<Description, 'source' | 'overridden'>, under: readonly (string | number)[], run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw explained(description, under, error)
  }
}

export function explained<E>({ source, overridden = [] }: Pick<Description, 'source' | 'overridden'>, under: readonly (string | number)[], error: E): E | SchedError {
  if (!(error instanceof SchedError) || error.place.file !== undefined || source === undefined) return error
  const { field = '' } = error.place
  const key = String(under[0] ?? field.split(/[.[]/, 1)[0])
  return overridden.includes(key) ? error : error.at(source.placeOfField(field, under))
}

async function modelOf({ cluster, workload: { trace } }: ExperimentSpec, { cell, machine, resources }: WorkloadOfSeed, directory: string): Promise<ClusterModel> {
  if (cluster === undefined) {
    if (trace !== undefined) refuseTooLarge(machine, resolve(directory, trace))
    if (cell !== undefined) return buildCluster(readCluster(cell))
    throw new SchedError(
      'BAD_INPUT',
      'is missing, and the workload is meant for none.',
      { field: 'cluster' },
      'For example `cluster: { nodes: 50, slots: { map: 4, reduce: 2 } }`.',
    )
  }
  if (typeof cluster === 'string') return fromClusterFile(resolve(directory, cluster), buildCluster, resources)
  const { nodes, ...beside } = cluster
  const described = typeof nodes === 'string' ? await fromClusterFile(resolve(directory, nodes), (description) => description, resources) : { nodes }
  return fieldsUnder('cluster', () => buildCluster(readCluster({ ...described, ...beside })))
}

/** Most of a resource that a node may have. */
const MOST = 2 ** 31 - 1

/** Throws `BAD_INPUT` for a machine, of which a log or its jobs tell, that no cluster can be. */
function refuseTooLarge(machine: Machine | undefined, file: string): void {
  const [resource, amount = 0] = Object.entries(machine?.resources ?? {}).find(([, each]) => each > MOST) ?? []
  if (resource === undefined) return
  throw new SchedError('BAD_INPUT', `its machine would have ${amount} ${resource}, more than ${MOST} (${machine?.origin ?? ''}).`, { file }, 'Correct the log, or describe the cluster.')
}

function policiesOf(registry: Registry, spec: ExperimentSpec, cluster: ClusterModel, directory: string): NamedPolicy[] {
  const { policy, policies } = spec
  const queued = queuePolicies(registry, spec, cluster, directory)
  const single = policy === undefined ? [] : namedPolicies(registry, [policy], directory, () => ['policy'])
  if (policies === undefined && single.length === 0 && queued.length === 0)
    throw new SchedError('BAD_INPUT', 'names no policy.', { field: 'policies' }, 'For example `policies: [fifo, naive-fair, delay]`.')
  const named = policies === undefined ? single : namedPolicies(registry, policies, directory)
  const twin = named.find((each) => queued.some(({ name }) => name === each.name))
  if (twin !== undefined)
    throw new SchedError(
      'TAKEN_NAME',
      `a queue file and a policy are called "${twin.name}".`,
      { field: 'policies' },
      'Write `{ name: ..., policy: ... }` to tell them apart.',
    )
  return [...queued, ...named]
}

function classesOf({ metrics, queues }: ExperimentSpec): ClassOf | undefined {
  const classes = metrics?.classes
  if (classes === undefined) return queues === undefined ? undefined : queueOrLabelOf
  if (classes === 'label') return undefined
  if (classes === 'queue') return queueOf
  if (classes === 'placed') return placedQueueOf
  if (classes === 'user') return ({ user }) => user
  return classes === 'size' ? bySize() : bySize([...classes].sort((a, b) => a - b))
}
