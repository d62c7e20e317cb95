import { None, SchedError, type ClusterView, type JobId, type NodeId, type Round, type Seconds, type TaskId, type WorkView } from '@sched/core'
import type { Plan } from './counted-plan.js'
import { bestRuns } from './node-runs.js'
import type { Window } from './options.js'
import { bitsFor, hasBit, ReservedSlots, setBit } from './reserved-slots.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

export interface NamedOptions {
  /** Seconds: reservations begin and end at multiples of it. */
  readonly step: Seconds
  /** Seconds: ends within it are looked at together, and it grows from one look to the next; 0: those of each job by themselves. */
  readonly window: Seconds
  /** By how much it grows; 0: it doubles. */
  readonly growth: Seconds
}

/** Tasks of a job that are expected to end together. */
interface End {
  readonly end: Seconds
  readonly job: JobId
  readonly tasks: TaskId[]
}

/**
 * A plan that names nodes. A task starts on nodes that have room for it beside what runs there; a reservation takes whole
 * nodes. Nodes are chosen by best fit among runs of consecutive usable ones.
 *
 * The earliest start is looked for as in Slurm's backfill: of the nodes that nobody has reserved while the job would run
 * if it started now, those that it gets when enough of what runs there has ended. Where that is later than the end of a
 * reservation, or runs into one, the search begins anew at that time. So the nodes are those that are free first, and not
 * the best of all that are free at the start.
 *
 * Source: Slurm, `_attempt_backfill` of sched/backfill, and the tests of a later start in its select plug-ins.
 */
export class NamedPlan implements Plan {
  /** The nodes found last, one per task. */
  readonly #places: NodeId[] = []
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #work: WorkView
  readonly #nodes: number
  readonly #windows: readonly Window[]
  readonly #options: NamedOptions
  /** Tasks that run in the lane. */
  readonly #running: Set<TaskId>
  #now: Seconds = 0
  #cluster: ClusterView
  /** What is free, `[resource * nodes + node]`: now, and when some of what runs has ended. */
  readonly #freeNow: Float64Array
  readonly #free: Float64Array
  /** Running tasks by expected end, those of a job side by side. */
  #ends: End[] = []
  readonly #slots: ReservedSlots
  /** Nodes in sight, and of these the ones the job may use. */
  readonly #inSight: Int32Array
  readonly #allowed: Int32Array
  readonly #usable: Int32Array
  /** What is looked for: amounts of a task by resource of the lane, and how many tasks. */
  readonly #asks: Float64Array
  #tasks = 0
  #isDistinct = false
  /** Tasks that may start on each usable node when some of what runs has ended, and their sum. */
  readonly #room: Int32Array
  #rooms = 0

  constructor(lane: RigidLane, jobs: RigidJobs, work: WorkView, cluster: ClusterView, running: Set<TaskId>, windows: readonly Window[], options: NamedOptions) {
    this.#lane = lane
    this.#jobs = jobs
    this.#work = work
    this.#cluster = cluster
    this.#nodes = cluster.nodes
    this.#running = running
    this.#windows = windows
    this.#options = options
    this.#freeNow = new Float64Array(lane.width * this.#nodes)
    this.#free = new Float64Array(lane.width * this.#nodes)
    this.#room = new Int32Array(this.#nodes)
    this.#asks = new Float64Array(lane.width)
    this.#slots = new ReservedSlots(this.#nodes)
    this.#inSight = bitsFor(this.#nodes)
    this.#allowed = bitsFor(this.#nodes)
    this.#usable = bitsFor(this.#nodes)
    const counted = windows.findIndex(({ demand }) => demand !== 'all')
    if (counted >= 0)
      throw new SchedError('BAD_OPTION', 'a window takes amounts, but reservations name nodes.', { field: `windows[${counted}].demand` }, "Take 'all', or use { nodes: 'counted' }.")
  }

  begin({ now, cluster, nodes }: Round): void {
    this.#now = now
    this.#cluster = cluster
    this.#inSight.fill(0)
    for (const node of nodes) if (cluster.up(node)) setBit(this.#inSight, node)
    for (const node of nodes) this.#readNode(node)
    this.#sortEnds()
    this.#slots.clear(this.#down(now))
    for (const { from, to } of this.#windows) if (to > now) this.#slots.reserve(nodes, from, to)
  }

  earliest(job: JobId, latest: Seconds): Seconds {
    this.#lookFor(job)
    const length = this.#lane.length[job] as number
    const slots = this.#slots
    let from = this.#now
    while (from <= latest) {
      this.#usable.set(this.#allowed)
      slots.limit(this.#usable, this.#allowed, from, from + length)
      const { later } = slots
      const start = Math.max(this.#whenRoom(), from)
      if (start > later) from = later
      else if (start > latest) break
      else if (start === this.#now || !slots.overlaps(this.#places, this.#down(start), this.#up(start + length))) return start
      else from = start === from ? start + this.#options.step : start
    }
    return Infinity
  }

  reserve(_job: JobId, start: Seconds, end: Seconds): void {
    this.#slots.reserve(new Set(this.#places), start, end)
  }

  /** What has started holds its own amounts, not whole nodes. */
  start(job: JobId, round: Round): boolean {
    const isStarted = this.#jobs.start(job, round, this.#places)
    if (!isStarted) this.reserve(job, this.#down(round.now), this.#up(round.now + (this.#lane.length[job] as number)))
    for (const node of new Set(this.#places)) this.#readNode(node)
    this.#sortEnds()
    return isStarted
  }

  #down(time: Seconds): Seconds {
    return Math.floor(time / this.#options.step) * this.#options.step
  }

  #up(time: Seconds): Seconds {
    return Math.ceil(time / this.#options.step) * this.#options.step
  }

  #sortEnds(): void {
    const { running } = this.#lane
    const ends: End[] = []
    for (const task of this.#running) {
      const job = this.#work.jobOf(task)
      const end = running.endOf(running.pieceOf(task))
      const last = ends.at(-1)
      if (last?.job === job && last.end === end) last.tasks.push(task)
      else ends.push({ end, job, tasks: [task] })
    }
    this.#ends = ends.sort((a, b) => a.end - b.end || a.job - b.job)
  }

  #readNode(node: NodeId): void {
    for (const [r, resource] of this.#lane.resources.entries()) this.#freeNow[r * this.#nodes + node] = this.#cluster.free(node, resource)
  }

  #lookFor(job: JobId): void {
    const { lane, resources } = this.#lane
    const shape = this.#work.shape(job, lane)
    for (const [r, resource] of resources.entries()) this.#asks[r] = this.#work.demand(shape, resource)
    this.#tasks = this.#work.together(job, lane)
    this.#isDistinct = this.#work.isDistinct(shape)
    this.#allowed.set(this.#inSight)
    if (this.#work.requiresLabels(shape)) for (let node = 0; node < this.#nodes; node++) if (!this.#work.mayRunOn(shape, node as NodeId)) this.#forbid(node)
    if (this.#isDistinct && this.#work.running(job, lane) > 0) this.#forbidOwn(job, lane)
  }

  /** Tasks that must all be on different nodes may not use those on which one runs. */
  #forbidOwn(job: JobId, lane: RigidLane['lane']): void {
    const tasks: TaskId[] = []
    this.#work.runningTasks(job, lane, tasks)
    for (const task of tasks) this.#forbid(this.#work.nodeOf(task))
  }

  #forbid(node: number): void {
    this.#allowed[node >> 5] = (this.#allowed[node >> 5] as number) & ~(1 << (node & 31))
  }

  /** When enough of what runs on the usable nodes has ended for all tasks, and the nodes for them; `Infinity`: never. */
  #whenRoom(): Seconds {
    this.#free.set(this.#freeNow)
    this.#rooms = 0
    for (let node = 0; node < this.#nodes; node++) {
      const room = hasBit(this.#usable, node) ? this.#roomOn(node) : 0
      this.#room[node] = room
      this.#rooms += room
    }
    const time = this.#rooms >= this.#tasks ? this.#now : this.#whenEnded()
    if (time < Infinity) bestRuns(this.#room, this.#tasks, this.#places)
    return time
  }

  /** Gives back what ends, job by job or in windows of time, until there is room. */
  #whenEnded(): Seconds {
    const ends = this.#ends
    let { window } = this.#options
    for (let i = 0; i < ends.length; ) {
      let last: Seconds = Infinity
      let edge = Infinity
      for (let isMore = true; isMore && i < ends.length; ) {
        const ended = ends[i++] as End
        if (!this.#giveBack(ended)) continue
        if (last === Infinity) edge = ended.end - (window === 0 ? 0 : ended.end % window) + 2 * window
        last = ended.end
        isMore = window > 0 && i < ends.length && (ends[i] as End).end <= edge
      }
      if (this.#rooms >= this.#tasks) return last
      window = this.#widen(window, edge, ends[i]?.end)
    }
    return Infinity
  }

  /** The next window, wide enough that the next end would have been in this one. */
  #widen(window: Seconds, edge: Seconds, next: Seconds | undefined): Seconds {
    const { growth } = this.#options
    let wider = window
    if (window > 0)
      do wider = growth > 0 ? wider + growth : wider * 2
      while (next !== undefined && next > edge - window + wider)
    return wider
  }

  /** What the tasks hold is free; false when none of them is on a usable node. */
  #giveBack({ tasks }: End): boolean {
    let isUsable = false
    for (const task of tasks) {
      const node = this.#work.nodeOf(task)
      if (node === None || !hasBit(this.#usable, node)) continue
      const shape = this.#work.shapeOf(task)
      for (const [r, resource] of this.#lane.resources.entries()) {
        const at = r * this.#nodes + node
        this.#free[at] = (this.#free[at] as number) + this.#work.demand(shape, resource)
      }
      const room = this.#roomOn(node)
      this.#rooms += room - (this.#room[node] as number)
      this.#room[node] = room
      isUsable = true
    }
    return isUsable
  }

  /** Tasks that the free amounts of the node hold, at most all that are looked for. */
  #roomOn(node: number): number {
    let room = this.#isDistinct ? 1 : this.#tasks
    for (let r = 0; r < this.#asks.length; r++) {
      const asks = this.#asks[r] as number
      const free = this.#free[r * this.#nodes + node] as number
      if (asks === 0) continue
      if (free < asks) return 0
      room = Math.min(room, Math.floor(free / asks))
    }
    return room
  }
}
