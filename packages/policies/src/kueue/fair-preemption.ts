import { fits } from './assignment.js'
import { below, borrowsAny, fillBack, firstCommon, isIn, otherCandidates, ownCandidates, restore, type Preemptor } from './candidates.js'
import { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import { charge, discharge, type Workload } from './workload.js'

/** By what shares a workload of another queue may be preempted: of the preemptor with its workload, of the other before and after. */
const strategies = {
  LessThanOrEqualToFinalShare: (mine: number, _before: number, after: number) => mine <= after,
  LessThanInitialShare: (mine: number, before: number) => mine < before,
} as const

/**
 * The workloads that are preempted with fair sharing: again and again one of the queue with the largest share, its own one
 * included, as long as the first strategy allows it, then by the second one, one of a queue. Shares are those of the
 * queues, or of the cohorts that hold them, just below the first cohort that they have in common, all with the preemptor.
 * Where its queue stays within its nominal quota of what is short, no strategy is asked.
 *
 * Source: Kueue, fair_strategy.go, fairsharing/ordering.go, and its fair sharing proposal, rules S2-a and S2-b.
 */
export function fairTargets(preemptor: Preemptor): Workload[] {
  const { workload, short, fairSharing } = preemptor
  const candidates = [...otherCandidates(preemptor), ...ownCandidates(preemptor)]
  if (candidates.length === 0) return []
  const names = typeof fairSharing === 'object' ? fairSharing.preemptionStrategies : (['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] as const)
  const [first, second] = names
  const search = new FairSearch(preemptor)
  charge(workload, workload.tasks)
  const isWithin = !borrowsAny(workload.queue, short)
  const rest = search.byStrategy(candidates, isWithin ? undefined : strategies[first])
  if (second !== undefined) search.once(rest, strategies[second])
  discharge(workload, workload.tasks)
  return search.isDone ? fillBack(workload, search.taken, []) : restore(search.taken)
}

/** Takes workloads away until the preemptor, which is counted as admitted, has room. */
class FairSearch {
  readonly taken: Workload[] = []
  isDone = false
  readonly #workload: Workload
  readonly #resources: number

  constructor({ workload, resources }: Preemptor) {
    this.#workload = workload
    this.#resources = resources
  }

  /** Takes whom the strategy allows, everybody without one; returns the others. */
  byStrategy(candidates: readonly Workload[], allows: ((mine: number, before: number, after: number) => boolean) | undefined): Workload[] {
    const order = new QueueOrder(this.#workload.queue, candidates, this.#resources)
    const rest: Workload[] = []
    for (let queue = this.#next(order); queue !== undefined; queue = this.#next(order)) {
      if (queue === this.#workload.queue || allows === undefined) {
        this.#take(order.take(queue))
        continue
      }
      const [mine, its] = this.#shared(queue)
      const share = mine.share(this.#resources)
      const before = its.share(this.#resources)
      while (order.has(queue)) {
        const each = order.take(queue)
        if (share > before) {
          rest.push(each) // no strategy allows it: nobody's share grows when something is taken
          continue
        }
        discharge(each, each.tasks)
        const after = its.share(this.#resources)
        charge(each, each.tasks)
        if (!allows(share, before, after)) {
          rest.push(each)
          continue
        }
        this.#take(each)
        break // shares have changed
      }
    }
    return rest
  }

  /** At most one of a queue, whichever comes first. */
  once(candidates: readonly Workload[], allows: (mine: number, before: number, after: number) => boolean): void {
    const order = new QueueOrder(this.#workload.queue, candidates, this.#resources)
    for (let queue = this.#next(order); queue !== undefined; queue = this.#next(order)) {
      const [mine, its] = this.#shared(queue)
      const each = order.take(queue)
      if (allows(mine.share(this.#resources), its.share(this.#resources), 0)) this.#take(each)
      order.drop(queue)
    }
  }

  #next(order: QueueOrder): ClusterQueue | undefined {
    return this.isDone ? undefined : order.next()
  }

  /** What lies just below the first cohort in common: around the preemptor, and around the queue. */
  #shared(queue: ClusterQueue): [QuotaNode, QuotaNode] {
    const shared = firstCommon(this.#workload.queue, queue)
    return [below(this.#workload.queue, shared), below(queue, shared)]
  }

  #take(each: Workload): void {
    discharge(each, each.tasks)
    this.taken.push(each)
    discharge(this.#workload, this.#workload.tasks)
    this.isDone = fits(this.#workload)
    charge(this.#workload, this.#workload.tasks)
  }
}

/** Queues with candidates: from the outermost cohort inwards always the child with the largest share, cohorts before queues. Who does not borrow is left out, from then on. */
class QueueOrder {
  readonly #own: ClusterQueue
  readonly #resources: number
  readonly #left = new Map<QuotaNode, Workload[]>()
  readonly #isOut = new Set<QuotaNode>()

  constructor(own: ClusterQueue, candidates: readonly Workload[], resources: number) {
    this.#own = own
    this.#resources = resources
    for (const each of candidates) {
      const list = this.#left.get(each.queue)
      if (list === undefined) this.#left.set(each.queue, [each])
      else list.push(each)
    }
    for (const list of this.#left.values()) list.reverse()
  }

  next(): ClusterQueue | undefined {
    const { root } = this.#own
    if (root === this.#own) return this.has(root) ? this.#own : undefined
    while (!this.#isOut.has(root)) {
      const found = this.#within(root)
      if (found !== undefined) return found
    }
    return undefined
  }

  has(queue: QuotaNode): boolean {
    return (this.#left.get(queue)?.length ?? 0) > 0
  }
  take(queue: ClusterQueue): Workload {
    return this.#left.get(queue)?.pop() as Workload
  }
  drop(queue: ClusterQueue): void {
    this.#isOut.add(queue)
  }

  /** Undefined where nothing in the cohort is left. */
  #within(cohort: QuotaNode): ClusterQueue | undefined {
    let best: QuotaNode | undefined
    let most = -1
    for (const child of cohort.children) {
      if (this.#isOut.has(child)) continue
      const share = this.#shareOf(child)
      if (share === undefined) this.#isOut.add(child)
      else if (share > most || (share === most && isBefore(child, best as QuotaNode))) {
        best = child
        most = share
      }
    }
    if (best === undefined) this.#isOut.add(cohort)
    return best === undefined || best instanceof ClusterQueue ? best : this.#within(best)
  }

  /** Undefined for who does not come into question; the preemptor's own queue and the cohorts around it do although they do not borrow. */
  #shareOf(child: QuotaNode): number | undefined {
    if (child instanceof ClusterQueue && !this.has(child)) return undefined
    const share = child.share(this.#resources)
    return share === 0 && !isIn(this.#own, child) ? undefined : share
  }
}

const isBefore = (a: QuotaNode, b: QuotaNode): boolean => {
  const byKind = Number(a instanceof ClusterQueue) - Number(b instanceof ClusterQueue)
  return byKind === 0 ? a.name < b.name : byKind < 0
}
