import { fits } from './assignment.js'
import { below, fillBack, firstCommon, gives, isIn, restore, type Preemptor } from './candidates.js'
import { compare } from './entries.js'
import type { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import { charge, discharge, type Workload } from './workload.js'

/** By what shares a workload of another queue may be preempted: of the preemptor with its workload, of the other before and after. */
const strategies = {
  LessThanOrEqualToFinalShare: (mine: number, _before: number, after: number) => mine <= after,
  LessThanInitialShare: (mine: number, before: number) => mine < before,
} as const

/**
 * The workloads that are preempted with fair sharing: again and again one of the queue with the largest share, its own one
 * included, as long as the first strategy allows it, then by the second one. Shares are those of the queues, or of the
 * cohorts that hold them, just below the first cohort that they have in common.
 *
 * Source: Kueue, preemption.go (fairPreemptions) and its fair sharing proposal, rules S2-a and S2-b.
 */
export function fairTargets(preemptor: Preemptor, candidates: readonly Workload[]): Workload[] {
  const { workload, assignment, fairSharing, resources } = preemptor
  const names = typeof fairSharing === 'object' ? fairSharing.preemptionStrategies : (['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] as const)
  const [first, second] = names.map((name) => strategies[name])
  const taken: Workload[] = []
  const later: Workload[] = []
  const take = (each: Workload): boolean => {
    discharge(each, each.tasks)
    taken.push(each)
    return fits(workload)
  }
  const queues = byQueue(candidates)
  while (queues.size > 0 && first !== undefined) {
    const queue = largestShare(queues, workload.queue, resources)
    const left = queues.get(queue) as Workload[]
    if (queue !== workload.queue && !gives(queue, workload.queue, assignment.short)) {
      queues.delete(queue)
      continue
    }
    const each = left.shift() as Workload
    if (left.length === 0) queues.delete(queue)
    if (queue === workload.queue || first(...sharesOf(workload, each, resources))) {
      if (take(each)) return fillBack(workload, taken, [])
    } else later.push(each)
  }
  const rest = byQueue(later)
  while (rest.size > 0 && second !== undefined) {
    const queue = largestShare(rest, workload.queue, resources)
    const each = (rest.get(queue) as Workload[])[0] as Workload
    rest.delete(queue)
    if (second(...sharesOf(workload, each, resources)) && take(each)) return fillBack(workload, taken, [])
  }
  return restore(taken)
}

function byQueue(candidates: readonly Workload[]): Map<ClusterQueue, Workload[]> {
  const queues = new Map<ClusterQueue, Workload[]>()
  for (const each of candidates) queues.set(each.queue, [...(queues.get(each.queue) ?? []), each])
  return queues
}

/** From the outermost cohort inwards the child with the largest share that has candidates. */
function largestShare(queues: ReadonlyMap<ClusterQueue, unknown>, of: ClusterQueue, resources: number): ClusterQueue {
  let node: QuotaNode = of.root
  while (node.children.length > 0) {
    const children = node.children.filter((child) => [...queues.keys()].some((queue) => isIn(queue, child)))
    node = children.sort((a, b) => compare(b.share(resources), a.share(resources)) || (a.name < b.name ? -1 : 1))[0] as QuotaNode
  }
  return node as ClusterQueue
}

function sharesOf(workload: Workload, other: Workload, resources: number): [number, number, number] {
  const shared = firstCommon(workload.queue, other.queue)
  const mine = below(workload.queue, shared)
  const its = below(other.queue, shared)
  const before = its.share(resources)
  charge(workload, workload.tasks)
  const share = mine.share(resources)
  discharge(workload, workload.tasks)
  discharge(other, other.tasks)
  const after = its.share(resources)
  charge(other, other.tasks)
  return [share, before, after]
}
