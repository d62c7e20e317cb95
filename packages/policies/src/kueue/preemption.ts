import { firstCommon, gives, otherCandidates, ownCandidates, type Preemptor } from './candidates.js'
import { takeConfigured } from './configured-preemption.js'
import { fairTargets } from './fair-preemption.js'
import type { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import { Taking } from './taking.js'
import { amountIn, type Workload } from './workload.js'

/** A workload that may be preempted. */
interface Candidate {
  readonly workload: Workload
  /** The innermost cohort that it shares with the preemptor; `undefined`: it is of the same queue. */
  readonly shared: QuotaNode | undefined
  /** Whether the preemptor may take it even if the preemptor borrows. */
  readonly isForBorrowers: boolean
}

/** The workloads that are preempted for another one; none if that one would not fit even then. */
export function targets(preemptor: Preemptor): Workload[] {
  const { protection, workload, fairSharing } = preemptor
  protection.begin()
  const found = fairSharing === false ? classicalTargets(preemptor) : fairTargets(preemptor)
  if (found.length === 0) protection.failed(workload.queue.root)
  return found
}

/**
 * The targets without fair sharing. First come, whatever their priority, workloads of borrowing queues over which the preemptor has precedence:
 * its queue, or a cohort around it below the one that they share, has room for it within its own quota. Then come those of other borrowing queues, if the
 * preemptor stays within its nominal quota or `borrowWithinCohort` allows it; last those of its own queue. In each group lower priorities go
 * first, then the latest admitted.
 *
 * Source: Kueue, classicalPreemptions, candidate_generator.go and hierarchical_preemption.go.
 */
function classicalTargets(preemptor: Preemptor): Workload[] {
  const { workload, short } = preemptor
  const { queue } = workload
  const own = ownCandidates(preemptor)
  const owned = cohortsOverOwned(workload)
  const isStrict = borrowingRules(queue).policy === 'Never'
  const mayBeWithin = preemptor.rules.length > 0 || couldStayWithin(preemptor, own) // rules may let more of its own go
  const { reclaimed, outbid } = divided(preemptor, owned, mayBeWithin, owned.size > 0 || !isStrict || mayBeWithin ? otherCandidates(preemptor) : [])
  const all = [...reclaimed, ...outbid, ...own.map((each) => ({ workload: each, shared: undefined, isForBorrowers: true }))]
  if (!mayBeWithin) return attempt(preemptor, all, true)
  const hasOthers = reclaimed.length + outbid.length > 0
  const hasRoomLeft = short.every((c) => (queue.usage[c] as number) < (queue.quota.nominal[c] as number))
  if (!hasOthers || (isStrict && !hasRoomLeft)) return attempt(preemptor, all, true)
  const borrowsFirst = !isStrict || reclaimed.length > 0
  const found = attempt(preemptor, all, borrowsFirst)
  return found.length > 0 ? found : attempt(preemptor, all, !borrowsFirst)
}

/**
 * Whether the preemptor's queue could stay within its quota, if all of its own workloads that may go went; workloads of other queues do not matter
 * for that.
 */
function couldStayWithin({ workload }: Preemptor, own: readonly Workload[]): boolean {
  const { queue, amounts, columns, tasks } = workload
  return amounts.every((amount, i) => {
    const c = columns[i] as number
    return amount === 0 || !queue.borrows(c, own.reduce((left, each) => left - amountIn(each, c) * each.tasks, amount * tasks))
  })
}

/**
 * The candidates of other queues: `reclaimed` are those over which the preemptor has precedence by its place in the tree, `outbid` the others. Leaves out
 * candidates that a borrower may not take, if the preemptor would have to borrow, and those that are spared.
 */
function divided({ workload, short, protection }: Preemptor, owned: ReadonlySet<QuotaNode>, mayBeWithin: boolean, others: readonly Workload[]): { readonly reclaimed: Candidate[]; readonly outbid: Candidate[] } {
  const { policy, maxPriorityThreshold = Infinity } = borrowingRules(workload.queue)
  const reclaimed: Candidate[] = []
  const outbid: Candidate[] = []
  const sharedWith = new Map<QuotaNode, QuotaNode | undefined>() // undefined: the queue does not have to give anything back
  for (const each of others) {
    const isForBorrowers = policy !== 'Never' && each.standing < workload.priority && each.standing <= maxPriorityThreshold
    if (!isForBorrowers && !mayBeWithin && owned.size === 0) continue
    if (!sharedWith.has(each.queue)) {
      const common = firstCommon(workload.queue, each.queue) as QuotaNode
      sharedWith.set(each.queue, gives(each.queue, common, short) ? common : undefined)
    }
    const shared = sharedWith.get(each.queue)
    if (shared === undefined || protection.spares(each, 'reclaimWithinCohort')) continue
    if (owned.has(shared)) reclaimed.push({ workload: each, shared, isForBorrowers: true })
    else outbid.push({ workload: each, shared, isForBorrowers })
  }
  return { reclaimed, outbid }
}

/**
 * Whether the preemptor takes the workload by `borrowWithinCohort` alone, not for what is its own.
 *
 * Source: Kueue, hierarchical_preemption.go (classifyPreemptionVariant, ReclaimWhileBorrowing). Deviation: by what is admitted when it goes, not when it was found.
 */
export function isOutbid(each: Workload, workload: Workload, fairSharing: boolean): boolean {
  const { policy, maxPriorityThreshold = Infinity } = borrowingRules(workload.queue)
  if (fairSharing || policy === 'Never' || each.queue === workload.queue || each.standing >= workload.priority || each.standing > maxPriorityThreshold) return false
  return !cohortsOverOwned(workload).has(firstCommon(workload.queue, each.queue) as QuotaNode)
}

const borrowingRules = ({ settings: { preemption } }: ClusterQueue): { readonly policy: 'Never' | 'LowerPriority'; readonly maxPriorityThreshold?: number | undefined } => preemption?.borrowWithinCohort ?? { policy: 'Never' }

/** The cohorts around the workload that contain its queue, or a cohort around it, with room for it within its own quota. */
function cohortsOverOwned({ queue, amounts, tasks, columns }: Workload): ReadonlySet<QuotaNode> {
  const found = new Set<QuotaNode>()
  const left = amounts.map((amount) => amount * tasks)
  let isOwned = false
  for (const node of queue.path()) {
    if (isOwned) found.add(node)
    isOwned ||= left.every((amount, i) => amounts[i] === 0 || !node.borrows(columns[i] as number, amount))
    for (let i = 0; i < left.length; i++) left[i] = Math.max(0, (left[i] as number) - node.free(columns[i] as number))
  }
  return found
}

/** Takes candidates away in order until the workload fits, as a borrower or not, and then whom rules of its queue select; then gives back, in reverse order, those that it does not need. */
function attempt(preemptor: Preemptor, candidates: readonly Candidate[], mayBorrow: boolean): Workload[] {
  const taking = new Taking(preemptor, mayBorrow ? [] : [preemptor.workload.queue])
  for (const { workload: each, shared, isForBorrowers } of candidates) {
    if ((mayBorrow && !isForBorrowers) || (shared !== undefined && !gives(each.queue, shared, preemptor.short))) continue
    if (taking.take(each)) break
  }
  takeConfigured(preemptor, taking)
  return taking.end()
}
