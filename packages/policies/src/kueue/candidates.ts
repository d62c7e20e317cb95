import { fits, type Assignment } from './assignment.js'
import type { KueueSettings } from './options.js'
import type { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import { charge, discharge, type Workload } from './workload.js'

/** What a search for workloads to preempt is made with. */
export interface Preemptor {
  /** Not admitted, with the flavor that it is to have. */
  readonly workload: Workload
  readonly assignment: Assignment
  readonly admitted: Iterable<Workload>
  readonly fairSharing: KueueSettings['fairSharing']
  readonly resources: number
}

/** Whom the workload may preempt, first whom it would rather. */
export function candidatesOf({ workload, assignment, admitted }: Preemptor): Workload[] {
  const { withinClusterQueue = 'Never', reclaimWithinCohort = 'Never' } = workload.queue.settings.preemption ?? {}
  const mayPreempt = (each: Workload): boolean => {
    if (each.queue !== workload.queue)
      return reclaimWithinCohort !== 'Never' && (reclaimWithinCohort === 'Any' || each.priority < workload.priority) && gives(each.queue, workload.queue, assignment.short)
    if (withinClusterQueue === 'Never') return false
    return each.priority < workload.priority || (each.priority === workload.priority && withinClusterQueue === 'LowerOrNewerEqualPriority' && each.rank > workload.rank)
  }
  const uses = ({ demand, flavor }: Workload): boolean => assignment.short.some((c) => Math.floor(c / demand.length) === flavor && (demand[c % demand.length] as number) > 0)
  return [...admitted]
    .filter((each) => each.lane === workload.lane && each.job !== workload.job && uses(each) && mayPreempt(each))
    .sort((a, b) => Number(a.queue === workload.queue) - Number(b.queue === workload.queue) || a.priority - b.priority || b.admission - a.admission)
}

/** Whether the queue borrows what is short, and every cohort between it and the first that it has in common with the other. */
export function gives(queue: ClusterQueue, to: ClusterQueue, short: readonly number[]): boolean {
  const shared = firstCommon(queue, to)
  if (shared === undefined) return false
  for (let node: QuotaNode | undefined = queue; node !== undefined && node !== shared; node = node.parent) if (!short.some((c) => (node).borrows(c))) return false
  return true
}

/** The innermost cohort that both lie in. */
export function firstCommon(a: QuotaNode, b: QuotaNode): QuotaNode | undefined {
  const around = new Set<QuotaNode>()
  for (let node = a.parent; node !== undefined; node = node.parent) around.add(node)
  for (let node = b.parent; node !== undefined; node = node.parent) if (around.has(node)) return node
  return undefined
}

/** The queue, or the cohort around it, that lies directly in `shared`; the outermost without it. */
export function below(queue: QuotaNode, shared: QuotaNode | undefined): QuotaNode {
  let node = queue
  while (node.parent !== undefined && node.parent !== shared) node = node.parent
  return node
}

export function isIn(queue: QuotaNode, node: QuotaNode): boolean {
  for (let each: QuotaNode | undefined = queue; each !== undefined; each = each.parent) if (each === node) return true
  return false
}

/** The taken without those that need not go; nobody is taken away any more afterwards. */
export function fillBack(workload: Workload, taken: Workload[], within: readonly QuotaNode[]): Workload[] {
  const gone = new Set(taken)
  for (let i = taken.length - 2; i >= 0; i--) {
    const each = taken[i] as Workload
    charge(each, each.tasks)
    if (fits(workload, within)) gone.delete(each)
    else discharge(each, each.tasks)
  }
  restore([...gone])
  return [...gone]
}

export function restore(taken: readonly Workload[]): Workload[] {
  for (const each of taken) charge(each, each.tasks)
  return []
}
