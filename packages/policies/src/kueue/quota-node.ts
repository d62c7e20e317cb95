/** Limits by column; a column is a flavor and a resource. */
export interface Quota {
  readonly nominal: Float64Array
  /** `Infinity`: no limit. */
  readonly borrowing: Float64Array
  readonly lending: Float64Array
}

/** The value that a weight of 0 counts as: shares of nodes without weight are then larger than all others, and still compare among themselves. */
const NO_WEIGHT = 1e-200

/**
 * A queue or cohort in the tree of quotas. A node keeps its nominal quota less the lending limit for itself. Quota beyond that
 * counts as its parent's, and so does usage beyond that.
 *
 * Source: Kueue, resource_node.go and fair_sharing.go.
 */
export class QuotaNode {
  readonly name: string
  readonly parent: QuotaNode | undefined
  readonly weight: number
  readonly quota: Quota
  readonly children: QuotaNode[] = []
  /** Its nominal quota plus what its children lend, by column. */
  readonly subtree: Float64Array
  readonly usage: Float64Array
  /** The outermost cohort around it, itself if there is none. */
  readonly root: QuotaNode
  /** Number of levels of cohorts and queues inside it. */
  height = 0
  /** Kept only in a root: how often something in its tree was given back, or a node has come; and the number of nodes in its tree. */
  returns = 0
  nodes = 0
  /** By resource: what its children could borrow if nothing were used; and the number of nodes in the tree when that was computed. */
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

  /** The quota that it keeps for itself and does not lend. */
  kept(c: number): number {
    return Math.max(0, (this.subtree[c] as number) - (this.quota.lending[c] as number))
  }
  lent(c: number): number {
    return (this.subtree[c] as number) - this.kept(c)
  }

  /** The part of what it keeps for itself that it does not use. */
  free(c: number): number {
    return Math.max(0, this.kept(c) - (this.usage[c] as number))
  }

  /** Takes in a new child that lends so much. */
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

  /** What it could use if nothing in the tree were used. */
  potential(c: number): number {
    if (this.parent === undefined) return this.subtree[c] as number
    return Math.min((this.subtree[c] as number) + (this.quota.borrowing[c] as number), this.kept(c) + this.parent.potential(c))
  }

  /** How much of what it asks for is kept for it while it waits: up to its quota, or up to its borrowing limit if it borrows. */
  toKeep(c: number, asked: number, borrows: boolean): number {
    const most = (this.subtree[c] as number) + (borrows ? (this.quota.borrowing[c] as number) : 0)
    return Math.max(0, Math.min(asked, most - (this.usage[c] as number)))
  }

  /** Whether with so much more it would use more than its quota. */
  borrows(c: number, more = 0): boolean {
    return (this.usage[c] as number) + more > (this.subtree[c] as number)
  }

  /**
   * The level of the innermost node around it that has room for so much more within its quota, 0 for a queue itself; and whether that node is below
   * the root.
   */
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
   * Dominant resource share: the largest ratio, over all resources, of what it has borrowed to what its parent has to lend, summed over
   * flavors, divided by its weight. 0 for a node without a parent or one that does not borrow. For a borrower with weight 0 it is
   * larger than any other share, even if it borrows what nobody lends.
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
