import { dominantShare } from './comparing.js'
import type { Pots } from './pots.js'
import type { QueueTree } from './queue-tree.js'
import type { Quotas } from './quotas.js'
import { QueueKeys, SortedQueues } from './sorted-queues.js'

/** Band of queues at or over their guarantee: above every priority, so that they come after queues below their guarantee. */
const OVER = 2 ** 40
/** Band of queues that are guaranteed nothing: above `OVER`. */
const LAST = 2 ** 41

/**
 * What queues use, per pot, and the children of every queue that have waiting jobs, in the order in which they are served:
 * by used over guaranteed. With `priority-utilization` queues below their guarantee come first, by priority, then by that ratio. Queues
 * that are guaranteed nothing come last, by their share of the whole (`byCapacity`).
 *
 * Source: Hadoop 3, PriorityUtilizationQueueOrderingPolicy, whose comparator is this order.
 */
export class QueueUsage {
  /** `[(queue * pots + pot) * width + i]`: amounts used, running and reserved. */
  used = new Float64Array(0)
  /** `[queue * pots + pot]`: the dominant share of the guarantee. */
  #guaranteedShare = new Float64Array(0)
  /** The totals of the pots to divide by: `Infinity` in place of 0, so that no queue has a share of a resource that does not exist. */
  #divisors = new Float64Array(0)
  /** `[queue * pots + pot]`: 1 while the queue has waiting jobs. */
  #listed = new Uint8Array(0)
  readonly #children: SortedQueues[] = []
  readonly #keys: readonly QueueKeys[]
  readonly #tree: QueueTree
  readonly #quotas: Quotas
  readonly #pots: Pots
  readonly #byCapacity: boolean
  readonly #minimum: readonly (readonly number[])[]
  #isStale = true

  constructor(tree: QueueTree, quotas: Quotas, pots: Pots, byCapacity: boolean, minimum: readonly (readonly number[])[]) {
    this.#tree = tree
    this.#quotas = quotas
    this.#pots = pots
    this.#byCapacity = byCapacity
    this.#minimum = minimum
    this.#keys = Array.from({ length: pots.count }, () => new QueueKeys())
    this.addQueues()
  }

  children(queue: number, pot: number): SortedQueues {
    return this.#children[queue * this.#pots.count + pot] as SortedQueues
  }

  isListed(queue: number, pot: number): boolean {
    return this.#listed[queue * this.#pots.count + pot] === 1
  }

  /** Compares siblings by the order in which a pot serves them, whether or not they have waiting jobs. */
  compare(a: number, b: number, pot: number): number {
    return (this.#keys[pot] as QueueKeys).isAfter(a, b) ? 1 : -1
  }

  /** Makes the columns of queues that are new. */
  addQueues(): void {
    const { count, width } = this.#pots
    const queues = this.#tree.queues.length
    for (const keys of this.#keys) keys.grow(queues)
    if (queues * count > this.#listed.length) {
      const size = queues * 2 * count
      this.used = copied(this.used, new Float64Array(size * width))
      this.#guaranteedShare = new Float64Array(size)
      this.#listed = copied(this.#listed, new Uint8Array(size))
    }
    while (this.#children.length < queues * count) this.#children.push(new SortedQueues(this.#keys[this.#children.length % count] as QueueKeys))
    this.#isStale = true
  }

  /** Guarantees have changed: everything is sorted anew at the next reading. */
  spoil(): void {
    this.#isStale = true
  }

  /** Brings guarantees and lists up to date; to be called before a reading. Returns whether anything was out of date. */
  refresh(): boolean {
    if (!this.#isStale) return false
    this.#isStale = false
    this.#quotas.compute()
    this.#divisors = this.#pots.totals.map((total) => (total > 0 ? total : Infinity))
    const { queues } = this.#tree
    const { count, width, totals } = this.#pots
    for (const [pot, keys] of this.#keys.entries()) {
      keys.hasBands = this.#tree.isByPriority.includes(true) || (this.#byCapacity && queues.some(({ id }) => this.#tree.isGone[id] === false && this.#isLast(id * count + pot)))
      const least = dominantShare(this.#minimum[pot % this.#pots.lanes] as readonly number[], 0, totals, pot * width, width)
      const { guaranteed } = this.#quotas
      for (let id = 0; id < queues.length; id++) {
        const at = id * count + pot
        const share = dominantShare(guaranteed, at * width, totals, pot * width, width)
        this.#guaranteedShare[at] = this.#isLast(at) ? 1 : Math.max(share, least)
      }
      for (let id = 0; id < queues.length; id++) if (this.#tree.isInner[id] === true) this.#sort(id, pot)
    }
    return true
  }

  /** Adds amounts to a leaf and all queues around it (`sign` 1), or takes them away (-1). */
  change(leaf: number, pot: number, amounts: Float64Array, from: number, sign: 1 | -1): void {
    const { count, width } = this.#pots
    const { parents } = this.#tree
    const { used } = this
    const divisors = this.#divisors
    const isSorted = !this.#isStale
    for (let id = leaf; id >= 0; id = parents[id] as number) {
      const at = id * count + pot
      let share = 0
      for (let i = 0; i < width; i++) {
        const amount = (used[at * width + i] as number) + sign * (amounts[from + i] as number)
        used[at * width + i] = amount
        const part = amount / (divisors[pot * width + i] as number)
        if (part > share) share = part
      }
      if (id > 0 && isSorted) this.#place(id, pot, at, share)
    }
  }

  /** A leaf has got its first waiting job: it joins its siblings, and so on up. */
  join(leaf: number, pot: number): void {
    const { count } = this.#pots
    for (let id = leaf; id >= 0 && this.#listed[id * count + pot] === 0; id = this.#tree.queue(id).parent) {
      this.#listed[id * count + pot] = 1
      if (id > 0 && !this.#isStale) this.children(this.#tree.queue(id).parent, pot).add(id)
    }
  }

  /** A leaf has lost its last waiting job: it leaves its siblings, and so on up. */
  leave(leaf: number, pot: number): void {
    const { count } = this.#pots
    for (let id = leaf; id >= 0; id = this.#tree.queue(id).parent) {
      if (id !== leaf && this.#tree.queue(id).children.some((child) => this.isListed(child, pot))) return
      this.#listed[id * count + pot] = 0
      if (id > 0 && !this.#isStale) this.children(this.#tree.queue(id).parent, pot).remove(id)
    }
  }

  /** Puts a queue where its share belongs among its siblings. */
  #place(id: number, pot: number, at: number, share: number): void {
    const ratio = ratioOf(share, this.#guaranteedShare[at] as number)
    const band = this.#band(id, at, ratio)
    if (this.#listed[at] === 1) return this.children(this.#tree.parents[id] as number, pot).move(id, band, ratio)
    const keys = this.#keys[pot] as QueueKeys
    keys.band[id] = band
    keys.ratio[id] = ratio
  }

  #ratio(id: number, pot: number): number {
    const { count, width, totals } = this.#pots
    const at = id * count + pot
    return ratioOf(dominantShare(this.used, at * width, totals, pot * width, width), this.#guaranteedShare[at] as number)
  }

  #band(id: number, at: number, ratio: number): number {
    const last = this.#isLast(at) ? LAST : 0
    return this.#tree.isByPriority[id] === true ? last + (ratio >= 1 ? OVER : 0) - this.#tree.queue(id).priority : last
  }

  #isLast(at: number): boolean {
    return this.#byCapacity && this.#quotas.part[at] === 0
  }

  #sort(parent: number, pot: number): void {
    const { count } = this.#pots
    const keys = this.#keys[pot] as QueueKeys
    const { part } = this.#quotas
    const ranked = [...(this.#tree.sorted[parent] as number[])]
    if (this.#byCapacity) ranked.sort((a, b) => (part[b * count + pot] as number) - (part[a * count + pot] as number))
    const list = this.children(parent, pot)
    list.size = 0
    for (let tie = 0; tie < ranked.length; tie++) {
      const id = ranked[tie] as number
      keys.tie[id] = tie
      keys.ratio[id] = this.#ratio(id, pot)
      keys.band[id] = this.#band(id, id * count + pot, keys.ratio[id])
      if (this.isListed(id, pot)) list.add(id)
    }
  }
}

/**
 * Used over guaranteed as a 32-bit float, as in Hadoop: 6 used of 4 and 9 used of 6 are then equal, though as 64-bit quotients of shares of 40 they
 * are not.
 */
const ratioOf = (share: number, guaranteed: number): number => (guaranteed === 0 ? 0 : Math.fround(share / guaranteed))

function copied<T extends Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}
