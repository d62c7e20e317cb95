/** What is allowed, by column: a flavor and a resource. */
export interface Quota {
  readonly nominal: Float64Array
  /** `Infinity`: no limit. */
  readonly borrowing: Float64Array
  readonly lending: Float64Array
}

/** What a weight of 0 counts as: shares without weight are larger than all others, and compare among themselves. */
const NO_WEIGHT = 1e-200

/**
 * A queue or cohort in the tree of quotas. What a node has beyond what it keeps for itself (its nominal quota less the
 * lending limit) counts as its parent's, and so does what it uses beyond that.
 *
 * Source: Kueue, resource_node.go and fair_sharing.go.
 */
export class QuotaNode {
  readonly name: string
  readonly parent: QuotaNode | undefined
  readonly weight: number
  readonly quota: Quota
  readonly children: QuotaNode[] = []
  /** Its nominal quota with what its children lend. */
  readonly subtree: Float64Array
  readonly usage: Float64Array
  /** The outermost cohort around it, itself if there is none. */
  readonly root: QuotaNode
  /** Levels of cohorts and queues inside it. */
  height = 0
  /** Of an outermost one: how often somebody in it has given something back, or a node has come; how many there are. */
  returns = 0
  nodes = 0
  /** What its children could borrow if nobody used anything, by resource, and of how many nodes that was found. */
  readonly #lendable: Float64Array
  #lendableAt = 0

  constructor(name: string, quota: Quota, weight: number, parent?: QuotaNode) {
    this.name = name
    this.quota = quota
    this.weight = weight
    this.parent = parent
    this.subtree = Float64Array.from(quota.nominal)
    this.usage = new Float64Array(quota.nominal.length)
    this.#lendable = new Float64Array(quota.nominal.length)
    this.root = parent?.root ?? this
    this.root.returns++
    this.root.nodes++
    parent?.children.push(this)
    for (let node = parent, height = 1; node !== undefined; node = node.parent, height++) node.height = Math.max(node.height, height)
    for (let c = 0; c < this.subtree.length; c++) parent?.widen(c, this.lent(c))
  }

  /** What it does not lend. */
  kept(c: number): number {
    return Math.max(0, (this.subtree[c] as number) - (this.quota.lending[c] as number))
  }
  lent(c: number): number {
    return (this.subtree[c] as number) - this.kept(c)
  }

  /** What it has for itself and does not use. */
  free(c: number): number {
    return Math.max(0, this.kept(c) - (this.usage[c] as number))
  }

  /** A child that lends so much has come. */
  widen(c: number, amount: number): void {
    const before = this.lent(c)
    this.subtree[c] = (this.subtree[c] as number) + amount
    this.parent?.widen(c, this.lent(c) - before)
  }

  add(c: number, amount: number): void {
    const here = this.free(c)
    this.usage[c] = (this.usage[c] as number) + amount
    if (amount > here) this.parent?.add(c, amount - here)
  }

  remove(c: number, amount: number): void {
    const inParent = (this.usage[c] as number) - this.kept(c)
    this.usage[c] = (this.usage[c] as number) - amount
    if (inParent > 0) this.parent?.remove(c, Math.min(amount, inParent))
  }

  /** What it may still use. */
  available(c: number): number {
    if (this.parent === undefined) return (this.subtree[c] as number) - (this.usage[c] as number)
    const kept = this.kept(c)
    const used = this.usage[c] as number
    const toLimit = (this.subtree[c] as number) - kept - Math.max(0, used - kept) + (this.quota.borrowing[c] as number)
    return Math.max(0, kept - used) + Math.min(toLimit, this.parent.available(c))
  }

  /** What it could use if nobody used anything. */
  potential(c: number): number {
    if (this.parent === undefined) return this.subtree[c] as number
    return Math.min((this.subtree[c] as number) + (this.quota.borrowing[c] as number), this.kept(c) + this.parent.potential(c))
  }

  /** What of so much is its own while it waits for it: to its quota, or to its borrowing limit if it borrows. */
  toKeep(c: number, asked: number, borrows: boolean): number {
    const most = (this.subtree[c] as number) + (borrows ? (this.quota.borrowing[c] as number) : 0)
    return Math.max(0, Math.min(asked, most - (this.usage[c] as number)))
  }

  /** Whether it uses more than its quota, with so much more. */
  borrows(c: number, more = 0): boolean {
    return (this.usage[c] as number) + more > (this.subtree[c] as number)
  }

  /** How many levels up there is room for so much more within a quota, 0 for its own; and whether that is below the outermost. */
  reach(c: number, more: number): { readonly level: number; readonly isInside: boolean } {
    if (!this.borrows(c, more)) return { level: this.height, isInside: this.parent !== undefined }
    let left = more - this.free(c)
    for (let node = this.parent; node !== undefined; node = node.parent) {
      if (!node.borrows(c, left)) return { level: node.height, isInside: node.parent !== undefined }
      left -= node.free(c)
    }
    return { level: this.root.height, isInside: false }
  }

  /** Itself, and the cohorts around it from the innermost. */
  *path(): Iterable<QuotaNode> {
    yield this
    for (let node = this.parent; node !== undefined; node = node.parent) yield node
  }

  /**
   * Dominant resource share: the largest part of what a resource has to lend in the parent that it has borrowed of it, over
   * all flavors, divided by its weight; 0 for a node without a parent and one that does not borrow. Without weight that is
   * more than any other, also of what nobody lends.
   */
  share(resources: number): number {
    if (this.parent === undefined) return 0
    const lendable = this.parent.#lendableOf(resources)
    let largest = 0
    let isBorrowing = false
    for (let r = 0; r < resources; r++) {
      let borrowed = 0
      for (let c = r; c < this.usage.length; c += resources) borrowed += Math.max(0, (this.usage[c] as number) - (this.subtree[c] as number))
      if (borrowed <= 0) continue
      isBorrowing = true
      const available = lendable[r] as number
      if (available > 0) largest = Math.max(largest, borrowed / available)
    }
    return this.weight === 0 ? (isBorrowing ? (1 + largest) / NO_WEIGHT : 0) : largest / this.weight
  }

  #lendableOf(resources: number): Float64Array {
    const lendable = this.#lendable
    if (this.#lendableAt === this.root.nodes) return lendable
    lendable.fill(0)
    for (let c = 0; c < this.usage.length; c++) lendable[c % resources] = (lendable[c % resources] as number) + this.potential(c)
    this.#lendableAt = this.root.nodes
    return lendable
  }
}
