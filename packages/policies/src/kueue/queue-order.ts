import { isIn } from './candidates.js'
import { compare, insert } from './entries.js'
import { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import type { Workload } from './workload.js'

/**
 * The order in which queues with candidates give: from the outermost cohort inwards always the child with the largest share, ties to cohorts before queues. A
 * child that does not borrow is left out from then on. The children of a cohort are kept in order, since between two calls of `next` only the last queue's
 * shares change.
 */
export class QueueOrder {
  readonly #own: ClusterQueue
  readonly #resources: number
  /** By queue: its candidates, and how many of them have been taken. */
  readonly #left = new Map<QuotaNode, { readonly list: readonly Workload[]; taken: number }>()
  /** By cohort: its children with candidates. */
  readonly #children = new Map<QuotaNode, Set<QuotaNode>>()
  /** By cohort: its children that may give, the next one last; and the shares of these. */
  readonly #inside = new Map<QuotaNode, QuotaNode[]>()
  readonly #shares = new Map<QuotaNode, number>()
  #last: ClusterQueue | undefined

  constructor(own: ClusterQueue, candidates: ReadonlyMap<ClusterQueue, readonly Workload[]>, resources: number) {
    this.#own = own
    this.#resources = resources
    for (const [queue, list] of candidates) {
      this.#left.set(queue, { list, taken: 0 })
      if (list.length > 0) this.#note(queue)
    }
  }

  /** Notes a queue with candidates, and the cohorts around it, among the children of their cohorts. */
  #note(queue: ClusterQueue): void {
    for (let node: QuotaNode = queue; node.parent !== undefined; node = node.parent) {
      const children = this.#children.get(node.parent)
      if (children?.has(node)) return
      if (children === undefined) this.#children.set(node.parent, new Set([node]))
      else children.add(node)
    }
  }

  /** The next queue; the caller must take one of its candidates, or drop it, before the next call. */
  next(): ClusterQueue | undefined {
    const { root } = this.#own
    if (root === this.#own) return this.has(root) ? this.#own : undefined
    if (this.#last !== undefined) for (const node of this.#last.path()) this.#measure(node)
    this.#last = this.#within(root)
    return this.#last
  }

  has(queue: QuotaNode): boolean {
    const left = this.#left.get(queue)
    return left !== undefined && left.taken < left.list.length
  }
  take(queue: ClusterQueue): Workload {
    const left = this.#left.get(queue) as { readonly list: readonly Workload[]; taken: number }
    return left.list[left.taken++] as Workload
  }
  drop(queue: ClusterQueue): void {
    this.#left.delete(queue)
  }

  /** The next queue inside a cohort; `undefined` if none is left. */
  #within(cohort: QuotaNode): ClusterQueue | undefined {
    const inside = this.#inside.get(cohort) ?? this.#arranged(cohort)
    for (let best = inside.at(-1); best !== undefined; best = inside.at(-1)) {
      const found = best instanceof ClusterQueue ? best : this.#within(best)
      if (found !== undefined) return found
      inside.pop()
    }
    return undefined
  }

  #arranged(cohort: QuotaNode): QuotaNode[] {
    const inside = [...(this.#children.get(cohort) ?? [])].filter((child) => this.#comesIntoQuestion(child)).sort(this.#compare)
    this.#inside.set(cohort, inside)
    return inside
  }

  /** Moves a node to its new place among the children of its cohort, or removes it. */
  #measure(node: QuotaNode): void {
    const inside = node.parent === undefined ? undefined : this.#inside.get(node.parent)
    const at = inside?.lastIndexOf(node) ?? -1
    if (inside === undefined || at < 0) return
    inside.splice(at, 1)
    if (this.#comesIntoQuestion(node)) insert(node, inside, this.#compare)
  }

  /** Whether a child may give: if it borrows; the preemptor's own queue and the cohorts around it may even if they do not. */
  #comesIntoQuestion(child: QuotaNode): boolean {
    if (child instanceof ClusterQueue && !this.has(child)) return false
    const share = child.share(this.#resources)
    this.#shares.set(child, share)
    return share > 0 || isIn(this.#own, child)
  }

  readonly #compare = (a: QuotaNode, b: QuotaNode): number => compare(this.#shares.get(a) as number, this.#shares.get(b) as number) || (isBefore(a, b) ? 1 : -1)
}

const isBefore = (a: QuotaNode, b: QuotaNode): boolean => {
  const byKind = Number(a instanceof ClusterQueue) - Number(b instanceof ClusterQueue)
  return byKind === 0 ? a.name < b.name : byKind < 0
}
