import { portableLog, type ClusterView, type Random, type ResourceId } from '@sched/core'

/** A framework, or a role with all frameworks in it, as an allocator sees it. */
export interface Share {
  /** Of the role or the framework. */
  readonly name: string
  /** Above 0. */
  readonly weight: number
  /** What its tasks hold of every resource, by `ResourceId`; of roles, and where offers are made node by node, with what is on offer to it. */
  readonly held: ArrayLike<number>
  /** Tasks it runs. */
  readonly tasks: number
  /** Offers made to it so far; counted by node where they are made node by node. */
  readonly offers: number
  /** Offers made before its last one, -1 before its first. */
  readonly served: number
}

/** Below 0: `a` is made the next offer before `b`. Ties go by name; where offers are made node by node, to who had fewer of them first. */
export type AllocatorOrder = (a: Share, b: Share, cluster: ClusterView) => number

/** Whom the allocator makes the next offer. */
export const allocatorOrders = {
  /** The smallest dominant share: the largest fraction of a resource that it holds, by weight. Ghodsi et al., NSDI 2011. */
  drf: (a, b, cluster) => dominantShare(a, cluster) - dominantShare(b, cluster),
  /** The fewest running tasks, by weight. */
  fair: (a, b) => a.tasks / a.weight - b.tasks / b.weight,
  /** Who was served longest ago. */
  'round-robin': (a, b) => a.served - b.served,
} as const satisfies Readonly<Record<string, AllocatorOrder>>

/** The same without the resources that are not counted (Mesos: fair_sharing_excluded_resource_names). */
export const drfWithout = (excluded: ReadonlySet<ResourceId>): AllocatorOrder => (a, b, cluster) => dominantShare(a, cluster, excluded) - dominantShare(b, cluster, excluded)

/** The largest fraction of the cluster that somebody holds of any resource that counts, over its weight, from 0 on. */
function dominantShare({ held, weight }: Share, cluster: ClusterView, excluded?: ReadonlySet<ResourceId>): number {
  let largest = 0
  for (let r = 0; r < held.length; r++) {
    if (excluded?.has(r as ResourceId) === true) continue
    const share = (held[r] as number) / (cluster.capacity(r as ResourceId) * weight) // one division, so equal fractions are equal numbers
    if (share > largest) largest = share
  }
  return largest
}

/** Puts siblings in order, the next first. */
export interface Ranking {
  <T extends Share>(siblings: readonly T[]): T[]
  /** Whether roles of all levels are put in one order, by their parts of all; else those inside a role follow one another. */
  readonly isAcrossLevels?: boolean
}

/** Equals go by name, or first who had fewer offers (Mesos). */
export const rankedBy = (order: AllocatorOrder, cluster: ClusterView, ties: 'name' | 'offers'): Ranking => (siblings) =>
  [...siblings].sort((a, b) => order(a, b, cluster) || (ties === 'offers' ? a.offers - b.offers : 0) || (a.name < b.name ? -1 : 1))

/**
 * A new draw at every reading: who has twice the weight comes before another twice as often. Roles of all levels are drawn together.
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
