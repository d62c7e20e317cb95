import { SchedError, type ClusterView, type NodeId, type ResourceId } from '@sched/core'
import { slurmResource } from '../slurm-limits/amounts.js'
import { partFor, type Spread } from './node-runs.js'

/** Chooses nodes for tasks one node after another, regardless of racks: by weight, the lightest first, and then by the rule of the method. */
export class NodeOrder {
  /** Processors of each node; 1 where the cluster has no such resource. */
  readonly #procs: Float64Array
  readonly #cpu: ResourceId

  constructor(cluster: ClusterView) {
    this.#cpu = slurmResource('cpu', cluster.resources) as ResourceId
    this.#procs = Float64Array.from({ length: cluster.nodes }, (_, node) => (this.#cpu < 0 ? 1 : Math.max(1, cluster.total(node as NodeId, this.#cpu))))
  }

  /** The resource id of processors. Throws `BAD_OPTION` where the cluster has none. */
  processors(field: string): ResourceId {
    if (this.#cpu >= 0) return this.#cpu
    throw new SchedError('BAD_OPTION', 'the cluster has no processors.', { field }, 'Leave it out.')
  }

  /**
   * The node of which the largest part has room comes first, ties by id. `room`: tasks that each node can take, enough in total. Source: Slurm,
   * `_eval_nodes_lln` of the topology plug-ins (LLN of partitions, CR_LLN).
   */
  leastLoaded(room: Int32Array, tasks: number, places: NodeId[], weights: Float64Array | undefined, spread?: Spread): void {
    const procs = this.#procs
    fill(room, tasks, places, weights, (a, b) => (room[b] as number) * (procs[a] as number) - (room[a] as number) * (procs[b] as number) || a - b, spread)
  }

  /** The last node by id comes first. Source: Slurm, `_eval_nodes_serial` (pack_serial_at_end). */
  last(room: Int32Array, tasks: number, places: NodeId[], weights: Float64Array | undefined): void {
    fill(room, tasks, places, weights, (a, b) => b - a)
  }
}

function fill(room: Int32Array, tasks: number, places: NodeId[], weights: Float64Array | undefined, compare: (a: NodeId, b: NodeId) => number, spread?: Spread): void {
  places.length = 0
  const nodes = Array.from(room.keys() as Iterable<NodeId>).filter((node) => room[node] !== 0)
  if (weights === undefined) nodes.sort(compare)
  else nodes.sort((a, b) => (weights[a] as number) - (weights[b] as number) || compare(a, b))
  let [left, wanted] = [tasks, spread?.wanted ?? 1]
  for (const node of nodes) for (let i = partFor(room[node] as number, left, wanted--); i > 0; i--, left--) places.push(node)
}
