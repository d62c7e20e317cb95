import { forwarding, jobsByName, None, type Env, type JobId, type LaneId, type Policy, type Round, type Seconds, type ShapeId, type TaskId, type WorkListener } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { multipleAfter } from '../disciplines/multiple-after.js'
import type { CapacityQueues } from './capacity-queues.js'
import { compareShares } from './comparing.js'
import { HoldingJobs } from './holding-jobs.js'
import { IdealPlan, type PreemptionFactors } from './ideal-allocation.js'
import { InsideSelector } from './inside-selector.js'
import { KillableTasks } from './killable-tasks.js'
import { Marks } from './marks.js'
import type { preemptionOptions } from './options.js'
import { LiveLoads } from './queue-loads.js'
import { PrioritySelector, type AgesMemory } from './priority-selector.js'
import { ReservedSelector } from './reserved-selector.js'
import type { Reserving } from './reserving.js'
import { RunningTasks } from './running-tasks.js'
import { WaitingAmounts } from './waiting-amounts.js'
import { WhatToTake } from './what-to-take.js'

type ReadPreemptionOptions = z.output<typeof preemptionOptions>
/** Identifies a task by its job, its stage and its index in the stage. */
type Place = readonly [job: string, stage: number, index: number]

/** By lane: the next and the last look, the marked tasks with the times of their marks, and the killable tasks; and since when nodes are reserved. */
interface PreemptionMemory {
  readonly next: readonly Seconds[]
  readonly looked: readonly Seconds[]
  readonly marked: readonly (readonly (readonly [task: Place, since: Seconds])[])[]
  readonly killable: readonly (readonly Place[])[]
  readonly ages: AgesMemory
}

/**
 * Takes back what queues use above their guarantee for queues that want theirs. At every multiple of the interval it computes the
 * ideal allocation and chooses tasks of leaves above it, from the last job in order and its newest tasks first. A task is marked when it is
 * first chosen; if it is chosen again `maxWaitBeforeKill` or more after that, it is killed. Reservations are given up first, at once. Gangs,
 * which YARN does not know, are killed as a whole; masters go last. Under lazy preemption single tasks whose wait is over go to `KillableTasks`.
 *
 * After that, if options say so, tasks are chosen for other jobs of the same queue (`InsideSelector`).
 *
 * Source: Hadoop 3, ProportionalCapacityPreemptionPolicy and FifoCandidatesSelector.
 * Deviations: a killed task's room is free at once, where Hadoop frees it at the node's next heartbeat; there are no looks
 * while nothing waits.
 */
export class CapacityPreemption implements Policy {
  readonly #policy: Policy & Pick<Reserving, 'reservations' | 'giveUp' | 'killable'>
  readonly #queues: CapacityQueues
  readonly #options: ReadPreemptionOptions
  readonly #factors: PreemptionFactors
  readonly #env: Env
  readonly #loads: LiveLoads
  readonly #plan = new IdealPlan()
  readonly #toTake: WhatToTake
  /** Per lane: the next look; -1: none was asked for. */
  readonly #next: Seconds[]
  /** Per lane: the last look. */
  readonly #looked: Seconds[]
  readonly #marks: Marks
  readonly #jobs: HoldingJobs
  readonly #running: RunningTasks
  /** The range of `#tasks` chosen to balance queues; and the tasks chosen before the choice under way, if it must not choose them again. */
  #balancing: readonly [from: number, to: number] = [0, 0]
  #before: ReadonlySet<TaskId> | undefined
  /** Chooses tasks for other jobs of the same queue; present if options say so. */
  readonly #inside: InsideSelector | undefined
  /** Choose tasks on reserved nodes; present if options say so. */
  readonly #ofPriority: PrioritySelector | undefined
  readonly #ofReserved: ReservedSelector | undefined
  /** Present under lazy preemption. */
  readonly #killable: KillableTasks | undefined
  /** The first `#chosen` tasks are the chosen ones; the list is used again. */
  readonly #tasks: TaskId[] = []
  #chosen = 0
  /** Stages of the current job whose gangs were looked at. */
  readonly #gangs: number[] = []
  /** Masters of the current leaf that were passed over. */
  readonly #passed: TaskId[] = []

  constructor(policy: Policy & Pick<Reserving, 'reservations' | 'giveUp' | 'killable'>, queues: CapacityQueues, options: ReadPreemptionOptions, env: Env) {
    const { lanes } = env.cluster
    this.#policy = policy
    this.#queues = queues
    this.#options = options
    this.#factors = { ...options, countsReserved: options.countReserved }
    this.#env = env
    if (options.lazyPreemption) this.#killable = policy.killable = queues.killable = new KillableTasks(queues, env.work)
    const waiting = new WaitingAmounts(queues.pots, env.work, policy.reservations, queues)
    this.#loads = new LiveLoads(queues, waiting)
    this.#toTake = new WhatToTake(queues.pots, options.conservativeDrf)
    this.#next = lanes.map(() => -1)
    this.#looked = lanes.map(() => -1)
    this.#marks = new Marks(lanes.length, env.work, 2 * options.maxWaitBeforeKill)
    this.#running = new RunningTasks(env.work, lanes.length)
    this.#jobs = new HoldingJobs(lanes.length)
    const { intraQueue, balance, maxWaitBeforeKill } = options
    if (balance?.enabled === true && balance.maxWaitBeforeKill > 2 * maxWaitBeforeKill)
      env.warn(`preemption: nobody is killed to balance queues, since marks are forgotten after ${2 * maxWaitBeforeKill} s (twice maxWaitBeforeKill) and balance.maxWaitBeforeKill is ${balance.maxWaitBeforeKill} s`)
    if (intraQueue?.enabled === true)
      this.#inside = new InsideSelector({ queues, work: env.work, loads: this.#loads, waiting, jobs: this.#jobs, running: this.#running }, intraQueue)
    const { cluster, work } = env
    const reserved = { queues, work, cluster, running: this.#running, reservations: policy.reservations }
    if (options.byPriority?.enabled === true) this.#ofPriority = new PrioritySelector(reserved, options.byPriority.delay)
    if (options.selectByReservations) this.#ofReserved = new ReservedSelector(reserved)
    queues.onWaiting = (job, lane) => waiting.note(job, lane)
    policy.reservations.onChange = (reservation, sign) => {
      const { job, lane } = reservation
      this.#ofPriority?.note(reservation, sign, env.now())
      this.#jobs.change(job, queues.leafOf(job), lane, sign)
      waiting.note(job, lane)
    }
    Object.assign(this, forwarding(policy, this.#hooks(), this.#wishes()))
  }

  schedule(round: Round): void {
    this.#killable?.beginRound()
    this.#lookIfDue(round)
    if (round.nodes.length > 0) this.#policy.schedule(round)
    if (round.pending === 0) this.#next[round.lane] = -1
  }

  /** The rounds that it wants besides those of nodes with room. */
  #wishes(): Pick<Policy, 'wantsLook' | 'wantsNode'> {
    const killable = this.#killable
    const looks = { wantsLook: (lane: LaneId) => (this.#next[lane] as number) < 0 }
    return killable === undefined ? looks : { ...looks, wantsNode: (lane, node) => killable.isAnyOn(node, lane) }
  }

  /** Hooks that keep running tasks and the jobs that hold something current. */
  #hooks(): WorkListener {
    const { work } = this.#env
    const queues = this.#queues
    return {
      memory: () => this.#memory(),
      recall: (memory) => this.#recall(memory as PreemptionMemory),
      onSubmit: (job) => {
        const queue = queues.tree.queue(queues.leafOf(job))
        this.#jobs.enter(job, queue.ordering === 'fair' ? 0 : queues.keyIn(job, 0 as LaneId, queue), work.rank(job))
      },
      onClaim: (job, lane, task) => {
        this.#running.add(job, lane, task)
        this.#killable?.onClaim(task, lane)
        this.#jobs.change(job, queues.leafOf(job), lane, 1)
      },
      onRelease: (job, lane, task) => {
        this.#running.remove(job, lane, task)
        this.#killable?.onRelease(task, lane)
        this.#jobs.change(job, queues.leafOf(job), lane, -1)
      },
    }
  }

  #memory(): PreemptionMemory {
    const { work, cluster: { lanes } } = this.#env
    const placeOf = (task: TaskId): Place => [work.name(work.jobOf(task)), work.stageOf(task), work.indexOf(task)]
    return {
      next: [...this.#next],
      looked: [...this.#looked],
      marked: lanes.map((_, lane) => this.#marks.of(lane as LaneId).map(([task, since]) => [placeOf(task), since] as const)),
      killable: lanes.map((_, lane) => (this.#killable?.in(lane as LaneId) ?? []).map(placeOf)),
      ages: this.#ofPriority?.memory() ?? [],
    }
  }

  #recall({ next, looked, marked, killable, ages }: PreemptionMemory): void {
    const { work } = this.#env
    const jobs = jobsByName(work)
    const running = ([name, stage, index]: Place) => {
      const job = jobs.get(name)
      const task = job === undefined ? None : work.taskAt(job, stage, index)
      return task !== None && work.nodeOf(task) !== None ? task : undefined
    }
    for (const lane of this.#next.keys()) {
      this.#next[lane] = next[lane] ?? -1
      this.#looked[lane] = looked[lane] ?? -1
      for (const [place, since] of marked[lane] ?? []) {
        const task = running(place)
        if (task !== undefined) this.#marks.set(task, lane as LaneId, since)
      }
      for (const task of (killable[lane] ?? []).map(running)) if (task !== undefined) this.#killable?.add(task, lane as LaneId)
    }
    this.#ofPriority?.recall(ages)
  }

  #lookIfDue(round: Round): void {
    const { now, lane, pending } = round
    const { monitoringInterval } = this.#options
    if (pending === 0) return
    const asked = this.#next[lane] as number
    const due = asked < 0 ? Math.ceil(now / monitoringInterval) * monitoringInterval : asked
    if (asked < 0) this.#marks.forget(lane, due - monitoringInterval)
    if (now < due && due === asked) return
    // one look per instant, even if all waiting jobs have started and those killed for them wait again
    if (now >= due && this.#looked[lane] !== now) this.#look(round)
    this.#next[lane] = now < due ? due : multipleAfter(now, monitoringInterval)
    round.wakeAt(this.#next[lane])
  }

  #look(round: Round): void {
    const { now, lane, work } = round
    const { maxWaitBeforeKill, observeOnly, balance } = this.#options
    this.#looked[lane] = now
    this.#choose(lane, now)
    if (observeOnly) return
    const [from, to] = this.#balancing
    for (let i = 0; i < this.#chosen; i++) {
      const wait = i >= from && i < to ? (balance?.maxWaitBeforeKill as number) : maxWaitBeforeKill
      const task = this.#tasks[i] as TaskId
      if (!this.#marks.mark(task, lane, now, wait)) continue
      if (this.#killable === undefined || work.inGang(task)) round.evict(task)
      else this.#killable.add(task, lane)
    }
    this.#marks.forget(lane, now)
  }

  /** Chooses the tasks of this look. */
  #choose(lane: LaneId, now: Seconds): void {
    const toTake = this.#toTake
    this.#chosen = 0
    this.#balancing = [0, 0]
    this.#queues.refresh()
    toTake.begin(lane, this.#options.totalPreemptionPerRound)
    this.#chooseReserved(lane, now)
    const taken: Float64Array[] = []
    this.#before = this.#chosen > 0 ? new Set(this.#tasks.slice(0, this.#chosen)) : undefined
    const goesOn = this.#chooseBetween(lane, taken, false)
    this.#before = undefined
    if (!goesOn) return
    if (this.#options.balance?.enabled === true) {
      const from = this.#chosen
      this.#before = new Set(this.#tasks.slice(0, from))
      const balancesOn = this.#chooseBetween(lane, taken, true)
      this.#before = undefined
      this.#balancing = [from, this.#chosen]
      if (!balancesOn) return
    }
    if (this.#inside === undefined || toTake.isSpent) return
    const look = { tasks: this.#tasks, count: this.#chosen, allowed: toTake.allowed, toObtain: taken }
    this.#inside.choose(lane, look)
    this.#chosen = look.count
  }

  /** Chooses tasks on reserved nodes: for leaves of higher priority, then from leaves that use more than they should. */
  #chooseReserved(lane: LaneId, now: Seconds): void {
    if (this.#ofPriority === undefined && this.#ofReserved === undefined) return
    const { pots } = this.#queues
    const chosen = { tasks: this.#tasks, count: 0, allowed: this.#toTake.allowed }
    this.#ofPriority?.choose(lane, now, chosen)
    if (this.#ofReserved !== undefined) {
      const toObtain: Float64Array[] = []
      for (let pot = lane as number; pot < pots.count; pot += pots.lanes)
        toObtain[pot] = this.#plan.compute(this.#loads.read(pot), { ...this.#options, countsReserved: true }, chosen.allowed).toObtain.slice()
      this.#ofReserved.choose(lane, toObtain, chosen)
    }
    this.#chosen = chosen.count
  }

  /** Chooses tasks for other queues. Writes to `taken` what leaves are to give, by pot. Returns false if no more may be taken in this look. */
  #chooseBetween(lane: LaneId, taken: Float64Array[], balances: boolean): boolean {
    const { pots, tree } = this.#queues
    const toTake = this.#toTake
    const allowed = pots.partitions.length === 1 ? toTake.allowed : toTake.allowed.slice() // the same for all partitions, whatever is taken from the first
    for (let pot = lane as number; pot < pots.count; pot += pots.lanes) {
      const loads = this.#loads.read(pot)
      const { toObtain } = this.#plan.compute(loads, balances ? { ...this.#options, balances, countsReserved: false } : this.#factors, allowed)
      if (this.#before !== undefined) this.#deduct(toObtain, lane, pot, loads)
      if (this.#inside !== undefined) taken[pot] = toObtain.slice()
      for (let leaf = 1; leaf < tree.queues.length; leaf++) {
        if (tree.isInner[leaf] === true || !toTake.beginLeaf(toObtain, leaf, pot, loads)) continue
        if (toTake.isSpent) return false
        for (const task of this.#before ?? []) if (this.#isOf(task, leaf, lane, pot)) toTake.leaveWithout(this.#env.work.shapeOf(task))
        if (this.#queues.isLent[pot] === true) this.#takeFromLeaf(leaf, lane, pot, true)
        this.#takeFromLeaf(leaf, lane, pot, false)
      }
    }
    return true
  }

  /** Takes each task that was chosen before off what its leaf is to give, if that is more, as Hadoop does (`deductActuallyToBePreempted`). */
  #deduct(toObtain: Float64Array, lane: LaneId, pot: number, { width, total }: LiveLoads): void {
    const { pots } = this.#queues
    const { work } = this.#env
    for (const task of this.#before ?? []) {
      const leaf = this.#queues.leafOf(work.jobOf(task))
      if (!this.#isOf(task, leaf, lane, pot)) continue
      const at = leaf * width
      const from = pots.demandAt(work.shapeOf(task), lane)
      if (compareShares(toObtain, at, pots.demands, from, total, 0, width) <= 0) continue
      for (let i = 0; i < width; i++) toObtain[at + i] = (toObtain[at + i] as number) - (pots.demands[from + i] as number)
    }
  }

  #isOf(task: TaskId, leaf: number, lane: LaneId, pot: number): boolean {
    const { work } = this.#env
    return this.#queues.pots.of(lane, work.nodeOf(task)) === pot && this.#queues.leafOf(work.jobOf(task)) === leaf
  }

  /**
   * Chooses tasks of a leaf, from the last job in order on, until nothing is left to obtain. In a lent pot `isLent` chooses the tasks that it is
   * lent to, else its own.
   */
  #takeFromLeaf(leaf: number, lane: LaneId, pot: number, isLent: boolean): void {
    const jobs = this.#jobs
    const queue = this.#queues.tree.queue(leaf)
    jobs.begin(leaf, lane, queue.ordering === 'fair' ? (job) => this.#queues.keyIn(job, lane, queue) : undefined)
    for (let job = jobs.next(); job >= 0 && !this.#toTake.isDone; job = jobs.next()) {
      if (!isLent) this.#giveUp(job as JobId)
      this.#takeFrom(job as JobId, leaf, lane, pot, isLent)
    }
    if (this.#passed.length > 0) this.#takeMasters(leaf, pot)
  }

  /** Chooses masters last, and only while the masters of the leaf that were passed over use more than the leaf's part for masters. */
  #takeMasters(leaf: number, pot: number): void {
    const { work } = this.#env
    const { pots, quotas, tree } = this.#queues
    const { width, demands, totals } = pots
    const at = (leaf * pots.count + pot) * width
    const most = Array.from({ length: width }, (_, i) => (quotas.guaranteed[at + i] as number) * tree.queue(leaf).maximumAmResourcePercent)
    const passed = new Float64Array(width)
    const add = (task: TaskId, sign: 1 | -1) => {
      const from = pots.demandAt(work.shapeOf(task), work.laneOf(task))
      for (let i = 0; i < width; i++) passed[i] = (passed[i] as number) + sign * (demands[from + i] as number)
    }
    const masters = this.#passed.splice(0)
    for (const task of masters) add(task, 1)
    for (const task of masters) {
      if (this.#toTake.isDone || compareShares(passed, 0, most, 0, totals, pot * width, width) <= 0) return
      if (this.#toTake.most(work.shapeOf(task)) === 0) continue
      this.#tasks[this.#chosen++] = task
      this.#toTake.take(work.shapeOf(task), 1)
      add(task, -1)
    }
  }

  /** Gives up reservations of the job, before any of its tasks is killed. */
  #giveUp(job: JobId): void {
    for (const reservation of this.#policy.reservations.of(job)) {
      const { shape, node, lane } = reservation
      if (!this.#toTake.isHere(node, lane) || this.#toTake.most(shape) === 0) continue
      this.#toTake.take(shape, 1)
      if (!this.#options.observeOnly) this.#policy.giveUp(reservation)
    }
  }

  /** Chooses tasks of a job, the newest first, until nothing is left to obtain. Neighbours of one shape are counted at once. */
  #takeFrom(job: JobId, leaf: number, lane: LaneId, pot: number, isLent: boolean): void {
    const { work } = this.#env
    const [running, toTake, queues] = [this.#running, this.#toTake, this.#queues]
    const isSplit = queues.pots.partitions.length > 1
    const mayBorrow = queues.isLent[pot] === true
    this.#gangs.length = 0
    for (let task = running.last(job, lane) as TaskId; task >= 0; ) {
      const shape = work.shapeOf(task)
      const isTurn = !mayBorrow || (queues.potOfShape(shape, leaf, lane) !== pot) === isLent
      if (work.inGang(task)) {
        if (isTurn) this.#takeGang(job, lane, task)
        if (toTake.isDone) return
        task = running.next(task) as TaskId
        continue
      }
      if (work.isMaster(task)) {
        if (isTurn && toTake.isHere(work.nodeOf(task), lane) && this.#before?.has(task) !== true && this.#killable?.has(task) !== true) this.#passed.push(task)
        task = running.next(task) as TaskId
        continue
      }
      const most = isTurn ? toTake.most(shape) : 0
      let count = 0
      for (; count < most && this.#isSingle(task, shape); task = running.next(task) as TaskId) {
        if ((isSplit && !toTake.isHere(work.nodeOf(task), lane)) || this.#before?.has(task) === true || this.#killable?.has(task) === true) continue
        this.#tasks[this.#chosen++] = task
        count++
      }
      if (count > 0) toTake.take(shape, count)
      if (toTake.isDone) return
      while (this.#isSingle(task, shape)) task = running.next(task) as TaskId // tasks of the same shape would be refused, too
    }
  }

  #isSingle(task: TaskId, shape: ShapeId): boolean {
    const { work } = this.#env
    return task >= 0 && work.shapeOf(task) === shape && !work.inGang(task) && !work.isMaster(task)
  }

  /** Chooses all running tasks of a task's gang, or none of them. */
  #takeGang(job: JobId, lane: LaneId, task: TaskId): void {
    const { work } = this.#env
    const [running, toTake, tasks] = [this.#running, this.#toTake, this.#tasks]
    const stage = work.stageOf(task)
    if (this.#gangs.includes(stage)) return
    this.#gangs.push(stage)
    const first = this.#chosen
    let here = 0
    if (this.#before?.has(task) === true) return
    for (let each = running.last(job, lane) as TaskId; each >= 0; each = running.next(each) as TaskId) {
      if (work.stageOf(each) !== stage || !work.inGang(each)) continue
      tasks[this.#chosen++] = each
      if (toTake.isHere(work.nodeOf(each), lane)) here++
    }
    const shape = work.shapeOf(task)
    if (toTake.mayTogether(shape, here, first === 0)) toTake.take(shape, here)
    else this.#chosen = first
  }
}
