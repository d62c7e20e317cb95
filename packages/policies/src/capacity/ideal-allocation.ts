import { compareShares, dominant, dominantShare, scaled, type Dominant } from './comparing.js'
import { Offers, rounded } from './offers.js'

/** Queues as preemption sees them, in one partition: columns by queue, parents before their children, queue 0 the root. */
export interface QueueLoads {
  /** Number of queues. */
  readonly count: number
  /** Number of counted resources; vectors are `[queue * width + i]`. */
  readonly width: number
  /** Total of the partition, by counted resource. */
  readonly total: ArrayLike<number>
  /** Parent of each queue; -1 for the root. */
  readonly parent: ArrayLike<number>
  /** What each queue is guaranteed of the partition. */
  readonly guaranteed: ArrayLike<number>
  /** The most that each queue may use. */
  readonly most: ArrayLike<number>
  /** What each queue uses, running and reserved; parents have the sum. */
  readonly used: ArrayLike<number>
  /** What waiting jobs of each leaf want beyond that, as far as user limits allow; sums for parents are computed. */
  readonly pending: ArrayLike<number>
  /** The same without what jobs have reservations for, which needs no preemption. */
  readonly unreserved: ArrayLike<number>
  /** What each leaf uses with tasks that may be killed already (`KillableTasks`); default: nothing. */
  readonly killable?: ArrayLike<number> | undefined
  /** 1 for queues from which nothing may be taken. */
  readonly isProtected: ArrayLike<number>
  /** Priority among siblings; 0 unless their parent orders by priority. */
  readonly priority: ArrayLike<number>
}

/** How much of what queues use above their ideal is taken at once, as fractions. */
export interface PreemptionFactors {
  /** Dead zone above the guarantee, as a fraction of it: nothing is taken from a queue within it. */
  readonly maxIgnoredOverCapacity: number
  /** Part of the wanted amount that is taken in one round. */
  readonly naturalTerminationFactor: number
  /** Whether leaves are offered more than their guarantee, so that queues above their guarantees are balanced against each other; default false. */
  readonly balances?: boolean
  /** Whether queues also want what is reserved for them, so that it is taken from others while it cannot start; default false. */
  readonly countsReserved?: boolean
}

/** What queues should have, and what is to be taken from leaves now; vectors by queue. */
export interface IdealAllocation {
  /** The ideal allocation; valid only for children of queues in which something may be taken. */
  readonly ideal: Float64Array
  /** What to take from each leaf now; 0 inside the dead zone. */
  readonly toObtain: Float64Array
}

/** A single computation of `IdealPlan`. `allowed`: the most that a round may take in total, by counted resource. */
export function idealAllocation(loads: QueueLoads, factors: PreemptionFactors, allowed: ArrayLike<number>): IdealAllocation {
  return new IdealPlan().compute(loads, factors, allowed)
}

/**
 * The allocation that preemption works towards. Down the tree, what a queue has is divided among its children. Each child keeps
 * what it uses up to its guarantee. The rest is offered to children that want more, the most under-served first, in proportion to
 * guarantees, until nothing is left or wanted; last to queues without a guarantee. A leaf is offered no more than its
 * guarantee, or what it uses if that is more, so that nothing is preempted for a queue that has its guarantee; unless queues are to be balanced.
 *
 * The columns are kept and used again, so that a look over a thousand queues allocates hardly anything.
 *
 * Source: Hadoop 3, PreemptableResourceCalculator, AbstractPreemptableResourceCalculator and TempQueuePerPartition.
 * Deviations: vectors are bounded resource by resource, where Hadoop takes the one of two vectors with the smaller dominant
 * share; with one resource that is the same. Parts above 0 are not rounded to 0, and what is offered to nobody is not taken from the queues that use it.
 */
export class IdealPlan implements IdealAllocation {
  ideal = new Float64Array(0)
  toObtain = new Float64Array(0)
  /** What a queue keeps whatever the others want, and the most to which offers raise it. */
  #kept = new Float64Array(0)
  #limit = new Float64Array(0)
  /** What may be taken of what a queue uses above its guarantee; in parents the sum over leaves, as for the next two. */
  #preemptable = new Float64Array(0)
  #pending = new Float64Array(0)
  #unreserved = new Float64Array(0)
  /** By queue: the dominant share of its guarantee, whether it is guaranteed anything, and whether it wants more than it keeps. */
  #guaranteedShare = new Float64Array(0)
  #hasGuarantee = new Uint8Array(0)
  #isHungry = new Uint8Array(0)
  /** By queue: whether it is, or contains, a leaf outside its dead zone from which something may be taken. */
  #mayGive = new Uint8Array(0)
  readonly #children: number[][] = []
  /** Totals to divide by: `Infinity` in place of 0, so that no queue has a share of a resource that does not exist. */
  #divisors = new Float64Array(0)
  #needed = new Float64Array(0)
  #allowed: Dominant = { amount: 0, total: 1, share: 0 }
  #zone = new Float64Array(0)
  /** The offers to the children that want more, of the queue that is being divided. */
  readonly #offers = new Offers()
  #loads!: QueueLoads
  #factors!: PreemptionFactors

  /** The arrays returned are overwritten by the next call. */
  compute(loads: QueueLoads, factors: PreemptionFactors, allowed: ArrayLike<number>): IdealAllocation {
    const { count, width, guaranteed, total } = loads
    this.#allowed = dominant(allowed, 0, total, width)
    this.#loads = loads
    this.#factors = factors
    this.#fit()
    this.#readUp()
    this.toObtain.fill(0, 0, count * width)
    this.#offers.use({
      count, width, divisors: this.#divisors, ideal: this.ideal, limit: this.#limit, guaranteed, guaranteedShare: this.#guaranteedShare,
      priority: loads.priority,
    })
    for (let i = 0; i < width; i++) this.ideal[i] = guaranteed[i] as number
    for (let queue = 0; queue < count; queue++) if (this.#mayGive[queue] === 1 && (this.#children[queue] as number[]).length > 0) this.#divide(queue)
    return this
  }

  /** Makes the columns and lists of children large enough for all queues. Queues are only ever added. */
  #fit(): void {
    const { count, width, parent, total } = this.#loads
    if (this.ideal.length < count * width) {
      const column = () => new Float64Array(count * width * 2)
      ;[this.ideal, this.toObtain, this.#kept, this.#limit, this.#preemptable, this.#pending, this.#unreserved] = [
        column(), column(), column(), column(), column(), column(), column(),
      ]
      this.#guaranteedShare = new Float64Array(count * 2)
      this.#hasGuarantee = new Uint8Array(count * 2)
      this.#isHungry = new Uint8Array(count * 2)
      this.#mayGive = new Uint8Array(count * 2)
    }
    if (this.#divisors.length !== width) {
      const vector = () => new Float64Array(width)
      ;[this.#needed, this.#zone, this.#divisors] = [vector(), vector(), vector()]
    }
    for (let i = 0; i < width; i++) this.#divisors[i] = (total[i] as number) > 0 ? (total[i] as number) : Infinity
    for (let queue = this.#children.length; queue < count; queue++) {
      this.#children.push([])
      if (queue > 0) this.#children[parent[queue] as number]?.push(queue)
    }
  }

  /** Reads all queues from the leaves up: sums over the queues inside a parent, what may be taken, and all else that does not depend on siblings. */
  #readUp(): void {
    const { count, width, parent, used, guaranteed, most, pending, unreserved, isProtected } = this.#loads
    const [preemptables, pendings, opens, keeps, limits, mayGive, divisors] = [
      this.#preemptable, this.#pending, this.#unreserved, this.#kept, this.#limit, this.#mayGive, this.#divisors,
    ]
    const balances = this.#factors.balances === true
    const wantedOf = this.#factors.countsReserved === true ? pending : unreserved
    preemptables.fill(0, 0, count * width) // a parent collects the sum of its children until its own turn
    pendings.fill(0, 0, count * width)
    opens.fill(0, 0, count * width)
    mayGive.fill(0, 0, count)
    for (let queue = count - 1; queue >= 0; queue--) {
      const from = queue * width
      const isLeaf = (this.#children[queue] as number[]).length === 0
      const isOver = this.#isAbove(used, from, guaranteed, from)
      let share = 0
      let hasGuarantee = 0
      let isHungry = 0
      for (let i = 0, at = from, above = (parent[queue] as number) * width; i < width; i++, at++, above++) {
        const uses = used[at] as number
        const own = guaranteed[at] as number
        const extra = uses > own ? uses - own : 0
        let mayTake = preemptables[at] as number
        let wants = pendings[at] as number
        let open = opens[at] as number
        if (isLeaf) {
          mayTake = isProtected[queue] === 1 ? 0 : extra
          wants = pending[at] as number
          open = wantedOf[at] as number
        } else if (mayTake > extra) mayTake = extra
        const kept = isOver ? uses - mayTake : uses
        const wanted = uses + open
        let limit = most[at] as number
        if (wanted < limit) limit = wanted
        if (isLeaf && !balances && limit > uses && limit > own) limit = uses > own ? uses : own
        const part = own / (divisors[i] as number)
        keeps[at] = kept
        limits[at] = limit
        if (kept < uses + wants) isHungry = 1
        if (own > 0) hasGuarantee = 1
        if (part > share) share = part
        if (queue === 0) continue
        preemptables[above] = (preemptables[above] as number) + mayTake
        pendings[above] = (pendings[above] as number) + wants
        opens[above] = (opens[above] as number) + open
      }
      this.#guaranteedShare[queue] = share
      this.#hasGuarantee[queue] = hasGuarantee
      this.#isHungry[queue] = isHungry
      if (isLeaf && isOver && this.#isOut(queue)) mayGive[queue] = 1
      if (queue > 0 && mayGive[queue] === 1) mayGive[parent[queue] as number] = 1
    }
  }

  /** Whether something may be taken from the leaf and it uses more than its guarantee plus the dead zone. */
  #isOut(queue: number): boolean {
    const { width, used, guaranteed, isProtected } = this.#loads
    if (isProtected[queue] === 1) return false
    for (let i = 0; i < width; i++) this.#zone[i] = Math.floor((guaranteed[queue * width + i] as number) * (1 + this.#factors.maxIgnoredOverCapacity))
    return this.#isAbove(used, queue * width, this.#zone, 0)
  }

  /** Divides what a queue should have among its children, and sets what to take from leaves, together at most the dominant share that is allowed. */
  #divide(queue: number): void {
    const { width } = this.#loads
    const children = this.#children[queue] as number[]
    const { left } = this.#offers
    for (let i = 0; i < width; i++) left[i] = this.ideal[queue * width + i] as number
    const hasOthers = this.#share(children, 1)
    if (hasOthers) this.#share(children, 0)
    this.#leave(children)
    let needed: Dominant | undefined // computed at first use
    for (const child of children) {
      if (this.#mayGive[child] === 0 || (this.#children[child] as number[]).length > 0) continue
      needed ??= this.#neededOf(queue)
      this.#obtain(child, needed)
    }
  }

  /** The dominant share that children use above their ideal, or the allowed share if that is larger. */
  #neededOf(queue: number): Dominant {
    const { width, used, total } = this.#loads
    const { ideal } = this
    if (dominantShare(used, queue * width, total, 0, width) <= this.#allowed.share) return this.#allowed
    const needed = this.#needed.fill(0)
    for (const child of this.#children[queue] as number[]) {
      const from = child * width
      if (!this.#isAbove(used, from, ideal, from)) continue
      for (let i = 0; i < width; i++) needed[i] = (needed[i] as number) + Math.max(0, (used[from + i] as number) - (ideal[from + i] as number))
    }
    const wanted = dominant(needed, 0, total, width)
    return wanted.share > this.#allowed.share ? wanted : this.#allowed
  }

  /**
   * Sets the ideal of the children with a guarantee (1), or of those without (0), and offers them what is left; returns whether there are children
   * of the other kind.
   */
  #share(children: readonly number[], having: 0 | 1): boolean {
    const { width } = this.#loads
    const offers = this.#offers
    const { left } = offers
    const [ideal, keeps, divisors] = [this.ideal, this.#kept, this.#divisors]
    let hasOthers = false
    offers.begin()
    for (const queue of children) {
      if (this.#hasGuarantee[queue] !== having) {
        hasOthers = true
        continue
      }
      let share = 0
      for (let i = 0, at = queue * width; i < width; i++, at++) {
        const kept = keeps[at] as number
        const part = kept / (divisors[i] as number)
        ideal[at] = kept
        left[i] = (left[i] as number) - kept
        if (part > share) share = part
      }
      if (this.#isHungry[queue] === 1) offers.add(queue, share)
    }
    offers.run(having === 0)
    return hasOthers
  }

  /** Leaves what is left over with the queues that use it: a resource of which no queue that wants it is guaranteed anything. */
  #leave(children: readonly number[]): void {
    const { width, used, most } = this.#loads
    const { left } = this.#offers
    for (let i = 0; i < width; i++) {
      for (let k = 0; k < children.length && (left[i] as number) > 0; k++) {
        const at = (children[k] as number) * width + i
        const more = Math.min(left[i] as number, Math.min(used[at] as number, most[at] as number) - (this.ideal[at] as number))
        if (more <= 0) continue
        this.ideal[at] = (this.ideal[at] as number) + more
        left[i] = (left[i] as number) - more
      }
    }
  }

  /** Sets what is taken from a leaf in this round: a part of what it uses above its ideal, and above what it uses and wants up to its guarantee. */
  #obtain(leaf: number, needed: Dominant): void {
    const { width, used, guaranteed, pending, killable } = this.#loads
    const { naturalTerminationFactor } = this.#factors
    for (let at = leaf * width; at < (leaf + 1) * width; at++) {
      const uses = used[at] as number
      const spared = Math.min(uses + (pending[at] as number), guaranteed[at] as number)
      const excess = scaled(Math.max(0, uses - (killable?.[at] ?? 0) - Math.max(this.ideal[at] as number, spared)), this.#allowed, needed)
      this.toObtain[at] = rounded(excess * naturalTerminationFactor, width)
    }
  }

  /** Whether vector x is larger than y by its shares. Where one is at least the other in every resource, no shares are computed. */
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
}
