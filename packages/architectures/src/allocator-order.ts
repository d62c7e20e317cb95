import { portableLog, type ClusterView, type Random, type ResourceId } from '@sched/core'

/** A framework, or a role with all its frameworks, as the allocator sees it. */
export interface Share {
  /** Name of the role or framework. */
  readonly name: string
  /** Weight, above 0. */
  readonly weight: number
  /** Amounts that its tasks hold, by `ResourceId`. Where there are roles, or offers are made node by node, amounts on offer to it are included. */
  readonly held: ArrayLike<number>
  /** Number of tasks that it runs. */
  readonly tasks: number
  /** Number of offers made to it so far; where offers are made node by node, every node counts. */
  readonly offers: number
  /** Total number of offers made before its last one; -1 before its first. */
  readonly served: number
}

/** Below 0: `a` gets the next offer before `b`. Ties go by name; where offers are made node by node, by fewer offers first. */
export type AllocatorOrder = (a: Share, b: Share, cluster: ClusterView) => number

/** Orders in which the allocator makes offers. */
export const allocatorOrders = {
  /** The smallest dominant share first: the largest fraction of any resource that it holds, over its weight. Ghodsi et al., NSDI 2011. */
  drf: (a, b, cluster) => dominantShare(a, cluster) - dominantShare(b, cluster),
  /** The fewest running tasks first, over its weight. */
  fair: (a, b) => a.tasks / a.weight - b.tasks / b.weight,
  /** The one whose last offer is longest ago first. */
  'round-robin': (a, b) => a.served - b.served,
} as const satisfies Readonly<Record<string, AllocatorOrder>>

/** `drf` without the excluded resources (Mesos: fair_sharing_excluded_resource_names). */
export const drfWithout = (excluded: ReadonlySet<ResourceId>): AllocatorOrder => (a, b, cluster) => dominantShare(a, cluster, excluded) - dominantShare(b, cluster, excluded)

/** The largest fraction of the cluster's capacity held of any counted resource, over the weight; at least 0. */
function dominantShare({ held, weight }: Share, cluster: ClusterView, excluded?: ReadonlySet<ResourceId>): number {
  let largest = 0
  for (let r = 0; r < held.length; r++) {
    if (excluded?.has(r as ResourceId) === true) continue
    const share = (held[r] as number) / (cluster.capacity(r as ResourceId) * weight) // one division, so equal fractions are equal numbers
    if (share > largest) largest = share
  }
  return largest
}

/** Sorts siblings, the next one first. */
export interface Ranking {
  <T extends Share>(siblings: readonly T[]): T[]
  /** True: roles of all levels are sorted together, by their share of the whole. Otherwise each role's members stay together. */
  readonly isAcrossLevels?: boolean
}

/** Ranks by an order; ties go by name or, as in Mesos, by fewer offers first. */
export const rankedBy = (order: AllocatorOrder, cluster: ClusterView, ties: 'name' | 'offers'): Ranking => (siblings) =>
  [...siblings].sort((a, b) => order(a, b, cluster) || (ties === 'offers' ? a.offers - b.offers : 0) || (a.name < b.name ? -1 : 1))

/**
 * Draws a new random ranking at every call: with twice the weight of another, it comes before that other one twice as often. Roles of all levels are
 * drawn together.
 *
 * Source: Mesos, RandomSorter and weightedShuffle.
 */
export const rankedAtRandom = (random: Random): Ranking => {
  const drawn: Ranking = (siblings) =>
    siblings
      .map((each) => ({ each, key: -portableLog(1 - random()) / each.weight }))
      .sort((a, b) => a.key - b.key)
      .map(({ each }) => each)
  return Object.assign(drawn, { isAcrossLevels: true })
}
