import { SchedError, suggest, type ClusterView, type NodeId, type ResourceId } from '@sched/core'
import { hardwareNames } from '../hardware-names.js'
import { performanceIndex, roundedWeights, type NodeProfile } from './performance.js'

/** Samples of processor and memory use of a node under a probe job, in [0, 1]. */
interface ProbeSamples {
  readonly cpu: readonly number[]
  readonly memory: readonly number[]
}

export interface HardwareOptions {
  /** Resources that stand for processors and memory. */
  readonly cores: string | undefined
  readonly memory: string | undefined
  readonly probe: Readonly<Record<string, ProbeSamples>> | undefined
  readonly hardware: number
  readonly idle: number
  readonly round: boolean
}

/** Weights by node from what the cluster has and what a probe has measured. Throws `BAD_OPTION` and `UNKNOWN_NAME`. */
export function measuredWeights(cluster: ClusterView, options: HardwareOptions): readonly number[] {
  const cores = resourceOf(cluster, options.cores, hardwareNames.cores, 'cores')
  const memory = resourceOf(cluster, options.memory, hardwareNames.memory, 'memory')
  if (options.probe !== undefined) checkProbe(cluster, options.probe)
  const profiles = Array.from({ length: cluster.nodes }, (_, node): NodeProfile => {
    const samples = options.probe?.[cluster.name(node as NodeId)]
    const size = { cores: cluster.total(node as NodeId, cores), memory: cluster.total(node as NodeId, memory) }
    return samples === undefined ? size : { ...size, cpuUse: samples.cpu, memoryUse: samples.memory }
  })
  const { performance } = performanceIndex(profiles, options)
  return options.round ? roundedWeights(performance) : performance
}

/** Weights by node as given: by node name, or by the name of its group of nodes; `field` is for messages. Throws `BAD_OPTION` for a node without. */
export function givenWeights(cluster: ClusterView, weights: Readonly<Record<string, number>>, field = 'node-weight.weights'): number[] {
  const used = new Set<string>()
  const found = Array.from({ length: cluster.nodes }, (_, node) => {
    const name = cluster.name(node as NodeId)
    const key = name in weights ? name : name.replace(/-\d+$/, '')
    const weight = weights[key]
    if (weight === undefined)
      throw new SchedError('BAD_OPTION', `node "${name}" has no weight.`, { field }, 'Give a weight for every node, or for every group of nodes by its name.')
    used.add(key)
    return weight
  })
  for (const key of Object.keys(weights)) if (!used.has(key)) throw absent(cluster, key, field)
  return found
}

function checkProbe(cluster: ClusterView, probe: Readonly<Record<string, ProbeSamples>>): void {
  const names = Array.from({ length: cluster.nodes }, (_, node) => cluster.name(node as NodeId))
  for (const name of Object.keys(probe)) if (!names.includes(name)) throw absent(cluster, name, 'node-weight.probe')
  for (const name of names)
    if (probe[name] === undefined) throw new SchedError('BAD_OPTION', `the probe has no samples of node "${name}".`, { field: 'node-weight.probe' }, 'Probe every node of the cluster.')
}

function absent(cluster: ClusterView, name: string, field: string): SchedError {
  const known = Array.from({ length: Math.min(cluster.nodes, 1000) }, (_, node) => cluster.name(node as NodeId))
  return new SchedError('UNKNOWN_NAME', `no node is called "${name}".`, { field }, suggest(name, known))
}

function resourceOf({ resources }: ClusterView, given: string | undefined, usual: readonly string[], what: string): ResourceId {
  const name = given ?? usual.find((each) => resources.includes(each))
  if (name === undefined)
    throw new SchedError('BAD_OPTION', `no resource of the cluster stands for ${what}: it has ${resources.join(', ')}.`, { field: `node-weight.${what}` }, `Name one with \`${what}\`, or give \`weights\`.`)
  const id = resources.indexOf(name)
  if (id < 0) throw new SchedError('UNKNOWN_NAME', `no resource is called "${name}".`, { field: `node-weight.${what}` }, suggest(name, resources))
  return id as ResourceId
}
