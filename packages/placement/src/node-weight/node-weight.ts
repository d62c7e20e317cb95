import { definePlacement, SchedError, suggest, type ClusterView, type Env, type LaneId, type Placement, type Plug, type ResourceId } from '@sched/core'
import { z } from 'zod'
import { ByNode } from '../scored/by-node.js'
import { comparators } from './comparators.js'
import { givenWeights, measuredWeights } from './weights.js'

const samples = z.array(z.number().min(0).max(1)).min(1)

const nodeWeightOptions = z.strictObject({
  comparator: z
    .enum(['weighted', 'absolute', 'ratio', 'proportional'])
    .default('weighted')
    .describe("weighted: available/total x weight (the paper); absolute: available (Hadoop 2.5); ratio: weights 1; proportional: least assigned/weight (ours)"),
  resource: z.string().optional().describe('what is compared; default: memory, or the first resource where there is none of that name'),
  weights: z.record(z.string(), z.number().positive()).optional().describe('weight by node, or by group of nodes; default: the performance index of the hardware and the probe'),
  cores: z.string().optional().describe('resource that counts as processors; default: cpu, cores, vcores, ...'),
  memory: z.string().optional().describe('resource that counts as memory; default: memory, mem, ...'),
  probe: z
    .record(z.string(), z.strictObject({ cpu: samples.describe('use of the processors, 0 to 1'), memory: samples.describe('use of the memory, 0 to 1') }))
    .optional()
    .describe('by node: samples taken while one probe job ran on it alone, 10 in the paper; default: nodes are taken as idle'),
  hardware: z.number().nonnegative().default(0.6).describe('part of the hardware in the index'),
  idle: z.number().nonnegative().default(0.4).describe('part of what the probe left idle'),
  round: z.boolean().default(true).describe('weights as small whole numbers, as the paper has 3 : 3 : 1'),
})
/** Options of `nodeWeight`; all may be left out. */
export type NodeWeightOptions = z.input<typeof nodeWeightOptions>

/**
 * Nodes in the order of a comparator that counts their performance: the first with room gets the next container, and the
 * order is made anew after each. Without heartbeats, or with continuous scheduling, this is the whole cluster; at a
 * heartbeat there is one node and nothing to choose.
 *
 * Source: Feng and He, "Improvement of scheduling algorithm on Hadoop based on node performance", 2017.
 */
export const nodeWeightPlacement = definePlacement({
  name: 'node-weight',
  summary: 'nodes by available memory, as a part of their own and by their performance',
  source: 'Feng and He, Computer Applications and Software 2017(5)',
  options: nodeWeightOptions,
  create: (options, env) => nodeWeighted(options, env),
})

/** Nodes by available memory, times the weight of their performance. */
export const nodeWeight = (options: NodeWeightOptions = {}): Plug<'placement'> => nodeWeightPlacement.plug({}, options)

function nodeWeighted(options: z.output<typeof nodeWeightOptions>, { cluster }: Env): Placement {
  const score = comparators[options.comparator]
  const usesWeights = options.comparator === 'weighted' || options.comparator === 'proportional'
  const weights = !usesWeights ? undefined : options.weights === undefined ? measuredWeights(cluster, { cores: undefined, memory: undefined, probe: undefined, ...options }) : givenWeights(cluster, options.weights)
  const resources = cluster.lanes.map((_, lane) => comparedResource(options.resource, lane as LaneId, cluster))
  return new ByNode((node, lane, view) => {
    const resource = resources[lane] as ResourceId
    const total = view.total(node, resource)
    const available = view.free(node, resource)
    if (total === 0) return -Infinity
    return score({ available, total, assigned: total - available, weight: weights?.[node] ?? 1 })
  })
}

function comparedResource(name: string | undefined, lane: LaneId, cluster: ClusterView): ResourceId {
  const own = cluster.lanes[lane]?.resources ?? []
  if (name !== undefined && !cluster.resources.includes(name))
    throw new SchedError('UNKNOWN_NAME', `no resource is called "${name}".`, { field: 'node-weight.resource' }, suggest(name, cluster.resources))
  const wanted = name === undefined ? ['memory', 'mem', 'memory-mb'] : [name]
  return own.find((resource) => wanted.includes(cluster.resources[resource] as string)) ?? (own[0] as ResourceId)
}
