import {
  definePolicy, forwarding, None, Reason, SchedError, type Env, type JobId, type JobSpec, type NodeId, type Order, type Placement, type Plug,
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
import { MinPriorities } from './min-priorities.js'
import { NamedPlan } from './named-plan.js'
import { NodeReservations } from './node-reservations.js'
import { partitionOf } from './partitions.js'
import { PlanTimes } from './plan-times.js'
import { LookQuotas, Quota } from './quota.js'
import { checkCounted, replanOptions, type ReadReplanOptions, type ReplanOptions } from './replan-options.js'
import { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { Topologies } from './topologies.js'
import { Windows } from './windows.js'

const MINUTE = 60
/** Seconds after which the plan expects a job to start that a limit holds back, since the real time is unknown. */
const UNTIL_LIMIT = 500
const ONLY_IN_PLANS = 'jobs of which several stages start together, heterogeneous ones, start in plans alone, of which bf_interval -1 makes none: they never start, as in Slurm'
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
 * time limits of a pass, preemption, several partitions per job; a partition is a queue. All parts of a heterogeneous job, here one gang,
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
 * The latest start that a plan looks for; the most seconds for which a job must have room; by group, the time before which a limit keeps the jobs of the group
 * from starting; and whether the job that was looked at last may have a node in the place of others.
 */
interface Search {
  readonly latest: Seconds
  readonly most: Seconds
  readonly blocked: Map<string, Seconds>
  readonly may: (node: NodeId) => boolean
}

class Replan implements Policy {
  readonly promises = true
  readonly asksForRoom: boolean
  readonly startsGangJobs: boolean
  readonly #options: ReadReplanOptions
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  /** Multiples of `bf_resolution`. */
  readonly #steps: ClockMultiples
  readonly #plans: readonly Plan[]
  readonly #explanations: Explanations
  readonly #licenses: Licenses | undefined
  /** Absent where no nodes are kept for some jobs. */
  readonly #reservations: NodeReservations | undefined
  readonly #queue: JobId[] = []
  readonly #makesPlans: boolean
  readonly #noReserve: ReadonlySet<string>
  readonly #minPriorities: MinPriorities
  /** With `twoPass`: of plans, or without plans of looks at the whole queue. */
  readonly #times: PlanTimes
  /** Whether a job has come that is a task of an array. */
  #hasArrays = false
  readonly #throttles: ArrayThrottles
  readonly #delays: EventDelays
  /** Whether the plan holds what runs now and what is closed, while jobs start in order. */
  #isBegun = false
  /** Whether the nodes found last are more than limits allow the job. */
  #isOver = false
  readonly #tellPass: Env['tellPass']
  readonly #warn: Env['warn']

  constructor(options: ReadReplanOptions, env: Env, order: Order, placement: Placement | undefined) {
    const { cluster } = env
    const jobs = new RigidJobs(env, { order, placement }, options, wholeMinutes, true)
    if (options.nodes === 'counted') jobs.countAmounts('replan with counted nodes')
    jobs.planByEstimates('replan')
    const running = new LaneTasks(cluster)
    this.#options = options
    this.asksForRoom = options.nodes === 'named'
    this.#makesPlans = options.bf_interval > 0
    this.#noReserve = new Set(options.noReserve)
    this.#minPriorities = new MinPriorities(env.work, options)
    if (!this.#makesPlans && !options.twoPass)
      throw new SchedError('BAD_OPTION', 'bf_interval is -1: without plans nothing ever starts.', { field: 'replan.bf_interval' }, 'Add { twoPass: true }, or leave it out.')
    if (options.nodes === 'counted') checkCounted(options)
    this.#tellPass = env.tellPass
    this.#warn = (message) => env.warn(message)
    this.#jobs = jobs
    this.startsGangJobs = jobs.startsGangJobs
    this.#windows = new Windows(options.windows, cluster)
    this.#explanations = new Explanations(jobs, options.windows, (job, round) => jobs.keptBack(job, round) ?? (this.#plans[round.lane]?.isFar?.(job) === true ? { reason: Reason.Locality } : undefined))
    if ([options.topology, ...Object.values(options.topologies)].some((topology) => topology !== 'flat')) env.heedsTopology?.()
    const licenses = (this.#licenses = options.bf_licenses === undefined ? undefined : new Licenses(options.bf_licenses, env, jobs.lanes))
    const topologies = new Topologies(env, { ...options, switchWait: options.max_switch_wait })
    const reservations = (this.#reservations = options.reservations.length === 0 ? undefined : new NodeReservations(options.reservations, env))
    const steps = (this.#steps = new ClockMultiples(options.bf_resolution, env))
    const named = { reservations, step: options.bf_resolution, steps, barriers: new ClockMultiples(FIRST_WINDOW, env), window: options.select === 'cons_tres' ? FIRST_WINDOW : 0, growth: options.bf_window_linear, windows: options.windows, licenses, weights: options.weights, topologies, exclusiveUsers: options.exclusiveUsers, maxCpusPerNode: options.maxCpusPerNode, maxNodes: options.maxNodes }
    this.#plans = jobs.lanes.map((lane, i) => (options.nodes === 'named'
      ? new NamedPlan(lane, jobs, env, { ...named, running: running.of[i] as ReadonlySet<TaskId> })
      : new CountedPlan(lane, jobs, this.#windows, licenses)))
    this.#throttles = new ArrayThrottles(env)
    this.#delays = new EventDelays(options, cluster.lanes.length)
    this.#times = new PlanTimes(this.#makesPlans ? options.bf_interval : options.sched_interval, !this.#makesPlans, cluster.lanes.length, () => env.now())
    const kinds = { onSubmit: (job: JobId) => this.#note(job, env.work) }
    Object.assign(this, forwarding(
      jobs,
      kinds,
      options.batch_sched_delay > 0 ? this.#delays : undefined,
      options.twoPass && this.#makesPlans ? this.#times : undefined,
      this.#throttles,
      options.nodes === 'named' ? running : undefined,
      licenses,
      topologies.hasBlocks ? { admits: (spec: JobSpec) => topologies.admits(spec) } : undefined,
      reservations && { admits: (spec: JobSpec) => reservations.admits(spec) },
    ))
  }

  /** Notes features that only some jobs have, so that they cost nothing until such a job has come. */
  #note(job: JobId, work: WorkView): void {
    this.#hasArrays ||= work.array(job) !== ''
    if (work.isExclusiveToUser(job)) for (const plan of this.#plans) plan.separateUsers?.()
  }

  schedule(round: Round): void {
    const lane = this.#jobs.open(round)
    if (!this.#options.twoPass) this.#plan(round, lane)
    else this.#twoPasses(round, lane)
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    if (this.#reservations !== undefined && this.#jobs.head(round) !== None) this.#reservations.wake(round)
    if (round.explained) this.#explanations.give(round, lane, this.#jobs.head(round), undefined, (job) => this.#limitOf(job, round.now))
  }

  /** The limit that holds a waiting job back, by Slurm's name for it. */
  #limitOf(job: JobId, now: Seconds): string | undefined {
    if (this.#throttles.isFull(job)) return 'JobArrayTaskLimit'
    if (this.#reservations?.isClosed(job, now) === true) return 'Reservation'
    return this.#licenses?.has(job) === false ? 'Licenses' : undefined
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

  /**
   * The main pass of Slurm: jobs start in order until one that is old enough for a reservation does not fit. After that, jobs start only on
   * nodes that are not in its partition, whatever features of nodes it asks for. A job in a reservation keeps back only those behind it which name the same
   * one, and a job to which reservations leave too few nodes keeps back nobody. A job that lacks licences (`bf_licenses`) ends the pass.
   * Jobs that are one gang, Slurm's heterogeneous jobs, are left to the plan, as if they did not fit. Returns how many jobs started.
   */
  #startFirst(round: Round, lane: RigidLane, depth: number): number {
    const { waiting } = lane
    const counts = { looked: 0, tried: 0, started: 0 }
    this.#startInOrder(round, lane, depth, counts)
    this.#delays.note(round, depth === Infinity, this.#jobs.head(round) === None)
    if (waiting > 0) this.#tellPass?.({ kind: 'first', waiting, ...counts })
    return counts.started
  }

  #startInOrder(round: Round, lane: RigidLane, depth: number, counts: { looked: number; tried: number; started: number }): void {
    const { partition_job_depth: perQueue, sched_max_job_start: limit } = this.#options
    const queue = this.#queue
    queue.length = 0
    this.#read(round, this.#hasArrays || perQueue > 0 ? Infinity : depth + 1)
    const arrays = new ArrayTasks(Infinity)
    const parts = new Quota(perQueue)
    const starts = new Quota(limit)
    const closed: string[] = [] // labels of partitions
    const stopped = new Set<string>() // reservations
    const may = (node: NodeId): boolean => this.#plans[round.lane]?.mayHave?.(node) === true
    this.#isBegun = false
    for (const job of queue) {
      const array = this.#hasArrays ? round.work.array(job) : ''
      const part = round.work.queue(job)
      if (starts.isUsed()) return
      if (arrays.isDone(array) || parts.isUsed(part)) continue
      if (this.#throttles.isFull(job)) {
        arrays.reject(array)
        continue
      }
      parts.use(part)
      if (counts.looked > depth) return // one more than the depth, as in Slurm
      counts.looked++
      if (lane.waits[job] !== true) {
        arrays.reject(array) // a limit holds it back since another job started
        continue
      }
      if (round.limitsOf?.(job)?.held === 'number') {
        arrays.reject(array) // Slurm checks this limit before it looks for nodes: the job is passed over
        continue
      }
      if (this.#licenses?.has(job) === false) return
      const reservation = this.#reservations?.has(job) === true ? round.work.reservation(job) : ''
      if (stopped.has(reservation)) {
        arrays.reject(array)
        continue
      }
      counts.tried++
      const isGang = round.work.isGangJob(job)
      if (isGang && !this.#makesPlans) this.#warn(ONLY_IN_PLANS)
      this.#isOver = false
      if (!isGang && (this.#startAll(job, round, lane, closed) || (!this.#isOver && round.makeRoom !== undefined && this.#startInstead(job, round, this.#begun(round, closed), may) === true))) {
        starts.use()
        counts.started++
        arrays.start(array)
        continue
      }
      arrays.reject(array)
      if (!this.#mayReserve(job, round) || this.#isOver || (round.nodesOf !== undefined && this.#begun(round, closed).isOnTooMany?.(job, 'none') === true)) continue
      if (reservation !== '') {
        stopped.add(reservation)
        continue
      }
      if (this.#reservations !== undefined && this.#begun(round, closed).isReserved?.(job) === true) continue
      for (const { stage } of round.work.parts(job, round.lane)) {
        const partition = partitionOf(round.work.constraints(job, stage))
        if (partition === undefined) return
        if (closed.includes(partition)) continue
        closed.push(partition)
        if (this.#isBegun) this.#plans[round.lane]?.close?.(partition)
      }
    }
  }

  /** Reads jobs into the queue in order, at most `most`. */
  #read(round: Round, most: number): void {
    this.#jobs.read(round, this.#queue, this.#reservations === undefined ? most : Infinity)
    this.#reservations?.putFirst(this.#queue, most)
  }

  /** Starts all pieces of the job, as far as there is room; returns whether there was room for all. */
  #startAll(job: JobId, round: Round, lane: RigidLane, closed: readonly string[]): boolean {
    while (lane.waits[job] === true) {
      const isNamed = this.#options.nodes === 'named'
      if (!lane.fitsIn(lane.free, job) || ((isNamed || !this.#windows.isEmpty) && !this.#startsNow(job, round, closed))) return false
      this.#isOver = isNamed && (this.#plans[round.lane] as Plan).isOnTooMany?.(job, 'now') === true
      if (this.#isOver) return false
      if (isNamed) {
        if ((this.#plans[round.lane] as Plan).start(job, round)) continue
        this.#isBegun = false // it has a reservation now
        return false
      }
      this.#isBegun = false
      if (!this.#jobs.start(job, round)) return false
    }
    return true
  }

  /**
   * Starts all of a job in the place of others on nodes that nobody has reserved, if an enclosing policy lets it. Where others run on for a while there, the
   * answer is the nodes of the piece that waits for them.
   */
  #startInstead(job: JobId, round: Round, plan: Plan, may: (node: NodeId) => boolean, most = Infinity): boolean | readonly NodeId[] {
    if (round.makeRoom === undefined || plan.look === undefined || this.#licenses?.has(job) === false) return false
    let isAny = false
    while (round.work.unplaced(job, round.lane) > 0) {
      plan.look(job, most)
      const made = round.makeRoom(job, may, plan.mostNodes?.(job))
      if (made === false) break
      if (made !== true) return made
      plan.takeIn?.()
      isAny = true
    }
    return isAny && round.work.unplaced(job, round.lane) === 0
  }

  /** Whether the job may start now beside windows and closed nodes; with named nodes it also finds the best nodes for it. */
  #startsNow(job: JobId, round: Round, closed: readonly string[]): boolean {
    return this.#begun(round, closed).earliest(job, round.now) === round.now
  }

  /** The plan of what runs now and what is closed. */
  #begun(round: Round, closed: readonly string[]): Plan {
    const plan = this.#plans[round.lane] as Plan
    if (!this.#isBegun) {
      plan.begin(round)
      for (const partition of closed) plan.close?.(partition)
      this.#isBegun = true
    }
    return plan
  }

  /** Returns whether Slurm would plan again although nothing happens. */
  #plan(round: Round, lane: RigidLane): boolean {
    const { bf_max_job_test: most, bf_node_space_size: space = most, bf_window: window, noReserveMinute } = this.#options
    const { work, now } = round
    const plan = this.#plans[round.lane] as Plan
    const { waiting } = lane
    const looks = new LookQuotas(this.#options, work)
    const queue = this.#queue
    queue.length = 0
    const read = this.#hasArrays || looks.areLimited ? Infinity : most + 1 // one more says whether jobs are left
    this.#read(round, read)
    plan.begin(round)
    const arrays = new ArrayTasks(this.#options.bf_max_job_array_resv)
    const reservations = new Quota(this.#options.bf_job_part_count_reserve)
    const starts = new Quota(this.#options.bf_max_job_start)
    const blocked = new Map<string, Seconds>()
    const may = (node: NodeId): boolean => plan.mayHave?.(node) === true
    let looked = 0
    let tests = 0
    let started = 0
    let isCut = false
    let recurs = false
    for (const job of queue) {
      const array = this.#hasArrays ? work.array(job) : ''
      if (arrays.isDone(array)) continue
      looked++
      if (this.#throttles.isFull(job)) {
        arrays.reject(array)
        continue
      }
      const part = work.queue(job)
      if (lane.waits[job] !== true) {
        arrays.reject(array)
        isCut ||= queue.length === read // a limit holds it back since another job started: a job that was not read would have its place
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
      const isBare = this.#noReserve.size > 0 && this.#noReserve.has(work.qos(job) || 'normal')
      const start = this.#startOrFind(job, round, lane, plan, { latest: now + window * MINUTE, most: isBare && noReserveMinute ? MINUTE : Infinity, blocked, may })
      if (work.unplaced(job, round.lane) === 0) {
        starts.use()
        started++
        arrays.start(array)
        continue
      }
      if (start === Infinity || isBare || (round.limitsOf === undefined && plan.isOnTooMany?.(job, 'later') === true) || (reservations.isUsed(part) && !goesOn) || !this.#mayReserve(job, round)) {
        arrays.reject(array)
        continue
      }
      if (plan.records >= space) {
        isCut = true
        break
      }
      plan.reserve(job, this.#steps.down(start), this.#steps.up(start + (lane.length[job] as number)))
      recurs ||= !lane.running.hasEnd(start) // Slurm notes anew a start that waits for another reservation
      reservations.use(part)
      arrays.reserve(array)
    }
    if (waiting > 0) this.#tellPass?.({ kind: 'plan', waiting, looked, tried: tests, started, entries: plan.entries })
    if (isCut && started > 0) round.wakeAt(this.#options.twoPass ? now + this.#options.bf_interval : multipleAfter(now, this.#options.bf_interval))
    return recurs || plan.keepsIdle() // Slurm marks such nodes as planned, and before that as not
  }

  /** Whether the job has waited long enough (`bf_min_age_reserve`) and has a high enough priority to keep others back. */
  #mayReserve(job: JobId, { now, work, lane }: Round): boolean {
    const priority = this.#minPriorities.of(job)
    return now - work.submitted(job) >= this.#options.bf_min_age_reserve && (priority === 0 || this.#jobs.priority(job, lane) >= priority)
  }

  /**
   * Starts the pieces of the job that can start now; returns the earliest start of the next one, `Infinity` if there is none. For a piece that has
   * room now but is held back by a limit, a start is searched `UNTIL_LIMIT` seconds from now; so it is for later jobs under the same limit.
   */
  #startOrFind(job: JobId, round: Round, lane: RigidLane, plan: Plan, { latest, most, blocked, may }: Search): Seconds {
    while (lane.waits[job] === true) {
      const limits = round.limitsOf?.(job)
      const from = limits === undefined ? round.now : Math.max(round.now, ...limits.groups.map((group) => blocked.get(group) ?? 0))
      const start = plan.earliest(job, latest, from, most)
      if (start > round.now) {
        const made = limits?.held === undefined && from === round.now && this.#startInstead(job, round, plan, may, most)
        if (made === true) continue
        if (made === false) return start
        plan.find?.(job, made) // reserved from now on, as in Slurm
        return round.now
      }
      if (limits?.held !== undefined) {
        if (limits.by !== '') blocked.set(limits.by, round.now + UNTIL_LIMIT)
        return plan.earliest(job, latest, round.now + UNTIL_LIMIT, most)
      }
      if (plan.isOnTooMany?.(job, 'now') === true || !plan.start(job, round)) return Infinity
    }
    return Infinity
  }
}
