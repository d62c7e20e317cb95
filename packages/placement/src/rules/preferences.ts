import { portableLog, type ClusterView, type Constraints, type NodeId, type NodeSelectorTerm } from '@sched/core'
import type { Mates } from './mates.js'

/** The weight of each kind of preference; 0: it does not count. */
export interface PreferenceWeights {
  readonly affinity: number
  readonly spread: number
  readonly nodes: number
}

/** A percentage for each node in question. */
type Percentages = readonly number[]

/**
 * How well nodes suit tasks by what their placement rules prefer, in whole percent of the best.
 *
 * Source: kube-scheduler, the plug-ins InterPodAffinity, PodTopologySpread and NodeAffinity (scoring.go, NormalizeScore).
 */
export class Preferences {
  readonly #cluster: ClusterView
  readonly #weights: PreferenceWeights
  readonly #asked = new WeakMap<NodeSelectorTerm, Constraints>()

  constructor(cluster: ClusterView, weights: PreferenceWeights) {
    this.#cluster = cluster
    this.#weights = weights
  }

  /** Whether any node might be better than another. */
  areAny({ pulls, pulled, softSpreads, terms }: Mates): boolean {
    const { affinity, spread, nodes } = this.#weights
    return (affinity > 0 && (pulls.length > 0 || pulled.some(({ tally }) => tally.total > 0))) || (spread > 0 && softSpreads.length > 0) || (nodes > 0 && terms.length > 0)
  }

  /** The weighted sum of the percentages of each of the nodes. */
  sums(mates: Mates, nodes: readonly NodeId[]): number[] {
    const { affinity, spread, nodes: byLabel } = this.#weights
    const sums = nodes.map(() => 0)
    const add = (weight: number, percentages: Percentages) => percentages.forEach((percentage, i) => { sums[i] = (sums[i] as number) + weight * percentage })
    if (affinity > 0) add(affinity, affinityPercentages(mates, nodes))
    if (spread > 0) add(spread, spreadPercentages(mates, nodes))
    if (byLabel > 0) add(byLabel, this.#labelPercentages(mates, nodes))
    return sums
  }

  #labelPercentages({ terms }: Mates, nodes: readonly NodeId[]): Percentages {
    const scores = nodes.map((node) => terms.reduce((sum, { term, weight }) => sum + (this.#has(term, node) ? weight : 0), 0))
    const [, most] = extremes(scores)
    return most === 0 ? scores : scores.map((score) => Math.floor((100 * score) / most))
  }

  #has(term: NodeSelectorTerm, node: NodeId): boolean {
    const asked = this.#asked.get(term) ?? { nodeSelectorTerms: [term], tolerations: [{ operator: 'Exists' }] }
    this.#asked.set(term, asked)
    return this.#cluster.keepsOff(asked, node) === undefined
  }
}

/** Percentages by the weighted numbers of running tasks in the groups of each node. */
export function affinityPercentages({ pulls, pulled }: Pick<Mates, 'pulls' | 'pulled'>, nodes: readonly NodeId[]): Percentages {
  const all = [...pulls, ...pulled]
  const scores = nodes.map((node) => all.reduce((sum, { tally, weight }) => sum + weight * tally.on(node), 0))
  const [least, most] = extremes(scores)
  return scores.map((score) => (most === least ? 0 : Math.floor(100 * ((score - least) / (most - least)))))
}

/**
 * Percentages by how few tasks run in the groups of each node; a kind of group counts less the fewer such groups there are. A node that is not in a
 * group of each kind has 0.
 */
export function spreadPercentages({ softSpreads }: Pick<Mates, 'softSpreads'>, nodes: readonly NodeId[]): Percentages {
  if (softSpreads.length === 0) return nodes.map(() => 0)
  const isInAll = (node: NodeId) => softSpreads.every(({ tally }) => (tally.groups[node] as number) >= 0)
  const counted = nodes.filter(isInAll)
  const sizes = softSpreads.map(({ tally }) => portableLog(new Set(counted.map((node) => tally.groups[node])).size + 2))
  const scoreOf = (node: NodeId) => softSpreads.reduce((sum, { tally, maxSkew, weight }, i) => sum + weight * (tally.on(node) * (sizes[i] as number) + maxSkew - 1), 0)
  const scores = nodes.map((node) => (isInAll(node) ? Math.round(scoreOf(node)) : -1))
  const [least, most] = extremes(scores.filter((score) => score >= 0))
  return scores.map((score) => (score < 0 ? 0 : most === 0 ? 100 : Math.floor((100 * (most + least - score)) / most)))
}

const extremes = (scores: readonly number[]): readonly [least: number, most: number] =>
  scores.reduce<readonly [number, number]>(([least, most], score) => [Math.min(least, score), Math.max(most, score)], [Infinity, -Infinity])
