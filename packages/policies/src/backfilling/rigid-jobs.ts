import {
  FirstFit, forwarding, None, nothingToPlace, runningTasks, type Env, type FairShareView, type JobId, type JobSpec, type KeptBack, type LaneId, type NodeId,
  type Order, type Placement, type Release, type Round, type Seconds, type ShapeId, type Sharing, type TaskId, type WorkListener,
} from '@sched/core'
import { onlyNode } from '../disciplines/lowest-fitting.js'
import { Places } from '../disciplines/places.js'
import type { Overrun } from './options.js'
import { outlived } from './outlived.js'
import { RigidLane } from './rigid-lane.js'

/** With at most this many nodes, free amounts are counted anew at every pass: that is cheaper than finding out whether somebody else uses the nodes. */
const FEW_NODES = 4

const AS_ESTIMATED = (estimate: Seconds) => estimate

/** The parts of a discipline. `RigidJobs` passes every hook on to them before it handles the event itself. */
export interface Parts {
  readonly order: Order
  readonly backfillOrder?: Order | undefined
  readonly placement?: Placement | undefined
}

interface Evicted {
  readonly lane: RigidLane
  /** The expected end of the task. */
  readonly end: Seconds
  /** Index in `released` of the lane at which the task's amounts were given back. */
  readonly at: number
}

/**
 * The part that all disciplines for rigid jobs have in common. It follows what waits and what runs in every lane, starts the
 * next piece of a job, all of its tasks or none, and moves the expected end of a piece that outlives its estimate.
 *
 * A piece is a whole gang; of a job that is one gang (`JobSpec.gang`) it is the gang of all stages; of a job that is no gang it is one task, so
 * such a job starts task by task. A piece is expected to hold all that it asks for until the estimate of the job has passed, or with `byPart` each
 * part until its own estimate has. A task that ends before that gives back its amounts then.
 */
export class RigidJobs implements WorkListener {
  readonly lanes: readonly RigidLane[]
  readonly sharing: Sharing | undefined
  readonly fairShare: FairShareView | undefined
  /** Whether its orders let jobs that are one gang of several stages start. */
  readonly startsGangJobs: boolean
  readonly #env: Env
  readonly #order: Order
  readonly #placement: Placement | undefined
  readonly #others: WorkListener | undefined
  readonly #overrun: Overrun
  readonly #planned: (estimate: Seconds) => Seconds
  #now: Seconds = NaN
  /** Tasks that another policy has started, perhaps in a round that this one has not seen yet. */
  readonly #early = new Map<TaskId, RigidLane>()
  /** Tasks that another policy has evicted since the last round of this one; that policy may still take an eviction back. */
  readonly #evicted = new Map<TaskId, Evicted>()
  /** Tasks that run on nodes that are drained: plans do not count on what they hold. */
  readonly #drained = new Map<TaskId, RigidLane>()
  /** Whether the parts of a job that is one gang are expected to run for estimates of their own. */
  readonly #byPart: boolean
  /** Whether everything that ends at the time of a round has left before it. */
  readonly #isWhole: boolean
  /** The job that is being started, its piece (-1 before the first claim), the expected length of that piece, and the number of tasks that the job starts. */
  #starting: JobId | None = None
  #piece = -1
  #length: Seconds = NaN
  #tasks = 0
  /** Where only some nodes are in sight, the index of the one at which the search for its next task goes on. */
  #from = 0
  readonly #firstFit = new FirstFit()
  /** Shapes of pieces that found no nodes when they were last tried: of these it is counted how many tasks the nodes could take. */
  readonly #scarce = new Set<ShapeId>()
  readonly #places = new Places()
  #mustMeasure = true

  constructor(env: Env, { order, backfillOrder, placement }: Parts, overrun: Overrun, planned: (estimate: Seconds) => Seconds = AS_ESTIMATED, byPart = false) {
    this.#now = 0
    this.#env = env
    this.#order = order
    this.sharing = order.sharing
    this.fairShare = order.fairShare
    this.startsGangJobs = order.startsGangJobs !== false && backfillOrder?.startsGangJobs !== false
    this.#placement = placement
    this.#others = backfillOrder === undefined && placement === undefined ? undefined : forwarding(backfillOrder, placement)
    this.#overrun = overrun
    this.#planned = planned
    this.#byPart = byPart
    this.#isWhole = env.seesWholeInstants === true
    this.lanes = env.cluster.lanes.map((_, lane) => new RigidLane(env, lane as LaneId, planned))
  }

  /** Declares that the discipline plans by amounts of the whole cluster, so that jobs which require labels are refused. */
  countAmounts(discipline: string): void {
    for (const lane of this.lanes) lane.countedBy = discipline
  }

  /** Makes the first job without an estimate give one warning: behind such a job a discipline that plans protects nobody, and is greedy. */
  planByEstimates(discipline: string): void {
    const tell = () => {
      this.#env.warn(`jobs without an estimate have no end in the plans of ${discipline}: where one of them runs, who waits for it has no reservation, and whatever fits passes.`)
      for (const lane of this.lanes) lane.whenEndless = undefined
    }
    for (const lane of this.lanes) lane.whenEndless = tell
  }

  /** Brings the round's lane up to date and returns it; to be called first in every round. */
  open(round: Pick<Round, 'lane' | 'now' | 'cluster'>): RigidLane {
    const lane = this.lanes[round.lane] as RigidLane
    this.#now = round.now
    if (this.#early.size > 0) this.#seeEarly()
    if (this.#evicted.size > 0) for (const [task, evicted] of this.#evicted) if (evicted.lane === lane) this.#evicted.delete(task)
    if (this.#mustMeasure) this.#measure(lane, round)
    else if (round.cluster.nodes <= FEW_NODES) lane.measure(round.cluster)
    for (let piece = lane.running.overdue(round.now, this.#isWhole); piece >= 0; piece = lane.running.overdue(round.now, this.#isWhole)) this.#outlived(lane, piece)
    return lane
  }

  /**
   * Takes in the tasks that another policy has started, which are in no plan yet: they run since they started, or since now if this is the round
   * that starts them.
   */
  #seeEarly(): void {
    for (const [task, lane] of this.#early) {
      lane.running.move(lane.running.pieceOf(task), this.#endOf(task))
      lane.changed()
    }
    this.#early.clear()
  }

  /** Whether another policy has started tasks in the lane since it was last brought up to date. */
  hasEarly(lane: RigidLane): boolean {
    return this.#early.size > 0 && [...this.#early.values()].includes(lane)
  }

  #endOf(task: TaskId): Seconds {
    const { work } = this.#env
    const started = work.started(task)
    return (Number.isNaN(started) ? this.#now : started) + this.#planned(this.#byPart ? work.taskEstimate(task) : work.estimate(work.jobOf(task))) - work.worked(task)
  }

  #measure(lane: RigidLane, round: Pick<Round, 'cluster'>): void {
    lane.measure(round.cluster)
    this.#mustMeasure = this.lanes.some((each) => each.isShared)
  }

  /** The priority that a waiting job has in the order, in this one of several queues if one is given, or its own. */
  priority(job: JobId, lane: LaneId, queue?: string): number {
    return this.#order.priority?.(job, lane, queue) ?? this.#env.work.priority(job)
  }

  /** Why the placement keeps a job waiting that has room; `undefined` if it does not. */
  keptBack(job: JobId, round: Round): KeptBack | undefined {
    return this.#placement?.keepsBack?.(job, round)
  }

  /** The most deserving job, or `None`. */
  head(round: Round): JobId | None {
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next()) if (block.from < block.to) return block.ids[block.from] as JobId
    return None
  }

  /** All waiting jobs, most deserving first, appended to `out`; at most `most`. */
  read(round: Round, out: JobId[], most = Infinity): void {
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to && out.length < most; i++) out.push(block.ids[i] as JobId)
  }

  /**
   * Starts the job's next piece; false, and nothing changes, when the nodes in sight have no room for all of it. `places`
   * names the node of each task; without it the placement does. With `limit`, which is less than the estimate, it is to end after so many seconds.
   */
  start(job: JobId, round: Round, places?: readonly NodeId[], limit = Infinity): boolean {
    if (!round.take(job)) return false
    const tasks = round.work.together(job, round.lane)
    if (tasks === 0) throw nothingToPlace(job, round.work)
    if (places === undefined && !this.mayHavePlaces(job, round)) return false
    const shape = round.work.shape(job, round.lane)
    const most = Math.min(limit, (this.lanes[round.lane] as RigidLane).untilDeadline(job, round.now))
    if (most < Infinity) this.#limit(job, round, most)
    this.#starting = job
    this.#tasks = tasks
    this.#piece = -1
    this.#from = 0
    const isStarted = tasks === 1 ? this.#claim(job, round, places?.[0]) : this.#claimAll(job, tasks, round, places)
    this.#starting = None
    if (isStarted) {
      if (this.#scarce.size > 0) this.#scarce.delete(shape)
      if (round.work.unplaced(job, round.lane) > 0) (this.lanes[round.lane] as RigidLane).reread(job)
    } else {
      if (most < Infinity) this.#limit(job, round, Infinity)
      this.#scarce.add(shape)
      if (round.cluster.nodes > FEW_NODES) this.#mustMeasure = true
    }
    return isStarted
  }

  #limit(job: JobId, round: Round, seconds: Seconds): void {
    round.limitTo?.(job, seconds)
    ;(this.lanes[round.lane] as RigidLane).length[job] = this.#planned(this.#env.work.estimate(job))
  }

  /**
   * Whether the nodes may have room for all tasks of the job's next piece; false: `start` would fail. A placement
   * may go by more than room, so what it says is not foretold.
   */
  mayHavePlaces(job: JobId, { work, cluster, lane, nodes }: Round): boolean {
    if (this.#scarce.size === 0 || this.#placement !== undefined || nodes.length === 1 || work.isGangJob(job)) return true
    const shape = work.shape(job, lane)
    if (!this.#scarce.has(shape) || this.#places.of(shape, cluster) >= work.together(job, lane)) return true
    if (cluster.nodes > FEW_NODES) this.#mustMeasure = true
    return false
  }

  #claimAll(job: JobId, tasks: number, round: Round, places: readonly NodeId[] | undefined): boolean {
    const before = round.savepoint()
    const shapes = round.work.isGangJob(job) ? round.work : undefined
    let shape = shapes?.shape(job, round.lane)
    for (let i = 0; i < tasks; i++) {
      if (!this.#claim(job, round, places?.[i])) {
        round.rollback(before)
        return false
      }
      if (shapes === undefined || shapes.shape(job, round.lane) === shape) continue
      shape = shapes.shape(job, round.lane)
      this.#from = 0 // a task of another stage may fit where those of the last one did not
    }
    return true
  }

  #claim(job: JobId, round: Round, place: NodeId | undefined): boolean {
    const node = place ?? this.#pick(job, round)
    if (node === None) return false
    const task = round.work.taskFor(job, round.lane, node, round.cluster.levels)
    return task !== None && round.claim(task, node)
  }

  /** The placement's choice, or the lowest node with room. Tasks of one stage ask for the same, so the search goes on at the node of the last one. */
  #pick(job: JobId, round: Round): NodeId | None {
    const { nodes, cluster } = round
    if (nodes.length === 1) return onlyNode(job, round, this.#placement)
    if (this.#placement !== undefined) return this.#placement.pick(job, round)
    if (nodes.length === cluster.nodes) return this.#firstFit.pick(job, round)
    for (; this.#from < nodes.length; this.#from++) if (round.fits(job, nodes[this.#from] as NodeId)) return nodes[this.#from] as NodeId
    return None
  }

  #outlived(lane: RigidLane, piece: number): void {
    if (this.#overrun.overrun === 'kill') throw outlived(lane, piece, this.#env.work, this.#now)
    lane.running.extend(piece, this.#now, this.#overrun.extension, this.#isWhole)
    lane.changed()
  }

  // ---- keeping current ----

  /**
   * The order and the placement may refuse a job. The order for backfilling may not: a job that it would never let run may still be the first of
   * the other order.
   */
  admits(spec: JobSpec, again?: boolean): string | undefined {
    return this.#order.admits?.(spec, again) ?? this.#placement?.admits?.(spec, again)
  }

  /** The state of the order, and of the other parts. */
  memory(): unknown {
    return [this.#order.memory?.() ?? null, this.#others?.memory?.() ?? null]
  }

  recall(memory: unknown): void {
    const [ofOrder, ofOthers] = memory as readonly unknown[]
    if (this.#order.memory !== undefined) this.#order.recall?.(ofOrder)
    if (this.#others?.memory !== undefined) this.#others.recall?.(ofOthers)
  }

  onSubmit(job: JobId): void {
    this.#order.onSubmit?.(job)
    this.#others?.onSubmit?.(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#order.onReady?.(job, lane)
    this.#others?.onReady?.(job, lane)
    const state = this.lanes[lane] as RigidLane
    if (state.waits[job] !== true) state.waiting++
    state.waits[job] = true
    if (job === this.#starting) return // its claims are being taken back
    state.read(job)
    state.newcomers++
    state.newcomer = job
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#order.onMore?.(job, lane)
    this.#others?.onMore?.(job, lane)
    if (job === this.#starting) return
    const state = this.lanes[lane] as RigidLane
    state.reread(job)
    state.changes++
  }

  /** The job waits no more: it starts, or, when this discipline is not starting it, its architecture holds it back or it was given up. */
  onDrained(job: JobId, lane: LaneId): void {
    this.#order.onDrained?.(job, lane)
    this.#others?.onDrained?.(job, lane)
    const state = this.lanes[lane] as RigidLane
    if (state.waits[job] === true) state.waiting--
    state.waits[job] = false
    if (job !== this.#starting) state.changes++
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#order.onClaim?.(job, lane, task, node)
    this.#others?.onClaim?.(job, lane, task, node)
    const state = this.lanes[lane] as RigidLane
    if (job !== this.#starting) {
      this.#claimAgain(state, task, node)
      if (this.#env.work.unplaced(job, lane) > 0 && !state.isAsRead(job)) state.reread(job) // a gang with `minTasks` may need fewer tasks now
      return
    }
    const length = this.#byPart && this.#env.work.isGangJob(job) ? this.#planned(this.#env.work.taskEstimate(task)) : (state.length[job] as number)
    if (this.#piece < 0 || length !== this.#length) {
      this.#piece = state.running.begin(this.#now, this.#now + length)
      this.#length = length
    }
    if (this.#tasks === 1) state.holdAll(job, task, this.#piece)
    else state.hold(task, this.#piece)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: Release): void {
    this.#order.onRelease?.(job, lane, task, node, why)
    this.#others?.onRelease?.(job, lane, task, node, why)
    if (this.#drained.size > 0 && this.#drained.delete(task)) return
    const state = this.lanes[lane] as RigidLane
    if (this.#early.size > 0 && this.#early.delete(task)) return state.forget(task)
    if (why === 'evicted') this.#evicted.set(task, { lane: state, end: state.running.endOf(state.running.pieceOf(task)), at: state.released?.length ?? 0 })
    state.release(task, job !== this.#starting)
  }

  onFinish(job: JobId): void {
    this.#order.onFinish?.(job)
    this.#others?.onFinish?.(job)
  }

  onNode(node: NodeId, up: boolean): void {
    this.#order.onNode?.(node, up)
    this.#others?.onNode?.(node, up)
    this.#mustMeasure = true
    for (const lane of this.lanes) {
      lane.changed() // even if another node of the same amounts comes or goes at this instant, so that the capacity stays the same
      if (!up) this.#leaveOut(lane, node)
    }
    if (up) this.#countAgain(node)
  }

  /** Takes the tasks of a drained node out of the plans: their end makes no room. */
  #leaveOut(lane: RigidLane, node: NodeId): void {
    const { work } = this.#env
    for (const task of work.jobs().flatMap((job) => runningTasks(job, lane.lane, work))) {
      if (work.nodeOf(task) !== node || !lane.running.has(task)) continue
      lane.release(task, false)
      this.#early.delete(task)
      this.#drained.set(task, lane)
    }
  }

  #countAgain(node: NodeId): void {
    for (const [task, lane] of this.#drained) {
      if (this.#env.work.nodeOf(task) !== node) continue
      this.#drained.delete(task)
      lane.hold(task, lane.running.begin(this.#now, this.#endOf(task)))
    }
  }

  onHeartbeat(node: NodeId, now: Seconds): void {
    this.#order.onHeartbeat?.(node, now)
    this.#others?.onHeartbeat?.(node, now)
  }

  /** A claim that this discipline did not make: an eviction was taken back, or another policy has started the task. The task becomes a piece of its own. */
  #claimAgain(lane: RigidLane, task: TaskId, node: NodeId): void {
    if (!this.#env.cluster.up(node)) return void this.#drained.set(task, lane)
    const piece = lane.running.begin(this.#now, this.#endOf(task))
    lane.hold(task, piece)
    const evicted = this.#evicted.get(task)
    this.#evicted.delete(task)
    if (Number.isNaN(this.#env.work.started(task))) this.#early.set(task, lane)
    else if (evicted === undefined) lane.changed()
    else {
      lane.running.postpone(piece, evicted.end)
      lane.takeBack(evicted.at)
    }
  }
}
