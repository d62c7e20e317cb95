import { SchedError, type ClusterView, type NodeId } from '@sched/core'
import type { Submitter } from './accountant.js'
import type { NegotiatorSettings } from './options.js'

type Rule = NegotiatorSettings['RANK'][number]

/** How much nodes prefer the jobs of a submitter (RANK): the sum over the rules that name both, 0 without any. */
export class MachineRanks {
  readonly #rules: readonly Rule[]
  readonly #nodes: readonly (readonly NodeId[])[]
  readonly #count: number
  /** By submitter and node. */
  readonly #ranks = new Map<Submitter, Float64Array>()

  constructor({ RANK }: NegotiatorSettings, cluster: ClusterView) {
    this.#rules = RANK
    this.#count = cluster.nodes
    const all = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
    const names = new Set(all.map((node) => cluster.name(node)))
    for (const name of RANK.flatMap(({ nodes = [] }) => nodes))
      if (!names.has(name)) throw new SchedError('BAD_OPTION', `RANK names node "${name}", which the cluster does not have.`, { field: 'negotiator.RANK' }, 'Name nodes as the cluster does, or tell them by labels.')
    this.#nodes = RANK.map(({ nodes, labels = {} }) =>
      all.filter((node) => nodes?.includes(cluster.name(node)) !== false && Object.entries(labels).every(([key, value]) => cluster.label(node, key) === value)))
  }

  get areAny(): boolean {
    return this.#rules.length > 0
  }

  of(submitter: Submitter, node: NodeId): number {
    if (!this.areAny) return 0
    let ranks = this.#ranks.get(submitter)
    if (ranks === undefined) this.#ranks.set(submitter, (ranks = this.#ranksFor(submitter)))
    return ranks[node] as number
  }

  #ranksFor({ name }: Submitter): Float64Array {
    const ranks = new Float64Array(this.#count)
    for (const [i, { users, accounts, rank }] of this.#rules.entries()) {
      if (users?.includes(name) === false || accounts?.some((account) => name.startsWith(`${account}.`)) === false) continue
      for (const node of this.#nodes[i] as readonly NodeId[]) ranks[node] = (ranks[node] as number) + rank
    }
    return ranks
  }
}
