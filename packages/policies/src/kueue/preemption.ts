import { fits } from './assignment.js'
import { candidatesOf, fillBack, gives, restore, type Preemptor } from './candidates.js'
import { fairTargets } from './fair-preemption.js'
import { discharge, type Workload } from './workload.js'

/**
 * The workloads that are preempted for another one; none if it would not fit even so. Of its own queue those that it may by
 * `withinClusterQueue`; of queues that borrow what it lacks those that it may by `reclaimWithinCohort`, if it stays within
 * its nominal quota, or by `borrowWithinCohort`. Other queues' come first, then those of lower priority, then the latest.
 *
 * Source: Kueue, preemption.go.
 */
export function targets(preemptor: Preemptor): Workload[] {
  const { workload, assignment } = preemptor
  const { queue } = workload
  const candidates = candidatesOf(preemptor)
  const own = candidates.filter((each) => each.queue === queue)
  if (own.length === candidates.length) return fewest(preemptor, own, true)
  const threshold = borrowingThreshold(workload)
  if (preemptor.fairSharing !== false) return fairTargets(preemptor, candidates, threshold)
  const isBelow = assignment.short.every((c) => (queue.usage[c] as number) < (queue.subtree[c] as number))
  if (threshold !== undefined) return fewest(preemptor, isBelow ? candidates : candidates.filter((each) => each.queue === queue || each.priority < threshold), true, threshold)
  const reclaimed = isBelow ? fewest(preemptor, candidates, false) : []
  return reclaimed.length > 0 ? reclaimed : fewest(preemptor, own, true)
}

/** Workloads of other queues below this priority may be preempted although the preemptor borrows. */
function borrowingThreshold({ priority, queue }: Workload): number | undefined {
  const { policy = 'Never', maxPriorityThreshold = Infinity } = queue.settings.preemption?.borrowWithinCohort ?? {}
  return policy === 'Never' ? undefined : Math.min(priority, maxPriorityThreshold + 1)
}

/** Takes candidates away in order until the workload fits, and then gives back, in the reverse order, whom it need not take. */
function fewest({ workload, assignment }: Preemptor, candidates: readonly Workload[], mayBorrow: boolean, threshold = Infinity): Workload[] {
  const taken: Workload[] = []
  let borrowing = mayBorrow
  let done = false
  for (const each of candidates) {
    const isOther = each.queue !== workload.queue
    if (isOther && !gives(each.queue, workload.queue, assignment.short)) continue
    if (isOther && each.priority >= threshold) borrowing = false
    discharge(each, each.tasks)
    taken.push(each)
    done = fits(workload, borrowing)
    if (done) break
  }
  return done ? fillBack(workload, taken, borrowing) : restore(taken)
}
