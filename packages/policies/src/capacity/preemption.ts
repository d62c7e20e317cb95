import { forwarding, jobsByName, None, type Env, type LaneId, type Policy, type Round, type Seconds, type TaskId, type WorkListener } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { multipleAfter } from '../disciplines/multiple-after.js'
import { BetweenSelector } from './between-selector.js'
import type { CapacityQueues } from './capacity-queues.js'
import type { Chosen } from './chosen.js'
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
 * ideal allocation, and selectors choose tasks one after the other: on reserved nodes for leaves of higher priority (`PrioritySelector`) and for any
 * leaf (`ReservedSelector`), for other queues (`BetweenSelector`), and for other jobs of the same queue (`InsideSelector`); all but the third if
 * options say so. A task is marked when it is first chosen; if it is chosen again `maxWaitBeforeKill` or more after that, it is killed. Under lazy
 * preemption single tasks whose wait is over go to `KillableTasks`.
 *
 * Source: Hadoop 3, ProportionalCapacityPreemptionPolicy.
 * Deviations: a killed task's room is free at once, where Hadoop frees it at the node's next heartbeat; there are no looks
 * while nothing waits.
 */
export class CapacityPreemption implements Policy {
  readonly #policy: Policy & Pick<Reserving, 'reservations' | 'giveUp' | 'killable'>
  readonly #queues: CapacityQueues
  readonly #options: ReadPreemptionOptions
  readonly #factors: PreemptionFactors
  readonly #balanceFactors: PreemptionFactors
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
  readonly #chosen: Chosen
  /** The range of the chosen tasks that were chosen to balance queues. */
  #balancing: readonly [from: number, to: number] = [0, 0]
  readonly #between: BetweenSelector
  /** Chooses tasks for other jobs of the same queue; present if options say so. */
  readonly #inside: InsideSelector | undefined
  /** Choose tasks on reserved nodes; present if options say so. */
  readonly #ofPriority: PrioritySelector | undefined
  readonly #ofReserved: ReservedSelector | undefined
  /** Present under lazy preemption. */
  readonly #killable: KillableTasks | undefined

  constructor(policy: Policy & Pick<Reserving, 'reservations' | 'giveUp' | 'killable'>, queues: CapacityQueues, options: ReadPreemptionOptions, env: Env) {
    const { lanes } = env.cluster
    this.#policy = policy
    this.#queues = queues
    this.#options = options
    this.#factors = { ...options, countsReserved: options.countReserved }
    this.#balanceFactors = { ...options, balances: true }
    this.#env = env
    if (options.lazyPreemption) this.#killable = policy.killable = queues.killable = new KillableTasks(queues, env.work)
    const waiting = new WaitingAmounts(queues.pots, env.work, policy.reservations, { potOf: queues.waiting.potOf, pairOf: queues.pairOf })
    this.#loads = new LiveLoads(queues, waiting)
    this.#toTake = new WhatToTake(queues.pots, options.conservativeDrf)
    this.#chosen = { tasks: [], count: 0, allowed: this.#toTake.allowed }
    this.#next = lanes.map(() => -1)
    this.#looked = lanes.map(() => -1)
    this.#marks = new Marks(lanes.length, env.work, 2 * options.maxWaitBeforeKill)
    this.#running = new RunningTasks(env.work, lanes.length)
    this.#jobs = new HoldingJobs(lanes.length)
    const { intraQueue, balance, maxWaitBeforeKill } = options
    if (balance?.enabled === true && balance.maxWaitBeforeKill > 2 * maxWaitBeforeKill)
      env.warn(`preemption: nobody is killed to balance queues, since marks are forgotten after ${2 * maxWaitBeforeKill} s (twice maxWaitBeforeKill) and balance.maxWaitBeforeKill is ${balance.maxWaitBeforeKill} s`)
    const { cluster, work } = env
    const { reservations } = policy
    const [loads, jobs, running] = [this.#loads, this.#jobs, this.#running]
    this.#between = new BetweenSelector({
      queues, work, loads, jobs, running, reservations, plan: this.#plan, toTake: this.#toTake, killable: this.#killable,
      giveUp: (reservation) => {
        if (!options.observeOnly) policy.giveUp(reservation)
      },
    })
    if (intraQueue?.enabled === true) this.#inside = new InsideSelector({ queues, work, loads, waiting, jobs, running }, intraQueue)
    const reserved = { queues, work, cluster, running, reservations }
    if (options.byPriority?.enabled === true) this.#ofPriority = new PrioritySelector(reserved, options.byPriority.delay)
    if (options.selectByReservations) this.#ofReserved = new ReservedSelector(reserved)
    queues.onWaiting = (job, lane) => waiting.note(job, lane)
    reservations.onChange = (reservation, sign) => {
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
    for (let i = 0; i < this.#chosen.count; i++) {
      const wait = i >= from && i < to ? (balance?.maxWaitBeforeKill as number) : maxWaitBeforeKill
      const task = this.#chosen.tasks[i] as TaskId
      if (!this.#marks.mark(task, lane, now, wait)) continue
      if (this.#killable === undefined || work.inGang(task)) round.evict(task)
      else this.#killable.add(task, lane)
    }
    this.#marks.forget(lane, now)
  }

  /** Chooses the tasks of this look, selector by selector. */
  #choose(lane: LaneId, now: Seconds): void {
    const toTake = this.#toTake
    const chosen = this.#chosen
    const taken: Float64Array[] | undefined = this.#inside === undefined ? undefined : []
    chosen.count = 0
    this.#balancing = [0, 0]
    this.#queues.refresh()
    toTake.begin(lane, this.#options.totalPreemptionPerRound)
    this.#ofPriority?.choose(lane, now, chosen)
    if (this.#ofReserved !== undefined) this.#chooseReserved(lane, this.#ofReserved)
    if (!this.#between.choose(lane, this.#factors, chosen, taken)) return
    if (this.#options.balance?.enabled === true) {
      const from = chosen.count
      const goesOn = this.#between.choose(lane, this.#balanceFactors, chosen, taken)
      this.#balancing = [from, chosen.count]
      if (!goesOn) return
    }
    if (taken !== undefined && !toTake.isSpent) this.#inside?.choose(lane, chosen, taken)
  }

  /** Chooses tasks on reserved nodes, of leaves that use more than they should. */
  #chooseReserved(lane: LaneId, selector: ReservedSelector): void {
    const { pots } = this.#queues
    const factors = { ...this.#options, countsReserved: true }
    const toObtain: Float64Array[] = []
    for (let pot = lane as number; pot < pots.count; pot += pots.lanes)
      toObtain[pot] = this.#plan.compute(this.#loads.read(pot), factors, this.#chosen.allowed).toObtain.slice()
    selector.choose(lane, toObtain, this.#chosen)
  }
}
