import type { Cell, NodeId, ResourceId } from '@sched/core'
import type { Framework } from './framework.js'
import type { OfferRules } from './offer-rules.js'
import type { Reservations } from './reservations.js'
import type { Member, Roles } from './roles.js'

/**
 * Makes offers node by node, as Mesos does. Each node goes to the framework that is first, counting what it holds and has been offered so far;
 * amounts that the limit of its role keeps back go on to the next. If roles have guarantees, nodes are first divided among the roles below theirs;
 * after that, the amounts that all guarantees still lack, summed over the cluster, are not offered. Nodes reserved for a role are offered to it
 * whole, whatever limits and guarantees say, and count towards its own.
 *
 * Source: Mesos 1.9 and later, HierarchicalAllocatorProcess::__generateOffers. Deviation: nodes are taken in turn, where Mesos shuffles them.
 */
export class NodeOffers {
  readonly #cell: Cell
  readonly #roles: Roles
  readonly #rules: OfferRules
  readonly #reservations: Reservations
  /** By resource: what all guarantees still lack, and what is free in the cluster. */
  readonly #lacking: Float64Array
  readonly #free: Float64Array
  readonly #part: Float64Array
  #hasGuarantees = false
  #cursor = 0
  #offers = 0

  constructor(cell: Cell, roles: Roles, rules: OfferRules, reservations: Reservations) {
    this.#cell = cell
    this.#reservations = reservations
    this.#roles = roles
    this.#rules = rules
    const width = cell.cluster.resources.length
    this.#lacking = new Float64Array(width)
    this.#free = new Float64Array(width)
    this.#part = new Float64Array(width)
  }

  /** Moves what is offered into the stocks of the waiting frameworks. */
  divide(): void {
    const { nodes } = this.#cell
    const guaranteed = this.#roles.tops.filter(({ guarantee }) => guarantee !== undefined)
    this.#hasGuarantees = guaranteed.length > 0
    if (!this.#reservations.isEmpty) this.#spare()
    this.#sum(guaranteed)
    const first = this.#cursor
    this.#cursor = (first + 1) % nodes.length
    if (this.#hasGuarantees) for (let i = 0; i < nodes.length; i++) this.#guarantee(nodes[(first + i) % nodes.length] as NodeId)
    const waiting = this.#roles.waiting()
    const alone = waiting.length === 1 ? (waiting[0] as Framework) : undefined
    if (alone !== undefined && !this.#hasGuarantees && this.#roles.outermost(alone).limit === undefined) return this.#giveAll(alone, first)
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[(first + i) % nodes.length] as NodeId
      if (this.#rules.isOfUse(node)) this.#share(node, alone === undefined ? this.#roles.waiting() : waiting)
    }
  }

  /** Offers all nodes to the only waiting framework, whose role has no limit. */
  #giveAll(framework: Framework, first: number): void {
    const { nodes } = this.#cell
    const sum = this.#part.fill(0)
    const isFree = this.#rules.isEmptyFor(framework) && framework.refusals === undefined
    let count = 0
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[(first + i) % nodes.length] as NodeId
      if (!this.#rules.isOfUse(node) || !(isFree || this.#rules.allows(framework, node, (r) => this.#freeOn(node, r)))) continue
      for (let r = 0; r < sum.length; r++) sum[r] = (sum[r] as number) + this.#freeOn(node, r)
      framework.stock.takeNode(node)
      count++
    }
    if (count === 0) return
    this.#roles.note(framework, sum)
    this.#roles.serve(framework, this.#offers, count)
    this.#offers += count
  }

  /** Computes, for each outermost role, what is free on nodes reserved in it. */
  #spare(): void {
    for (const role of this.#roles.tops)
      if (role.framework === undefined) role.spared = Float64Array.from(this.#free, (_, r) => this.#reservations.amount(role.name, r as ResourceId, 'free'))
  }

  #sum(guaranteed: readonly Member[]): void {
    this.#lacking.fill(0)
    this.#free.fill(0)
    if (!this.#hasGuarantees) return
    for (const member of guaranteed) for (let r = 0; r < this.#lacking.length; r++) this.#lacking[r] = (this.#lacking[r] as number) + lacking(member, r)
    for (const node of this.#cell.nodes) {
      if (!this.#cell.cluster.up(node) || !this.#reservations.isOpen(node)) continue // no guarantee can be met there
      for (let r = 0; r < this.#free.length; r++) this.#free[r] = (this.#free[r] as number) + this.#freeOn(node, r)
    }
  }

  #freeOn(node: NodeId, r: number): number {
    return this.#cell.cluster.free(node, r as ResourceId)
  }

  /** Offers roles below their guarantees what they lack, and with it as much of the node as no other guarantee needs. */
  #guarantee(node: NodeId): void {
    if (!this.#reservations.isOpen(node)) return
    for (const role of this.#roles.outer()) {
      if (role.guarantee === undefined) continue
      if (!this.#rules.isOfUse(node)) return
      const given = role.isForInside ? role : role.own
      for (const framework of given === undefined ? [] : this.#roles.waiting(given)) {
        const part = this.#part
        let helps = false
        for (let r = 0; r < part.length; r++) {
          const base = Math.min(this.#freeOn(node, r), lacking(role, r))
          if (base > 0) helps = true
          part[r] = base + Math.min(this.#freeOn(node, r) - base, this.#toLimit(role, r) - base, this.#spareOf(r))
        }
        if (!helps) break
        this.#give(framework, role, node)
      }
    }
  }

  #share(node: NodeId, waiting: readonly Framework[]): void {
    for (const framework of waiting) {
      const role = this.#roles.outermost(framework)
      const part = this.#part
      const isOpen = this.#reservations.isOpen(node)
      const isBound = role.isForInside || this.#roles.isBound(framework)
      for (let r = 0; r < part.length; r++) part[r] = isOpen ? Math.min(this.#freeOn(node, r), isBound ? this.#toLimit(role, r) : Infinity, this.#spareOf(r)) : this.#freeOn(node, r)
      this.#give(framework, role, node)
      if (!this.#rules.isOfUse(node)) return
    }
  }

  /** How much more the role may get, beyond what it has and what is reserved for it. */
  #toLimit(role: Member, r: number): number {
    return role.limit === undefined ? Infinity : Math.max(0, (role.limit[r] as number) - used(role, r))
  }

  /** The free amount that no guarantee needs. */
  #spareOf(r: number): number {
    return this.#hasGuarantees ? Math.max(0, (this.#free[r] as number) - (this.#lacking[r] as number)) : Infinity
  }

  #give(framework: Framework, role: Member, node: NodeId): void {
    const part = this.#part
    if (part.every((amount) => amount === 0) || !this.#rules.allows(framework, node, (r) => part[r] as number)) return
    const { spared } = role
    for (let r = 0; r < part.length; r++) {
      if (spared !== undefined && !this.#reservations.isOpen(node)) {
        spared[r] = (spared[r] as number) - (part[r] as number)
        continue
      }
      this.#lacking[r] = (this.#lacking[r] as number) - Math.min(part[r] as number, lacking(role, r))
      this.#free[r] = (this.#free[r] as number) - (part[r] as number)
    }
    framework.stock.takeNode(node, part)
    this.#roles.note(framework, part)
    this.#roles.serve(framework, this.#offers++)
  }
}

/** Amount of a resource that counts towards a role's quota: what it has, and what is reserved for it. */
const used = ({ held, spared }: Member, r: number): number => (held[r] as number) + (spared?.[r] ?? 0)
const lacking = (role: Member, r: number): number => (role.guarantee === undefined ? 0 : Math.max(0, (role.guarantee[r] as number) - used(role, r)))
