import type { ClusterView, ResourceId } from '@sched/core'

/** A framework as an allocator sees it. */
export interface Share {
  readonly name: string
  readonly weight: number
  /** What its tasks hold of every resource, by `ResourceId`. */
  readonly held: ArrayLike<number>
  /** Tasks it runs. */
  readonly tasks: number
  /** Offers made before its last one, -1 before its first. */
  readonly served: number
}

/** Below 0: `a` is made the next offer before `b`. Ties go by name. */
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

export function dominantShare({ held, weight }: Share, cluster: ClusterView): number {
  let largest = 0
  for (let r = 0; r < held.length; r++) {
    const share = (held[r] as number) / cluster.capacity(r as ResourceId)
    if (share > largest) largest = share
  }
  return largest / weight
}
