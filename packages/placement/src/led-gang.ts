import type { ClusterView, JobId, NodeId, Round, Slice, StageSpec } from '@sched/core'
import type { Domain } from './domain.js'
import { LedDomains, type LedPlaces, type Search } from './led-domains.js'
import { freeNow, Packing, whenEmpty, type Amounts, type TasksAtOnce } from './packing.js'
import { partsWhenEmpty } from './room-when-empty.js'
import { partsOf } from './whole-gang.js'

/** More tasks than a node has room for. */
const MANY = 2 ** 31

/**
 * The index of the leader of two parts of a gang: the one task beside more others, of two tasks the second; `undefined`: there is none.
 *
 * Source: Kueue, tas_flavor_snapshot.go (findLeaderAndWorkers).
 */
export function leaderOf(parts: readonly { readonly tasks: number }[]): 0 | 1 | undefined {
  const [first, second] = parts
  if (first === undefined || second === undefined || parts.length > 2) return undefined
  if (second.tasks > first.tasks) return first.tasks === 1 ? 0 : undefined
  return second.tasks === 1 ? 1 : undefined
}

/** Places gangs of a leader and its workers: the pod sets of a group of Kueue, such as a LeaderWorkerSet. */
export class LedGang {
  readonly #domains: LedDomains
  readonly #cluster: ClusterView
  readonly #all: readonly NodeId[]

  constructor(cluster: ClusterView, levels: readonly (readonly Domain[])[]) {
    this.#domains = new LedDomains(levels)
    this.#cluster = cluster
    this.#all = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
  }

  /** Writes the nodes of the gang's tasks to `places`, in the order in which tasks are claimed; nothing if there is no room. False: it has no leader. */
  plan(slices: readonly Slice[], search: Search, job: JobId, round: Round, places: NodeId[]): boolean {
    const parts = partsOf(job, round)
    const leader = leaderOf(parts)
    if (leader === undefined) return false
    const found = this.#find(parts, leader, slices, search, round.nodes, freeNow(round.cluster))
    if (found !== undefined) places.push(...(leader === 0 ? [found.leader, ...found.workers] : [...found.workers, found.leader]))
    return true
  }

  /** Whether nodes that are empty have room for a leader and its workers. */
  couldHold(stages: readonly StageSpec[], leader: 0 | 1, slices: readonly Slice[], search: Search): boolean {
    return this.#find(partsWhenEmpty(stages, this.#cluster), leader, slices, search, this.#all, whenEmpty(this.#cluster)) !== undefined
  }

  #find(parts: readonly TasksAtOnce[], leader: 0 | 1, slices: readonly Slice[], search: Search, nodes: readonly NodeId[], amounts: Amounts): LedPlaces | undefined {
    const workers = 1 - leader
    const packing = new Packing(parts.map((each) => ({ ...each, tasks: MANY, most: (node) => Math.min(MANY, each.most(node)) })), nodes, this.#cluster, amounts)
    const alone = new Float64Array(this.#cluster.nodes)
    const beside = new Float64Array(this.#cluster.nodes).fill(-1)
    for (const [i, node] of nodes.entries()) {
      alone[node] = packing.room(workers, i)
      if (packing.room(leader, i) === 0) continue
      packing.take(leader, i, 1)
      beside[node] = packing.room(workers, i)
      packing.take(leader, i, -1)
    }
    return this.#domains.place((parts[workers] as TasksAtOnce).tasks, slices, { alone, beside }, search)
  }
}
