import { None, type JobId, type NodeId, type ShapeId } from '@sched/core'
import { Gang, startGang, type MostRoom } from '../disciplines/gangs.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { Submitter } from './accountant.js'
import type { Offers } from './offers.js'
import type { NegotiatorSettings } from './options.js'
import type { Negotiated, Slice } from './pie.js'
import type { SlotWeight } from './slot-weight.js'

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
  readonly #most: MostRoom = new Map()
  #offers!: Offers
  /** The job that the round took up last. */
  #taken: JobId | None = None
  #isPeek = false
  /** Jobs that found nodes, but not within the limit of their user; and jobs that found none. */
  readonly #limited = new Set<JobId>()
  readonly #unfit = new Set<JobId>()

  constructor(settings: NegotiatorSettings, weight: SlotWeight) {
    this.#settings = settings
    this.#weight = weight
  }

  begin(offers: Offers): void {
    this.#offers = offers
    this.#taken = None
    this.#isPeek = offers.claimsLeft === 0
    this.#most.clear()
    this.#limited.clear()
    this.#unfit.clear()
  }

  /** Whether it is for a limit that a job has not started in the cycle: that of its user, or of the group. */
  isHeldBack(job: JobId): boolean {
    return !this.#offers.isEmpty && !this.#unfit.has(job)
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
    if (this.#isDone) return { matched: 0, wantsMore: false }
    const { ids, from, to } = submitter.waiting
    const { work, lane } = this.#offers
    const refused = new Map<ShapeId, boolean>() // those of the shape find no node; true: because of a limit
    let matched = 0
    let isLimited = false
    for (const job of ids.slice(from, to) as Iterable<JobId>) // starts change the list
      while (matched < slice.limit && !this.#isDone && work.unplaced(job, lane) > 0) {
        const shape = work.shape(job, lane)
        const areAlike = this.#areAlike(job, shape)
        const before = areAlike ? refused.get(shape) : undefined
        const cost = before === undefined ? this.#match(submitter, job, matched, slice) : undefined
        if (cost === undefined) {
          const isOverLimit = before ?? this.#limited.has(job)
          if (!isOverLimit) this.#unfit.add(job)
          if (areAlike) refused.set(shape, isOverLimit)
          isLimited ||= isOverLimit
          break
        }
        matched += cost
        submitter.used += cost
      }
    return { matched, wantsMore: isLimited || matched >= slice.limit }
  }

  get #isDone(): boolean {
    const { isEmpty, claimsLeft } = this.#offers
    return isEmpty || (this.#isPeek ? this.#taken !== None : claimsLeft === 0)
  }

  /** Whether other jobs of the shape find no node, either, where this one finds none. */
  #areAlike(job: JobId, shape: ShapeId): boolean {
    const { work, lane } = this.#offers
    return !work.areRules && work.together(job, lane) === 1 && !work.isDistinct(shape) && !work.hasData(job, lane)
  }

  /** Starts the next task of a job, or all that must start with it; the weight of the match, `undefined` where there is none. */
  #match(submitter: Submitter, job: JobId, used: number, { most }: Slice): number | undefined {
    const offers = this.#offers
    const { work, lane } = offers
    this.#limited.delete(job)
    const isGang = work.together(job, lane) > 1
    const asked = this.#weight.of((r) => work.asked(job, lane, r))
    const costOn = (node: NodeId) => (isGang || this.#settings.CONSUMPTION_POLICY ? asked : offers.freeWeight(node))
    const permits = (node: NodeId): boolean => {
      const may = used + costOn(node) <= most || (used <= 0 && most > 0) // rounded up once in a spin, so that no crumbs are left
      if (!may) this.#limited.add(job)
      return may
    }
    if (isGang) return this.#startGang(job, permits) ? asked : undefined
    const node = offers.pick(job, permits)
    if (node === None) return undefined
    const cost = costOn(node)
    if (!this.take(job) || !startNearest(job, node, offers.cluster.levels, offers)) return undefined
    this.#limited.delete(job)
    if (!this.#settings.CONSUMPTION_POLICY) this.#fill(submitter, node)
    return cost
  }

  #startGang(job: JobId, permits: (node: NodeId) => boolean): boolean {
    const offers = this.#offers
    const started = this.take(job) && startGang(job, offers, () => offers.pick(job, permits), this.#most) === Gang.Started
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
    while (work.unplaced(job, lane) > 0 && work.together(job, lane) === 1) {
      const shape = work.shape(job, lane)
      if (misfits.has(shape)) return
      if (this.#offers.mayPlace(job, node) && this.take(job) && startNearest(job, node, cluster.levels, this.#offers)) continue
      if (this.#areAlike(job, shape)) misfits.add(shape)
      return
    }
  }
}
