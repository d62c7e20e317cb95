import { None, type JobId, type Order, type Round, type Seconds } from '@sched/core'
import { ArrayTasks } from './array-tasks.js'
import { startHeads } from './heads.js'
import { earliestAllowed, type PassPlan } from './pass-plan.js'
import { QueueDepths } from './queue-depths.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import type { Windows } from './windows.js'

/**
 * Backfilling by a plan that is made anew at every pass. The first k waiting jobs in order get reservations, each at the earliest
 * start that running jobs, windows and the reservations before it leave. Every other job starts if it can do so now without moving a
 * reservation; so may a job between two jobs with reservations.
 */
export class Reserving {
  readonly #jobs: RigidJobs
  readonly #backfillOrder: Order | undefined
  readonly #depths: QueueDepths
  readonly #passOn: boolean
  readonly #perArray: number
  readonly #shortFirst: boolean
  readonly #windows: Windows
  readonly #plans: readonly PassPlan[]
  readonly #queue: JobId[] = []
  /** Jobs that have reservations in this plan. */
  readonly #reserved: JobId[] = []
  /** By lane, the promised starts of its last plan. */
  readonly #starts: readonly Map<JobId, Seconds>[]

  /** `plans`: by lane; `depths`, `passOn`, `perArray`, `shortFirst`: see the options of `easy`. */
  constructor(jobs: RigidJobs, backfillOrder: Order | undefined, plans: readonly PassPlan[], windows: Windows, { reservations, depths, passOn, perArray, shortFirst }: Readonly<{ reservations: number; depths: Readonly<Record<string, number>>; passOn: boolean; perArray: number; shortFirst: boolean }>) {
    this.#jobs = jobs
    this.#backfillOrder = backfillOrder
    this.#depths = new QueueDepths(depths, reservations)
    this.#passOn = passOn
    this.#perArray = perArray
    this.#shortFirst = shortFirst
    this.#windows = windows
    this.#plans = plans
    this.#starts = plans.map(() => new Map<JobId, Seconds>())
  }

  /** The start that the job is promised in the lane; `undefined` if it has none. */
  startOf(job: JobId, lane: number): Seconds | undefined {
    return this.#starts[lane]?.get(job)
  }

  /** Returns the first job that must wait, or `None`. Plans again if a job with a reservation is held back by a limit, because one behind it started. */
  pass(round: Round, lane: RigidLane): JobId | None {
    for (;;) {
      const head = this.#planOnce(round, lane)
      if (this.#reserved.every((job) => lane.waits[job] === true)) return head
    }
  }

  #planOnce(round: Round, lane: RigidLane): JobId | None {
    this.#reserved.length = 0
    this.#starts[lane.lane]?.clear()
    const plan = this.#plans[lane.lane] as PassPlan
    const mayStart = (job: JobId): boolean => {
      plan.begin(round)
      return plan.fitsNow(job)
    }
    const head = startHeads(round, this.#jobs, lane, mayStart, (job) => plan.start(job, round))
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    if (head === None) return None
    plan.begin(round)
    const next = this.#reserve(round, lane, plan)
    if ((lane.free[0] as number) < lane.least) return head // nobody behind them has room
    if (this.#backfillOrder !== undefined) this.#readRest(round, this.#backfillOrder, next)
    const from = this.#backfillOrder === undefined ? next : 0
    if (this.#shortFirst) this.#startShortFirst(from, round, lane, plan)
    else for (let i = from; i < this.#queue.length; i++) this.#startNow(this.#queue[i] as JobId, round, lane, plan)
    return head
  }

  /**
   * Tries the jobs of the queue that end before the next reservation begins, then those that end before the one after it, and in the end all others. There
   * may be many reservations, so jobs that cannot start any more leave the queue: mostly that is all but a few. With few, what jobs take meanwhile mostly
   * tells that sooner than a look at the plan for each.
   */
  #startShortFirst(from: number, round: Round, lane: RigidLane, plan: PassPlan): void {
    const queue = this.#queue
    const nextAfter = (time: Seconds) => plan.nextReservation?.(time) ?? this.#nextStart(time, lane)
    keepJobs(queue, from, (job) => lane.fitsIn(lane.free, job))
    for (let last = -Infinity, next = nextAfter(round.now), isFirst = true; queue.length > from; [last, next, isFirst] = [next, nextAfter(next), false]) {
      for (let i = from; i < queue.length; i++) {
        const job = queue[i] as JobId
        const end = round.now + (lane.length[job] as number)
        if (end > last && end <= next) this.#startNow(job, round, lane, plan)
      }
      if (next === Infinity) return
      const asksPlan = !isFirst && plan.nextReservation === undefined // on nodes by name it is left to the attempt whether there is a start
      keepJobs(queue, from, (job) => lane.fitsIn(lane.free, job) && (!asksPlan || plan.fitsNow(job)))
    }
  }

  /** The next start after a time that this plan promises. */
  #nextStart(time: Seconds, { lane }: RigidLane): Seconds {
    let next = Infinity
    for (const start of this.#starts[lane]?.values() ?? []) if (start > time && start < next) next = start
    return next
  }

  /** Goes through the queue until all reservations are made; returns the index in the queue after the last of them. */
  #reserve(round: Round, lane: RigidLane, plan: PassPlan): number {
    const queue = this.#queue
    queue.length = 0
    this.#jobs.read(round, queue)
    const arrays = new ArrayTasks(this.#perArray)
    const depths = this.#depths
    depths.begin()
    let i = 0
    for (; i < queue.length && !depths.areUsedUp; i++) {
      const job = queue[i] as JobId
      this.#startNow(job, round, lane, plan)
      const array = round.work.array(job)
      if (lane.waits[job] !== true || arrays.isDone(array) || !depths.reserves(job, round.work)) continue
      const start = earliestAllowed(job, plan, round)
      if (start === Infinity && this.#passOn) continue
      depths.made(job, round.work)
      arrays.reserve(array)
      this.#reserved.push(job)
      if (start === Infinity) continue // it waits for a job without an estimate or for nodes that are away; its reservation goes to no other job
      plan.reserve(job, start)
      round.reserve(job, start)
      this.#starts[lane.lane]?.set(job, start)
    }
    return i
  }

  /** The jobs without a reservation, in the order in which they are tried. */
  #readRest(round: Round, order: Order, reserved: number): void {
    const isReserved = new Set(this.#queue.slice(0, reserved))
    this.#queue.length = 0
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) if (!isReserved.has(block.ids[i] as JobId)) this.#queue.push(block.ids[i] as JobId)
  }

  /** Starts the pieces of the job for which there is room at once. Of those that find no node, which may be most that wait, the plan need not know. */
  #startNow(job: JobId, round: Round, lane: RigidLane, plan: PassPlan): void {
    if (!this.#depths.mayPass(job, round.work)) return
    while (lane.waits[job] === true && lane.fitsIn(lane.free, job) && plan.fitsNow(job)) if (!plan.start(job, round)) return
  }
}

/** Removes the jobs, from an index on, that cannot start in this pass any more: what is free only shrinks, and what a plan keeps for others only grows. */
function keepJobs(queue: JobId[], from: number, canStart: (job: JobId) => boolean): void {
  let to = from
  for (let i = from; i < queue.length; i++) if (canStart(queue[i] as JobId)) queue[to++] = queue[i] as JobId
  queue.length = to
}
