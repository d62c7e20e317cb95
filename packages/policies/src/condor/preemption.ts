import { None, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type Seconds, type ShapeId, type TaskId } from '@sched/core'
import type { Accountant, Submitter } from './accountant.js'
import type { Claims } from './claims.js'
import type { GroupTree } from './group-tree.js'
import type { MachineRanks } from './machine-ranks.js'
import type { OfferRanks } from './offer-ranks.js'
import type { NegotiatorSettings } from './options.js'
import type { SlotWeight } from './slot-weight.js'

/** A running task that has run long enough to be preempted. */
interface Victim {
  readonly task: TaskId
  readonly node: NodeId
  readonly submitter: Submitter
  /** What the machine ranks it by. */
  readonly rank: number
  readonly runTime: Seconds
}

/** What a job may be matched with if these have to go. */
export interface Taking {
  readonly node: NodeId
  readonly victims: readonly Victim[]
  /** Whether all go because the machine ranks the job higher, whatever the limits of its user. */
  readonly isByRank: boolean
  /** What the machine ranks the job by. */
  readonly rank: number
  /** What is offered of a resource. */
  readonly amount: (resource: ResourceId) => number
  readonly weight: number
  /** PREEMPTION_RANK: of the worst user first, and of that user the job that has run for the least time. */
  readonly preemptionRank: number
}

/** What preemption needs to know of the rest of the negotiator of its lane. */
interface Neighbours {
  readonly weight: SlotWeight
  readonly machines: MachineRanks
  readonly ranks: OfferRanks
  readonly accountant: Accountant
  readonly groups: GroupTree
  readonly claims: Claims
  readonly submitterOf: (job: JobId) => Submitter
}

/**
 * Running tasks whose places may be taken in a cycle: on a machine that ranks the job higher, or of another user where PREEMPTION_REQUIREMENTS holds and the
 * machine ranks the job no lower. Who started in the cycle stays, as does who has run for less than MAXJOBRETIREMENTTIME.
 *
 * Source: HTCondor, matchmaker.cpp (matchmakingAlgorithm, trimStartdAds_PreemptionLogic; with ALLOW_PSLOT_PREEMPTION pslotMultiMatch). Deviations: whoever has
 * to go is gone at once, and what the job does not need of the place is free; of several whom the machine ranks alike those with the higher PREEMPTION_RANK go
 * first; ties end in the lowest node and the earliest job.
 */
export class Preemption {
  readonly #settings: NegotiatorSettings
  readonly #env: Env
  readonly #resources: readonly ResourceId[]
  readonly #near: Neighbours
  readonly #isOn: boolean
  #round!: Round
  #victims: readonly Victim[] | undefined
  /** In this cycle: the victims in the order in which they go from a node. */
  #inTurn: readonly Victim[] | undefined
  /** In this cycle, by the ranks of machines: all places of one job that submitters with these ranks may take if PREEMPTION_REQUIREMENTS holds, the best first. */
  readonly #placesByRanks = new Map<Float64Array, readonly Taking[]>()
  /** In this cycle, by submitter: those of them that it may take, or whom it may preempt on each node. */
  readonly #placesOf = new Map<Submitter, readonly Taking[]>()
  readonly #victimsOf = new Map<Submitter, ReadonlyMap<NodeId, readonly Victim[]>>()

  constructor(settings: NegotiatorSettings, env: Env, lane: LaneId, near: Neighbours) {
    this.#settings = settings
    this.#env = env
    this.#resources = env.cluster.lanes[lane]?.resources ?? []
    this.#near = near
    this.#isOn = settings.NEGOTIATOR_CONSIDER_PREEMPTION && (settings.PREEMPTION_REQUIREMENTS !== false || near.machines.areAny)
  }

  begin(round: Round): void {
    this.#round = round
    this.#victims = undefined
    this.#inTurn = undefined
    this.#placesByRanks.clear()
    this.#placesOf.clear()
    this.#victimsOf.clear()
  }

  /** Whether anybody runs who may have to go. */
  get areVictims(): boolean {
    return this.#isOn && this.#all().some(({ task }) => this.#runs(task))
  }

  /** What a job may be matched with, the best first; `isByRank`: only where the machine ranks it higher. */
  *offersTo(job: JobId, submitter: Submitter, isByRank: boolean): Iterable<Taking> {
    if (!this.#isOn) return
    const { work, lane, bars } = this.#round
    const shape = work.shape(job, lane)
    const takings = this.#settings.ALLOW_PSLOT_PREEMPTION ? this.#takingsOfNodes(job, shape, submitter, isByRank) : this.#placesFor(submitter)
    for (const taking of takings)
      if ((taking.isByRank || !isByRank) && taking.victims.every(({ task }) => this.#runs(task)) && this.#suffices(taking.amount, shape) && work.mayRunOn(shape, taking.node) && bars?.(job, taking.node) !== true)
        yield taking
  }

  /** Lets those go whose place is taken. */
  evict({ victims }: Taking): void {
    for (const { task } of victims) if (this.#runs(task)) this.#round.evict(task) // unless it has gone with another one of its gang
  }

  #all(): readonly Victim[] {
    return (this.#victims ??= this.#list())
  }

  #list(): Victim[] {
    const { work } = this.#env
    const { now, nodes, cluster } = this.#round
    const { claims, machines, submitterOf } = this.#near
    const inSight = nodes.length === cluster.nodes ? undefined : new Set(nodes)
    const found: Victim[] = []
    for (const task of claims.tasks) {
      const runTime = now - work.started(task)
      const node = work.nodeOf(task)
      if (Number.isNaN(runTime) || runTime < this.#settings.MAXJOBRETIREMENTTIME || node === None || inSight?.has(node) === false || !cluster.up(node)) continue
      const submitter = submitterOf(work.jobOf(task))
      found.push({ task, node, submitter, rank: machines.of(submitter)[node] as number, runTime })
    }
    return found
  }

  /** Whether a task that ran when the cycle began still does. Who has had to go starts anew in a later round. */
  #runs(task: TaskId): boolean {
    return this.#near.claims.has(task)
  }

  /** Whether a task may be preempted for a job of a submitter that its machine ranks so. */
  #mayGo(victim: Victim, rank: number, submitter: Submitter): boolean {
    return rank > victim.rank || (rank === victim.rank && submitter !== victim.submitter && this.#isRequired(submitter, victim))
  }

  /** PREEMPTION_REQUIREMENTS. */
  #isRequired(submitter: Submitter, victim: Victim): boolean {
    const { PREEMPTION_REQUIREMENTS: requirements } = this.#settings
    if (typeof requirements === 'boolean') return requirements
    const { accountant, groups, claims } = this.#near
    const { RemoteUserPrio: times, StateTimer: least, SameGroup: isSame } = requirements
    return (times === undefined || accountant.priority(victim.submitter) > times * accountant.priority(submitter))
      && (least === undefined || this.#round.now - claims.since(victim.task) > least)
      && (!isSame || groups.areTogether(submitter, victim.submitter))
  }

  // ---- one place for one job ----

  #placesFor(submitter: Submitter): readonly Taking[] {
    let places = this.#placesOf.get(submitter)
    if (places === undefined) {
      places = this.#allPlaces(this.#near.machines.of(submitter)).filter(({ isByRank, victims, rank }) => isByRank || this.#mayGo(victims[0] as Victim, rank, submitter))
      this.#placesOf.set(submitter, places)
    }
    return places
  }

  #allPlaces(ranks: Float64Array): readonly Taking[] {
    let places = this.#placesByRanks.get(ranks)
    if (places === undefined) this.#placesByRanks.set(ranks, (places = this.#all().flatMap((victim) => this.#placeOf(victim, ranks[victim.node] as number)).sort(this.#inOrder)))
    return places
  }

  #placeOf(victim: Victim, rank: number): Taking[] {
    if (rank < victim.rank) return []
    const { work } = this.#env
    const shape = work.shapeOf(victim.task)
    const amount = (r: ResourceId) => work.demand(shape, r)
    return [{ node: victim.node, victims: [victim], isByRank: rank > victim.rank, rank, amount, weight: this.#near.weight.of(amount), preemptionRank: this.#preemptionRank(victim) }]
  }

  #preemptionRank({ submitter, runTime }: Victim): number {
    return this.#near.accountant.priority(submitter) * 1_000_000 - runTime
  }

  // ---- what is free on a node, and the places of several ----

  /** Of each node without room what a job would get there if as many had to go as it needs, lowest rank first. */
  #takingsOfNodes(job: JobId, shape: ShapeId, submitter: Submitter, isByRank: boolean): Taking[] {
    const ranks = this.#near.machines.of(submitter)
    const takings: Taking[] = []
    for (const [node, victims] of this.#victimsFor(submitter)) {
      const rank = ranks[node] as number
      const candidates = victims.filter((victim) => (rank > victim.rank || !isByRank) && this.#runs(victim.task))
      const taking = candidates.length === 0 || this.#round.fits(job, node) ? undefined : this.#takingOn(node, candidates, rank, shape)
      if (taking !== undefined) takings.push(taking)
    }
    return takings.sort(this.#inOrder)
  }

  #victimsFor(submitter: Submitter): ReadonlyMap<NodeId, readonly Victim[]> {
    const known = this.#victimsOf.get(submitter)
    if (known !== undefined) return known
    this.#inTurn ??= [...this.#all()].sort((a, b) => a.rank - b.rank || this.#preemptionRank(b) - this.#preemptionRank(a) || this.#byJob(a, b))
    const ranks = this.#near.machines.of(submitter)
    const byNode = new Map<NodeId, Victim[]>()
    for (const victim of this.#inTurn) {
      if (!this.#mayGo(victim, ranks[victim.node] as number, submitter)) continue
      const victims = byNode.get(victim.node)
      if (victims === undefined) byNode.set(victim.node, [victim])
      else victims.push(victim)
    }
    this.#victimsOf.set(submitter, byNode)
    return byNode
  }

  #takingOn(node: NodeId, candidates: readonly Victim[], rank: number, shape: ShapeId): Taking | undefined {
    const { work } = this.#env
    const { cluster } = this.#round
    const sums = new Map(this.#resources.map((r) => [r, cluster.free(node, r)]))
    const amount = (r: ResourceId) => sums.get(r) ?? 0
    for (const [i, victim] of candidates.entries()) {
      for (const r of this.#resources) sums.set(r, amount(r) + work.demand(work.shapeOf(victim.task), r))
      if (!this.#suffices(amount, shape)) continue
      const victims = candidates.slice(0, i + 1)
      return { node, victims, isByRank: victims.every((each) => each.rank < rank), rank, amount, weight: this.#near.weight.of(amount), preemptionRank: 0 }
    }
    return undefined
  }

  #suffices(amount: (resource: ResourceId) => number, shape: ShapeId): boolean {
    const { work } = this.#env
    return this.#resources.every((r) => work.demand(shape, r) <= amount(r))
  }

  readonly #inOrder = (a: Taking, b: Taking): number => {
    const { ranks } = this.#near
    return ranks.first(b.rank) - ranks.first(a.rank)
      || ranks.second(b.rank, false, b.amount) - ranks.second(a.rank, false, a.amount)
      || ranks.third(a.amount, b.amount)
      || Number(b.isByRank) - Number(a.isByRank)
      || b.preemptionRank - a.preemptionRank
      || a.node - b.node
      || this.#byJob(a.victims[0] as Victim, b.victims[0] as Victim)
  }

  #byJob({ task: a }: Victim, { task: b }: Victim): number {
    const { work } = this.#env
    return work.rank(work.jobOf(a)) - work.rank(work.jobOf(b)) || work.stageOf(a) - work.stageOf(b) || work.indexOf(a) - work.indexOf(b)
  }
}
