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

/** Without fair sharing: who need not borrow first, or from not as far, then by priority and age. */
export const byBorrowing = (a: Entry, b: Entry): number => a.assignment.borrows - b.assignment.borrows || older(a.workload, b.workload)

/** What a node comes to with the workload of an entry: whether it then borrows any of what that asks, and its share. */
interface Outcome {
  readonly borrows: boolean
  readonly share: number
}

/**
 * With fair sharing: at every cohort the child wins that would not borrow what its entry asks, then the one of which the
 * share would be the smallest with its entry admitted, then by priority and age. Workloads of other roots by priority and age.
 *
 * Source: Kueue, fair_sharing_iterator.go.
 */
export function fairest(entries: readonly Entry[], resources: number): Entry | undefined {
  const outcomes = new Map<QuotaNode, Map<Entry, Outcome>>()
  for (const entry of entries) {
    const { workload } = entry
    charge(workload, workload.tasks)
    for (let node: QuotaNode = workload.queue; node.parent !== undefined; node = node.parent) {
      const ofParent = outcomes.get(node.parent) ?? new Map<Entry, Outcome>()
      outcomes.set(node.parent, ofParent.set(entry, { borrows: borrowsFor(node, workload), share: node.share(resources) }))
    }
    discharge(workload, workload.tasks)
  }
  const roots = new Set(entries.map(({ workload }) => workload.queue.root))
  const winners = [...roots].flatMap((root) => winnerIn(root, entries.filter(({ workload }) => workload.queue.root === root), outcomes) ?? [])
  return winners.sort((a, b) => older(a.workload, b.workload))[0]
}

const borrowsFor = (node: QuotaNode, { demand, flavor }: Workload): boolean => demand.some((amount, r) => amount > 0 && node.borrows(flavor * demand.length + r))

function winnerIn(node: QuotaNode, entries: readonly Entry[], outcomes: ReadonlyMap<QuotaNode, ReadonlyMap<Entry, Outcome>>): Entry | undefined {
  const inChild = new Map<QuotaNode, Entry[]>()
  for (const entry of entries) {
    const child = childToward(entry.workload.queue, node)
    if (child === undefined) return entry
    inChild.set(child, [...(inChild.get(child) ?? []), entry])
  }
  const of = (entry: Entry): Outcome => outcomes.get(node)?.get(entry) ?? { borrows: false, share: 0 }
  return [...inChild]
    .flatMap(([child, its]) => winnerIn(child, its, outcomes) ?? [])
    .sort((a, b) => Number(of(a).borrows) - Number(of(b).borrows) || compare(of(a).share, of(b).share) || older(a.workload, b.workload))[0]
}

/** The child of `node` that the queue is or lies in; undefined for the queue itself. */
function childToward(queue: QuotaNode, node: QuotaNode): QuotaNode | undefined {
  let child: QuotaNode | undefined
  for (let each: QuotaNode | undefined = queue; each !== undefined && each !== node; each = each.parent) child = each
  return child
}

/** Shares may be infinite. */
export const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
