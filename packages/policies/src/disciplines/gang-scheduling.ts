import {
  definePolicy, DoneJobs, FirstFit, forwarding, jobsByName, None, Reason, type Env, type JobId, type LaneId, type NodeId, type Order,
  type Placement, type Plug, type Policy, type Release, type Round, type TaskId, type WorkView,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { exceptWaiting } from './except-waiting.js'
import { FreeBeside } from './free-beside.js'
import { startNext } from './gangs.js'
import { deferWithoutNode, nodeFor } from './lowest-fitting.js'
import { SuspendedJobs } from './suspended-jobs.js'
import { TasksByJob } from './tasks-by-job.js'
import { Turns, type TurnsMemory } from './turns.js'

const gangSchedulingOptions = z.strictObject({
  rows: z.int().positive().default(4).describe('most jobs that share a processor in turns (OverSubscribe=FORCE:4 of Slurm); 1: none does'),
  slice: z.number().positive().default(30).describe('seconds for which a row of jobs has its turn (SchedulerTimeSlice)'),
})
/** Options of `gang-scheduling`. */
export interface GangSchedulingOptions extends z.input<typeof gangSchedulingOptions> {
  /** Where the tasks of a job go; default: the lowest node with room. */
  readonly placement?: Plug<'placement'>
}

/**
 * Jobs take turns on the same processors. Jobs that fit beside each other form a row. The rows take turns: for one time slice all tasks of the jobs of the
 * active row run at once; then these jobs are suspended, keeping their memory and devices, and the next row is active. Waiting jobs start in order in the
 * active row, where it leaves room. The first that does not fit waits for a new row, which becomes active before this one does again; no job passes it. Those
 * that wait behind it for rows have theirs right after its own.
 * Jobs of the next rows run on what the active row leaves free, and a row that can run beside the active one as a whole is merged into it.
 *
 * Source: Ousterhout, "Scheduling Techniques for Concurrent Systems", ICDCS 1982 (the matrix and alternate selection); Feitelson, "Packing Schemes for
 * Gang Scheduling", JSSPP 1996 (slot unification); Slurm, gang.c. Deviations: a job gets its place when it starts, on the nodes that the active row leaves
 * free, and not in the first row with room; switching costs nothing; a job with a master is not stopped; nobody takes turns where nodes report by
 * heartbeat, or decisions take time.
 */
export const gangSchedulingPolicy = definePolicy({
  name: 'gang-scheduling',
  summary: 'jobs take turns on the same processors, row by row (time slices)',
  source: 'Ousterhout, ICDCS 1982; Slurm, gang.c',
  options: gangSchedulingOptions,
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo', placement: 'first-fit' },
  create: (options, env, { order, placement }) => new GangScheduling(options, env, order.create(env), placement?.create(env) ?? new FirstFit()),
})

/** Time slices over an order: jobs that fit beside each other run together. */
export const gangScheduling = (order: Plug<'order'>, { placement, ...options }: GangSchedulingOptions = {}): Plug<'policy'> =>
  gangSchedulingPolicy.plug({ order, placement }, options)

const NO_TURNS = 'gang-scheduling: jobs take turns only where all nodes are seen at once. This cluster has heartbeats, so the first that fits starts and runs to its end.'
const DECISIONS_TAKE_TIME = 'gang-scheduling: jobs take turns only where decisions take no time. Here they take some, so those that fit start in order and run to their end.'

class GangScheduling implements Policy {
  readonly startsGangJobs: boolean
  readonly #options: z.output<typeof gangSchedulingOptions>
  readonly #order: Order
  readonly #work: WorkView
  readonly #running: TasksByJob
  readonly #suspended: SuspendedJobs
  readonly #turns: readonly Turns[]
  /** Jobs that have found no room in this round and are not tried again. */
  readonly #done = new DoneJobs()
  readonly #placement: Placement
  readonly #pick: (job: JobId, round: Round) => NodeId | None
  readonly #warn: Env['warn']
  /** The claims made since the map was last cleared that were not taken back. */
  readonly #claims = new Map<TaskId, NodeId>()

  constructor(options: z.output<typeof gangSchedulingOptions>, env: Env, order: Order, placement: Placement) {
    if (env.cluster.heartbeat > 0) env.warn(NO_TURNS)
    this.#warn = (message) => env.warn(message)
    this.#options = options
    this.#order = order
    this.startsGangJobs = order.startsGangJobs !== false
    this.#work = env.work
    this.#running = new TasksByJob(env)
    this.#suspended = new SuspendedJobs(env, order)
    this.#turns = env.cluster.lanes.map(() => new Turns())
    this.#placement = placement
    this.#pick = (job, round) => nodeFor(job, round, placement)
    const watch = {
      onClaim: (job: JobId, lane: LaneId, task: TaskId, node: NodeId) => {
        this.#turns[lane]?.join(job)
        this.#claims.set(task, node)
      },
      onRelease: (job: JobId, lane: LaneId, task: TaskId, _: NodeId, why: Release) => {
        this.#claims.delete(task)
        if (why === 'withdrawn' && this.#tasksOf(job, lane).length === 0 && !this.#suspended.has(job, lane)) this.#turns[lane]?.leave(job)
      },
      onFinish: (job: JobId) => {
        if (!env.work.comesAgain(job)) for (const turns of this.#turns) turns.leave(job)
      },
      memory: () => this.#turns.map((turns) => turns.memory((job) => env.work.name(job))),
      recall: (memory: unknown) => {
        const jobs = jobsByName(env.work)
        for (const [lane, remembered] of (memory as readonly TurnsMemory[]).entries()) this.#turns[lane]?.recall(remembered, jobs)
      },
    }
    Object.assign(this, forwarding(this.#suspended.kept, exceptWaiting(order), placement, this.#suspended, this.#running, watch))
  }

  schedule(round: Round): void {
    this.#done.begin()
    if (round.nodes.length === 0) return
    if (round.jobsLeft < Infinity) return this.#takeInTurn(round)
    if (round.cluster.heartbeat > 0) return this.#startAll(round)
    const turns = this.#turns[round.lane] as Turns
    this.#suspended.begin(round)
    if (round.now >= turns.end || turns.active.size === 0) this.#next(turns, round, this.#first(round) !== None)
    let isNew = turns.active.size === 0
    let waits = this.#fill(turns, round)
    while (turns.active.size === 0 && turns.rows.length > 1) {
      this.#next(turns, round, false)
      isNew = turns.active.size === 0
      waits = this.#fill(turns, round)
    }
    if (isNew && waits) turns.addNext(this.#options.rows)
    this.#fillUp(turns, round)
    this.#setClock(turns, round, waits)
  }

  /** A round for a limited number of jobs: each job in order uses one up, even if it does not fit, since its decision takes time all the same. */
  #takeInTurn(round: Round): void {
    this.#warn(DECISIONS_TAKE_TIME)
    while (round.jobsLeft > 0) {
      const job = this.#done.takeNext(this.#order, round)
      if (job === None) return
      while (this.#work.unplaced(job, round.lane) > 0 && this.#start(job, round)) {
        // the next task
      }
    }
  }

  /** With heartbeats there are no turns: every job that fits on the node starts. */
  #startAll(round: Round): void {
    for (let job = this.#first(round); job !== None; job = this.#first(round)) if (!this.#start(job, round)) this.#done.add(job)
  }

  /** Starts the job's next task, or its gang. A round that may start no more starts none: of a gang it would only be asked whether it has room. */
  #start(job: JobId, round: Round): boolean {
    return round.claimsLeft > 0 && startNext(job, round, this.#pick)
  }

  #next(turns: Turns, { now }: Round, waits: boolean): void {
    turns.next(waits, this.#options.rows)
    turns.end = now + this.#options.slice
  }

  /**
   * Resumes the jobs of the active row and starts waiting jobs beside them, stopping jobs of other rows where needed. Returns whether a waiting job
   * has found no room.
   */
  #fill(turns: Turns, round: Round): boolean {
    const stopped = [...turns.active].filter((job) => this.#suspended.has(job, round.lane))
    const left = stopped.filter((job) => !this.#goOn(job, round))
    const attempt = () => {
      for (const job of left) this.#goOn(job, round)
      return this.#claims.size > 0
    }
    if (left.length > 0) this.#instead(attempt, turns, round)
    for (let job = this.#first(round); job !== None; job = this.#first(round)) {
      const head = job
      const isElsewhere = turns.isElsewhere(head)
      if (this.#start(head, round) || (!isElsewhere && this.#instead(() => this.#start(head, round), turns, round, head))) continue
      this.#done.add(head)
      if (isElsewhere) continue
      if (round.explained) this.#explain(head, round)
      return true
    }
    return false
  }

  /** The first waiting job in order that has not failed in this round. */
  #first(round: Round): JobId | None {
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) if (!this.#done.has(block.ids[i] as JobId)) return block.ids[i] as JobId
    return None
  }

  #explain(head: JobId, round: Round): void {
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (job === head) deferWithoutNode(job, round, this.#placement)
        else round.defer(job, Reason.Order)
      }
  }

  /**
   * Makes the claims of `attempt`, which has failed on what is free, by stopping jobs of other rows that leave it no room. Of those that fit beside it, the
   * ones whose turn comes next run on. Returns false and changes nothing when the attempt fails even with all jobs of other rows stopped, and stops none
   * to find that out where there would not be enough for the `head` that it starts.
   */
  #instead(attempt: () => boolean, turns: Turns, round: Round, head: JobId | None = None): boolean {
    const others: JobId[] = []
    for (const row of turns.rows) if (row !== turns.active) for (const job of row) if (this.#mayStop(job, round.lane)) others.push(job)
    if (others.length === 0 || (head !== None && !this.#mayReplace(others, head, round))) return false
    const before = round.savepoint()
    const places = others.map((job) => this.#stop(job, round))
    this.#claims.clear()
    if (!attempt()) {
      round.rollback(before)
      return false
    }
    const claims = new Map(this.#claims)
    const free = new FreeBeside(round, this.#suspended.frees[round.lane] ?? [])
    const runOn = places.map((each) => free.take(each))
    round.rollback(before)
    for (const [i, job] of others.entries()) if (runOn[i] === false) this.#suspended.suspended(job, this.#stop(job, round), round)
    return claimAll(claims, round)
  }

  /** Resumes a suspended job on its nodes: one with a gang with all of its tasks or none. Returns whether all tasks run again. */
  #goOn(job: JobId, round: Round): boolean {
    const places = this.#suspended.in(round.lane).get(job)?.places ?? NOWHERE // a task that goes on leaves them
    for (const task of places.keys()) if (this.#work.inGang(task)) return claimAll(places, round)
    let goOn = true
    for (const [task, node] of places) if (!round.claim(task, node)) goOn = false
    return goOn
  }

  /** Whether the job may be stopped: it has run since before this round, and it has no master, which cannot be suspended. */
  #mayStop(job: JobId, lane: LaneId): boolean {
    if (this.#work.masterShape(job) !== None) return false
    const tasks = this.#tasksOf(job, lane)
    for (const task of tasks) if (Number.isNaN(this.#work.started(task))) return false
    return tasks.length > 0
  }

  /** Whether a waiting job may find enough without these. */
  #mayReplace(others: readonly JobId[], head: JobId, round: Round): boolean {
    const free = new FreeBeside(round, this.#suspended.frees[round.lane] ?? [])
    for (const job of others) free.give(this.#placesOf(job, round.lane))
    return free.mayHold(head)
  }

  #placesOf(job: JobId, lane: LaneId): ReadonlyMap<TaskId, NodeId> {
    return new Map(this.#tasksOf(job, lane).map((task) => [task, this.#work.nodeOf(task) as NodeId]))
  }

  #stop(job: JobId, round: Round): ReadonlyMap<TaskId, NodeId> {
    const places = this.#placesOf(job, round.lane)
    for (const task of places.keys()) round.suspendTask(task, this.#suspended.frees[round.lane] ?? [])
    return places
  }

  #tasksOf(job: JobId, lane: LaneId): readonly TaskId[] {
    return this.#running.in(lane).get(job) ?? []
  }

  /**
   * Resumes jobs of the other rows, in the order of their turns, where there is room. A row that then runs as a whole beside the active one is
   * merged into it.
   */
  #fillUp(turns: Turns, round: Round): void {
    const { lane, serial } = round
    const suspended = this.#suspended.in(lane)
    for (const row of turns.rows.slice(1)) {
      for (const job of row) {
        const since = suspended.get(job)?.round
        if (since !== undefined && since !== serial) this.#goOn(job, round)
      }
      if (row.size > 0 && this.#run(row, lane) && this.#run(turns.active, lane)) turns.merge(row)
    }
  }

  /** Whether none of the jobs is suspended. */
  #run(jobs: Iterable<JobId>, lane: LaneId): boolean {
    for (const job of jobs) if (this.#suspended.has(job, lane)) return false
    return true
  }

  /** Starts a slice if none runs and there are two rows, or a job waits for a second one; stops the clock otherwise, and while nothing runs. */
  #setClock(turns: Turns, round: Round, waits: boolean): void {
    const { lane, now } = round
    const runs = this.#running.in(lane).size + this.#suspended.in(lane).size > 0
    if (!runs || (turns.rows.length === 1 && !(waits && this.#options.rows > 1))) turns.end = Infinity
    else if (turns.end === Infinity) turns.end = now + this.#options.slice
    if (turns.end < Infinity) round.wakeAt(turns.end)
  }
}

const NOWHERE: ReadonlyMap<TaskId, NodeId> = new Map()

/** Makes all claims or none. */
function claimAll(places: Iterable<readonly [TaskId, NodeId]>, round: Round): boolean {
  const before = round.savepoint()
  for (const [task, node] of places) {
    if (round.claim(task, node)) continue
    round.rollback(before)
    return false
  }
  return true
}
