import { below, borrowsAny, firstCommon, grouped, isIn, ownCandidates, reclaimable, type Preemptor } from './candidates.js'
import { takeConfigured } from './configured-preemption.js'
import type { KueueSettings } from './options.js'
import type { Protection } from './protection.js'
import { QueueOrder } from './queue-order.js'
import type { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import { Taking } from './taking.js'
import { charge, discharge, type Workload } from './workload.js'

/** When a workload of another queue may be preempted, by the share of the preemptor with its workload and that of the other queue before and after. */
const strategies = {
  LessThanOrEqualToFinalShare: (mine: number, _before: number, after: number) => mine <= after,
  LessThanInitialShare: (mine: number, before: number) => mine < before,
} as const

/**
 * The workloads that are preempted with fair sharing. Again and again one is taken of the queue with the largest share, which may be the
 * preemptor's own, as long as the first strategy allows it; then at most one of each queue by the second strategy; then those whom rules of its queue
 * select. Shares are compared just below the innermost cohort that both queues have in common, and count the preemptor as admitted. If the preemptor's
 * queue stays within its nominal quota of what is short, no strategy is asked, unless `preemptWithinNominal` is off.
 *
 * Source: Kueue, fair_strategy.go, fairsharing/ordering.go, and its fair sharing proposal, rules S2-a and S2-b.
 */
export function fairTargets(preemptor: Preemptor): Workload[] {
  const { workload, fairSharing } = preemptor
  const own: readonly Workload[] = ownCandidates(preemptor)
  const found = reclaimable(preemptor)
  if (own.length + found.byQueue.size + preemptor.rules.length === 0) return []
  const rules = typeof fairSharing === 'object' ? fairSharing : USUAL
  const search = new FairSearch(preemptor, own, found.byQueue)
  charge(workload, workload.tasks)
  takeByShares(preemptor, search, own, found, rules)
  discharge(workload, workload.tasks)
  const byShare = new Set(search.taking.taken)
  takeConfigured(preemptor, search.taking)
  const targets = search.taking.end()
  if (!rules.verifyFinalTargets) return targets
  const ofOthers = targets.filter((each) => each.queue !== workload.queue && byShare.has(each))
  return areFair(ofOthers, targets, preemptor, search, rules) ? targets : []
}

type FairRules = Omit<Exclude<KueueSettings['fairSharing'], boolean>, 'refill'>
const USUAL: FairRules = {
  preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'], preemptWithinNominal: true, prioritizeNonBorrowing: true, reevaluate: false, verifyFinalTargets: false,
}

/** Takes those that the strategies allow; the preemptor must be counted as admitted. */
function takeByShares({ workload, short }: Preemptor, search: FairSearch, own: readonly Workload[], { byQueue: others, most }: ReturnType<typeof reclaimable>, rules: FairRules): void {
  const { preemptionStrategies: [first, second], reevaluate, preemptWithinNominal } = rules
  const isWithin = (): boolean => preemptWithinNominal && !borrowsAny(workload.queue, short)
  const areAll = reevaluate || isWithin() // it may come to be within its quota
  const candidates = new Map([[workload.queue, own]])
  if (areAll || search.leastAround() <= most)
    for (const [queue, those] of others) if (queue !== workload.queue && (areAll || search.mayTakeOf(queue))) candidates.set(queue, those)
  if (own.length === 0 && candidates.size === 1) return // no queue may give, which is so for most workloads at overload
  const allows = () => (isWithin() ? undefined : strategies[first as keyof typeof strategies])
  let rest = search.byStrategy(candidates, allows())
  if (reevaluate && search.taking.taken.some(({ queue }) => queue === workload.queue)) rest = search.byStrategy(grouped(rest), allows())
  if (second !== undefined) search.once(rest, strategies[second])
}

/**
 * Whether some strategy allows to preempt each of `those`, when just the targets are gone and the preemptor is admitted: workloads of its own queue that need
 * not go may have lowered its share when they were chosen. Whom it took within its nominal quota it may take if it is within it then, too.
 *
 * Source: Kueue, fair_strategy.go (verifyFairSharingTargets; on its main branch, after 0.20.0).
 */
function areFair(those: readonly Workload[], targets: readonly Workload[], { workload, short, resources }: Preemptor, search: FairSearch, { preemptionStrategies, preemptWithinNominal }: FairRules): boolean {
  for (const each of targets) discharge(each, each.tasks)
  charge(workload, workload.tasks)
  const isWithin = preemptWithinNominal && !borrowsAny(workload.queue, short)
  const found = those.every((each) => {
    if (isWithin && search.reclaimed.has(each)) return true
    const [mine, its] = search.shared(each.queue)
    const after = its.share(resources)
    charge(each, each.tasks)
    const before = its.share(resources)
    discharge(each, each.tasks)
    return preemptionStrategies.some((name) => strategies[name](mine.share(resources), before, after))
  })
  discharge(workload, workload.tasks)
  for (const each of targets) charge(each, each.tasks)
  return found
}

/** Takes workloads away until the preemptor has room; the preemptor is counted as admitted meanwhile. */
class FairSearch {
  readonly taking: Taking
  /** Those taken of other queues while the preemptor's queue stayed within its nominal quota. */
  readonly reclaimed = new Set<Workload>()
  readonly #workload: Workload
  readonly #resources: number
  readonly #protection: Protection
  readonly #own: readonly Workload[]
  readonly #others: ReadonlyMap<ClusterQueue, readonly Workload[]>
  /** By node around the preemptor: its share without all candidates inside it. */
  readonly #least = new Map<QuotaNode, number>()

  constructor(preemptor: Preemptor, own: readonly Workload[], others: ReadonlyMap<ClusterQueue, readonly Workload[]>) {
    const { workload, resources, protection } = preemptor
    this.taking = new Taking(preemptor)
    this.#workload = workload
    this.#resources = resources
    this.#protection = protection
    this.#own = own
    this.#others = others
  }

  /**
   * Whether a strategy could ever allow to take from the queue. No share grows when something is taken, and the share around the preemptor is least when all
   * candidates inside have gone, so it compares that with the queue's share now.
   */
  mayTakeOf(queue: ClusterQueue): boolean {
    const [mine, its] = this.shared(queue)
    return this.#leastOf(mine) <= its.share(this.#resources)
  }

  /** The least that the share of the preemptor's queue, or of a cohort around it, could become. */
  leastAround(): number {
    let least = Infinity
    for (let node: QuotaNode = this.#workload.queue; node.parent !== undefined; node = node.parent) least = Math.min(least, this.#leastOf(node))
    return least
  }

  #leastOf(mine: QuotaNode): number {
    const known = this.#least.get(mine)
    if (known !== undefined) return known
    const queue = this.#workload.queue
    const around = mine === queue ? [] : [...this.#others].filter(([other]) => other !== queue && isIn(other, mine)).flatMap(([, those]) => those)
    const inside = [...this.#own, ...around]
    for (const each of inside) discharge(each, each.tasks)
    const least = mine.share(this.#resources)
    for (const each of inside) charge(each, each.tasks)
    this.#least.set(mine, least)
    return least
  }

  /** Takes the workloads that the strategy allows, all if there is none; returns those that it did not allow. */
  byStrategy(candidates: ReadonlyMap<ClusterQueue, readonly Workload[]>, allows: ((mine: number, before: number, after: number) => boolean) | undefined): Workload[] {
    const order = new QueueOrder(this.#workload.queue, candidates, this.#resources)
    const rest: Workload[] = []
    for (let queue = this.#next(order); queue !== undefined; queue = this.#next(order)) {
      if (queue === this.#workload.queue || allows === undefined) {
        const each = order.take(queue)
        if (queue !== this.#workload.queue && this.#protection.spares(each, 'reclaimWithinCohort')) continue
        if (queue !== this.#workload.queue) this.reclaimed.add(each)
        this.#take(each)
        continue
      }
      const [mine, its] = this.shared(queue)
      const share = mine.share(this.#resources)
      const before = its.share(this.#resources)
      while (order.has(queue)) {
        const each = order.take(queue)
        if (share > before) {
          rest.push(each) // no strategy allows it, since the share of its queue only becomes smaller
          continue
        }
        discharge(each, each.tasks)
        const after = its.share(this.#resources)
        charge(each, each.tasks)
        if (!allows(share, before, after)) {
          rest.push(each)
          continue
        }
        if (this.#protection.spares(each, 'fairSharing')) continue
        this.#take(each)
        break // shares have changed
      }
    }
    return rest
  }

  /** Takes at most one workload of each queue that the strategy allows, the first that is not spared. */
  once(candidates: readonly Workload[], allows: (mine: number, before: number, after: number) => boolean): void {
    const order = new QueueOrder(this.#workload.queue, grouped(candidates), this.#resources)
    for (let queue = this.#next(order); queue !== undefined; queue = this.#next(order)) {
      const [mine, its] = this.shared(queue)
      if (allows(mine.share(this.#resources), its.share(this.#resources), 0)) this.#takeFirst(queue, order)
      order.drop(queue)
    }
  }

  #takeFirst(queue: ClusterQueue, order: QueueOrder): void {
    while (order.has(queue)) {
      const each = order.take(queue)
      if (!this.#protection.spares(each, 'fairSharing')) return this.#take(each)
    }
  }

  #next(order: QueueOrder): ClusterQueue | undefined {
    return this.taking.isDone ? undefined : order.next()
  }

  /** The children of the innermost common cohort that contain the preemptor, and the queue. */
  shared(queue: ClusterQueue): [QuotaNode, QuotaNode] {
    const shared = firstCommon(this.#workload.queue, queue)
    return [below(this.#workload.queue, shared), below(queue, shared)]
  }

  #take(each: Workload): void {
    discharge(this.#workload, this.#workload.tasks)
    this.taking.take(each)
    charge(this.#workload, this.#workload.tasks)
  }
}
