import { partitionPoint, Reason, type Env, type JobId, type LaneId, type NodeId, type Placement, type Release, type Round, type TaskId } from '@sched/core'
import { startNearest } from '../disciplines/start-nearest.js'
import { whyNoNode } from '../disciplines/lowest-fitting.js'
import { Keys } from '../orders/sorted-ids.js'
import { Accountant, type AccountantMemory, type Submitter } from './accountant.js'
import { Claims, type ClaimsMemory, type FreeClaim } from './claims.js'
import type { ConcurrencyLimits } from './concurrency-limits.js'
import { negotiateByGroups } from './groups.js'
import { GroupTree } from './group-tree.js'
import { MachineRanks } from './machine-ranks.js'
import { Negotiation } from './negotiation.js'
import { OfferRanks } from './offer-ranks.js'
import { Offers } from './offers.js'
import type { NegotiatorSettings } from './options.js'
import { spinPie, type Pie } from './pie.js'
import { Preemption } from './preemption.js'
import { SlotWeight } from './slot-weight.js'

export interface NegotiatorMemory {
  readonly accountant: AccountantMemory
  readonly claims: ClaimsMemory
}

/** The negotiator of one lane: a pool of its own. */
export class NegotiatorLane {
  readonly #settings: NegotiatorSettings
  readonly #env: Env
  readonly #lane: LaneId
  readonly #placement: Placement | undefined
  readonly #weight: SlotWeight
  readonly #keys = new Keys()
  readonly #accountant: Accountant
  readonly #limits: ConcurrencyLimits
  readonly #claims: Claims
  readonly #preemption: Preemption
  readonly #negotiation: Negotiation
  readonly #offers: Offers
  readonly #groups: GroupTree
  /** Submitters by name, so that sums are the same whoever came first. */
  readonly #byName: Submitter[] = []
  /** By job id. */
  readonly #submitterOf: Submitter[] = []
  /** Whether the last round was a cycle. */
  #hasCycled = false

  constructor(settings: NegotiatorSettings, env: Env, lane: LaneId, placement: Placement | undefined, limits: ConcurrencyLimits) {
    this.#settings = settings
    this.#env = env
    this.#lane = lane
    this.#placement = placement
    this.#weight = new SlotWeight(env.cluster, lane, settings.SLOT_WEIGHT)
    this.#groups = new GroupTree(settings)
    this.#accountant = new Accountant(settings, this.#weight, this.#keys, env.cluster.resources.length, (made) => { this.#join(made) })
    this.#limits = limits
    this.#claims = new Claims(env, lane, this.#weight, limits)
    const machines = new MachineRanks(settings, env)
    const ranks = new OfferRanks(settings, env.cluster, lane, this.#weight)
    const submitterOf = (job: JobId) => this.#submitterOf[job] as Submitter
    this.#preemption = new Preemption(settings, env, lane, { weight: this.#weight, machines, ranks, accountant: this.#accountant, groups: this.#groups, claims: this.#claims, submitterOf })
    this.#negotiation = new Negotiation(settings, this.#weight, ranks, machines, limits, this.#preemption)
    this.#offers = new Offers(this.#weight, ranks, machines, placement, env.cluster.nodes)
  }

  run(round: Round): void {
    const { now, cluster } = round
    this.#accountant.catchUp(now)
    this.#negotiation.begin(this.#offers.of(round))
    if (this.#claims.free.length > 0) this.#useAgain(round)
    this.#hasCycled = cluster.heartbeat > 0 || this.#accountant.isDue(now)
    if (this.#hasCycled) this.#cycle(round)
    const { asking, next } = this.#accountant
    if (asking > 0 && next > now && cluster.heartbeat === 0) round.wakeAt(next)
  }

  /** Why jobs wait that have not started in the round. */
  *passedOver(round: Round): Iterable<[job: JobId, reason: Reason, limit: string | undefined, isPart?: boolean]> {
    for (const { waiting } of this.#accountant.submitters.values())
      for (const job of waiting.ids.slice(waiting.from, waiting.to) as Iterable<JobId>) {
        const lacking = this.#limits.lacking(job)
        if (!this.#hasCycled) yield [job, Reason.Limit, 'NEGOTIATOR_INTERVAL']
        else if (lacking !== undefined) yield [job, Reason.Limit, `concurrency limit ${lacking}`]
        else if (this.#negotiation.isHeldBack(job)) yield [job, Reason.Limit, 'submitter limit', true]
        else {
          const { reason, limit } = this.#placement === undefined ? { reason: Reason.NoRoom } : whyNoNode(job, round, this.#placement)
          yield [job, reason, limit]
        }
      }
  }

  // ---- a round ----

  /** Starts jobs on claims of which the last job has ended; what is left of these is free afterwards. */
  #useAgain(round: Round): void {
    const { nodes, cluster } = round
    const isSeen = ({ node }: FreeClaim) => nodes.length === cluster.nodes || nodes.includes(node)
    this.#claims.free = this.#claims.free.filter((claim) => !this.#startOn(claim, round) && (!isSeen(claim) || isCut(round)))
  }

  #startOn(claim: FreeClaim, round: Round): boolean {
    const { work, lane, now, cluster } = round
    const { CLAIM_WORKLIFE: worklife } = this.#settings
    if (worklife >= 0 && now - claim.since > worklife) return false
    const { ids, from, to } = claim.submitter.waiting
    for (let i = from; i < to; i++) {
      const job = ids[i] as JobId
      if (work.together(job, lane) !== 1 || !this.#claims.suits(job, lane, claim) || this.#limits.lacking(job) !== undefined || !this.#offers.mayPlace(job, claim.node) || !this.#negotiation.take(job)) continue
      this.#claims.reused = claim
      const hasStarted = startNearest(job, claim.node, cluster.levels, round)
      this.#claims.reused = undefined
      if (hasStarted) return true
    }
    return false
  }

  #cycle(round: Round): void {
    const { now } = round
    const accountant = this.#accountant
    accountant.begin(now)
    this.#offers.open()
    const asking = this.#byName.filter(({ isIdle, claims }) => isIdle || claims > 0)
    if (accountant.asking > 0 && !(this.#offers.isEmpty && !this.#preemption.areVictims)) this.#negotiateAll(asking)
    if (!isCut(round) || accountant.asking === 0) accountant.end(now)
  }

  #negotiateAll(asking: readonly Submitter[]): void {
    const settings = this.#settings
    const pool = this.#pool()
    const leastSlot = this.#leastSlot()
    const spin = (submitters: readonly Submitter[], group?: Pie['group']) => {
      spinPie(submitters, { pool, leastSlot, group }, this.#accountant, settings.NEGOTIATOR_CONSIDER_PREEMPTION, (each, slice) => this.#negotiation.negotiate(each, slice), () => this.#negotiation.isDone)
    }
    if (this.#groups.isFlat) spin(asking)
    else negotiateByGroups(this.#groups, asking, pool, (each) => this.#demand(each), settings, spin)
  }

  /** What a submitter holds and waits for. */
  #demand(submitter: Submitter): number {
    const { work } = this.#env
    const { ids, from, to } = submitter.waiting
    let demand = this.#accountant.holds(submitter)
    for (const job of ids.subarray(from, to) as Iterable<JobId>) demand += this.#weight.of((r) => work.waiting(job, this.#lane, r))
    return demand
  }

  #pool(): number {
    return this.#weight.of((r) => this.#env.cluster.capacity(r))
  }

  /** Slots are what is free on nodes, and claims. */
  #leastSlot(): number {
    const { cluster } = this.#env
    let least = this.#claims.leastWeight()
    for (let node = 0 as NodeId; node < cluster.nodes && least > 0; node++) if (cluster.up(node)) least = Math.min(least, this.#offers.freeWeight(node))
    return least
  }

  // ---- events ----

  #join(made: Submitter): void {
    this.#groups.join(made)
    const all = this.#byName
    all.splice(partitionPoint(0, all.length, (i) => (all[i] as Submitter).name < made.name), 0, made)
  }

  submit(job: JobId): void {
    const { work } = this.#env
    this.#accountant.catchUp(this.#env.now())
    this.#submitterOf[job] = this.#accountant.submitter(work.userName(work.user(job)), work.account(job))
    this.#keys.set(job, -work.priority(job), work.rank(job))
    this.#accountant.ask(this.#env.now())
  }

  ready(job: JobId): void {
    const { waiting } = this.#submitterOf[job] as Submitter
    this.#accountant.catchUp(this.#env.now())
    if (waiting.isEmpty) this.#accountant.asking++
    waiting.add(job)
  }

  drained(job: JobId): void {
    const { waiting } = this.#submitterOf[job] as Submitter
    this.#accountant.catchUp(this.#env.now())
    waiting.remove(job)
    if (waiting.isEmpty) this.#accountant.asking--
  }

  claimed(job: JobId, task: TaskId): void {
    this.#accountant.catchUp(this.#env.now())
    this.#claims.start(this.#submitterOf[job] as Submitter, task)
  }

  released(job: JobId, task: TaskId, node: NodeId, why: Release): void {
    this.#accountant.catchUp(this.#env.now())
    this.#claims.end(this.#submitterOf[job] as Submitter, task, node, why)
  }

  memory(): NegotiatorMemory {
    return { accountant: this.#accountant.memory(), claims: this.#claims.memory() }
  }

  recall({ accountant, claims }: NegotiatorMemory): void {
    this.#accountant.recall(accountant)
    this.#claims.recall(claims, this.#accountant)
  }
}

/** Whether the round ended before the negotiator had done. */
const isCut = ({ jobsLeft, claimsLeft }: Round): boolean => jobsLeft === 0 || claimsLeft === 0
