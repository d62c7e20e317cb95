import {
  definePolicy, DoneJobs, FirstFit, forwarding, jobsByName, None, Reason, type Env, type JobId, type LaneId, type NodeId, type Order,
  type Placement, type Plug, type Policy, type Release, type Round, type TaskId, type WorkView,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { exceptWaiting } from './except-waiting.js'
import { FreeBeside } from './free-beside.js'
import { Gang, startGang } from './gangs.js'
import { deferWithoutNode, nodeFor } from './lowest-fitting.js'
import { startNearest } from './start-nearest.js'
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
 * Jobs take turns on the same processors. Those that fit beside each other are a row; a row has its turn for a time slice, in which all tasks of its
 * jobs run at once, and then is suspended for the next one: it keeps its memory and devices. Jobs that wait start in the row that has its turn, in order,
 * where it leaves room; the first that does not fit waits for a new row, whose turn comes before that of this one again, and nobody passes it. On
 * what a row leaves free jobs of the next ones run on, and rows that run beside each other become one.
 *
 * Source: Ousterhout, "Scheduling Techniques for Concurrent Systems", ICDCS 1982 (the matrix and alternate selection); Feitelson, "Packing Schemes for
 * Gang Scheduling", JSSPP 1996 (slot unification); Slurm, gang.c. Deviations: a job gets its place when it starts, on the nodes that the row having its
 * turn leaves it, and not in the first row with room; switching costs nothing; a job with a master is not
 * stopped; nobody takes turns where nodes report by heartbeat, or decisions take time.
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

/** Time slices over an order: who fits beside each other runs together. */
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
  /** Jobs that are done with in this round: they find no room. */
  readonly #done = new DoneJobs()
  readonly #placement: Placement
  readonly #pick: (job: JobId, round: Round) => NodeId | None
  readonly #warn: Env['warn']
  /** The claims that stand since it was emptied. */
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
    let waits = this.#fill(turns, round)
    while (turns.active.size === 0 && turns.rows.length > 1) {
      this.#next(turns, round, false)
      waits = this.#fill(turns, round)
    }
    this.#fillUp(turns, round)
    this.#setClock(turns, round, waits)
  }

  /** A round for so many jobs: each is taken up although nothing may fit, since its decision takes time all the same. */
  #takeInTurn(round: Round): void {
    this.#warn(DECISIONS_TAKE_TIME)
    while (round.jobsLeft > 0) {
      const job = this.#done.takeNext(this.#order, round)
      if (job === None) return
      while (round.claimsLeft > 0 && this.#work.unplaced(job, round.lane) > 0 && this.#startPart(job, round)) {
        // the next task
      }
    }
  }

  /** With heartbeats: who fits on the node starts. */
  #startAll(round: Round): void {
    for (let job = this.#first(round); job !== None; job = this.#first(round)) if (!this.#startPart(job, round)) this.#done.add(job)
  }

  #next(turns: Turns, { now }: Round, waits: boolean): void {
    turns.next(waits, this.#options.rows)
    turns.end = now + this.#options.slice
  }

  /** What has its turn goes on, and jobs that wait start beside it, where others may have to stop for that; whether the first of them finds no room. */
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
      if (this.#startPart(head, round) || (!isElsewhere && this.#instead(() => this.#startPart(head, round), turns, round))) continue
      this.#done.add(head)
      if (isElsewhere) continue
      if (round.explained) this.#explain(head, round)
      return true
    }
    return false
  }

  /** The first job in order that waits and is not done with. */
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

  /** Starts the next task of the job, or all of its gang, on what is free. */
  #startPart(job: JobId, round: Round): boolean {
    if (this.#work.together(job, round.lane) > 1) return startGang(job, round, this.#pick) === Gang.Started
    const node = this.#pick(job, round)
    return node !== None && startNearest(job, node, round.cluster.levels, round)
  }

  /**
   * Makes the claims of `attempt`, which has failed on what is free, in the place of jobs of other rows that do not fit beside them; of these run on
   * those whose turn comes next. False, and nothing changes, where it fails without them all, too.
   */
  #instead(attempt: () => boolean, turns: Turns, round: Round): boolean {
    const others = turns.rows.slice(1).flatMap((row) => [...row].filter((job) => this.#mayStop(job, round.lane)))
    if (others.length === 0) return false
    const before = round.savepoint()
    const places = others.map((job) => this.#stop(job, round))
    this.#claims.clear()
    const fits = attempt()
    const claims = new Map(this.#claims)
    const free = new FreeBeside(round, this.#suspended.frees[round.lane] ?? [])
    const runOn = places.map((each) => free.take(each))
    round.rollback(before)
    if (!fits) return false
    for (const [i, job] of others.entries()) if (runOn[i] === false) this.#suspended.suspended(job, this.#stop(job, round), round)
    return claimAll(claims, round)
  }

  /** A suspended job goes on where it was, one with a gang with all of its tasks or none; whether with all. */
  #goOn(job: JobId, round: Round): boolean {
    const places = [...(this.#suspended.in(round.lane).get(job)?.places ?? [])]
    const parts = places.some(([task]) => this.#work.inGang(task)) ? [places] : places.map((place) => [place])
    return parts.map((part) => claimAll(part, round)).every((goesOn) => goesOn)
  }

  /** Whether it runs, did so before this round, and has no master, which cannot be suspended. */
  #mayStop(job: JobId, lane: LaneId): boolean {
    if (this.#work.masterShape(job) !== None) return false
    const tasks = this.#tasksOf(job, lane)
    return tasks.length > 0 && tasks.every((task) => !Number.isNaN(this.#work.started(task)))
  }

  #stop(job: JobId, round: Round): ReadonlyMap<TaskId, NodeId> {
    const places = new Map(this.#tasksOf(job, round.lane).map((task) => [task, this.#work.nodeOf(task) as NodeId]))
    for (const task of places.keys()) round.suspendTask(task, this.#suspended.frees[round.lane] ?? [])
    return places
  }

  #tasksOf(job: JobId, lane: LaneId): readonly TaskId[] {
    return this.#running.in(lane).get(job) ?? []
  }

  /** Others go on where that is in nobody's way, as their turns come; rows of which all run that could are one with what has its turn. */
  #fillUp(turns: Turns, round: Round): void {
    const { lane, serial } = round
    const suspended = this.#suspended.in(lane)
    for (const row of turns.rows.slice(1)) {
      const mayGoOn = [...row].filter((job) => suspended.has(job) && suspended.get(job)?.round !== serial)
      for (const job of mayGoOn) this.#goOn(job, round)
      if (row.size > 0 && [...turns.active, ...row].every((job) => !suspended.has(job))) turns.merge(row)
    }
  }

  /** A slice begins when there are two rows, or somebody waits for one; while nothing runs there is nobody to wait for. */
  #setClock(turns: Turns, round: Round, waits: boolean): void {
    const { lane, now } = round
    const runs = this.#running.in(lane).size + this.#suspended.in(lane).size > 0
    if (!runs || (turns.rows.length === 1 && !(waits && this.#options.rows > 1))) turns.end = Infinity
    else if (turns.end === Infinity) turns.end = now + this.#options.slice
    if (turns.end < Infinity) round.wakeAt(turns.end)
  }
}

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
