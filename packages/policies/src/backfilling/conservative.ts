import { definePolicy, forwarding, type Env, type JobId, type LaneId, type Order, type Placement, type Plug, type Policy, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { fifo } from '../orders/fifo.js'
import { Explanations } from './explain.js'
import { NamedReservations } from './named-reservations.js'
import { marginOptions, nodesOptions, overrunOptions, windowOptions } from './options.js'
import { earliestOf, type Promises } from './promises.js'
import { Reservations } from './reservations.js'
import { RigidJobs } from './rigid-jobs.js'
import { wholeNodes, type WholeNodes } from './whole-nodes.js'
import { Windows, windowsOf } from './windows.js'

const conservativeOptions = z.strictObject({
  compress: z.enum(['early-ends', 'all-ends']).default('early-ends').describe('when reservations are compressed: as a job ends before its expected end, or as any job ends'),
  compressOrder: z.enum(['queue', 'start']).default('queue').describe('which reservations are compressed first: in the order of the queue, or the earliest start'),
  ...nodesOptions,
  ...marginOptions,
  ...windowOptions,
  ...overrunOptions,
})
/** Options of `conservative`. */
export interface ConservativeOptions extends z.input<typeof conservativeOptions> {
  /** Where the tasks of a job go, unless nodes are named; default: the lowest nodes with room. */
  readonly placement?: Plug<'placement'>
}

/**
 * Every job gets a reservation when it arrives: the earliest start at which all earlier reservations leave room for its
 * whole estimated run. The job starts then at the latest. When a job ends early, the reservations are compressed: in the
 * order of the queue each job moves, once, to an earlier start if it now has one. One compression can leave room that a
 * second one would use, so schedules differ if jobs that end as expected cause one, too (`compress: 'all-ends'`).
 * With `compressOrder: 'start'` compression goes by reserved starts, ties by the shorter estimate (SST's
 * `StatefulScheduler`, which also compresses anew for each of several jobs that end early in one instant).
 *
 * Under an order other than `fifo`, jobs that arrive in one instant are placed, and reservations are compressed, in that order;
 * promised starts are kept all the same. Estimates below 1 s are planned as 1 s. Promises are made anew, and may become later, only when
 * a job outlives its estimate, when a job takes the place of others under a policy that preempts, or when the cluster shrinks. Of a
 * job that is no gang, only the next task has a reservation. With `nodes: 'named'` jobs and reservations hold whole nodes by name (`NamedReservations`).
 *
 * Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; Lin et al., survey, section 8.
 */
export const conservativePolicy = definePolicy({
  name: 'conservative',
  summary: 'backfilling that delays no job before it: every job has a guaranteed start',
  source: "Mu'alem and Feitelson, IEEE TPDS 2001",
  options: conservativeOptions,
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo' },
  create: (options, env, { order, placement }) => new Conservative(options, env, order.create(env), placement?.create(env)),
})

/** Conservative backfilling over an order. */
export const conservative = (order: Plug<'order'> = fifo(), { placement, ...options }: ConservativeOptions = {}): Plug<'policy'> =>
  conservativePolicy.plug({ order, placement }, options)

/** The planned length for an estimate, in seconds: a reservation of no length would keep nothing free for its job. */
const atLeastASecond = (estimate: Seconds) => Math.max(estimate, 1)

class Conservative implements Policy {
  readonly promises = true
  readonly startsGangJobs: boolean
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  readonly #plans: readonly Promises[]
  readonly #explanations: Explanations

  constructor(options: z.output<typeof conservativeOptions>, env: Env, order: Order, placement: Placement | undefined) {
    const windows = windowsOf(options.windows, env)
    const jobs = new RigidJobs(env, { order, placement }, options, (estimate) => atLeastASecond(estimate) + options.margin)
    const named = options.nodes === 'named' ? wholeNodes(jobs, env, windows) : undefined
    if (named === undefined) jobs.countAmounts('conservative')
    jobs.planByEstimates('conservative')
    this.#jobs = jobs
    this.startsGangJobs = jobs.startsGangJobs
    this.#windows = new Windows(windows, env.cluster)
    this.#plans = jobs.lanes.map((lane, i) =>
      named === undefined ? new Reservations(lane, jobs, order, this.#windows, options) : new NamedReservations(lane, jobs, named.plans[i] as WholeNodes, options),
    )
    this.#explanations = new Explanations(jobs, windows)
    const withdraw = (job: JobId, lane: LaneId) => this.#plans[lane]?.withdraw(job)
    const reset = (job: JobId) => {
      for (const plan of this.#plans) plan.reset(job)
    }
    const withdrawIfOther = (job: JobId, lane: LaneId) => {
      if (jobs.lanes[lane]?.isAsRead(job) === false) withdraw(job, lane)
    }
    const memory = () => this.#plans.map((plan) => plan.memory(env.work))
    const recall = (remembered: unknown) => {
      for (const [lane, plan] of (remembered as readonly unknown[]).entries()) if (plan !== null) this.#plans[lane]?.recall(plan, env)
    }
    Object.assign(this, forwarding({ onSubmit: reset, onDrained: withdraw, onMore: withdrawIfOther, memory, recall }, jobs, named?.running))
  }

  promisedStart(job: JobId): Seconds | undefined {
    return earliestOf(this.#plans.map((plan) => plan.startOf(job)))
  }

  schedule(round: Round): void {
    const lane = this.#jobs.open(round)
    const plan = this.#plans[round.lane] as Promises
    plan.update(round)
    while (plan.startDue(round)) plan.update(round)
    plan.wake(round)
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    lane.newcomers = 0
    if (round.explained) this.#explanations.give(round, lane, this.#jobs.head(round))
  }
}
