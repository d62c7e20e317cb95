import type { JobId, NodeId, NodeSelectorTerm, Selectable } from '@sched/core'
import type { SpreadTally, Tally } from './tally.js'

/** So much for every task of a tally in the group of a node; below 0 of those to stay away from. */
export interface Pull {
  readonly tally: Tally
  readonly weight: number
}

interface Spread {
  readonly tally: SpreadTally
  readonly maxSkew: number
  readonly minDomains: number
  /** Whether it is one of those that are spread itself. */
  readonly isItself: boolean
  readonly weight: number
}

/** The tasks of one stage, which are alike in what rules say of them: where they run, and what keeps them where. */
export class Mates implements Selectable {
  readonly job: JobId
  readonly user: string
  readonly tags: Readonly<Record<string, string>>
  /** Tasks that run, by node. */
  readonly running = new Map<NodeId, number>()
  /** Tallies in which they count. */
  counted: Tally[] = []
  /** Tasks to which required affinities are, all about the same set; whether they are of it themselves. */
  readonly near: Tally[] = []
  isNearItself = false
  /** Tasks to stay away from, by required anti-affinities. */
  readonly apart: Tally[] = []
  /** Tasks that stay away from them, by rules of their own. */
  keptOff: Tally[] = []
  readonly numbers: { readonly tally: Tally; readonly min: number; readonly max: number }[] = []
  readonly spreads: Spread[] = []
  /** By their own preferences. */
  readonly pulls: Pull[] = []
  /** By those of others that run, and by their required affinities. */
  pulled: Pull[] = []
  readonly softSpreads: Spread[] = []
  readonly terms: { readonly term: NodeSelectorTerm; readonly weight: number }[] = []

  constructor({ job, user, tags }: Selectable) {
    this.job = job
    this.user = user
    this.tags = tags
  }

  /** Whether there are nodes where they may not be for what runs, or does not. */
  get areBound(): boolean {
    return this.near.length + this.apart.length + this.keptOff.length + this.numbers.length + this.spreads.length > 0
  }

  /** Whether a task of them may start on the node. */
  mayBeOn(node: NodeId): boolean {
    return this.barOn(node) === undefined
  }

  /** What rules keep a task of them off the node, by kind, the first of them; `undefined`: none. */
  barOn(node: NodeId): string | undefined {
    if (this.apart.some((tally) => tally.on(node) > 0)) return 'antiAffinity'
    if (!this.#isNear(node)) return 'affinity'
    if (!this.#isInNumber(node)) return 'cardinality'
    if (!this.#isEven(node)) return 'spread'
    return this.keptOff.some((tally) => tally.on(node) > 0) ? 'antiAffinity of others' : undefined
  }

  /**
   * In all groups there are such tasks, or there are none anywhere and it is the first of them.
   *
   * Source: kube-scheduler, interpodaffinity/filtering.go (satisfyPodAffinity).
   */
  #isNear(node: NodeId): boolean {
    if (this.near.some(({ groups }) => (groups[node] as number) < 0)) return false
    return this.near.every((tally) => tally.on(node) > 0) || (this.isNearItself && this.near.every(({ total }) => total === 0))
  }

  /** Source: YARN, PlacementConstraintsUtil.canSatisfySingleConstraintExpression. */
  #isInNumber(node: NodeId): boolean {
    return this.numbers.every(({ tally, min, max }) => {
      const count = tally.on(node)
      return count >= min && (max === 0 ? count === 0 : count < max)
    })
  }

  /** Source: kube-scheduler, podtopologyspread/filtering.go (Filter). */
  #isEven(node: NodeId): boolean {
    return this.spreads.every(({ tally, maxSkew, minDomains, isItself }) =>
      (tally.groups[node] as number) >= 0 && tally.on(node) + Number(isItself) - tally.least(minDomains) <= maxSkew)
  }
}
