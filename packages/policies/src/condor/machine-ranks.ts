import { SchedError, type Env, type NodeId } from '@sched/core'
import type { Submitter } from './accountant.js'
import type { NegotiatorSettings } from './options.js'

type Rule = NegotiatorSettings['RANK'][number]

/** How much nodes prefer the jobs of a submitter (RANK): the sum over the rules that name both, 0 without any. */
export class MachineRanks {
  readonly #rules: readonly Rule[]
  readonly #nodes: readonly (readonly NodeId[])[]
  readonly #count: number
  readonly #of = new Map<Submitter, Float64Array>()
  /** By the numbers of the rules that name a submitter: so many rows are kept as differ, however many submitters there are. */
  readonly #rows = new Map<string, Float64Array>()

  /** Warns of rules that hold for no node. Throws `BAD_OPTION` for nodes that the cluster does not have. */
  constructor({ RANK }: NegotiatorSettings, env: Pick<Env, 'cluster' | 'warn'>) {
    const { cluster } = env
    this.#rules = RANK
    this.#count = cluster.nodes
    const all = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
    const names = new Set(all.map((node) => cluster.name(node)))
    for (const name of RANK.flatMap(({ nodes = [] }) => nodes))
      if (!names.has(name)) throw new SchedError('BAD_OPTION', `RANK names node "${name}", which the cluster does not have.`, { field: 'negotiator.RANK' }, 'Name nodes as the cluster does, or tell them by labels.')
    this.#nodes = RANK.map(({ nodes, labels = {} }) => {
      const meant = nodes && new Set(nodes)
      return all.filter((node) => meant?.has(cluster.name(node)) !== false && Object.entries(labels).every(([key, value]) => cluster.label(node, key) === value))
    })
    for (const [i, { nodes, labels = {} }] of RANK.entries())
      if (this.#nodes[i]?.length === 0 && nodes?.length !== 0) env.warn(`RANK[${i}] of negotiator holds nowhere: none of its nodes has the labels ${Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(', ')}.`)
  }

  get areAny(): boolean {
    return this.#rules.length > 0
  }

  /** The ranks of the jobs of a submitter by node: the same row for all submitters whom the same rules name. */
  of(submitter: Submitter): Float64Array {
    let ranks = this.#of.get(submitter)
    if (ranks === undefined) this.#of.set(submitter, (ranks = this.#row(submitter)))
    return ranks
  }

  #row({ name }: Submitter): Float64Array {
    const rules = [...this.#rules.keys()].filter((i) => {
      const { users, accounts } = this.#rules[i] as Rule
      return users?.includes(name) !== false && accounts?.some((account) => name.startsWith(`${account}.`)) !== false
    })
    const known = this.#rows.get(rules.join())
    if (known !== undefined) return known
    const ranks = new Float64Array(this.#count)
    for (const i of rules)
      for (const node of this.#nodes[i] as readonly NodeId[]) ranks[node] = (ranks[node] as number) + (this.#rules[i] as Rule).rank
    this.#rows.set(rules.join(), ranks)
    return ranks
  }
}
