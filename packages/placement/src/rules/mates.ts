import type { JobId, NodeId, NodeSelectorTerm, Selectable } from '@sched/core'
import type { SpreadTally, Tally } from './tally.js'

/** A preference: `weight` for every task of a tally in the group of a node; below 0 for tasks to stay away from. */
export interface Pull {
  readonly tally: Tally
  readonly weight: number
}

interface Spread {
  readonly tally: SpreadTally
  readonly maxSkew: number
  readonly minDomains: number
  /** Whether the task itself is one of those that are spread. */
  readonly isItself: boolean
  readonly weight: number
}

/** The tasks of one stage, for which rules are the same: where they run, and which rules bind them. */
export class Mates implements Selectable {
  readonly job: JobId
  readonly user: string
  readonly tags: Readonly<Record<string, string>>
  /** By node: the number of running tasks. */
  readonly running = new Map<NodeId, number>()
  /** Tallies in which they count. */
  counted: Tally[] = []
  /** Tallies of their required affinities, all about the same set of tasks; and whether they belong to that set themselves. */
  readonly near: Tally[] = []
  isNearItself = false
  /** Tallies of tasks that they must stay away from, by their required anti-affinities. */
  readonly apart: Tally[] = []
  /** Tallies of tasks that must stay away from them, by the rules of those. */
  keptOff: Tally[] = []
  readonly numbers: { readonly tally: Tally; readonly min: number; readonly max: number }[] = []
  readonly spreads: Spread[] = []
  /** Preferences of their own. */
  readonly pulls: Pull[] = []
  /** Preferences and required affinities of running tasks of others towards them. */
  pulled: Pull[] = []
  readonly softSpreads: Spread[] = []
  readonly terms: { readonly term: NodeSelectorTerm; readonly weight: number }[] = []

  constructor({ job, user, tags }: Selectable) {
    this.job = job
    this.user = user
    this.tags = tags
  }

  /** Whether required rules may keep them off nodes, by what runs or does not run there. */
  get areBound(): boolean {
    return this.near.length + this.apart.length + this.keptOff.length + this.numbers.length + this.spreads.length > 0
  }

  /** Whether one of these tasks may start on the node. */
  mayBeOn(node: NodeId): boolean {
    return this.barOn(node) === undefined
  }

  /** The kind of the first rule that keeps these tasks off the node; `undefined`: none does. */
  barOn(node: NodeId): string | undefined {
    if (this.apart.some((tally) => tally.on(node) > 0)) return 'antiAffinity'
    if (!this.#isNear(node)) return 'affinity'
    if (!this.#isInNumber(node)) return 'cardinality'
    if (!this.#isEven(node)) return 'spread'
    return this.keptOff.some((tally) => tally.on(node) > 0) ? 'antiAffinity of others' : undefined
  }

  /**
   * Whether the required affinities hold on the node: such tasks run in all of its groups; or none run anywhere, and this task would be the first of them.
   *
   * Source: kube-scheduler, interpodaffinity/filtering.go (satisfyPodAffinity).
   */
  #isNear(node: NodeId): boolean {
    if (this.near.some(({ groups }) => (groups[node] as number) < 0)) return false
    return this.near.every((tally) => tally.on(node) > 0) || (this.isNearItself && this.near.every(({ total }) => total === 0))
  }

  /** Whether the numbers of tasks in the node's groups are within all limits. Source: YARN, PlacementConstraintsUtil.canSatisfySingleConstraintExpression. */
  #isInNumber(node: NodeId): boolean {
    return this.numbers.every(({ tally, min, max }) => {
      const count = tally.on(node)
      return count >= min && count <= max
    })
  }

  /** Whether required spreads hold with one more task on the node. Source: kube-scheduler, podtopologyspread/filtering.go (Filter). */
  #isEven(node: NodeId): boolean {
    return this.spreads.every(({ tally, maxSkew, minDomains, isItself }) =>
      (tally.groups[node] as number) >= 0 && tally.on(node) + Number(isItself) - tally.least(minDomains) <= maxSkew)
  }
}
