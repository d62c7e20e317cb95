import {
  definePolicy, DoneJobs, FirstFit, forwarding, jobsByName, None, Reason, type Env, type JobId, type LaneId, type NodeId, type Placement, type Plug, type Policy, type Round,
  type Seconds, type ShapeId,
} from '@sched/core'
import { Gang, Gangs, startGang } from '../disciplines/gangs.js'
import { greedyPolicy } from '../disciplines/greedy.js'
import { deferWithoutNode } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import { nodesToReserve } from './nodes-to-reserve.js'
import { yunikornPolicyOptions, type YunikornPolicyOptions, type YunikornPolicySettings } from './options.js'
import { ReservedNodes } from './reserved-nodes.js'
import { YunikornOrder, yunikornOrder } from './yunikorn.js'

/**
 * Queues as the order `yunikorn` has them. A task that has waited for a while, is within all limits, and fits on no node reserves the one that lacks least of what it asks:
 * nothing else starts there until it does, there or elsewhere. Who has a node reserved comes before all others.
 *
 * Source: YuniKorn 1.8, application.go (tryReservedAllocate, tryNodes), queue.go (TryReservedAllocate), partition.go (allocate). Deviations: a task is as old as
 * its job waits without a break; of jobs in one queue who has reserved nodes goes as the queue sorts jobs, there in no order; tasks of a gang reserve nodes as its
 * placeholders do there, but start together, and no gang reserves while one has too few nodes, since they could wait for each other's for ever, where there placeholders
 * are given up after a while; a reservation ends where limits of how many jobs run keep its job from starting, since jobs that run could wait for the node; and
 * nothing is reserved unless rounds have all nodes in sight and take any number of jobs, nor where nodes have heartbeats. After a restart nothing is without the memory of the one before, as there.
 */
export const yunikornReservingPolicy = definePolicy({
  name: 'yunikorn-reserving',
  summary: 'Apache YuniKorn without preemption: the order yunikorn, with nodes reserved for tasks that fit nowhere',
  source: 'Apache YuniKorn, scheduler/objects',
  options: yunikornPolicyOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new YunikornReserving(options, env, new YunikornOrder(options, env), placement?.create(env)),
})

/** The queues of Apache YuniKorn, with reservations. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const yunikornReserving = (options: YunikornPolicyOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => yunikornReservingPolicy.plug({ placement }, options)

/** Since when tasks of a job wait in a lane. */
type SinceMemory = readonly (readonly [job: string, lane: LaneId, since: Seconds])[]

export class YunikornReserving implements Policy {
  readonly startsGangJobs = true
  /** When it looks again although nothing has happened, after `fill`. */
  wake: Seconds = Infinity
  readonly #reserved: ReservedNodes
  readonly #order: YunikornOrder
  readonly #placement: Placement
  /** For rounds in which nothing is reserved. */
  readonly #greedy: Policy
  readonly #isOn: boolean
  readonly #delay: Seconds
  readonly #lanes: number
  /** `[job * lanes + lane]`: since when tasks of it wait. */
  readonly #since: Seconds[] = []
  readonly #gangs = new Gangs()
  readonly #pick = (job: JobId, round: Round) => this.#placement.pick(job, round)
  /** In this call: jobs that found no node, and those that found none but what is reserved for them. */
  readonly #done = new DoneJobs()
  readonly #tried = new DoneJobs()
  /** The gang that has reserved nodes and lacks some, or `None`. */
  #gathering: JobId | None = None
  /** Shapes for which this call found no node to reserve. */
  readonly #hopeless = new Set<ShapeId>()

  constructor({ reservations, reservationDelay }: YunikornPolicySettings, env: Env, order: YunikornOrder, placement: Placement = new FirstFit()) {
    this.#order = order
    this.#placement = placement
    this.#isOn = reservations && env.cluster.heartbeat === 0
    this.#delay = reservationDelay
    this.#lanes = env.cluster.lanes.length
    this.#reserved = new ReservedNodes(env)
    this.#greedy = greedyPolicy
      .plug({ order: { ...yunikornOrder.plug({}), create: () => order }, placement: { kind: 'placement', name: 'given', create: () => placement } })
      .create(env)
    const own = {
      onReady: (job: JobId, lane: LaneId) => void (this.#since[job * this.#lanes + lane] = env.now()),
      memory: (): SinceMemory => env.work.jobs().flatMap((job) => env.cluster.lanes.flatMap((_, lane) => this.#waits(job, lane as LaneId, env))),
      recall: (memory: unknown) => {
        const jobs = jobsByName(env.work)
        for (const [name, lane, since] of memory as SinceMemory) if (jobs.has(name)) this.#since[(jobs.get(name) as JobId) * this.#lanes + lane] = since
      },
    }
    Object.assign(this, this.#isOn ? forwarding(this.#greedy, own, this.#reserved) : forwarding(this.#greedy))
  }

  #waits(job: JobId, lane: LaneId, { work }: Env): SinceMemory {
    return work.unplaced(job, lane) === 0 ? [] : [[work.name(job), lane, this.#since[job * this.#lanes + lane] as Seconds]]
  }

  schedule(round: Round): void {
    this.fill(round)
    if (this.wake < Infinity) round.wakeAt(this.wake)
  }

  /** Starts what may start and reserves; returns the round as others may use it, without nodes that are reserved. */
  fill(round: Round): Round {
    this.wake = Infinity
    if (!this.#isOn) {
      this.#greedy.schedule(round)
      return round
    }
    const seen = this.#reserved.open(round)
    if (round.jobsLeft < Infinity || round.nodes.length < round.cluster.nodes) this.#greedy.schedule(this.#reserved.areAny ? seen : round)
    else this.#pass(seen)
    return seen
  }

  /** A task has started, or a gang, that `fill` has not: its reservation ends. */
  started(job: JobId, node: NodeId, isGang: boolean): void {
    if (!this.#reserved.areAny) return
    if (isGang) this.#reserved.giveUp(job)
    else this.#reserved.started(job, node)
  }

  #pass(round: Round): void {
    this.#lookAgain()
    while (this.#step(round)) {
      // each start changes the order
    }
  }

  /** One start, or an attempt at a gang; false: nothing more can start. */
  #step(round: Round): boolean {
    const { ended } = this.#reserved
    const goesOn = (this.#reserved.areAny && this.#redeem(round)) || this.#startAnywhere(round)
    if (ended === this.#reserved.ended) return goesOn
    this.#lookAgain()
    return true
  }

  /** Nodes are free again for those that found none. */
  #lookAgain(): void {
    this.#gangs.begin()
    this.#done.begin()
    this.#tried.begin()
    this.#hopeless.clear()
    this.#gathering = None
  }

  // ---- for whom nodes are reserved ----

  /** Whether a job that has reserved nodes has started a task, the first in order that can, or has tried it, so that the order has to be read anew. */
  #redeem(round: Round): boolean {
    const jobs = this.#reserved.jobs((job) => this.#order.mayNotRun(job))
    this.#gathering = round.work.areGangs ? this.#reserved.gathering(jobs) : None
    if (!this.#mayAny(jobs, round)) return false
    this.#order.begin(round)
    for (let block = this.#order.next(); block !== undefined; block = this.#order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (jobs.has(job) && (this.#isGang(job, round) ? this.#redeemGang(job, round) : this.#start(job, this.#nodeFor(job, round), round))) return true
      }
    return false
  }

  #mayAny(jobs: ReadonlySet<JobId>, round: Round): boolean {
    for (const job of jobs) if (this.#isGang(job, round) ? !this.#tried.has(job) : this.#nodeFor(job, round) !== None) return true
    return false
  }

  #redeemGang(job: JobId, round: Round): boolean {
    if (this.#tried.has(job)) return false
    this.#tried.add(job)
    const outcome = startGang(job, round, this.#pick)
    if (outcome === Gang.Started) this.#reserved.giveUp(job)
    return outcome !== Gang.NoRoom
  }

  /** Of the nodes that are reserved for the job the lowest with room, or else any other. */
  #nodeFor(job: JobId, round: Round): NodeId | None {
    const own = this.#reserved.roomyFor(job)
    if (own !== None) return own
    if (this.#tried.has(job)) return None
    const node = this.#placement.pick(job, round)
    if (node === None) this.#tried.add(job)
    return node
  }

  #start(job: JobId, node: NodeId | None, round: Round): boolean {
    if (node === None || !startNearest(job, node, round.cluster.levels, round)) return false
    this.started(job, node, false)
    return true
  }

  #isGang(job: JobId, { work, lane }: Round): boolean {
    return work.areGangs && work.together(job, lane) > 1
  }

  // ---- for whom none are ----

  #startAnywhere(round: Round): boolean {
    const { lane, cluster, explained } = round
    const hasRoom = cluster.nextWithRoom(lane, 0) !== None
    this.#order.begin(round)
    for (let block = this.#order.next(); block !== undefined; block = this.#order.next())
      for (let i = block.from; i < block.to; i++) {
        const { areAll } = this.#reserved
        if (areAll && !explained) return false // nobody else may start anything
        const job = block.ids[i] as JobId
        if (this.#done.has(job)) continue
        if (hasRoom && !areAll && (this.#isGang(job, round) ? this.#gangs.start(job, round, this.#pick) : this.#start(job, this.#placement.pick(job, round), round))) return true
        this.#done.add(job) // nothing is given back any more in this call
        this.#reserveFor(job, round)
        if (!explained) continue
        if (this.#reserved.isKeptOff(job)) round.defer(job, Reason.Reservation)
        else deferWithoutNode(job, round, this.#placement)
      }
    return false
  }

  /** Reserves a node for each task of the job that has none, once they have waited long enough. */
  #reserveFor(job: JobId, round: Round): void {
    const { work, lane, now } = round
    if (this.#reserved.areAll || this.#placement.confines?.(job, round) === true) return // it might keep nodes for ever that are too far apart
    const due = (this.#since[job * this.#lanes + lane] as Seconds) + this.#delay
    if (now < due) return void (this.wake = Math.min(this.wake, due))
    const shape = work.shape(job, lane)
    const wanted = this.#reserved.most(job) - this.#reserved.covered(job)
    if (wanted <= 0 || this.#hopeless.has(shape)) return
    const isGang = this.#isGang(job, round)
    if (isGang && this.#gathering !== None && this.#gathering !== job) return
    const { nodes, isEnough } = nodesToReserve(job, wanted, round, this.#reserved)
    for (const node of nodes) this.#reserved.keep(node, job)
    if (!isEnough && isGang && nodes.length > 0) this.#gathering = job
    if (!isEnough && !work.isDistinct(shape)) this.#hopeless.add(shape)
    this.#reserved.lookWhetherAll()
  }
}
