import { buildCluster, type ClusterDescription, type NodeGroup } from '@sched/cluster'
import { kindOfHardware, SchedError, suggest, type ClusterView, type NodeId, type Plug, type Seconds, type Workload } from '@sched/core'
import type { RuntimeOptions } from './runtime.js'
import { Simulation } from './simulation.js'

/** What to run on each node, and how often to sample its use. */
export interface ProbeOptions {
  /** The nodes, with their hardware. */
  readonly cluster: ClusterDescription
  /** The probe job. */
  readonly workload: Workload
  /** The policy that places the probe job. */
  readonly policy: Plug<'policy'>
  /** The architecture. */
  readonly architecture: Plug<'architecture'>
  /** Names of the nodes to probe; default all. */
  readonly nodes?: readonly string[]
  /** Number of samples per node, evenly spaced over the run. Default 10, as in the paper. */
  readonly instants?: number
  /** How long tasks take. Default: as in a simulation. */
  readonly runtime?: RuntimeOptions
  /** Default 1. */
  readonly seed?: number
}

/** What a probe job used on a node on which it ran alone. */
export interface ProbedNode {
  /** Name of the node. */
  readonly node: string
  /** Run time of the job in seconds. */
  readonly seconds: Seconds
  /** Times of the samples in seconds. */
  readonly at: readonly Seconds[]
  /** Number of processors of the node, in the cluster's unit. */
  readonly cores: number
  /** Memory of the node, in the cluster's unit. */
  readonly memory: number
  /** Fraction of the processors in use at each sample, in [0, 1]. */
  readonly cpuUse: readonly number[]
  /** Fraction of the memory in use at each sample, in [0, 1]. */
  readonly memoryUse: readonly number[]
}

/**
 * Runs a probe job alone on each node and samples the use of processors and memory at the same instants. Nodes of one group are alike, so only one of
 * them is run.
 *
 * Throws `UNKNOWN_NAME` for an unknown node, `BAD_OPTION` for a cluster without processors or memory, `INFEASIBLE` for a job that a node cannot run.
 *
 * Source: Feng and He, "Improvement of scheduling algorithm on Hadoop based on node performance", 2017, section 2.
 */
export function probe(options: ProbeOptions): ProbedNode[] {
  const { cluster, instants = 10 } = options
  if (!(Number.isInteger(instants) && instants >= 1)) throw new SchedError('BAD_OPTION', `a probe looks ${instants} times.`, { field: 'instants' }, 'Use a whole number from 1 on.')
  const names = buildCluster(cluster).nodeNames
  for (const name of options.nodes ?? [])
    if (!names.includes(name))
      throw new SchedError('UNKNOWN_NAME', `no node is called "${name}".`, { field: 'nodes' }, suggest(name, names.slice(0, 1000)))
  const chosen = new Set(options.nodes ?? names)
  let first = 0
  return cluster.nodes.flatMap((group) => {
    const own = names.slice(first, (first += group.count)).filter((name) => chosen.has(name))
    const [one] = own
    if (one === undefined) return []
    const probed = probeOne(one, group, instants, options)
    return own.map((node) => ({ ...probed, node }))
  })
}

function probeOne(node: string, group: NodeGroup, instants: number, options: ProbeOptions): Omit<ProbedNode, 'node'> {
  const { name: _, racks: __, ...alike } = group
  const { heartbeat } = options.cluster
  const alone: ClusterDescription = {
    name: node,
    nodes: [{ ...alike, count: 1, names: [node] }],
    replicas: { factor: 1, placement: 'uniform' },
    ...(heartbeat !== undefined && { heartbeat }),
  }
  let seconds = 0
  simulationOn(alone, options, (now) => (seconds = now)).run()
  const at = Array.from({ length: instants }, (___, i) => (seconds * (i + 0.5)) / instants)
  const samples = at.map((time) => {
    const { cell } = simulationOn(alone, options).run(time) // a stopped run cannot continue, so each sample has its own run
    return { cores: lookAt(cell, 'cores'), memory: lookAt(cell, 'memory') }
  })
  const [first] = samples as [(typeof samples)[number], ...typeof samples]
  return {
    seconds, at,
    cores: first.cores.amount, memory: first.memory.amount,
    cpuUse: samples.map(({ cores }) => cores.used), memoryUse: samples.map(({ memory }) => memory.used),
  }
}

function simulationOn(cluster: ClusterDescription, { workload, policy, architecture, runtime, seed }: ProbeOptions, ended: (now: Seconds) => void = () => undefined): Simulation {
  return new Simulation({
    cluster, workload, policy, architecture,
    ...(runtime !== undefined && { runtime }),
    ...(seed !== undefined && { seed }),
    observers: [{ onJobEnd: (_, __, now) => ended(now) }],
  })
}

/** Processors or memory of the only node, and the fraction of them in use. */
function lookAt({ hardware }: ClusterView, what: 'cores' | 'memory'): { readonly amount: number; readonly used: number } {
  const kind = kindOfHardware(what, hardware.kinds)
  if (kind < 0)
    throw new SchedError(
      'BAD_OPTION',
      `nothing of the cluster stands for ${what}: it has ${hardware.kinds.join(', ')}.`,
      { field: 'cluster' },
      'Describe the `hardware` of its nodes, for example { cores: 8, memory: 16 }.',
    )
  const amount = hardware.amount(0 as NodeId, kind)
  return { amount, used: Math.min(1, hardware.use(0 as NodeId, kind) / amount) }
}
