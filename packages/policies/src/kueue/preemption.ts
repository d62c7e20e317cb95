import { fits } from './assignment.js'
import { below, candidatesOf, fillBack, firstCommon, gives, isIn, restore, type Preemptor } from './candidates.js'
import { fairTargets } from './fair-preemption.js'
import type { QuotaNode } from './quota-node.js'
import { discharge, type Workload } from './workload.js'

/**
 * The workloads that are preempted for another one; none if it would not fit even so. Of its own queue those that it may by
 * `withinClusterQueue`; of queues that borrow what it lacks those that it may by `reclaimWithinCohort`, if it stays within
 * its nominal quota, or by `borrowWithinCohort`. In a tree a cohort around it may reclaim from those outside, too, if that
 * stays within its own. Other queues' come first, then those of lower priority, then the latest.
 *
 * Source: Kueue, preemption.go, hierarchical_preemption.go.
 */
export function targets(preemptor: Preemptor): Workload[] {
  const { workload } = preemptor
  const { queue } = workload
  const candidates = candidatesOf(preemptor)
  const own = candidates.filter((each) => each.queue === queue)
  if (own.length === candidates.length) return fewest(preemptor, own, [])
  if (preemptor.fairSharing !== false) return fairTargets(preemptor, candidates)
  const threshold = borrowingThreshold(workload)
  if (threshold !== undefined) {
    const mayGo = (each: Workload): boolean => each.queue === queue || each.priority < threshold || hasRoomLeft(below(queue, firstCommon(queue, each.queue)), preemptor)
    return fewest(preemptor, candidates.filter(mayGo), [], threshold)
  }
  for (let node: QuotaNode = queue; node.parent !== undefined; node = node.parent) {
    const around = node
    if (!hasRoomLeft(around, preemptor)) continue
    const reclaimed = fewest(preemptor, candidates.filter((each) => each.queue === queue || !isIn(each.queue, around)), [around])
    if (reclaimed.length > 0) return reclaimed
  }
  return fewest(preemptor, own, [])
}

/** Whether the queue or cohort uses less than its quota of all that is short. */
const hasRoomLeft = (node: QuotaNode, { assignment }: Preemptor): boolean => assignment.short.every((c) => (node.usage[c] as number) < (node.subtree[c] as number))

/** Workloads of other queues below this priority may be preempted although the preemptor borrows. */
function borrowingThreshold({ priority, queue }: Workload): number | undefined {
  const { policy = 'Never', maxPriorityThreshold = Infinity } = queue.settings.preemption?.borrowWithinCohort ?? {}
  return policy === 'Never' ? undefined : Math.min(priority, maxPriorityThreshold + 1)
}

/**
 * Takes candidates away in order until the workload fits, and then gives back, in the reverse order, whom it need not take.
 * None of `within` may be above its quota then, nor, once a workload of the threshold or above is taken, what reclaims it.
 */
function fewest({ workload, assignment }: Preemptor, candidates: readonly Workload[], within: readonly QuotaNode[], threshold = Infinity): Workload[] {
  const { queue } = workload
  const taken: Workload[] = []
  let limited = within
  for (const each of candidates) {
    const isOther = each.queue !== queue
    if (isOther && !gives(each.queue, queue, assignment.short)) continue
    if (isOther && each.priority >= threshold) limited = [...limited, below(queue, firstCommon(queue, each.queue))]
    discharge(each, each.tasks)
    taken.push(each)
    if (fits(workload, limited)) return fillBack(workload, taken, limited)
  }
  return restore(taken)
}
