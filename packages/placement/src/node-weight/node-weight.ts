import {
  definePlacement, None, SchedError, suggest, to40Bits, type ClusterView, type Env, type JobId, type LaneId, type NodeId, type Placement,
  type Plug, type ResourceId, type Round, type Seconds,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByNode } from '../scored/by-node.js'
import { comparators } from './comparators.js'
import { givenWeights, liveWeights, measuredWeights, type HardwareOptions } from './weights.js'

const samples = z.array(z.number().min(0).max(1)).min(1)

const nodeWeightOptions = z.strictObject({
  comparator: z
    .enum(['weighted', 'absolute', 'ratio', 'proportional'])
    .default('weighted')
    .describe("weighted: available/total x weight (the paper); absolute: available (Hadoop 2.5); ratio: weights 1; proportional: least assigned/weight (ours)"),
  resource: z.string().optional().describe('what is compared; default: memory, or the first resource where there is none of that name'),
  weights: z.record(z.string(), z.number().positive()).optional().describe('weight by node, or by group of nodes; default: the performance index of the hardware and the probe'),
  cores: z.string().optional().describe('kind of hardware, or resource, that counts as processors; default: cores, cpu, vcores, ...'),
  memory: z.string().optional().describe('kind of hardware, or resource, that counts as memory; default: memory, mem, ...'),
  probe: z
    .record(z.string(), z.strictObject({ cpu: samples.describe('use of the processors, 0 to 1'), memory: samples.describe('use of the memory, 0 to 1') }))
    .optional()
    .describe('by node or group of nodes: samples taken while one probe job ran on it alone, 10 in the paper (`sched weigh` takes them); default: nodes are taken as idle'),
  refresh: z.number().positive().optional().describe('seconds after which the weights are measured anew, from what is in use then; default: they stay, as in the paper'),
  hardware: z.number().nonnegative().default(0.6).describe('part of the hardware in the index'),
  idle: z.number().nonnegative().default(0.4).describe('part of what the probe left idle'),
  round: z.boolean().default(true).describe('weights as small whole numbers, as the paper has 3 : 3 : 1'),
})
/** Options of `nodeWeight`; all may be left out. */
export type NodeWeightOptions = z.input<typeof nodeWeightOptions>
type CheckedOptions = z.output<typeof nodeWeightOptions>

/**
 * Nodes in the order of a comparator that takes their performance into account: the first with room gets the next container, and nodes are
 * ordered anew after each. Without heartbeats, or with continuous scheduling, the nodes are the whole cluster; at a
 * heartbeat there is one node and nothing to choose.
 *
 * The paper's weights are constants, measured once. That they may be measured again (`refresh`), when a container is placed so long after
 * the last measurement, is our addition. Scores that differ by rounding alone are equal.
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

function nodeWeighted(options: CheckedOptions, env: Env): Placement {
  const { comparator, refresh } = options
  const usesWeights = comparator === 'weighted' || comparator === 'proportional'
  if (refresh !== undefined && options.weights !== undefined)
    throw new SchedError('BAD_OPTION', 'weights are given, and to be measured again.', { field: 'node-weight.refresh' }, 'Leave one of the two out.')
  return new NodeWeighted(options, env, usesWeights ? weightsOf(env.cluster, options) : undefined)
}

function weightsOf(cluster: ClusterView, options: CheckedOptions): number[] {
  return options.weights === undefined ? measuredWeights(cluster, measuring(options)) : givenWeights(cluster, options.weights)
}

const measuring = ({ cores, memory, probe, hardware, idle, round }: CheckedOptions): HardwareOptions => ({ cores, memory, probe, hardware, idle, round })

class NodeWeighted implements Placement {
  readonly #options: CheckedOptions
  readonly #env: Env
  readonly #nodes: ByNode
  #weights: readonly number[] | undefined
  #measured: Seconds = 0

  constructor(options: CheckedOptions, env: Env, weights: readonly number[] | undefined) {
    this.#options = options
    this.#env = env
    this.#weights = weights
    const score = comparators[options.comparator]
    const resources = env.cluster.lanes.map((_, lane) => comparedResource(options.resource, lane as LaneId, env.cluster))
    this.#nodes = new ByNode((node, lane, view) => {
      const resource = resources[lane] as ResourceId
      const total = view.total(node, resource)
      const available = view.free(node, resource)
      if (total === 0) return -Infinity
      return to40Bits(score({ available, total, assigned: total - available, weight: this.#weights?.[node] ?? 1 }))
    })
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { refresh = Infinity } = this.#options
    const node = this.#nodes.pick(job, round)
    if (node === None || this.#weights === undefined || round.now - this.#measured < refresh) return node
    this.#measure(round.now)
    return this.#nodes.pick(job, round)
  }

  #measure(now: Seconds): void {
    const { cluster } = this.#env
    this.#measured = now
    this.#weights = liveWeights(cluster, measuring(this.#options))
    for (let node = 0 as NodeId; node < cluster.nodes; node++) this.#nodes.rescore(node)
  }
}

function comparedResource(name: string | undefined, lane: LaneId, cluster: ClusterView): ResourceId {
  const own = cluster.lanes[lane]?.resources ?? []
  if (name !== undefined && !cluster.resources.includes(name))
    throw new SchedError('UNKNOWN_NAME', `no resource is called "${name}".`, { field: 'node-weight.resource' }, suggest(name, cluster.resources))
  const wanted = name === undefined ? ['memory', 'mem', 'memory-mb'] : [name]
  return own.find((resource) => wanted.includes(cluster.resources[resource] as string)) ?? (own[0] as ResourceId)
}
