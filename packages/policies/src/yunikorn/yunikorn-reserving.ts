import {
  definePolicy, DoneJobs, FirstFit, forwarding, None, Reason, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Placement,
  type Plug, type Policy, type Round, type Seconds, type ShapeId,
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
 * Queues in the order `yunikorn`, with reserved nodes. A task that has waited for a while, is within all limits, and fits on no node reserves the
 * node that lacks least of what it asks for. Nothing else starts there until the task has started, there or elsewhere. Jobs with reserved nodes
 * come before all others.
 *
 * Source: YuniKorn 1.8, application.go (tryReservedAllocate, tryNodes), queue.go (TryReservedAllocate), partition.go (allocate). Deviations: a task
 * is as old as its job has waited without a break; of jobs in one queue those with reserved nodes go in the order of the queue, in YuniKorn in no
 * order; tasks of a gang reserve nodes as its placeholders do in YuniKorn, but start together, and no gang reserves while another one has too few
 * nodes, since they could wait for each other's nodes for ever (YuniKorn gives placeholders up after a while); a reservation ends if limits of
 * running jobs keep its job from starting, since running jobs could wait for the node; nothing is reserved unless rounds have all nodes in sight
 * and take any number of jobs, nor if nodes have heartbeats. As in YuniKorn, after a restart nothing is reserved without the memory of the
 * scheduler before.
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

/** The time since which tasks of a job wait in a lane. */
type SinceMemory = readonly (readonly [job: string, lane: LaneId, since: Seconds])[]

export class YunikornReserving implements Policy {
  readonly startsGangJobs = true
  /** Set by `fill`: when it must look again even if nothing has happened. */
  wake: Seconds = Infinity
  readonly #reserved: ReservedNodes
  readonly #order: YunikornOrder
  readonly #placement: Placement
  /** The policy for rounds in which nothing is reserved. */
  readonly #greedy: Policy
  readonly #isOn: boolean
  readonly #delay: Seconds
  readonly #lanes: number
  /** `[job * lanes + lane]`: the time since which tasks of the job wait. */
  readonly #since: Seconds[] = []
  readonly #gangs = new Gangs()
  readonly #pick = (job: JobId, round: Round) => this.#placement.pick(job, round)
  /** In this call: jobs without room on any node; and jobs with reservations that were tried elsewhere, or gangs that were tried, in vain. */
  readonly #done = new DoneJobs()
  readonly #tried = new DoneJobs()
  /** The gang that has reserved nodes but lacks some, or `None`. */
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
        for (const [job, lane, since] of rememberedJobs(memory as SinceMemory, env.work)) this.#since[job * this.#lanes + lane] = since
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

  /** Starts what may start and reserves nodes; returns the round for others to use, in which reserved nodes have no room for other jobs. */
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

  /** A task or gang has started outside `fill`: ends its reservations. */
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

  /** Makes one start, or one attempt at a gang; false: nothing more can start. */
  #step(round: Round): boolean {
    const { ended } = this.#reserved
    const goesOn = (this.#reserved.areAny && this.#redeem(round)) || this.#startAnywhere(round)
    if (ended === this.#reserved.ended) return goesOn
    this.#lookAgain()
    return true
  }

  /** Forgets which jobs found no node, since reservations have ended. */
  #lookAgain(): void {
    this.#gangs.begin()
    this.#done.begin()
    this.#tried.begin()
    this.#hopeless.clear()
    this.#gathering = None
  }

  // ---- jobs with reserved nodes ----

  /**
   * Lets the first job in order with reserved nodes that can start a task do so; returns whether one has, or a gang has tried, so that the order
   * must be read anew.
   */
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

  /** The lowest node with room of those that are reserved for the job, or else any other node with room. */
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

  // ---- jobs without reserved nodes ----

  #startAnywhere(round: Round): boolean {
    const { lane, cluster, explained } = round
    const hasRoom = cluster.nextWithRoom(lane, 0) !== None
    this.#order.begin(round)
    for (let block = this.#order.next(); block !== undefined; block = this.#order.next())
      for (let i = block.from; i < block.to; i++) {
        const { areAll } = this.#reserved
        if (areAll && !explained) return false // all nodes are reserved, so no other job may start anything
        const job = block.ids[i] as JobId
        if (this.#done.has(job)) continue
        if (hasRoom && !areAll && (this.#isGang(job, round) ? this.#gangs.start(job, round, this.#pick) : this.#start(job, this.#placement.pick(job, round), round))) return true
        this.#done.add(job) // nothing is given back in this call, so it need not be tried again
        this.#reserveFor(job, round)
        if (!explained) continue
        if (this.#reserved.isKeptOff(job)) round.defer(job, Reason.Reservation)
        else deferWithoutNode(job, round, this.#placement)
      }
    return false
  }

  /** Reserves a node for each waiting task of the job that has none, once the job has waited long enough. */
  #reserveFor(job: JobId, round: Round): void {
    const { work, lane, now } = round
    if (this.#reserved.areAll || this.#placement.confines?.(job, round) === true) return // a confined job might keep nodes that are too far apart for ever
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
