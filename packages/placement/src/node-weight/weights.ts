import { kindOfHardware, ownValue, SchedError, suggest, type ClusterView, type NodeId, type ResourceId } from '@sched/core'
import { performanceIndex, roundedWeights, type NodeProfile } from './performance.js'

/** Samples of processor and memory use of a node under a probe job, in [0, 1]. */
interface ProbeSamples {
  readonly cpu: readonly number[]
  readonly memory: readonly number[]
}

export interface HardwareOptions {
  /** Kinds of hardware, or resources, that stand for processors and memory. */
  readonly cores: string | undefined
  readonly memory: string | undefined
  readonly probe: Readonly<Record<string, ProbeSamples>> | undefined
  readonly hardware: number
  readonly idle: number
  readonly round: boolean
}

/**
 * Weights by node from what the nodes have (their hardware where the cluster describes it, else their resources) and what a
 * probe has measured. Throws `BAD_OPTION` and `UNKNOWN_NAME`.
 */
export function measuredWeights(cluster: ClusterView, options: HardwareOptions): number[] {
  const { probe } = options
  const samples = probe === undefined
    ? undefined
    : byNode(
      cluster,
      probe,
      'node-weight.probe',
      (name) => `the probe has no samples of node "${name}".`,
      'Probe every node of the cluster, or one of every group of nodes.',
    )
  return weightsBy(cluster, options, (node) => samples?.[node])
}

/** The same from what is in use now. */
export const liveWeights = (cluster: ClusterView, options: HardwareOptions): number[] =>
  weightsBy(cluster, options, (node, cores, memory) => ({ cpu: [cores.used(node)], memory: [memory.used(node)] }))

/** Weights by node as given: by node name, or by the name of its group of nodes. Throws `BAD_OPTION` for a node without. */
export const givenWeights = (cluster: ClusterView, weights: Readonly<Record<string, number>>): number[] =>
  byNode(cluster, weights, 'node-weight.weights', (name) => `node "${name}" has no weight.`, 'Give a weight for every node, or for every group of nodes by its name.')

/** What nodes have of a kind and which part of it is in use, at most 1. */
interface Measured {
  amount(node: NodeId): number
  used(node: NodeId): number
}

function weightsBy(cluster: ClusterView, options: HardwareOptions, samplesOf: (node: NodeId, cores: Measured, memory: Measured) => ProbeSamples | undefined): number[] {
  const cores = measuredOf(cluster, options.cores, 'cores')
  const memory = measuredOf(cluster, options.memory, 'memory')
  const profiles = Array.from({ length: cluster.nodes }, (_, node): NodeProfile => {
    const samples = samplesOf(node as NodeId, cores, memory)
    const size = { cores: cores.amount(node as NodeId), memory: memory.amount(node as NodeId) }
    return samples === undefined ? size : { ...size, cpuUse: samples.cpu, memoryUse: samples.memory }
  })
  const { performance } = performanceIndex(profiles, options)
  return options.round ? roundedWeights(performance) : [...performance]
}

/** What is given for each node, by its name or that of its group. Throws for a node without, and for a name that no node has. */
function byNode<Value>(cluster: ClusterView, values: Readonly<Record<string, Value>>, field: string, missing: (name: string) => string, wayOut: string): Value[] {
  const used = new Set<string>()
  const found = Array.from({ length: cluster.nodes }, (_, node) => {
    const name = cluster.name(node as NodeId)
    const key = Object.hasOwn(values, name) ? name : name.replace(/-\d+$/, '')
    const value = ownValue(values, key)
    if (value === undefined) throw new SchedError('BAD_OPTION', missing(name), { field }, wayOut)
    used.add(key)
    return value
  })
  for (const key of Object.keys(values)) if (!used.has(key)) throw absent(cluster, key, field)
  return found
}

function absent(cluster: ClusterView, name: string, field: string): SchedError {
  const known = Array.from({ length: Math.min(cluster.nodes, 1000) }, (_, node) => cluster.name(node as NodeId))
  return new SchedError('UNKNOWN_NAME', `no node is called "${name}".`, { field }, suggest(name, known))
}

/** The kind of hardware, else the resource, of a name or of a usual one. */
function measuredOf(cluster: ClusterView, given: string | undefined, what: 'cores' | 'memory'): Measured {
  const { hardware, resources } = cluster
  const find = (names: readonly string[]) => (given === undefined ? kindOfHardware(what, names) : names.indexOf(given))
  const kind = find(hardware.kinds)
  if (kind >= 0) return { amount: (node) => hardware.amount(node, kind), used: (node) => Math.min(1, hardware.use(node, kind) / hardware.amount(node, kind)) }
  const resource = find(resources) as ResourceId
  if (resource >= 0) return { amount: (node) => cluster.total(node, resource), used: (node) => 1 - cluster.free(node, resource) / cluster.total(node, resource) }
  const field = `node-weight.${what}`
  if (given !== undefined) throw new SchedError('UNKNOWN_NAME', `no resource is called "${given}".`, { field }, suggest(given, resources))
  throw new SchedError('BAD_OPTION', `no resource of the cluster stands for ${what}: it has ${resources.join(', ')}.`, { field }, `Name one with \`${what}\`, or give \`weights\`.`)
}
