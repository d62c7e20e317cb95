import type { Env, JobId, LaneId, Policy, Round, Seconds, TaskId } from '@sched/core'
import type { z } from 'zod'
import { forwarding } from '../disciplines/forwarding.js'
import type { CapacityQueues } from './capacity-queues.js'
import { compareShares } from './comparing.js'
import { idealAllocation } from './ideal-allocation.js'
import type { NodeReservations } from './node-reservations.js'
import type { preemptionOptions } from './options.js'
import { loadsOf } from './queue-loads.js'

type ReadPreemptionOptions = z.output<typeof preemptionOptions>

/**
 * Takes back what queues use above their guarantee for queues that want theirs: every few seconds the ideal allocation is
 * computed and tasks of leaves above it are marked, those of the last job in order and the newest first; a task that has
 * been marked for `maxWaitBeforeKill` is killed.
 *
 * Source: Hadoop 3, ProportionalCapacityPreemptionPolicy and FifoCandidatesSelector.
 * Deviations: reservations of a leaf above its share are not dropped first; a marked task that would no longer be chosen is
 * unmarked at once (Hadoop forgets it after twice the wait); the most that a round may take is counted per partition;
 * preemption inside a queue is not modelled.
 */
export class CapacityPreemption implements Policy {
  readonly #policy: Policy
  readonly #queues: CapacityQueues
  readonly #reservations: NodeReservations
  readonly #options: ReadPreemptionOptions
  readonly #env: Env
  /** Next look, per lane. */
  readonly #next: Seconds[]
  /** Since when a task is marked, per lane; ids are used again, so the start of its run is kept too. */
  readonly #marked: readonly Map<TaskId, { readonly since: Seconds; readonly started: Seconds }>[]
  readonly #jobs = new Set<JobId>()

  constructor(policy: Policy, queues: CapacityQueues, reservations: NodeReservations, options: ReadPreemptionOptions, env: Env) {
    this.#policy = policy
    this.#queues = queues
    this.#reservations = reservations
    this.#options = options
    this.#env = env
    this.#next = env.cluster.lanes.map(() => 0)
    this.#marked = env.cluster.lanes.map(() => new Map())
    Object.assign(this, forwarding(policy, { onSubmit: (job) => void this.#jobs.add(job), onFinish: (job) => void this.#jobs.delete(job) }))
  }

  get sharing() {
    return this.#policy.sharing
  }

  schedule(round: Round): void {
    if (round.now >= (this.#next[round.lane] as number)) this.#look(round)
    if (round.nodes.length > 0) this.#policy.schedule(round)
  }

  #look(round: Round): void {
    const { now, lane, work } = round
    const { monitoringInterval, observeOnly } = this.#options
    const marked = this.#marked[lane] as Map<TaskId, { readonly since: Seconds; readonly started: Seconds }>
    if (round.pending === 0) return marked.clear() // nobody wants anything; the next look is when somebody does
    this.#next[lane] = (Math.floor(now / monitoringInterval) + 1) * monitoringInterval
    round.wakeAt(this.#next[lane])
    const chosen = this.#choose(round)
    if (observeOnly) return
    for (const [task, { started }] of marked) if (!chosen.has(task) || work.started(task) !== started) marked.delete(task)
    for (const task of chosen) {
      const since = marked.get(task)?.since ?? now
      if (now - since < this.#options.maxWaitBeforeKill) marked.set(task, { since, started: work.started(task) })
      else {
        marked.delete(task)
        round.evict(task)
      }
    }
  }

  /** The tasks to be taken now. */
  #choose({ lane }: Round): Set<TaskId> {
    const { pots, tree } = this.#queues
    const { width } = pots
    const chosen = new Set<TaskId>()
    this.#queues.refresh()
    const jobs = this.#lastFirst(lane)
    for (let pot = lane as number; pot < pots.count; pot += pots.lanes) {
      const loads = loadsOf(this.#queues, pot, this.#jobs, this.#reservations, this.#env.work)
      const { toObtain } = idealAllocation(loads, this.#options)
      const allowed = Float64Array.from(loads.total, (amount) => Math.floor(amount * this.#options.totalPreemptionPerRound))
      for (let leaf = 1; leaf < tree.queues.length; leaf++) {
        const left = toObtain.slice(leaf * width, (leaf + 1) * width)
        if (left.some((amount) => amount > 0)) for (const job of jobs) if (this.#queues.leafOf(job) === leaf) this.#takeFrom(job, pot, left, allowed, loads.total, chosen)
      }
    }
    return chosen
  }

  /** Chooses tasks of a job, newest first, until nothing is left to obtain; each must bring some of what is wanted. */
  #takeFrom(job: JobId, pot: number, left: Float64Array, allowed: Float64Array, total: ArrayLike<number>, chosen: Set<TaskId>): void {
    const { pots } = this.#queues
    const { width } = pots
    for (const task of this.#newestFirst(job, pots.laneOf(pot) as LaneId)) {
      if (left.every((amount) => amount <= 0)) return
      const { work } = this.#env
      const lane = work.laneOf(task)
      if (pots.of(lane, work.nodeOf(task)) !== pot) continue
      const from = pots.demandAt(work.shapeOf(task), lane)
      const amounts = pots.demands.subarray(from, from + width)
      if (amounts.some((amount, i) => amount > (allowed[i] as number))) continue
      const after = left.map((amount, i) => amount - (amounts[i] as number))
      if (compareShares(wantedOf(after), 0, wantedOf(left), 0, total, 0, width) >= 0) continue
      left.set(after)
      for (let i = 0; i < width; i++) allowed[i] = (allowed[i] as number) - (amounts[i] as number)
      chosen.add(task)
    }
  }

  #lastFirst(lane: LaneId): JobId[] {
    const { work } = this.#env
    return [...this.#jobs].sort((a, b) => this.#queues.keyOf(b, lane) - this.#queues.keyOf(a, lane) || work.rank(b) - work.rank(a))
  }

  #newestFirst(job: JobId, lane: LaneId): TaskId[] {
    const { work } = this.#env
    const tasks: TaskId[] = []
    work.runningTasks(job, lane, tasks)
    return tasks.filter((task) => !Number.isNaN(work.started(task))).sort((a, b) => work.started(b) - work.started(a) || b - a)
  }
}

/** What is still to be obtained, without the resources of which there is too much already. */
const wantedOf = (left: Float64Array): Float64Array => left.map((amount) => Math.max(0, amount))
