import { None, type JobId, type NodeId, type ShapeId } from '@sched/core'
import { Gang, startGang, type MostRoom } from '../disciplines/gangs.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { Submitter } from './accountant.js'
import type { ConcurrencyLimits } from './concurrency-limits.js'
import type { MachineRanks } from './machine-ranks.js'
import type { OfferRanks } from './offer-ranks.js'
import type { Offers } from './offers.js'
import type { NegotiatorSettings } from './options.js'
import type { Negotiated, Slice } from './pie.js'
import type { Preemption, Taking } from './preemption.js'
import type { SlotWeight } from './slot-weight.js'

/** What was matched in a negotiation: all, and of that what was free, in slot weight. */
interface Spent {
  all: number
  ofFree: number
}

interface Match {
  readonly cost: number
  /** Whether nobody had to go. */
  readonly isOfFree: boolean
}

/**
 * Negotiations of one cycle: for each job of a submitter in turn, a node of those on offer.
 *
 * Source: HTCondor, matchmaker.cpp (negotiate, matchmakingAlgorithm, SubmitterLimitPermits). Deviations: with CLAIM_PARTITIONABLE_LEFTOVERS jobs that start on
 * what is left of a node ask for no match of their own; a gang counts what it asks for, and its nodes stay on offer, since HTCondor schedules such jobs
 * apart from others.
 */
export class Negotiation {
  readonly #settings: NegotiatorSettings
  readonly #weight: SlotWeight
  readonly #ranks: OfferRanks
  readonly #machines: MachineRanks
  readonly #limits: ConcurrencyLimits
  readonly #preemption: Preemption
  readonly #most: MostRoom = new Map()
  #offers!: Offers
  /** The job that the round took up last. */
  #taken: JobId | None = None
  #isPeek = false
  /** Jobs that found nodes, but not within the limit of their user; and jobs that found none. */
  readonly #limited = new Set<JobId>()
  readonly #unfit = new Set<JobId>()

  constructor(settings: NegotiatorSettings, weight: SlotWeight, ranks: OfferRanks, machines: MachineRanks, limits: ConcurrencyLimits, preemption: Preemption) {
    this.#settings = settings
    this.#weight = weight
    this.#ranks = ranks
    this.#machines = machines
    this.#limits = limits
    this.#preemption = preemption
  }

  begin(offers: Offers): void {
    this.#offers = offers
    this.#preemption.begin(offers.whole)
    this.#taken = None
    this.#isPeek = offers.claimsLeft === 0
    this.#most.clear()
    this.#limited.clear()
    this.#unfit.clear()
  }

  /** Whether it is for a limit that a job has not started in the cycle: that of its user, or of the group. */
  isHeldBack(job: JobId): boolean {
    return (!this.#offers.isEmpty || this.#limited.has(job)) && !this.#unfit.has(job)
  }

  /** Takes a job up, where the round allows it; one that only asks which would be taken up allows one. */
  take(job: JobId): boolean {
    const { jobsLeft } = this.#offers
    const may = this.#isPeek ? this.#taken === None : jobsLeft > 0 || job === this.#taken
    if (!may || !this.#offers.take(job)) return false
    this.#taken = job
    return true
  }

  negotiate(submitter: Submitter, slice: Slice): Negotiated {
    if (this.isDone) return { matched: 0, wantsMore: false }
    const { ids, from, to } = submitter.waiting
    const { work, lane } = this.#offers
    const refused = new Map<ShapeId, boolean>() // those of the shape find no node; true: because of a limit
    const spent: Spent = { all: 0, ofFree: 0 }
    const mayGoOn = slice.allowsRanks && this.#machines.areAny ? () => true : () => spent.all < slice.limit
    let isLimited = false
    for (const job of ids.slice(from, to) as Iterable<JobId>) // starts change the list
      while (mayGoOn() && !this.isDone && work.unplaced(job, lane) > 0 && this.#limits.lacking(job) === undefined) {
        const shape = work.shape(job, lane)
        const areAlike = this.#areAlike(job, shape)
        const before = areAlike ? refused.get(shape) : undefined
        const match = before === undefined ? this.#match(submitter, job, spent, slice) : undefined
        if (match === undefined) {
          const isOverLimit = before ?? this.#limited.has(job)
          if (!isOverLimit) this.#unfit.add(job)
          if (areAlike) refused.set(shape, isOverLimit)
          isLimited ||= isOverLimit
          break
        }
        spent.all += match.cost
        submitter.used += match.cost
        if (match.isOfFree) spent.ofFree += match.cost
        else refused.clear() // who had to go may have left room
      }
    return { matched: spent.all, wantsMore: isLimited || spent.all >= slice.limit }
  }

  /** Whether nothing can be matched any more in the cycle. */
  get isDone(): boolean {
    const { isEmpty, claimsLeft } = this.#offers
    if (this.#isPeek ? this.#taken !== None : claimsLeft === 0) return true
    return isEmpty && !this.#preemption.areVictims
  }

  /** Whether other jobs of the shape find no node, either, where this one finds none. */
  #areAlike(job: JobId, shape: ShapeId): boolean {
    const { work, lane } = this.#offers
    return !work.areRules && work.together(job, lane) === 1 && !work.isDistinct(shape) && !work.hasData(job, lane)
  }

  /** Starts the next task of a job, or all that must start with it; `undefined` where there is no match. */
  #match(submitter: Submitter, job: JobId, spent: Spent, slice: Slice): Match | undefined {
    const offers = this.#offers
    const { work, lane } = offers
    this.#limited.delete(job)
    const isGang = work.together(job, lane) > 1
    const isOver = spent.all >= slice.limit
    const asked = this.#asked(job)
    const costOn = (node: NodeId) => (isGang || this.#settings.CONSUMPTION_POLICY ? asked : offers.freeWeight(node))
    const permits = (node: NodeId): boolean => this.#permits(job, costOn(node), spent.ofFree, slice.most)
    if (isGang) return !isOver && this.#startGang(submitter, job, permits) ? { cost: asked, isOfFree: true } : undefined
    const node = isOver ? None : offers.pick(job, submitter, permits)
    const taken = this.#preempt(submitter, job, node, spent, slice)
    if (taken !== undefined) return { cost: taken, isOfFree: false }
    if (node === None) return undefined
    const cost = costOn(node)
    if (!this.take(job) || !startNearest(job, node, offers.cluster.levels, offers)) {
      offers.tryAll(job, permits) // of a limit it is told where any node is kept by one
      return undefined
    }
    this.#limited.delete(job)
    if (!this.#settings.CONSUMPTION_POLICY) this.#fill(submitter, node)
    return { cost, isOfFree: true }
  }

  #asked(job: JobId): number {
    const { work, lane } = this.#offers
    return this.#weight.of((r) => work.asked(job, lane, r))
  }

  /** Whether a match is within a limit; rounded up once in a spin, so that no crumbs are left. */
  #permits(job: JobId, cost: number, used: number, most: number): boolean {
    const may = used + cost <= most || (used <= 0 && most > 0)
    if (!may) this.#limited.add(job)
    return may
  }

  /** Starts the next task of a job in the place of others, if that is better than the node that is free for it; what the match counts. */
  #preempt(submitter: Submitter, job: JobId, node: NodeId | None, spent: Spent, slice: Slice): number | undefined {
    if (node !== None && !this.#ranks.mayPreferTaken) return undefined
    const offers = this.#offers
    const { ALLOW_PSLOT_PREEMPTION: isOfNodes, CONSUMPTION_POLICY: isByAsked } = this.#settings
    for (const taking of this.#preemption.offersTo(job, submitter, spent.all >= slice.limit)) {
      if (node !== None && !this.#ranks.isWorthIt(taking, { rank: this.#machines.of(submitter)[node] as number, amount: offers.freeOn(node) })) return undefined
      if (isOfNodes && offers.isTaken(taking.node)) continue
      const cost = isOfNodes && isByAsked ? this.#asked(job) : taking.weight
      if (!taking.isByRank && !this.#permits(job, cost, spent.all, slice.limit)) continue
      if (!this.take(job) || this.#isPeek) return undefined
      if (!this.#startInPlaceOf(taking, job)) continue
      this.#limited.delete(job)
      if (isOfNodes && !isByAsked) this.#fill(submitter, taking.node)
      else offers.reopen(taking.node)
      if (!isOfNodes) for (const victim of taking.victims) victim.submitter.used -= taking.weight
      return cost
    }
    return undefined
  }

  #startInPlaceOf(taking: Taking, job: JobId): boolean {
    const { whole } = this.#offers
    const before = whole.savepoint()
    this.#preemption.evict(taking)
    this.#offers.reorder()
    if (this.#offers.mayPlace(job, taking.node, whole) && startNearest(job, taking.node, whole.cluster.levels, whole)) return true
    whole.rollback(before)
    return false
  }

  #startGang(submitter: Submitter, job: JobId, permits: (node: NodeId) => boolean): boolean {
    const offers = this.#offers
    const started = this.take(job) && startGang(job, offers, () => offers.pick(job, submitter, permits), this.#most) === Gang.Started
    if (started) this.#limited.delete(job)
    return started
  }

  /** Starts further jobs of the submitter on what is left of a node, which nobody else is offered then. */
  #fill({ waiting }: Submitter, node: NodeId): void {
    const offers = this.#offers
    const misfits = new Set<ShapeId>()
    if (this.#settings.CLAIM_PARTITIONABLE_LEFTOVERS)
      for (const job of waiting.ids.slice(waiting.from, waiting.to) as Iterable<JobId>) {
        if (!offers.room(node)) break
        this.#fillWith(job, node, misfits)
      }
    offers.withdraw(node)
  }

  #fillWith(job: JobId, node: NodeId, misfits: Set<ShapeId>): void {
    const { work, lane, cluster } = this.#offers
    while (work.unplaced(job, lane) > 0 && work.together(job, lane) === 1 && this.#limits.lacking(job) === undefined) {
      const shape = work.shape(job, lane)
      if (misfits.has(shape)) return
      if (this.#offers.mayPlace(job, node) && this.take(job) && startNearest(job, node, cluster.levels, this.#offers)) continue
      if (this.#areAlike(job, shape)) misfits.add(shape)
      return
    }
  }
}
