import { isIn } from './candidates.js'
import { compare, insert } from './entries.js'
import { ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import type { Workload } from './workload.js'

/**
 * Queues with candidates: from the outermost cohort inwards always the child with the largest share, cohorts before queues. Who does not borrow is
 * left out, from then on. The children of a cohort are kept in order: between two queues only what was taken of the first of them changes shares.
 */
export class QueueOrder {
  readonly #own: ClusterQueue
  readonly #resources: number
  /** Candidates of a queue, and how many of them are taken. */
  readonly #left = new Map<QuotaNode, { readonly list: readonly Workload[]; taken: number }>()
  /** Children of a cohort that come into question, whoever comes first last, and their shares. */
  readonly #inside = new Map<QuotaNode, QuotaNode[]>()
  readonly #shares = new Map<QuotaNode, number>()
  #last: ClusterQueue | undefined

  constructor(own: ClusterQueue, candidates: ReadonlyMap<ClusterQueue, readonly Workload[]>, resources: number) {
    this.#own = own
    this.#resources = resources
    for (const [queue, list] of candidates) this.#left.set(queue, { list, taken: 0 })
  }

  /** The queue of which one is to be taken, or which is to be dropped, before the next. */
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

  /** Undefined where nothing in the cohort is left. */
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
    const inside = cohort.children.filter((child) => this.#comesIntoQuestion(child)).sort(this.#compare)
    this.#inside.set(cohort, inside)
    return inside
  }

  /** Puts a node where it belongs by now among the children of its cohort. */
  #measure(node: QuotaNode): void {
    const inside = node.parent === undefined ? undefined : this.#inside.get(node.parent)
    const at = inside?.lastIndexOf(node) ?? -1
    if (inside === undefined || at < 0) return
    inside.splice(at, 1)
    if (this.#comesIntoQuestion(node)) insert(node, inside, this.#compare)
  }

  /** The preemptor's own queue and the cohorts around it do although they do not borrow. */
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
