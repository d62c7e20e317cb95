import { definePolicy, forwarding, None, SchedError, type Env, type JobId, type Order, type Placement, type Plug, type Policy, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { fifo } from '../orders/fifo.js'
import { Explanations } from './explain.js'
import { startHeads } from './heads.js'
import { KeptHeads } from './kept-heads.js'
import { marginOptions, nodesOptions, overrunOptions, windowOptions } from './options.js'
import { AmountsPlan } from './pass-plan.js'
import { Reserving } from './reserving.js'
import { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { earliestOf } from './promises.js'
import { Shadow } from './shadow.js'
import { wholeNodes } from './whole-nodes.js'
import { Windows, windowsOf } from './windows.js'

const easyOptions = z.strictObject({
  reservations: z
    .union([z.number().int().nonnegative(), z.literal('all')])
    .default(1)
    .describe('waiting jobs that get a reservation, made anew at every pass: 1 is EASY, 0 protects nobody'),
  depths: z.record(z.string(), z.int().nonnegative()).default({}).describe('by queue, how many of its jobs get a reservation in place of those of `reservations`, which the others share; 0: none of the queue passes one of it (OpenPBS, backfill_depth of queues)'),
  extra: z.boolean().default(true).describe('whether a job may pass the first one that ends after its shadow time and takes no more than what is left beside it; false: what passes ends by then'),
  endBefore: z.boolean().default(false).describe('whether a job that would end at the very shadow time is too late'),
  keepHead: z.boolean().default(false).describe('whether the first job that must wait stays the first until it starts, whoever comes, with the shadow time of when it became that'),
  passOn: z.boolean().default(false).describe('whether the reservation of a job for which no start is found, since it waits for a job without an estimate or for nodes that are away, goes to the next one (OpenPBS, Grid Engine)'),
  shortFirst: z.boolean().default(false).describe('whether jobs that end before the next reservation begins on an idle node are tried first, then those that end before the one after it, and so on, each in their order (Maui, Moab)'),
  perArray: z.int().positive().optional().describe('how many of the reservations go to jobs of one array; default: any number (OpenPBS: 1)'),
  ...nodesOptions,
  ...marginOptions,
  ...windowOptions,
  ...overrunOptions,
})
/** Options of `easy`. */
export interface EasyOptions extends z.input<typeof easyOptions> {
  /** The order in which jobs behind the reserved ones are tried; default: the queue's. `sjf()` makes it EASY-SJBF. */
  readonly backfillOrder?: Plug<'order'>
  /** Where the tasks of a job go, unless nodes are named; default: the lowest nodes with room. */
  readonly placement?: Plug<'placement'>
}

/**
 * Aggressive backfilling: jobs start in order while there is room. The first that must wait has a shadow time, the
 * earliest at which enough will be free by the estimates; what is free then beyond its demand is extra. Any other job
 * starts now if it fits and either ends by the shadow time or asks no more than the extra amounts.
 *
 * With more than one reservation, each of the first k waiting jobs gets the earliest start that the ones before it leave,
 * and the others start if they move none of these.
 *
 * `extra: false`, `endBefore` and `keepHead` are variants found in other simulators, for comparisons with them. By default a job passes that leaves
 * the first one its processors, however long it runs; with `extra: false` it must end by the shadow time. With `keepHead` a shadow time neither gets
 * earlier when a job ends early, nor goes to another job.
 *
 * A job that may run for less than its estimate (`minEstimate`) passes where it could for its least one, and gets as much as there is until the first
 * reservation that it would meet: OpenPBS's shrink-to-fit jobs.
 *
 * With `nodes: 'named'` jobs and reservations hold whole nodes by name, as `WholeNodes` has it; estimates are not lowered.
 *
 * Source: Lifka, JSSPP 1995 (EASY); Mu'alem and Feitelson, IEEE TPDS 12(6), 2001. `backfillOrder`: EASY-SJBF, Tsafrir et
 * al., IEEE TPDS 18(6), 2007.
 */
export const easyPolicy = definePolicy({
  name: 'easy',
  summary: 'backfilling that protects the first waiting job (or the first k)',
  source: "Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 2001",
  options: easyOptions,
  inner: { order: 'order', backfillOrder: 'order?', placement: 'placement?' },
  defaults: { order: 'fifo' },
  create: (options, env, { order, backfillOrder, placement }) => new Easy(options, env, order.create(env), backfillOrder?.create(env), placement?.create(env)),
})

/** EASY backfilling over an order. */
export const easy = (order: Plug<'order'> = fifo(), { backfillOrder, placement, ...options }: EasyOptions = {}): Plug<'policy'> =>
  easyPolicy.plug({ order, backfillOrder, placement }, options)

/** Throws `BAD_OPTION` for an option that exists only in the pass with one shadow time. */
function checkAlone({ extra, endBefore, keepHead }: z.output<typeof easyOptions>): void {
  const given = !extra ? 'extra: false' : endBefore ? 'endBefore' : keepHead ? 'keepHead' : undefined
  if (given === undefined) return
  throw new SchedError('BAD_OPTION', `${given} goes with one reservation of amounts, no windows, no depths, no passOn and no shortFirst.`, { field: 'easy' }, 'Leave out one of them.')
}

/** Throws `BAD_OPTION` for what says in which order jobs without reservations are tried, where there are none. */
function checkRest({ depths, reservations, shortFirst }: z.output<typeof easyOptions>, backfillOrder: Order | undefined): void {
  const option = backfillOrder !== undefined ? 'backfillOrder' : shortFirst ? 'shortFirst' : undefined
  if (option === undefined) return
  const refused = (fact: string, other: string) => new SchedError('BAD_OPTION', `${fact}, so jobs are tried in the order of these.`, { field: `easy.${option}` }, `Leave out ${other} or ${option}.`)
  if (Object.keys(depths).length > 0) throw refused('depths of queues say which jobs get reservations', 'depths')
  if (reservations === 'all') throw refused('all jobs get reservations', '`reservations: all`')
}

class Easy implements Policy {
  readonly promises = true
  readonly heedsStartTimes = true
  readonly startsGangJobs: boolean
  readonly #backfillOrder: Order
  readonly #jobs: RigidJobs
  readonly #shadows: readonly Shadow[]
  readonly #explanations: Explanations
  readonly #margin: Seconds
  readonly #kept: KeptHeads | undefined
  /** Does the passes with windows, with named nodes, or with another number of reservations. */
  readonly #reserving: Reserving | undefined

  constructor(options: z.output<typeof easyOptions>, env: Env, order: Order, backfillOrder: Order | undefined, placement: Placement | undefined) {
    const windows = windowsOf(options.windows, env)
    const jobs = new RigidJobs(env, { order, backfillOrder, placement }, options, (estimate) => estimate + options.margin)
    const named = options.nodes === 'named' ? wholeNodes(jobs, env, windows) : undefined
    if (named === undefined) {
      jobs.countAmounts('easy')
      env.heedsMinEstimate?.()
    }
    jobs.planByEstimates('easy')
    this.#margin = options.margin
    this.#backfillOrder = backfillOrder ?? order
    this.#jobs = jobs
    this.startsGangJobs = jobs.startsGangJobs
    this.#shadows = jobs.lanes.map((lane) => new Shadow(lane, options))
    if (options.keepHead) this.#kept = new KeptHeads(env, jobs.lanes)
    this.#explanations = new Explanations(jobs, windows)
    checkRest(options, backfillOrder)
    const reservations = options.reservations === 'all' ? Infinity : options.reservations
    if (named !== undefined || reservations !== 1 || windows.length > 0 || options.passOn || options.shortFirst || Object.keys(options.depths).length > 0) {
      checkAlone(options)
      const kept = new Windows(windows, env.cluster)
      const plans = named?.plans ?? jobs.lanes.map((lane) => new AmountsPlan(lane, jobs, kept, options.margin))
      this.#reserving = new Reserving(jobs, backfillOrder, plans, kept, { reservations, depths: options.depths, passOn: options.passOn, perArray: options.perArray ?? Infinity, shortFirst: options.shortFirst })
    }
    Object.assign(this, forwarding(this.#kept, jobs, named?.running))
  }

  promisedStart(job: JobId): Seconds | undefined {
    return earliestOf(this.#shadows.map((shadow, lane) => (this.#reserving === undefined ? shadow.startOf(job) : this.#reserving.startOf(job, lane))))
  }

  schedule(round: Round): void {
    const lane = this.#jobs.open(round)
    const shadow = this.#shadows[round.lane] as Shadow
    if (this.#reserving !== undefined) shadow.head = this.#reserving.pass(round, lane)
    else if (!this.#testNewcomer(round, lane, shadow)) this.#pass(round, lane, shadow)
    lane.newcomers = 0
    if (round.explained) this.#explanations.give(round, lane, shadow.head)
  }

  /**
   * Tests one new job alone. That is enough when nothing else has changed since the last pass and the job did not come to the front: a job
   * rejected before would only end later now. False when that does not hold, or when the order may hold jobs back; a full pass is needed then.
   */
  #testNewcomer(round: Round, lane: RigidLane, shadow: Shadow): boolean {
    if (lane.newcomers !== 1 || this.#backfillOrder.readsAll !== true || !shadow.isCurrent || round.nodes.length !== round.cluster.nodes || round.mayStartFrom !== undefined) return false
    if (this.#jobs.head(round) !== shadow.head) return false
    const job = lane.newcomer as JobId
    if (!this.#backfill(job, round, lane, shadow)) shadow.forget()
    return lane.waits[shadow.head as JobId] === true
  }

  /** Plans, and plans again if a job that started behind the first one has brought a limit down on it: another job is the first then. */
  #pass(round: Round, lane: RigidLane, shadow: Shadow): void {
    do this.#planOnce(round, lane, shadow)
    while (shadow.head !== None && lane.waits[shadow.head] !== true)
  }

  #planOnce(round: Round, lane: RigidLane, shadow: Shadow): void {
    shadow.forget()
    const kept = this.#kept?.start(round, this.#jobs, lane) ?? None
    const head = kept === None ? startHeads(round, this.#jobs, lane) : kept
    if (head === None) return
    let isAsPlanned = !lane.fitsIn(lane.free, head) // false: it fits by amounts, but not on the nodes in sight, and is to be tried again
    shadow.compute(head, round, kept === None ? undefined : this.#kept?.timeOf(lane))
    this.#kept?.keep(lane, head, shadow.time)
    if (!this.#tryCandidates(true, round, lane, shadow)) {
      this.#tryCandidates(false, round, lane, shadow)
      isAsPlanned = false
    }
    if (isAsPlanned) shadow.keep()
  }

  /** Backfills candidates in order. With `inTurn` it returns false as soon as a job does not start as the choice of the candidates behind it has assumed. */
  #tryCandidates(inTurn: boolean, round: Round, lane: RigidLane, shadow: Shadow): boolean {
    if ((lane.free[0] as number) < lane.least) return true
    shadow.noCandidates(inTurn)
    const order = this.#backfillOrder
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next()) shadow.collect(block, round.now)
    if (order.readsAll === true) lane.least = shadow.least
    for (let i = shadow.nextCandidate(0, round.now); i >= 0; i = shadow.nextCandidate(i + 1, round.now))
      if (!this.#backfill(shadow.candidates[i] as JobId, round, lane, shadow, inTurn) && inTurn) return false
    return true
  }

  /**
   * Starts the pieces of the job that may start. False when a piece had room by amounts, but not on the nodes; with `single`, which counts on exactly one
   * piece, also when a limit holds the job back or a second piece may start.
   */
  #backfill(job: JobId, round: Round, lane: RigidLane, shadow: Shadow, single = false): boolean {
    if (single && lane.waits[job] !== true) return false // a limit holds it back since another job started
    for (let isFirst = true; lane.waits[job] === true && lane.fitsIn(lane.free, job); isFirst = false) {
      const isShort = !shadow.isBefore(job, round.now) && !lane.fitsIn(shadow.extra, job)
      if (isShort && !shadow.mayBeBefore(job, round.now)) return true
      if (single && !isFirst) return false
      const isBeyond = !isShort && shadow.isBeyond(job, round.now)
      if (isBeyond) shadow.use(job, 1)
      if (this.#jobs.start(job, round, undefined, isShort ? shadow.timeLeft(round.now) - this.#margin : Infinity)) continue
      if (isBeyond) shadow.use(job, -1)
      return false
    }
    return true
  }
}
