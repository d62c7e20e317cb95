import { None, SchedError, type Env, type JobId, type LaneId, type NodeId, type Order, type Placement, type Round, type Seconds, type TaskId, type WorkListener } from '@sched/core'
import type { Overrun } from './options.js'
import { RigidLane } from './rigid-lane.js'

/** Up to this many nodes are counted at every pass: cheaper than to ask whether somebody else uses them. */
const FEW_NODES = 4

const AS_ESTIMATED = (estimate: Seconds) => estimate

/**
 * The part that all disciplines for rigid jobs have in common: follows what waits and what runs in every lane, starts
 * the next piece of a job, all of its tasks or none, and moves the expected end of what outlives its estimate.
 *
 * A piece is a whole gang; of a job that is no gang it is one task, so such a job starts task by task.
 */
export class RigidJobs implements WorkListener {
  readonly lanes: readonly RigidLane[]
  readonly #env: Env
  readonly #order: Order
  readonly #placement: Placement | undefined
  readonly #overrun: Overrun
  readonly #planned: (estimate: Seconds) => Seconds
  #now: Seconds = 0
  /** The job that is being started and its piece; -1 before its first claim. */
  #starting: JobId | None = None
  #piece = -1
  #mustMeasure = true

  constructor(env: Env, order: Order, placement: Placement | undefined, overrun: Overrun, planned: (estimate: Seconds) => Seconds = AS_ESTIMATED) {
    this.#env = env
    this.#order = order
    this.#placement = placement
    this.#overrun = overrun
    this.#planned = planned
    this.lanes = env.cluster.lanes.map((_, lane) => new RigidLane(env, lane as LaneId, planned))
  }

  /** The round's lane as of now: to be called first in every round. */
  open(round: Round): RigidLane {
    const lane = this.lanes[round.lane] as RigidLane
    this.#now = round.now
    if (this.#mustMeasure || round.cluster.nodes <= FEW_NODES) {
      lane.measure(round.cluster)
      this.#mustMeasure = this.lanes.some((each) => each.isShared)
    }
    for (let piece = lane.running.overdue(round.now); piece >= 0; piece = lane.running.overdue(round.now)) this.#outlived(lane, piece)
    return lane
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

  /** Starts the job's next piece; false, and nothing changes, when the nodes in sight have no room for all of it. */
  start(job: JobId, round: Round): boolean {
    if (!round.take(job)) return false
    const tasks = round.work.together(job, round.lane)
    this.#starting = job
    this.#piece = -1
    const isStarted = tasks === 1 ? this.#claim(job, round) : this.#claimAll(job, tasks, round)
    this.#starting = None
    if (isStarted) {
      if (round.work.unplaced(job, round.lane) > 0) (this.lanes[round.lane] as RigidLane).read(job)
    } else if (round.cluster.nodes > FEW_NODES) this.#mustMeasure = true
    return isStarted
  }

  #claimAll(job: JobId, tasks: number, round: Round): boolean {
    const before = round.savepoint()
    for (let i = 0; i < tasks; i++)
      if (!this.#claim(job, round)) {
        round.rollback(before)
        return false
      }
    return true
  }

  #claim(job: JobId, round: Round): boolean {
    const node = this.#pick(job, round)
    if (node === None) return false
    const task = round.work.taskFor(job, round.lane, node, round.cluster.levels)
    return task !== None && round.claim(task, node)
  }

  #pick(job: JobId, round: Round): NodeId | None {
    const { nodes } = round
    if (nodes.length === 1) return nodes[0] as NodeId
    if (this.#placement !== undefined) return this.#placement.pick(job, round)
    for (let i = 0; i < nodes.length; i++) if (round.fits(job, nodes[i] as NodeId)) return nodes[i] as NodeId
    return None
  }

  #outlived(lane: RigidLane, piece: number): void {
    if (this.#overrun.overrun === 'kill')
      throw new SchedError(
        'BAD_INPUT',
        `a job in lane ${lane.lane} still runs at ${this.#now} s, its estimated end was ${lane.running.endOf(piece)} s`,
        { field: 'estimate' },
        "Cut run times at the estimate when the workload is read, or use { overrun: 'extend' }.",
      )
    lane.running.extend(piece, this.#now, this.#overrun.extension)
    lane.changes++
    lane.surprises++
  }

  // ---- keeping current ----

  onReady(job: JobId, lane: LaneId): void {
    if (job === this.#starting) return // its claims are being taken back
    const state = this.lanes[lane] as RigidLane
    state.read(job)
    state.newcomers++
    state.newcomer = job
  }

  onMore(job: JobId, lane: LaneId): void {
    if (job === this.#starting) return
    const state = this.lanes[lane] as RigidLane
    state.read(job)
    state.changes++
  }

  /** Without a start the job was taken away: held back by its architecture, or given up. */
  onDrained(job: JobId, lane: LaneId): void {
    if (job !== this.#starting) (this.lanes[lane] as RigidLane).changes++
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    const state = this.lanes[lane] as RigidLane
    if (job === this.#starting) {
      if (this.#piece < 0) this.#piece = state.running.begin(this.#now + (state.length[job] as number))
      state.hold(task, this.#piece)
    } else {
      const started = this.#env.work.started(task) // an eviction was taken back
      state.hold(task, state.running.begin((Number.isNaN(started) ? this.#now : started) + this.#planned(this.#env.work.estimate(job))))
    }
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    ;(this.lanes[lane] as RigidLane).release(task, job !== this.#starting)
  }

  onNode(): void {
    this.#mustMeasure = true
  }
}
