import {
  definePolicy, DoneJobs, forwarding, None, Reason, type Env, type JobId, type LaneId, type NodeId, type Order, type Plug, type Policy, type Round,
  type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Gang } from '../disciplines/gangs.js'
import { Borrowing, type TriedMemory } from './borrowing.js'
import { isReservable, type Reservable } from './capacity.js'
import { GangsBesideReservations } from './gangs-beside-reservations.js'
import type { KillableTasks } from './killable-tasks.js'
import { LeastUsedNodes } from './least-used-nodes.js'
import { LocalityDelay, type MissedMemory } from './locality-delay.js'
import { NodesUp } from './nodes-up.js'
import { couldHold, hasAmounts } from './node-amounts.js'
import { NodeReservations, type Reservation, type ReservationsMemory } from './node-reservations.js'
import { assignmentShape } from './options.js'
import { memoryOf } from './pots.js'
import { ReservationLimits } from './reservation-limits.js'

const reservingOptions = z.strictObject(assignmentShape)
type ReadReservingOptions = z.output<typeof reservingOptions>
/** Options of `reserving`; all may be left out. */
export type ReservingOptions = z.input<typeof reservingOptions>

/**
 * Goes node by node. The first job in order starts its task on the node, or waits for a node nearer to its data, or, if the task does
 * not fit, reserves the node: nothing else is then placed there until there is room for the task. A node has at most one reservation;
 * it is given up when the job has no task left for it, or starts the task elsewhere.
 *
 * Source: Hadoop 3, RegularContainerAllocator and CapacityScheduler.allocateContainersToNode; survey, section 5.
 * Deviations: without heartbeats a pass goes over the nodes by id, or by what is in use, and again while nothing starts but jobs miss
 * opportunities; the limits per heartbeat do not count then. A gang starts as a whole or not at all and reserves nothing. Where the
 * architecture asks for single jobs there are no reservations.
 */
export const reservingPolicy = definePolicy({
  name: 'reserving',
  summary: 'node by node with reservations for tasks that do not fit, and delay by missed opportunities',
  source: 'Survey, section 5; Hadoop 3, Capacity Scheduler',
  options: reservingOptions,
  inner: { order: 'order' },
  defaults: { order: 'capacity' },
  create: (options, env, { order }) => new Reserving(options, env, order.create(env)),
})

/** Reservations and delay by missed opportunities over an order. */
export const reserving = (order: Plug<'order'>, options: ReservingOptions = {}): Plug<'policy'> => reservingPolicy.plug({ order }, options)

/** How an attempt on a node ended. */
const enum Attempt {
  Nothing,
  Reserved,
  Near,
  OffSwitch,
}

interface ReservingMemory {
  readonly reservations: ReservationsMemory
  readonly missed: MissedMemory
  readonly tried: TriedMemory
}

export class Reserving implements Policy {
  readonly reservations: NodeReservations
  /** Tasks that may be killed so that a job can start in their place; set by the preemption that marks them. */
  killable: KillableTasks | undefined
  readonly #options: ReadReservingOptions
  readonly #order: Order
  readonly #counting: (Order & Reservable) | undefined
  readonly #delay: LocalityDelay
  readonly #levels: number
  readonly #beats: boolean
  readonly #lanes: number
  readonly #limits: ReservationLimits
  /** Present where nodes are lent. */
  readonly #borrowing: Borrowing | undefined
  /** Whether claims of the current job were taken back, so that the order must be read from the beginning. */
  #isTakenBack = false
  readonly #gangs: GangsBesideReservations
  /** Whether a job has missed an opportunity in this pass. */
  #missed = false
  /** Jobs taken up in a round for a limited number of jobs. */
  readonly #done = new DoneJobs()

  constructor(options: ReadReservingOptions, env: Env, order: Order) {
    const { cluster } = env
    this.#options = options
    this.#order = order
    this.#counting = isReservable(order) ? order : undefined
    const nodesUp = new NodesUp(cluster)
    this.#delay = new LocalityDelay(options, env, nodesUp)
    this.#levels = cluster.levels
    this.#beats = cluster.heartbeat > 0
    this.#lanes = cluster.lanes.length
    this.reservations = new NodeReservations(this.#lanes)
    this.#gangs = new GangsBesideReservations(this.reservations, this.#levels)
    this.#limits = new ReservationLimits(this.reservations, env, this.#counting)
    this.#borrowing = this.#counting?.lends === true ? new Borrowing(this.#counting, env, nodesUp) : undefined
    const own = {
      onSubmit: (job: JobId) => this.#reset(job),
      onFinish: (job: JobId) => this.#dropAll(job),
      onNode: (node: NodeId, up: boolean) => {
        nodesUp.refresh()
        this.#forget(node, up)
      },
      memory: () => this.#memory(env),
      recall: (memory: unknown) => this.#recall(memory as ReservingMemory, env),
    }
    Object.assign(this, forwarding(own, order))
  }

  #memory(env: Env): ReservingMemory {
    return { reservations: this.reservations.memory(env), missed: this.#delay.memory(), tried: this.#borrowing?.memory() ?? [] }
  }

  #recall({ reservations, missed, tried }: ReservingMemory, env: Env): void {
    this.#borrowing?.recall(tried)
    this.#delay.recall(missed)
    this.reservations.recall(reservations, env, (reservation) => this.#keep(reservation))
  }

  schedule(round: Round): void {
    const { nodes } = round
    if (nodes.length === 0) return
    this.#gangs.forget()
    if (round.jobsLeft < Infinity) this.#takeInTurn(round)
    else if (this.#beats && nodes.length === 1) this.#beat(nodes[0] as NodeId, round)
    else this.#pass(round)
  }

  /** Gives up a reservation for other queues: preemption takes reservations before it kills tasks. */
  giveUp(reservation: Reservation): void {
    this.#drop(reservation)
  }

  // ---- one node at its heartbeat ----

  #beat(node: NodeId, round: Round): void {
    const { multipleAssignments, maximumContainerAssignments, maximumOffswitchAssignments } = this.#options
    const reservation = this.reservations.on(node, round.lane)
    if (reservation !== undefined) return void this.#redeem(reservation, round) // nothing else at this heartbeat
    let offSwitch = 0
    for (let started = 0; this.#hasRoom(node, round); started++) {
      if (started > 0 && !multipleAssignments) return
      if (maximumContainerAssignments >= 0 && started >= Math.max(1, maximumContainerAssignments)) return
      const own = this.#assign(node, round)
      const attempt = own === Attempt.Nothing && this.#borrowing !== undefined ? this.#assign(node, round, true) : own
      if (attempt < Attempt.Near) return
      if (attempt === Attempt.OffSwitch && ++offSwitch >= maximumOffswitchAssignments) return
    }
  }

  // ---- all nodes ----

  #pass(round: Round): void {
    do {
      this.#missed = false
      if (this.reservations.size > 0) this.#redeemAll(round)
    } while (!this.#sweep(round) && this.#missed)
    if (this.#borrowing !== undefined) this.#sweep(round, true)
  }

  /** Tries the reserved nodes in sight. */
  #redeemAll(round: Round): void {
    const { nodes, lane, cluster } = round
    const inSight = nodes.length === cluster.nodes ? this.reservations.nodes(lane) : nodes
    for (const node of inSight) {
      const reservation = this.reservations.on(node, lane)
      if (reservation !== undefined) this.#redeem(reservation, round)
    }
  }

  /** Goes once over the nodes with room, for jobs of their own partition or for those they are lent to; returns whether anything was started or reserved. */
  #sweep(round: Round, isLent = false): boolean {
    if (this.#options.nodeOrder === 'least-used') return this.#sweepLeastUsed(round, isLent)
    const { nodes, lane, cluster } = round
    const isAll = nodes.length === cluster.nodes
    let hasDone = false
    for (let i = 0; i < nodes.length; i++) {
      if (isAll) {
        const roomy = this.#nextWithRoom(i, round)
        if (roomy === None) break
        i = roomy
      }
      const node = nodes[i] as NodeId
      if (round.pending === 0) break
      while (this.#hasRoom(node, round) && this.reservations.on(node, lane) === undefined && this.#assign(node, round, isLent) !== Attempt.Nothing) hasDone = true
    }
    return hasDone
  }

  /** The same, beginning for each task at the node with the least in use. Nodes on which nothing starts, or that are reserved, are dropped. */
  #sweepLeastUsed(round: Round, isLent: boolean): boolean {
    const { nodes, lane, cluster } = round
    const all = cluster.lanes[lane]?.resources ?? []
    const memory = memoryOf(all, cluster)
    const left = new LeastUsedNodes(nodes.filter((node) => this.#hasRoom(node, round)), cluster, [memory, ...all.filter((r) => r !== memory)])
    let hasDone = false
    for (let node = left.first; node !== undefined && round.pending > 0; node = left.first) {
      const isDone = this.#hasRoom(node, round) && this.reservations.on(node, lane) === undefined && this.#assign(node, round, isLent) !== Attempt.Nothing
      if (isDone) left.renew()
      else left.drop()
      hasDone ||= isDone
    }
    return hasDone
  }

  /** Whether a task may find room on a node, including that of killable tasks. */
  #hasRoom(node: NodeId, round: Round): boolean {
    return round.room(node) || this.killable?.isAnyOn(node, round.lane) === true
  }

  /** The first node from `from` on on which a task may find room; `None` if there is none. */
  #nextWithRoom(from: number, { lane, cluster }: Round): number {
    const roomy = cluster.nextWithRoom(lane, from)
    const other = this.killable?.nextNode(lane, from) ?? None
    return roomy === None || (other !== None && other < roomy) ? other : roomy
  }

  // ---- a task on a node ----

  /** Starts the task that the node is reserved for if there is room now; gives the reservation up if there is no such task. */
  #redeem(reservation: Reservation, round: Round): void {
    const { job, lane, node, shape } = reservation
    const { work } = round
    const isGang = work.together(job, lane) > 1 // a later stage of the same shape may be a gang
    if (work.unplaced(job, lane) === 0 || work.shape(job, lane) !== shape || isGang || round.bars?.(job, node) === true) return this.#drop(reservation)
    this.#delay.within(job, round)
    const before = round.savepoint()
    if (!round.fits(job, node) && this.killable?.makeRoom(job, node, round) !== true) return this.reservations.noteAgain(job, lane)
    const task = work.taskFor(job, lane, node, this.#levels)
    if (task !== None && round.claim(task, node)) this.#drop(reservation)
    else round.rollback(before)
  }

  /** Offers the node to jobs in order until one starts or reserves there; with `isLent` to the jobs of the default partition to which it is lent. */
  #assign(node: NodeId, round: Round, isLent = false): Attempt {
    if (this.killable !== undefined) this.#gangs.forget()
    let passed = 0 // jobs that were offered the node already: a reading from the beginning gives them first, and they are skipped
    while (this.#begin(node, round, isLent)) {
      let at = 0
      this.#isTakenBack = false
      for (let block = this.#order.next(); block !== undefined && !this.#isTakenBack; block = this.#order.next())
        for (let i = block.from; i < block.to && !this.#isTakenBack; i++) {
          if (at++ < passed) continue
          const attempt = this.#offer(block.ids[i] as JobId, node, round, isLent)
          if (attempt !== Attempt.Nothing) return attempt
        }
      if (!this.#isTakenBack) return Attempt.Nothing
      passed = at
    }
    return Attempt.Nothing
  }

  /** Begins a reading of jobs that may have the node; false: it is lent to nobody. */
  #begin(node: NodeId, round: Round, isLent: boolean): boolean {
    const counting = this.#counting
    if (isLent) return counting?.beginLent(round, node) === true
    if (counting === undefined) this.#order.begin(round)
    else counting.beginOn(round, node)
    return true
  }

  #offer(job: JobId, node: NodeId, round: Round, isLent: boolean): Attempt {
    const { work, lane } = round
    const shape = work.shape(job, lane)
    if (work.together(job, lane) > 1) return this.#startGang(job, round)
    const wantsMore = this.#limits.allowMore(job, lane, shape)
    if (!wantsMore && !this.#options.reservationsContinueLookAllNodes) return Attempt.Nothing
    if (isLent && work.isMaster(work.taskFor(job, lane, node, this.#levels) as TaskId)) return Attempt.Nothing // a master there would be taken back
    if (this.#borrowing?.mayHave(job, node, round, isLent) === false) return Attempt.Nothing
    const fits = round.fits(job, node)
    if (!fits && (!work.mayRunOn(shape, node) || round.bars?.(job, node) === true)) return Attempt.Nothing
    const within = this.#delay.within(job, round)
    if (!fits && !couldHold(shape, node, round)) return Attempt.Nothing
    const task = work.taskFor(job, lane, node, within)
    if (task === None) {
      this.#missed = true
      round.defer(job, Reason.Locality)
      return Attempt.Nothing
    }
    const mustRelease = this.#counting?.mustRelease ?? false
    const releases = (!wantsMore || mustRelease) && this.#counting?.isDefault(node) !== false
    if (fits) return this.#start(job, task, node, releases, isLent, round)
    const killing = this.#startKilling(job, task, node, releases, isLent, round)
    if (killing !== Attempt.Nothing) return killing
    if (!this.#options.reservations || !wantsMore || mustRelease || hasAmounts(shape, node, round)) {
      round.defer(job, Reason.NoRoom)
      return Attempt.Nothing
    }
    const level = work.level(task, node)
    this.#delay.note(job, lane, level, this.#delay.isOffSwitch(job, lane, level))
    this.#borrowing?.note(job, lane, node)
    this.#keep({ job, lane, node, shape })
    return Attempt.Reserved
  }

  /** Starts a task after killing tasks on the node to make room for it. */
  #startKilling(job: JobId, task: TaskId, node: NodeId, mustRelease: boolean, isLent: boolean, round: Round): Attempt {
    if (this.killable?.isAnyOn(node, round.lane) !== true) return Attempt.Nothing
    const before = round.savepoint()
    const attempt = this.killable.makeRoom(job, node, round) ? this.#start(job, task, node, mustRelease, isLent, round) : Attempt.Nothing
    if (attempt !== Attempt.Nothing) return attempt
    round.rollback(before)
    this.#isTakenBack = true
    return attempt
  }

  #start(job: JobId, task: TaskId, node: NodeId, mustRelease: boolean, isLent: boolean, round: Round): Attempt {
    const { lane, work } = round
    const level = work.level(task, node)
    const isOffSwitch = this.#delay.isOffSwitch(job, lane, level)
    const given = mustRelease ? this.reservations.firstFor(job, lane, work.shapeOf(task)) : undefined
    if (mustRelease && given === undefined) return Attempt.Nothing
    if (!isLent && given === undefined && this.killable?.exceeds(job, lane, node, work.shapeOf(task), 1) === true) {
      round.defer(job, Reason.Limit)
      return Attempt.Nothing
    }
    if (!round.claim(task, node)) return Attempt.Nothing
    if (given !== undefined) this.#drop(given)
    this.#delay.note(job, lane, level, isOffSwitch)
    this.#borrowing?.note(job, lane, node)
    return isOffSwitch ? Attempt.OffSwitch : Attempt.Near
  }

  #reset(job: JobId): void {
    this.#delay.reset(job)
    this.#borrowing?.reset(job)
  }

  #startGang(job: JobId, round: Round): Attempt {
    const outcome = this.#gangs.start(job, round, this.killable)
    if (outcome === Gang.Started) return Attempt.OffSwitch
    if (outcome === Gang.TakenBack) this.#isTakenBack = true
    round.defer(job, Reason.NoRoom)
    return Attempt.Nothing
  }

  #keep(reservation: Reservation): void {
    const { job, lane, node, shape } = reservation
    this.reservations.add(reservation)
    this.#counting?.hold(job, lane, shape, node, 1)
  }

  #drop(reservation: Reservation): void {
    const { job, lane, node, shape } = reservation
    this.#gangs.forget()
    this.reservations.drop(reservation)
    this.#counting?.hold(job, lane, shape, node, -1)
  }

  #dropAll(job: JobId): void {
    for (const reservation of this.reservations.of(job)) this.#drop(reservation)
  }

  /** Gives up the reservations on a node that goes away: they would go on counting as used, and their jobs would reserve no other node. */
  #forget(node: NodeId, up: boolean): void {
    if (up) return
    for (let lane = 0; lane < this.#lanes; lane++) {
      const reservation = this.reservations.on(node, lane as LaneId)
      if (reservation !== undefined) this.#drop(reservation)
    }
  }

  // ---- rounds for a limited number of jobs ----

  /** Each job in order uses one up, even if it does not fit, since its decision takes time all the same. */
  #takeInTurn(round: Round): void {
    this.#done.begin()
    while (round.jobsLeft > 0) {
      const job = this.#done.takeNext(this.#order, round)
      if (job === None) return
      for (let i = 0; i < round.nodes.length && round.claimsLeft > 0; i++) this.#fill(job, round.nodes[i] as NodeId, round)
    }
  }

  #fill(job: JobId, node: NodeId, round: Round): void {
    const { work, lane } = round
    for (let before = round.savepoint(); work.unplaced(job, lane) > 0; before = round.savepoint()) {
      if (!round.fits(job, node) && this.killable?.makeRoom(job, node, round) !== true) return
      const task = work.taskFor(job, lane, node, this.#levels)
      if (task !== None && round.claim(task, node)) continue
      round.rollback(before)
      return
    }
  }
}
