import type { JobId, LaneId, ShapeId, TaskId, WorkView } from '@sched/core'
import type { CapacityQueues } from './capacity-queues.js'
import { chosenBefore, type Chosen } from './chosen.js'
import { compareShares } from './comparing.js'
import type { HoldingJobs } from './holding-jobs.js'
import type { IdealPlan, PreemptionFactors } from './ideal-allocation.js'
import type { KillableTasks } from './killable-tasks.js'
import type { NodeReservations, Reservation } from './node-reservations.js'
import type { LiveLoads } from './queue-loads.js'
import type { RunningTasks } from './running-tasks.js'
import type { WhatToTake } from './what-to-take.js'

interface State {
  readonly queues: CapacityQueues
  readonly work: WorkView
  readonly loads: LiveLoads
  readonly plan: IdealPlan
  readonly toTake: WhatToTake
  readonly jobs: HoldingJobs
  readonly running: RunningTasks
  readonly reservations: NodeReservations
  /** Tasks that may be killed already, under lazy preemption. */
  readonly killable: KillableTasks | undefined
  /** Gives a reservation up at once. */
  giveUp(reservation: Reservation): void
}

/**
 * Chooses tasks for other queues: from leaves above their ideal allocation, from the last job in order and its newest tasks first. Reservations of a job
 * are given up before any of its tasks is chosen. Gangs, which YARN does not know, are chosen as a whole; masters come last.
 *
 * Source: Hadoop 3, FifoCandidatesSelector.
 */
export class BetweenSelector {
  readonly #it: State
  #chosen!: Chosen
  /** Tasks that were chosen before this selector's turn; `undefined`: none. */
  #before: ReadonlySet<TaskId> | undefined
  /** Stages of the current job whose gangs were looked at. */
  readonly #gangs: number[] = []
  /** Masters of the current leaf that were passed over. */
  readonly #passed: TaskId[] = []

  constructor(state: State) {
    this.#it = state
  }

  /** Writes to `taken`, if given, what leaves are to give, by pot. Returns false if no more may be taken in this look. */
  choose(lane: LaneId, factors: PreemptionFactors, chosen: Chosen, taken: Float64Array[] | undefined): boolean {
    const { loads, plan, toTake, queues, work } = this.#it
    const { pots, tree } = queues
    this.#chosen = chosen
    this.#before = chosen.count > 0 ? chosenBefore(chosen) : undefined
    const allowed = pots.partitions.length === 1 ? toTake.allowed : toTake.allowed.slice() // the same for all partitions, whatever is taken from the first
    for (let pot = lane as number; pot < pots.count; pot += pots.lanes) {
      const { toObtain } = plan.compute(loads.read(pot), factors, allowed)
      if (this.#before !== undefined) this.#deduct(toObtain, lane, pot)
      if (taken !== undefined) taken[pot] = toObtain.slice()
      for (let leaf = 1; leaf < tree.queues.length; leaf++) {
        if (tree.isInner[leaf] === true || !toTake.beginLeaf(toObtain, leaf, pot, loads)) continue
        if (toTake.isSpent) return false
        for (const task of this.#before ?? []) if (this.#isOf(task, leaf, lane, pot)) toTake.leaveWithout(work.shapeOf(task))
        if (queues.isLent[pot] === true) this.#takeFromLeaf(leaf, lane, pot, true)
        this.#takeFromLeaf(leaf, lane, pot, false)
      }
    }
    return true
  }

  /** Takes each task that was chosen before off what its leaf is to give, if that is more, as Hadoop does (`deductActuallyToBePreempted`). */
  #deduct(toObtain: Float64Array, lane: LaneId, pot: number): void {
    const { queues, work, loads: { width, total } } = this.#it
    const { pots } = queues
    for (const task of this.#before ?? []) {
      const leaf = queues.leafOf(work.jobOf(task))
      if (!this.#isOf(task, leaf, lane, pot)) continue
      const at = leaf * width
      const from = pots.demandAt(work.shapeOf(task), lane)
      if (compareShares(toObtain, at, pots.demands, from, total, 0, width) <= 0) continue
      for (let i = 0; i < width; i++) toObtain[at + i] = (toObtain[at + i] as number) - (pots.demands[from + i] as number)
    }
  }

  #isOf(task: TaskId, leaf: number, lane: LaneId, pot: number): boolean {
    const { queues, work } = this.#it
    return queues.pots.of(lane, work.nodeOf(task)) === pot && queues.leafOf(work.jobOf(task)) === leaf
  }

  /**
   * Chooses tasks of a leaf, from the last job in order on, until nothing is left to obtain. In a lent pot `isLent` chooses the tasks that it is
   * lent to, else its own.
   */
  #takeFromLeaf(leaf: number, lane: LaneId, pot: number, isLent: boolean): void {
    const { jobs, queues, toTake } = this.#it
    const queue = queues.tree.queue(leaf)
    jobs.begin(leaf, lane, queue.ordering === 'fair' ? (job) => queues.keyIn(job, lane, queue) : undefined)
    for (let job = jobs.next(); job >= 0 && !toTake.isDone; job = jobs.next()) {
      if (!isLent) this.#giveUp(job as JobId)
      this.#takeFrom(job as JobId, leaf, lane, pot, isLent)
    }
    if (this.#passed.length > 0) this.#takeMasters(leaf, pot)
  }

  /** Gives up reservations of the job, before any of its tasks is chosen. */
  #giveUp(job: JobId): void {
    const { reservations, toTake } = this.#it
    for (const reservation of reservations.of(job)) {
      const { shape, node, lane } = reservation
      if (!toTake.isHere(node, lane) || toTake.most(shape) === 0) continue
      toTake.take(shape, 1)
      this.#it.giveUp(reservation)
    }
  }

  /** Chooses tasks of a job, the newest first, until nothing is left to obtain. Neighbours of one shape are counted at once. */
  #takeFrom(job: JobId, leaf: number, lane: LaneId, pot: number, isLent: boolean): void {
    const { work, running, toTake, queues, killable } = this.#it
    const chosen = this.#chosen
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
        if (isTurn && toTake.isHere(work.nodeOf(task), lane) && this.#before?.has(task) !== true && killable?.has(task) !== true) this.#passed.push(task)
        task = running.next(task) as TaskId
        continue
      }
      const most = isTurn ? toTake.most(shape) : 0
      let count = 0
      for (; count < most && this.#isSingle(task, shape); task = running.next(task) as TaskId) {
        if ((isSplit && !toTake.isHere(work.nodeOf(task), lane)) || this.#before?.has(task) === true || killable?.has(task) === true) continue
        chosen.tasks[chosen.count++] = task
        count++
      }
      if (count > 0) toTake.take(shape, count)
      if (toTake.isDone) return
      while (this.#isSingle(task, shape)) task = running.next(task) as TaskId // tasks of the same shape would be refused, too
    }
  }

  #isSingle(task: TaskId, shape: ShapeId): boolean {
    const { work } = this.#it
    return task >= 0 && work.shapeOf(task) === shape && !work.inGang(task) && !work.isMaster(task)
  }

  /** Chooses all running tasks of a task's gang, or none of them. */
  #takeGang(job: JobId, lane: LaneId, task: TaskId): void {
    const { work, running, toTake } = this.#it
    const chosen = this.#chosen
    const stage = work.stageOf(task)
    if (this.#gangs.includes(stage)) return
    this.#gangs.push(stage)
    const first = chosen.count
    let here = 0
    if (this.#before?.has(task) === true) return
    for (let each = running.last(job, lane) as TaskId; each >= 0; each = running.next(each) as TaskId) {
      if (work.stageOf(each) !== stage || !work.inGang(each)) continue
      chosen.tasks[chosen.count++] = each
      if (toTake.isHere(work.nodeOf(each), lane)) here++
    }
    const shape = work.shapeOf(task)
    if (toTake.mayTogether(shape, here, first === 0)) toTake.take(shape, here)
    else chosen.count = first
  }

  /** Chooses masters last, and only while the masters of the leaf that were passed over use more than the leaf's part for masters. */
  #takeMasters(leaf: number, pot: number): void {
    const { work, toTake, queues: { pots, quotas, tree } } = this.#it
    const chosen = this.#chosen
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
      if (toTake.isDone || compareShares(passed, 0, most, 0, totals, pot * width, width) <= 0) return
      if (toTake.most(work.shapeOf(task)) === 0) continue
      chosen.tasks[chosen.count++] = task
      toTake.take(work.shapeOf(task), 1)
      add(task, -1)
    }
  }
}
