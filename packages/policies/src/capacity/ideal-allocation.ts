import { compareShares, dominantShare } from './comparing.js'

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
  /** What of `used` is reserved, of leaves: that much of what is wanted needs no preemption. */
  readonly reserved: ArrayLike<number>
  /** 1 where nothing may be taken. */
  readonly isProtected: ArrayLike<number>
  /** Among siblings; 0 unless their parent orders by priority. */
  readonly priority: ArrayLike<number>
}

export interface PreemptionFactors {
  /** Most that is taken in all, part of the partition. */
  readonly totalPreemptionPerRound: number
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

/**
 * The allocation that preemption works towards: down the tree, what a queue has is divided among its children. Each keeps
 * what it uses up to its guarantee; the rest is offered to those that want more, most under-served first, in proportion to
 * guarantees, until nothing is left or wanted; at last to queues without a guarantee. A leaf is offered no more than its
 * guarantee, or what it uses if that is more, so that nobody is preempted for one that is served.
 *
 * Source: Hadoop 3, PreemptableResourceCalculator, AbstractPreemptableResourceCalculator and TempQueuePerPartition.
 * Deviation: vectors are bounded resource by resource, where Hadoop takes the one of two vectors with the smaller dominant
 * share; with one resource that is the same.
 */
export function idealAllocation(loads: QueueLoads, factors: PreemptionFactors): IdealAllocation {
  return new Ideal(loads, factors).compute()
}

class Ideal {
  readonly #loads: QueueLoads
  readonly #factors: PreemptionFactors
  readonly #ideal: Float64Array
  readonly #excess: Float64Array
  readonly #toObtain: Float64Array
  /** Extra of a queue that may not be taken, and that may. */
  readonly #untouchable: Float64Array
  readonly #preemptable: Float64Array
  readonly #pending: Float64Array
  readonly #wanted: Float64Array
  readonly #children: number[][]
  readonly #allowed: Float64Array
  readonly #active: Float64Array

  constructor(loads: QueueLoads, factors: PreemptionFactors) {
    const { count, width, total } = loads
    this.#loads = loads
    this.#factors = factors
    const column = () => new Float64Array(count * width)
    this.#ideal = column()
    this.#excess = column()
    this.#toObtain = column()
    this.#untouchable = column()
    this.#preemptable = column()
    this.#pending = column()
    this.#wanted = column()
    this.#active = new Float64Array(width)
    this.#children = Array.from({ length: count }, () => [])
    this.#allowed = Float64Array.from({ length: width }, (_, i) => Math.floor((total[i] as number) * factors.totalPreemptionPerRound))
    for (let queue = 1; queue < count; queue++) (this.#children[loads.parent[queue] as number] as number[]).push(queue)
  }

  compute(): IdealAllocation {
    const { count, width, guaranteed } = this.#loads
    this.#sumUp()
    for (let i = 0; i < width; i++) this.#ideal[i] = guaranteed[i] as number
    for (let queue = 0; queue < count; queue++) if ((this.#children[queue] as number[]).length > 0) this.#divide(queue)
    for (let queue = 0; queue < count; queue++) if ((this.#children[queue] as number[]).length === 0) this.#obtain(queue)
    return { ideal: this.#ideal, excess: this.#excess, toObtain: this.#toObtain }
  }

  /** What is pending in parents, and which extra may be taken: from the leaves up. */
  #sumUp(): void {
    const { count, width, parent, used, guaranteed, pending, reserved, isProtected } = this.#loads
    const inside = new Float64Array(count * width)
    for (let queue = count - 1; queue >= 0; queue--) {
      const isLeaf = (this.#children[queue] as number[]).length === 0
      for (let i = 0; i < width; i++) {
        const at = queue * width + i
        const extra = Math.max(0, (used[at] as number) - (guaranteed[at] as number))
        if (isLeaf) {
          this.#pending[at] = pending[at] as number
          this.#wanted[at] = Math.max(0, (pending[at] as number) - (reserved[at] as number))
          this.#preemptable[at] = isProtected[queue] === 1 ? 0 : extra
        } else this.#preemptable[at] = Math.min(extra, inside[at] as number)
        this.#untouchable[at] = extra - (this.#preemptable[at])
        if (queue === 0) continue
        const above = (parent[queue] as number) * width + i
        inside[above] = (inside[above] as number) + (this.#preemptable[at])
        this.#pending[above] = (this.#pending[above] as number) + (this.#pending[at] as number)
        this.#wanted[above] = (this.#wanted[above] as number) + (this.#wanted[at] as number)
      }
    }
  }

  /** Divides what a queue should have among its children. */
  #divide(queue: number): void {
    const { width, used } = this.#loads
    const children = this.#children[queue] as number[]
    const left = this.#ideal.slice(queue * width, (queue + 1) * width)
    const withGuarantee = children.filter((child) => this.#hasGuarantee(child))
    const without = children.filter((child) => !this.#hasGuarantee(child))
    this.#settle(withGuarantee, left, false)
    if (without.length > 0) this.#settle(without, left, true)
    const needed = new Float64Array(width)
    for (const child of children)
      if (this.#compare(used, child, this.#ideal, child) > 0)
        for (let i = 0; i < width; i++) needed[i] = (needed[i] as number) + Math.max(0, (used[child * width + i] as number) - (this.#ideal[child * width + i] as number))
    const share = (vector: Float64Array) => dominantShare(vector, 0, this.#loads.total, 0, width)
    const scale = share(needed) > share(this.#allowed) ? share(this.#allowed) / share(needed) : 1
    for (const child of children) this.#exceed(child, scale)
  }

  /** Offers what is left to those that want more, until nothing is left or wanted. */
  #settle(queues: readonly number[], left: Float64Array, isEqual: boolean): void {
    const { width, used, guaranteed } = this.#loads
    let hungry: number[] = []
    for (const queue of queues) {
      const isOver = this.#compare(used, queue, guaranteed, queue) > 0
      let isHungry = false
      for (let i = queue * width; i < (queue + 1) * width; i++) {
        this.#ideal[i] = isOver ? (guaranteed[i] as number) + (this.#untouchable[i] as number) : (used[i] as number)
        left[i - queue * width] = (left[i - queue * width] as number) - (this.#ideal[i] as number)
        if ((this.#ideal[i] as number) < (used[i] as number) + (this.#pending[i] as number)) isHungry = true
      }
      if (isHungry) hungry.push(queue)
    }
    while (hungry.length > 0 && dominantShare(left, 0, this.#loads.total, 0, width) > 0) hungry = this.#offerRound(hungry, left, isEqual)
  }

  /** One round of offers to the most under-served; those that are still hungry. */
  #offerRound(hungry: number[], left: Float64Array, isEqual: boolean): number[] {
    const { width, guaranteed } = this.#loads
    const active = this.#active.fill(0)
    for (const queue of hungry) for (let i = 0; i < width; i++) active[i] = (active[i] as number) + (guaranteed[queue * width + i] as number)
    const first = hungry.reduce((least, queue) => (this.#rank(queue, least) < 0 ? queue : least))
    const still: number[] = []
    const given = new Float64Array(width)
    for (const queue of hungry) {
      if (this.#rank(first, queue) < 0) {
        still.push(queue)
        continue
      }
      let gained = 0
      for (let i = 0; i < width; i++) {
        const part = isEqual ? 1 / hungry.length : (active[i] as number) === 0 ? 0 : (guaranteed[queue * width + i] as number) / (active[i] as number)
        const accepted = this.#accept(queue, i, this.#rounded(Math.max(0, left[i] as number) * part))
        given[i] = (given[i] as number) + accepted
        gained += accepted
      }
      if (gained > 0) still.push(queue)
    }
    for (let i = 0; i < width; i++) left[i] = (left[i] as number) - (given[i] as number)
    return still
  }

  /** What a queue takes of an offer of one resource. */
  #accept(queue: number, i: number, offered: number): number {
    const { width, used, guaranteed, most } = this.#loads
    const at = queue * width + i
    const has = this.#ideal[at] as number
    let accepted = Math.min(offered, (most[at] as number) - has, (used[at] as number) + (this.#wanted[at] as number) - has)
    if ((this.#children[queue] as number[]).length === 0) accepted = Math.min(accepted, Math.max(used[at] as number, guaranteed[at] as number) - has)
    accepted = Math.max(0, accepted)
    this.#ideal[at] = has + accepted
    return accepted
  }

  /** Which of two queues is served first: as siblings are, by what they should have over what they are guaranteed. */
  #rank(a: number, b: number): number {
    const { priority } = this.#loads
    const ofA = this.#partOfGuarantee(a)
    const ofB = this.#partOfGuarantee(b)
    if (priority[a] === priority[b] || ofA < 1 !== ofB < 1) return ofA - ofB
    return (priority[b] as number) - (priority[a] as number)
  }

  #partOfGuarantee(queue: number): number {
    const { width, total, guaranteed } = this.#loads
    const share = dominantShare(guaranteed, queue * width, total, 0, width)
    return share === 0 ? 0x7fffffff : dominantShare(this.#ideal, queue * width, total, 0, width) / share
  }

  /** What a queue has above what it must keep: its ideal, and what it uses and wants up to its guarantee. */
  #exceed(queue: number, scale: number): void {
    const { width, used, guaranteed } = this.#loads
    for (let at = queue * width; at < (queue + 1) * width; at++) {
      const keeps = Math.max(this.#ideal[at] as number, Math.min((used[at] as number) + (this.#pending[at] as number), guaranteed[at] as number))
      this.#excess[at] = Math.floor(Math.max(0, (used[at] as number) - keeps) * scale)
    }
  }

  /** What is taken from a leaf in this round. */
  #obtain(queue: number): void {
    const { width, used, guaranteed, isProtected, total } = this.#loads
    const { maxIgnoredOverCapacity, naturalTerminationFactor } = this.#factors
    const zone = Float64Array.from({ length: width }, (_, i) => Math.floor((guaranteed[queue * width + i] as number) * (1 + maxIgnoredOverCapacity)))
    if (isProtected[queue] === 1 || compareShares(used, queue * width, zone, 0, total, 0, width) <= 0) return
    for (let at = queue * width; at < (queue + 1) * width; at++) this.#toObtain[at] = this.#rounded((this.#excess[at] as number) * naturalTerminationFactor)
  }

  /** Parts of amounts are rounded as Hadoop's calculators do: to the nearest with memory alone, up with all resources. */
  #rounded(amount: number): number {
    return this.#loads.width === 1 ? Math.floor(amount + 0.5) : Math.ceil(amount)
  }

  #hasGuarantee(queue: number): boolean {
    const { width, guaranteed } = this.#loads
    for (let at = queue * width; at < (queue + 1) * width; at++) if ((guaranteed[at] as number) > 0) return true
    return false
  }

  #compare(a: ArrayLike<number>, x: number, b: ArrayLike<number>, y: number): number {
    const { width, total } = this.#loads
    return compareShares(a, x * width, b, y * width, total, 0, width)
  }
}
