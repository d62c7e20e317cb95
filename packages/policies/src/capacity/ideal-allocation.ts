import { compareShares, dominantShare } from './comparing.js'
import { QueueKeys, SortedQueues } from './sorted-queues.js'

/** Queues as preemption sees them, in one partition: columns by queue, parents before their children, queue 0 the root. */
export interface QueueLoads {
  readonly count: number
  /** Number of counted resources; vectors are `[queue * width + i]`. */
  readonly width: number
  /** Of the partition. */
  readonly total: ArrayLike<number>
  /** -1 for the root. */
  readonly parent: ArrayLike<number>
  readonly guaranteed: ArrayLike<number>
  readonly most: ArrayLike<number>
  /** Running and reserved. */
  readonly used: ArrayLike<number>
  /** Wanted beside it by waiting jobs, as far as user limits let them; of leaves, parents are summed. */
  readonly pending: ArrayLike<number>
  /** The same less what jobs have reserved for it, which needs no preemption. */
  readonly unreserved: ArrayLike<number>
  /** 1 where nothing may be taken. */
  readonly isProtected: ArrayLike<number>
  /** Among siblings; 0 unless their parent orders by priority. */
  readonly priority: ArrayLike<number>
}

export interface PreemptionFactors {
  /** Dead zone above the guarantee. */
  readonly maxIgnoredOverCapacity: number
  /** Part of the wanted amount that is taken in one round. */
  readonly naturalTerminationFactor: number
}

/** What every queue should have, and what is to be taken from it now; vectors by queue. */
export interface IdealAllocation {
  readonly ideal: Float64Array
  /** Above the ideal, scaled to what a round may take in all. */
  readonly excess: Float64Array
  /** Of leaves: what to take now, 0 inside the dead zone. */
  readonly toObtain: Float64Array
}

/** Above every priority: queues that have their guarantee come after those that do not. */
const OVER = 2 ** 40
/** Rank of queues without a guarantee: after all others. */
const NO_GUARANTEE = 0x7fffffff

/** `IdealPlan` for once; `allowed`: the most that a round may take in all, by counted resource. */
export function idealAllocation(loads: QueueLoads, factors: PreemptionFactors, allowed: ArrayLike<number>): IdealAllocation {
  return new IdealPlan().compute(loads, factors, allowed)
}

/**
 * The allocation that preemption works towards: down the tree, what a queue has is divided among its children. Each keeps
 * what it uses up to its guarantee; the rest is offered to those that want more, most under-served first, in proportion to
 * guarantees, until nothing is left or wanted; at last to queues without a guarantee. A leaf is offered no more than its
 * guarantee, or what it uses if that is more, so that nobody is preempted for one that is served.
 *
 * The columns are kept and used again: a look over a thousand queues allocates nothing.
 *
 * Source: Hadoop 3, PreemptableResourceCalculator, AbstractPreemptableResourceCalculator and TempQueuePerPartition.
 * Deviation: vectors are bounded resource by resource, where Hadoop takes the one of two vectors with the smaller dominant
 * share; with one resource that is the same. What rounding leaves to nobody is not taken from those that use it.
 */
export class IdealPlan implements IdealAllocation {
  ideal = new Float64Array(0)
  excess = new Float64Array(0)
  toObtain = new Float64Array(0)
  /** What a queue has whatever the others want, the most that offers raise it to, and what is not taken although it is offered less. */
  #kept = new Float64Array(0)
  #limit = new Float64Array(0)
  #spared = new Float64Array(0)
  /** What a queue has above its guarantee that may be taken; sums of leaves in parents. */
  #preemptable = new Float64Array(0)
  #pending = new Float64Array(0)
  #unreserved = new Float64Array(0)
  /** By queue: the dominant shares of what it is guaranteed and of its ideal so far, whether that is anything, and whether it wants more than it keeps. */
  #guaranteedShare = new Float64Array(0)
  #idealShare = new Float64Array(0)
  #hasGuarantee = new Uint8Array(0)
  #isHungry = new Uint8Array(0)
  readonly #children: number[][] = []
  /** Totals to divide by: Infinity where there is nothing, of which no queue has a share. */
  #divisors = new Float64Array(0)
  /** What the queue that is divided has left, and what its hungry children are guaranteed together. */
  #left = new Float64Array(0)
  #active = new Float64Array(0)
  #given = new Float64Array(0)
  #dropped = new Float64Array(0)
  #zone = new Float64Array(0)
  readonly #keys = new QueueKeys()
  /** Children of the queue that is divided that want more, the most under-served first. */
  readonly #hungry = new SortedQueues(this.#keys)
  #group = new Int32Array(8)
  #loads!: QueueLoads
  #factors!: PreemptionFactors

  /** The arrays returned are overwritten by the next call. */
  compute(loads: QueueLoads, factors: PreemptionFactors, allowed: ArrayLike<number>): IdealAllocation {
    const { count, width, guaranteed, total } = loads
    const most = dominantShare(allowed, 0, total, 0, width)
    this.#loads = loads
    this.#factors = factors
    this.#fit()
    this.#readUp()
    for (let i = 0; i < width; i++) this.ideal[i] = guaranteed[i] as number
    for (let queue = 0; queue < count; queue++) {
      if ((this.#children[queue] as number[]).length > 0) this.#divide(queue, most)
      else this.#obtain(queue)
    }
    return this
  }

  /** Columns and children for as many queues as there are. Queues are only ever added. */
  #fit(): void {
    const { count, width, parent, total } = this.#loads
    if (this.ideal.length < count * width) {
      const column = () => new Float64Array(count * width * 2)
      ;[this.ideal, this.excess, this.toObtain, this.#kept, this.#limit, this.#spared, this.#preemptable, this.#pending, this.#unreserved] = [column(), column(), column(), column(), column(), column(), column(), column(), column()]
      this.#guaranteedShare = new Float64Array(count * 2)
      this.#idealShare = new Float64Array(count * 2)
      this.#hasGuarantee = new Uint8Array(count * 2)
      this.#isHungry = new Uint8Array(count * 2)
      this.#keys.grow(count * 2)
      this.#keys.hasBands = true
    }
    if (this.#left.length !== width) {
      const vector = () => new Float64Array(width)
      ;[this.#left, this.#active, this.#given, this.#dropped, this.#zone, this.#divisors] = [vector(), vector(), vector(), vector(), vector(), vector()]
    }
    for (let i = 0; i < width; i++) this.#divisors[i] = (total[i] as number) > 0 ? (total[i] as number) : Infinity
    for (let queue = this.#children.length; queue < count; queue++) {
      this.#children.push([])
      if (queue > 0) this.#children[parent[queue] as number]?.push(queue)
    }
  }

  /** Reads all queues, from the leaves up: what is pending in parents, which extra may be taken, and all that does not depend on siblings. */
  #readUp(): void {
    const { count, width, parent, pending, unreserved } = this.#loads
    this.#preemptable.fill(0, 0, count * width) // of a parent, until it is its turn: the sum of its children's
    this.#pending.fill(0, 0, count * width)
    this.#unreserved.fill(0, 0, count * width)
    for (let queue = count - 1; queue >= 0; queue--) {
      const from = queue * width
      if ((this.#children[queue] as number[]).length === 0)
        for (let at = from; at < from + width; at++) {
          this.#pending[at] = pending[at] as number
          this.#unreserved[at] = unreserved[at] as number
          this.#preemptable[at] = Infinity
        }
      this.#readQueue(queue)
      const above = (parent[queue] as number) * width - from
      if (queue > 0)
        for (let at = from; at < from + width; at++) {
          this.#preemptable[at + above] = (this.#preemptable[at + above] as number) + (this.#preemptable[at] as number)
          this.#pending[at + above] = (this.#pending[at + above] as number) + (this.#pending[at] as number)
          this.#unreserved[at + above] = (this.#unreserved[at + above] as number) + (this.#unreserved[at] as number)
        }
    }
  }

  #readQueue(queue: number): void {
    const { width, used, guaranteed, most, isProtected } = this.#loads
    const from = queue * width
    const isLeaf = (this.#children[queue] as number[]).length === 0
    const isOver = this.#isAbove(used, from, guaranteed, from)
    let share = 0
    let hasGuarantee = 0
    let isHungry = 0
    for (let i = 0, at = from; i < width; i++, at++) {
      const uses = used[at] as number
      const own = guaranteed[at] as number
      const extra = uses > own ? uses - own : 0
      const preemptable = isLeaf && isProtected[queue] === 1 ? 0 : Math.min(extra, this.#preemptable[at] as number)
      const kept = isOver ? own + extra - preemptable : uses
      const wanted = uses + (this.#pending[at] as number)
      const limit = Math.min(most[at] as number, uses + (this.#unreserved[at] as number))
      this.#preemptable[at] = preemptable
      this.#kept[at] = kept
      this.#limit[at] = isLeaf ? Math.min(limit, Math.max(uses, own)) : limit
      this.#spared[at] = Math.min(wanted, own)
      if (kept < wanted) isHungry = 1
      if (own > 0) hasGuarantee = 1
      share = Math.max(share, own / (this.#divisors[i] as number))
    }
    this.#guaranteedShare[queue] = share
    this.#hasGuarantee[queue] = hasGuarantee
    this.#isHungry[queue] = isHungry
  }

  /** Divides what a queue should have among its children, of whom no more than a dominant share is taken. */
  #divide(queue: number, most: number): void {
    const { width, used, total } = this.#loads
    const children = this.#children[queue] as number[]
    for (let i = 0; i < width; i++) this.#left[i] = this.ideal[queue * width + i] as number
    const hasOthers = this.#share(children, 1)
    if (hasOthers) this.#share(children, 0)
    this.#leave(children)
    const needed = this.#given.fill(0)
    for (const child of children) {
      if (!this.#isAbove(used, child * width, this.ideal, child * width)) continue
      for (let i = 0; i < width; i++) needed[i] = (needed[i] as number) + Math.max(0, (used[child * width + i] as number) - (this.ideal[child * width + i] as number))
    }
    const wanted = dominantShare(needed, 0, total, 0, width)
    for (const child of children) this.#exceed(child, wanted > most ? most / wanted : 1)
  }

  /** Settles the children with a guarantee (1), or those without one (0), and offers them what is left; whether there are other children. */
  #share(children: readonly number[], having: 0 | 1): boolean {
    const { width, guaranteed } = this.#loads
    let hasOthers = false
    this.#hungry.size = 0
    for (let i = 0; i < width; i++) this.#active[i] = 0 // faster than a call, here and below
    for (const queue of children) {
      if (this.#hasGuarantee[queue] !== having) {
        hasOthers = true
        continue
      }
      let share = 0
      for (let i = 0, at = queue * width; i < width; i++, at++) {
        const kept = this.#kept[at] as number
        this.ideal[at] = kept
        this.#left[i] = (this.#left[i] as number) - kept
        share = Math.max(share, kept / (this.#divisors[i] as number))
      }
      this.#idealShare[queue] = share
      if (this.#isHungry[queue] === 0) continue
      for (let i = 0, at = queue * width; i < width; i++, at++) this.#active[i] = (this.#active[i] as number) + (guaranteed[at] as number)
      const ratio = this.#partOfGuarantee(queue, share)
      this.#keys.ratio[queue] = ratio
      this.#keys.band[queue] = this.#band(queue, ratio)
      this.#keys.tie[queue] = queue
      this.#hungry.add(queue)
    }
    while (this.#hungry.size > 0 && this.#isLeft()) this.#offerRound(having === 0)
    return hasOthers
  }

  /** What is left, since parts of small amounts are rounded to nothing, stays with those that use it. */
  #leave(children: readonly number[]): void {
    const { width, used, most } = this.#loads
    for (let i = 0; i < width; i++) {
      for (let k = 0; k < children.length && (this.#left[i] as number) > 0; k++) {
        const at = (children[k] as number) * width + i
        const more = Math.min(this.#left[i] as number, Math.min(used[at] as number, most[at] as number) - (this.ideal[at] as number))
        if (more <= 0) continue
        this.ideal[at] = (this.ideal[at] as number) + more
        this.#left[i] = (this.#left[i] as number) - more
      }
    }
  }

  /** One round of offers to the most under-served queues; those that take nothing are done. */
  #offerRound(isEqual: boolean): void {
    const { width, guaranteed } = this.#loads
    const hungry = this.#hungry
    const given = this.#given
    const dropped = this.#dropped
    const left = this.#left
    const active = this.#active
    const ideal = this.ideal
    const limit = this.#limit
    const divisors = this.#divisors
    for (let i = 0; i < width; i++) given[i] = dropped[i] = 0
    const equalPart = 1 / hungry.size
    const count = this.#takeGroup()
    for (let k = 0; k < count; k++) {
      const queue = this.#group[k] as number
      let hasGained = false
      let share = this.#idealShare[queue] as number
      for (let i = 0, at = queue * width; i < width; i++, at++) {
        const has = ideal[at] as number
        const room = (limit[at] as number) - has
        const rest = left[i] as number
        const all = active[i] as number
        if (room <= 0 || rest <= 0 || (all === 0 && !isEqual)) continue
        const offered = this.#rounded(rest * (isEqual ? equalPart : (guaranteed[at] as number) / all))
        const accepted = offered < room ? offered : room
        if (accepted === 0) continue
        hasGained = true
        ideal[at] = has + accepted
        given[i] = (given[i] as number) + accepted
        const part = (has + accepted) / (divisors[i] as number)
        if (part > share) share = part
      }
      if (hasGained) {
        const ratio = this.#partOfGuarantee(queue, share)
        this.#idealShare[queue] = share
        hungry.move(queue, this.#band(queue, ratio), ratio)
      } else {
        hungry.remove(queue)
        for (let i = 0; i < width; i++) dropped[i] = (dropped[i] as number) + (guaranteed[queue * width + i] as number)
      }
    }
    for (let i = 0; i < width; i++) {
      left[i] = (left[i] as number) - (given[i] as number)
      active[i] = (active[i] as number) - (dropped[i] as number)
    }
  }

  /** Copies the queues that are equally under-served, the first of the hungry ones; how many they are. */
  #takeGroup(): number {
    const { ids, size } = this.#hungry
    const { band, ratio } = this.#keys
    const first = ids[0] as number
    let count = 1
    while (count < size && band[ids[count] as number] === band[first] && ratio[ids[count] as number] === ratio[first]) count++
    if (count > this.#group.length) this.#group = new Int32Array(count * 2)
    for (let k = 0; k < count; k++) this.#group[k] = ids[k] as number
    return count
  }

  #isLeft(): boolean {
    const { width, total } = this.#loads
    for (let i = 0; i < width; i++) if ((this.#left[i] as number) > 0 && (total[i] as number) > 0) return true
    return false
  }

  /** Siblings are served as at a decision: those below their guarantee first, by priority, then by what they have of it. */
  #band(queue: number, ratio: number): number {
    return (ratio >= 1 ? OVER : 0) - (this.#loads.priority[queue] as number)
  }

  /** What a queue with the dominant share has of its guarantee. */
  #partOfGuarantee(queue: number, share: number): number {
    const guaranteed = this.#guaranteedShare[queue] as number
    return guaranteed === 0 ? NO_GUARANTEE : share / guaranteed
  }

  /** What a queue has above what it must keep: its ideal, and what it uses and wants up to its guarantee. */
  #exceed(queue: number, scale: number): void {
    const { width, used } = this.#loads
    for (let at = queue * width; at < (queue + 1) * width; at++) {
      const keeps = Math.max(this.ideal[at] as number, this.#spared[at] as number)
      this.excess[at] = Math.floor(Math.max(0, (used[at] as number) - keeps) * scale)
    }
  }

  /** What is taken from a leaf in this round. */
  #obtain(queue: number): void {
    const { width, used, guaranteed, isProtected } = this.#loads
    const { maxIgnoredOverCapacity, naturalTerminationFactor } = this.#factors
    for (let i = 0; i < width; i++) this.#zone[i] = Math.floor((guaranteed[queue * width + i] as number) * (1 + maxIgnoredOverCapacity))
    const isOut = isProtected[queue] !== 1 && this.#isAbove(used, queue * width, this.#zone, 0)
    for (let at = queue * width; at < (queue + 1) * width; at++) this.toObtain[at] = isOut ? this.#rounded((this.excess[at] as number) * naturalTerminationFactor) : 0
  }

  /** Whether a vector is the larger one by its shares; where it is the larger or the smaller one in every resource, these need no computing. */
  #isAbove(x: ArrayLike<number>, xAt: number, y: ArrayLike<number>, yAt: number): boolean {
    const { width, total } = this.#loads
    let isMore = false
    let isLess = false
    for (let i = 0; i < width; i++) {
      const difference = (x[xAt + i] as number) - (y[yAt + i] as number)
      if (difference > 0 && (width === 1 || (total[i] as number) > 0)) isMore = true
      else if (difference < 0) isLess = true
    }
    return isMore && (!isLess || compareShares(x, xAt, y, yAt, total, 0, width) > 0)
  }

  /** Parts of amounts are rounded as Hadoop's calculators do: to the nearest with memory alone, up with all resources. */
  #rounded(amount: number): number {
    return this.#loads.width === 1 ? Math.floor(amount + 0.5) : Math.ceil(amount)
  }
}
