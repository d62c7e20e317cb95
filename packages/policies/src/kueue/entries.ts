import { charge, discharge, type Workload } from './workload.js'
import type { Assignment } from './assignment.js'
import type { QuotaNode } from './quota-node.js'

/** The first workload of a queue with what could be done for it. */
export interface Entry {
  readonly workload: Workload
  readonly assignment: Assignment
}

/** By priority, then by submission. */
const older = (a: Workload, b: Workload): number => b.priority - a.priority || a.rank - b.rank

/** Without fair sharing: who need not borrow first, then by priority and age. */
export const byBorrowing = (a: Entry, b: Entry): number => Number(a.assignment.borrows) - Number(b.assignment.borrows) || older(a.workload, b.workload)

/**
 * With fair sharing: at every cohort the child wins of which the share would be the smallest with its entry admitted, then
 * by priority and age. Workloads of other roots by priority and age.
 *
 * Source: Kueue, fair_sharing_iterator.go.
 */
export function fairest(entries: readonly Entry[], resources: number): Entry | undefined {
  const shares = new Map<QuotaNode, Map<Entry, number>>()
  for (const entry of entries) {
    const { workload } = entry
    charge(workload, workload.tasks)
    for (let node: QuotaNode = workload.queue; node.parent !== undefined; node = node.parent) {
      const ofParent = shares.get(node.parent) ?? new Map<Entry, number>()
      shares.set(node.parent, ofParent.set(entry, node.share(resources)))
    }
    discharge(workload, workload.tasks)
  }
  const roots = new Set(entries.map(({ workload }) => workload.queue.root))
  const winners = [...roots].flatMap((root) => winnerIn(root, entries.filter(({ workload }) => workload.queue.root === root), shares) ?? [])
  return winners.sort((a, b) => older(a.workload, b.workload))[0]
}

function winnerIn(node: QuotaNode, entries: readonly Entry[], shares: ReadonlyMap<QuotaNode, ReadonlyMap<Entry, number>>): Entry | undefined {
  const inChild = new Map<QuotaNode, Entry[]>()
  for (const entry of entries) {
    const child = childToward(entry.workload.queue, node)
    if (child === undefined) return entry
    inChild.set(child, [...(inChild.get(child) ?? []), entry])
  }
  const ofNode = shares.get(node)
  const shareOf = (entry: Entry): number => ofNode?.get(entry) ?? 0
  return [...inChild]
    .flatMap(([child, its]) => winnerIn(child, its, shares) ?? [])
    .sort((a, b) => compare(shareOf(a), shareOf(b)) || older(a.workload, b.workload))[0]
}

/** The child of `node` that the queue is or lies in; undefined for the queue itself. */
function childToward(queue: QuotaNode, node: QuotaNode): QuotaNode | undefined {
  let child: QuotaNode | undefined
  for (let each: QuotaNode | undefined = queue; each !== undefined && each !== node; each = each.parent) child = each
  return child
}

/** Shares may be infinite. */
export const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
