import {
  definePolicy, forwarding, None, Reason, SchedError, type Env, type JobId, type JobSpec, type Order, type Placement, type Plug,
  type Policy, type Round, type Seconds, type TaskId, type WorkView,
} from '@sched/core'
import { multipleAfter } from '../disciplines/multiple-after.js'
import { fifo } from '../orders/fifo.js'
import { ArrayTasks } from './array-tasks.js'
import { ArrayThrottles } from './array-throttles.js'
import { ClockMultiples } from './clock-multiples.js'
import { CountedPlan, type Plan } from './counted-plan.js'
import { EventDelays } from './event-delays.js'
import { Explanations } from './explain.js'
import { LaneTasks } from './lane-tasks.js'
import { Licenses } from './licenses.js'
import { MainPass } from './main-pass.js'
import { NamedPlan } from './named-plan.js'
import { NodeReservations } from './node-reservations.js'
import { PlacesInQueue } from './places-in-queue.js'
import { PlanTimes } from './plan-times.js'
import { PreemptingStarts } from './preempting-starts.js'
import { QueuesOfJobs } from './queues-of-jobs.js'
import { LookQuotas, Quota } from './quota.js'
import { checkCounted, replanOptions, type ReadReplanOptions, type ReplanOptions } from './replan-options.js'
import { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { TimeLimits, WHOLE, type RunTime } from './time-limits.js'
import { Topologies } from './topologies.js'
import { WaitingJobs } from './waiting-jobs.js'
import { Windows, windowsOf } from './windows.js'

const MINUTE = 60
/** Seconds after which the plan expects a job to start that a limit holds back, since the real time is unknown. */
const UNTIL_LIMIT = 500
/** First window, in seconds, within which select/cons_tres adds up ends together. */
const FIRST_WINDOW = 30

/**
 * Backfilling as Slurm does it: every pass plans the whole queue anew, in order. A job that can start now starts. Any other
 * job gets a reservation at the earliest start that running jobs, windows and the jobs planned before it leave, and keeps it only until
 * the pass is over. So no job is promised a start, and one may be overtaken again and again as estimates turn out wrong.
 *
 * Limits are whole minutes, as in Slurm: an estimate is rounded up, to at least 1.
 *
 * Source: Slurm, plug-in sched/backfill; slurmctld/job_scheduler.c for `twoPass`; the select plug-ins for named nodes. Left out:
 * time limits of a pass, preemption; a partition is a queue. All parts of a heterogeneous job, here one gang,
 * are planned at once; Slurm plans each from the latest start that this pass has found for the others.
 * Deviations where nodes are counted: a reservation may begin in the second in which a job before it ends, and a start is exactly
 * the end that makes room.
 */
export const replanPolicy = definePolicy({
  name: 'replan',
  summary: "Slurm's backfilling: every pass plans the whole queue anew and keeps nothing",
  source: 'Slurm, sched/backfill',
  options: replanOptions,
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo' },
  create: (options, env, { order, placement }) => new Replan(options, env, order.create(env), placement?.create(env)),
})

/** Slurm's backfilling over an order. */
export const replan = (order: Plug<'order'> = fifo(), { placement, ...options }: ReplanOptions = {}): Plug<'policy'> =>
  replanPolicy.plug({ order, placement }, options)

const wholeMinutes = (estimate: Seconds) => Math.max(MINUTE, Math.ceil(estimate / MINUTE) * MINUTE)

/**
 * The latest start that a plan looks for; the most seconds for which a job must have room, and for which it must in the place of others; for how long it runs if it
 * starts; by group, the time before which a limit keeps the jobs of the group from starting; and starts in the place of others.
 */
interface Search {
  readonly latest: Seconds
  readonly most: Seconds
  readonly bare: Seconds
  readonly time: RunTime
  readonly blocked: Map<string, Seconds>
  readonly instead: PreemptingStarts
}

class Replan implements Policy {
  readonly promises = true
  readonly asksForRoom: boolean
  readonly startsInQueues: boolean
  readonly startsGangJobs: boolean
  readonly #options: ReadReplanOptions
  readonly #jobs: RigidJobs
  readonly #waiting: WaitingJobs
  readonly #mainPass: MainPass
  readonly #windows: Windows
  /** Multiples of `bf_resolution`. */
  readonly #steps: ClockMultiples
  readonly #plans: readonly Plan[]
  readonly #explanations: Explanations
  /** Absent where no nodes are kept for some jobs. */
  readonly #reservations: NodeReservations | undefined
  readonly #places = new PlacesInQueue()
  readonly #limits: TimeLimits
  readonly #queues: QueuesOfJobs
  readonly #makesPlans: boolean
  readonly #noReserve: ReadonlySet<string>
  /** With `twoPass`: of plans, or without plans of looks at the whole queue. */
  readonly #times: PlanTimes
  readonly #delays: EventDelays
  readonly #tellPass: Env['tellPass']

  constructor(options: ReadReplanOptions, env: Env, order: Order, placement: Placement | undefined) {
    const windows = windowsOf(options.windows, env)
    const { cluster } = env
    const jobs = new RigidJobs(env, { order, placement }, options, wholeMinutes, true)
    if (options.nodes === 'counted') jobs.countAmounts('replan with counted nodes')
    jobs.planByEstimates('replan')
    env.heedsMinEstimate?.()
    if (options.nodes === 'named' && [options.topology, ...Object.values(options.topologies)].includes('flat')) env.heedsContiguous?.()
    const running = new LaneTasks(cluster)
    const limits = (this.#limits = new TimeLimits(env.work))
    this.#options = options
    this.asksForRoom = options.nodes === 'named'
    this.startsInQueues = options.nodes === 'named'
    this.#makesPlans = options.bf_interval > 0
    this.#noReserve = new Set(options.noReserve)
    if (!this.#makesPlans && !options.twoPass)
      throw new SchedError('BAD_OPTION', 'bf_interval is -1: without plans nothing ever starts.', { field: 'replan.bf_interval' }, 'Add { twoPass: true }, or leave it out.')
    if (options.nodes === 'counted') checkCounted(options)
    this.#tellPass = env.tellPass
    this.#jobs = jobs
    this.startsGangJobs = jobs.startsGangJobs
    this.#windows = new Windows(windows, cluster)
    this.#explanations = new Explanations(jobs, windows, (job, round) => jobs.keptBack(job, round) ?? (this.#plans[round.lane]?.isFar?.(job) === true ? { reason: Reason.Locality } : undefined))
    if ([options.topology, ...Object.values(options.topologies)].some((topology) => topology !== 'flat')) env.heedsTopology?.()
    const licenses = options.bf_licenses === undefined ? undefined : new Licenses(options.bf_licenses, env, jobs.lanes)
    const queues = (this.#queues = new QueuesOfJobs(env))
    const topologies = new Topologies(env, queues, { ...options, switchWait: options.max_switch_wait })
    const reservations = (this.#reservations = options.reservations.length === 0 ? undefined : new NodeReservations(options.reservations, env))
    const steps = (this.#steps = new ClockMultiples(options.bf_resolution, env))
    const named = { reservations, step: options.bf_resolution, steps, barriers: new ClockMultiples(FIRST_WINDOW, env), window: options.select === 'cons_tres' ? FIRST_WINDOW : 0, growth: options.bf_window_linear, windows, licenses, weights: options.weights, topologies, queues, exclusiveUsers: options.exclusiveUsers, maxCpusPerNode: options.maxCpusPerNode, maxNodes: options.maxNodes }
    this.#plans = jobs.lanes.map((lane, i) => (options.nodes === 'named'
      ? new NamedPlan(lane, jobs, env, { ...named, running: running.of[i] as ReadonlySet<TaskId> })
      : new CountedPlan(lane, jobs, this.#windows, licenses)))
    const throttles = new ArrayThrottles(env)
    const waiting = (this.#waiting = new WaitingJobs(jobs, env, options, { throttles, licenses, reservations, queues, scoreIn: order.scoreIn }))
    this.#mainPass = new MainPass(jobs, { waiting, queues, limits }, this.#plans, options, env)
    this.#delays = new EventDelays(options, cluster.lanes.length)
    this.#times = new PlanTimes(this.#makesPlans ? options.bf_interval : options.sched_interval, !this.#makesPlans, cluster.lanes.length, () => env.now())
    const separating = { onSubmit: (job: JobId) => this.#separate(job, env.work) }
    Object.assign(this, forwarding(
      jobs,
      separating,
      waiting,
      options.batch_sched_delay > 0 ? this.#delays : undefined,
      options.twoPass && this.#makesPlans ? this.#times : undefined,
      throttles,
      options.nodes === 'named' ? running : undefined,
      options.nodes === 'named' ? queues : undefined,
      licenses,
      topologies.hasBlocks ? { admits: (spec: JobSpec) => topologies.admits(spec) } : undefined,
      reservations && { admits: (spec: JobSpec) => reservations.admits(spec) },
    ))
  }

  /** Notes that a job has come which shares nodes only with jobs of its own user, so that this costs nothing until then. */
  #separate(job: JobId, work: WorkView): void {
    if (work.isExclusiveToUser(job)) for (const plan of this.#plans) plan.separateUsers?.()
  }

  schedule(round: Round): void {
    const lane = this.#jobs.open(round)
    if (!this.#options.twoPass) this.#plan(round, lane)
    else this.#twoPasses(round, lane)
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    if (this.#reservations !== undefined && this.#jobs.head(round) !== None) this.#reservations.wake(round)
    if (round.explained) this.#explanations.give(round, lane, this.#jobs.head(round), undefined, (job) => this.#waiting.limitOf(job, round.now))
  }

  /**
   * At events the first jobs in order start; from time to time the whole queue is looked at, by a plan or, without plans, in the same way. With heartbeats
   * a look sees one node and says nothing of the others, so both happen at every one.
   */
  #twoPasses(round: Round, lane: RigidLane): void {
    const { sched_interval, default_queue_depth: depth } = this.#options
    if (round.cluster.heartbeat > 0) {
      this.#startFirst(round, lane, this.#makesPlans ? depth : Infinity)
      if (this.#makesPlans) this.#plan(round, lane)
      return
    }
    const due = this.#times.next(round)
    const isDue = round.now >= due
    const looksAtAll = isDue && !this.#makesPlans
    const next = looksAtAll ? round.now : this.#delays.next(round)
    const started = next > round.now ? 0 : this.#startFirst(round, lane, looksAtAll ? Infinity : depth)
    if (next > round.now && this.#jobs.head(round) !== None) round.wakeAt(next)
    if (isDue) {
      const recurs = this.#makesPlans && this.#plan(round, lane)
      const isEmpty = this.#jobs.head(round) === None
      if (!this.#makesPlans && started > 0 && !isEmpty) round.wakeAt(round.now + sched_interval) // a limit may have ended the pass
      this.#times.note(round, { isEmpty, recurs })
    } else if (this.#jobs.head(round) !== None) round.wakeAt(due)
  }

  /** Starts the first jobs in order; returns how many started. */
  #startFirst(round: Round, lane: RigidLane, depth: number): number {
    const started = this.#mainPass.run(round, lane, depth)
    this.#delays.note(round, depth === Infinity, this.#jobs.head(round) === None)
    return started
  }

  /** Returns whether Slurm would plan again although nothing happens. */
  #plan(round: Round, lane: RigidLane): boolean {
    const { bf_max_job_test: most, bf_node_space_size: space = most, bf_window: window, noReserveMinute } = this.#options
    const { work, now } = round
    const plan = this.#plans[round.lane] as Plan
    const waiting = this.#waiting
    const waitingBefore = lane.waiting
    const looks = new LookQuotas(this.#options, work, this.#queues)
    const { jobs, queues } = this.#places
    const read = waiting.hasArrays || looks.areLimited || this.#queues.areSeveral ? Infinity : most + 1 // one more says whether jobs are left
    waiting.read(round, this.#places, read)
    plan.begin(round)
    const arrays = new ArrayTasks(this.#options.bf_max_job_array_resv)
    const reservations = new Quota(this.#options.bf_job_part_count_reserve)
    const starts = new Quota(this.#options.bf_max_job_start)
    const blocked = new Map<string, Seconds>()
    const reserved = new Set<JobId>() // of those that may start in several queues
    const instead = new PreemptingStarts(round, plan, { licenses: waiting.licenses, queues: this.#queues })
    let looked = 0
    let tests = 0
    let started = 0
    let isCut = false
    let recurs = false
    for (let i = 0; i < jobs.length; i++) {
      const [job, queue] = [jobs[i] as JobId, queues[i]]
      if (!waiting.comeTo(job, queue, round)) continue
      if (instead.isAwaited(job)) continue
      const array = waiting.arrayOf(job)
      if (arrays.isDone(array)) continue
      looked++
      if (waiting.isThrottled(job)) {
        arrays.reject(array)
        continue
      }
      const part = this.#options.bf_job_part_count_reserve > 0 ? waiting.queueOf(job) : ''
      if (lane.waits[job] !== true) {
        arrays.reject(array)
        isCut ||= jobs.length === read // a limit holds it back since another job started: a job that was not read would have its place
        continue
      }
      if (waiting.isBarred(job, queue, round) && round.limitsOf?.(job, queue).held === undefined) {
        arrays.reject(array)
        continue
      }
      if (looks.isUsed(job)) {
        arrays.reject(array)
        isCut = true
        continue
      }
      const goesOn = arrays.isGoingOn(array)
      if (starts.isUsed() || (tests >= most && !goesOn)) {
        isCut = true
        looked--
        break
      }
      tests++
      looks.use(job)
      const mayWait = !this.#options.bf_one_resv_per_job || !reserved.has(job)
      const isBare = this.#noReserve.size > 0 && this.#noReserve.has(work.qos(job) || 'normal')
      const asked = this.#limits.asked(job, lane)
      const bare = isBare && noReserveMinute ? MINUTE : Infinity
      const start = this.#startOrFind(job, round, lane, plan, { latest: mayWait ? now + window * MINUTE : now, most: Math.min(bare, asked), bare, time: isBare ? WHOLE : this.#limits.inPlan(job, lane, now), blocked, instead })
      if (work.unplaced(job, round.lane) === 0) {
        starts.use()
        started++
        isCut ||= reserved.has(job) // what was reserved in another queue is in the way of others until the next plan
        arrays.start(array)
        continue
      }
      if (start === Infinity || isBare || (round.limitsOf === undefined && plan.isOnTooMany?.(job, 'later') === true) || (reservations.isUsed(part) && !goesOn) || !waiting.mayReserve(job, round)) {
        arrays.reject(array)
        continue
      }
      if (plan.records >= space) {
        isCut = true
        break
      }
      plan.reserve(job, this.#steps.down(start), this.#steps.up(start + Math.min(lane.length[job] as number, asked)))
      if (queue !== undefined) reserved.add(job)
      recurs ||= !lane.running.hasEnd(start) // Slurm notes anew a start that waits for another reservation
      reservations.use(part)
      arrays.reserve(array)
    }
    if (waitingBefore > 0) this.#tellPass?.({ kind: 'plan', waiting: waitingBefore, looked, tried: tests, started, entries: plan.entries })
    if ((isCut && started > 0) || instead.hasAwaited) round.wakeAt(this.#options.twoPass ? now + this.#options.bf_interval : multipleAfter(now, this.#options.bf_interval))
    return recurs || plan.keepsIdle() // Slurm marks such nodes as planned, and before that as not
  }

  /**
   * Starts the pieces of the job that can start now; returns the earliest start of the next one, `Infinity` if there is none. For a piece that has
   * room now but is held back by a limit, a start is searched `UNTIL_LIMIT` seconds from now; so it is for later jobs under the same limit.
   */
  #startOrFind(job: JobId, round: Round, lane: RigidLane, plan: Plan, { latest, most, bare, time, blocked, instead }: Search): Seconds {
    while (lane.waits[job] === true) {
      const limits = round.limitsOf?.(job, this.#queues.place(job))
      const from = limits === undefined ? round.now : Math.max(round.now, ...limits.groups.map((group) => blocked.get(group) ?? 0))
      const start = plan.earliest(job, latest, from, most)
      if (start > round.now) {
        const made = limits?.held === undefined && from === round.now && instead.start(job, bare)
        if (made === true) continue
        if (made === false) return start
        plan.find?.(job, made) // reserved from now on, as in Slurm
        return round.now
      }
      if (limits?.held !== undefined) {
        if (limits.by !== '') blocked.set(limits.by, round.now + UNTIL_LIMIT)
        return plan.earliest(job, latest, round.now + UNTIL_LIMIT, most)
      }
      if (plan.isOnTooMany?.(job, 'now') === true || !plan.start(job, round, time)) return Infinity
    }
    return Infinity
  }
}
