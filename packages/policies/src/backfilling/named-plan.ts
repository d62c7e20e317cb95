import { SchedError, type ClusterView, type JobId, type NodeId, type Round, type Seconds, type TaskId, type WorkView } from '@sched/core'
import type { Plan } from './counted-plan.js'
import { bestRuns } from './node-runs.js'
import type { Window } from './options.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

const NO_NODES: ReadonlySet<number> = new Set()

/**
 * A plan that names nodes. A task starts on nodes that have room for it beside what runs there; a reservation takes whole
 * nodes, as in Slurm's backfill. Nodes are chosen by best fit among runs of consecutive usable ones.
 */
export class NamedPlan implements Plan {
  /** The nodes found last, one per task. */
  readonly #places: NodeId[] = []
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #work: WorkView
  readonly #nodes: number
  readonly #windows: readonly Window[]
  /** Tasks that run in the lane. */
  readonly #running: Set<TaskId>
  #now: Seconds = 0
  #cluster: ClusterView
  /** What will be free, `[resource * nodes + node]`: now, and at the time that is looked at. */
  readonly #freeNow: Float64Array
  readonly #free: Float64Array
  /** Running tasks by expected end. */
  #ends: { readonly end: Seconds; readonly task: TaskId }[] = []
  /** Reservations by node, and all times at which one ends. */
  readonly #reserved: { readonly start: Seconds; readonly end: Seconds }[][]
  #reservedEnds: Seconds[] = []
  /** Now, and later when something that runs or is reserved is expected to end; ascending, each once. */
  #moments: Seconds[] = []
  /** What is looked for: amounts of a task by resource of the lane, how many tasks, and nodes that they may not use. */
  readonly #asks: Float64Array
  #tasks = 0
  #isDistinct = false
  #taken = NO_NODES
  /** Tasks that may start on a node at the time that is looked at. */
  readonly #room: Int32Array

  constructor(lane: RigidLane, jobs: RigidJobs, work: WorkView, cluster: ClusterView, running: Set<TaskId>, windows: readonly Window[]) {
    this.#lane = lane
    this.#jobs = jobs
    this.#work = work
    this.#cluster = cluster
    this.#nodes = cluster.nodes
    this.#running = running
    this.#windows = windows
    this.#freeNow = new Float64Array(lane.width * this.#nodes)
    this.#free = new Float64Array(lane.width * this.#nodes)
    this.#room = new Int32Array(this.#nodes)
    this.#asks = new Float64Array(lane.width)
    this.#reserved = Array.from({ length: this.#nodes }, () => [])
    const counted = windows.findIndex(({ demand }) => demand !== 'all')
    if (counted >= 0)
      throw new SchedError('BAD_OPTION', 'a window takes amounts, but reservations name nodes.', { field: `windows[${counted}].demand` }, "Take 'all', or use { nodes: 'counted' }.")
  }

  begin({ now, cluster, nodes }: Round): void {
    this.#now = now
    this.#cluster = cluster
    this.#freeNow.fill(-1) // out of sight: nothing starts there now
    for (const node of nodes) this.#readNode(node)
    this.#sortEnds()
    for (const entries of this.#reserved) entries.length = 0
    this.#reservedEnds = []
    for (const { from, to } of this.#windows) if (to > now) this.#reserveNodes(nodes, from, to)
    this.#findMoments()
  }

  earliest(job: JobId, latest: Seconds): Seconds {
    this.#free.set(this.#freeNow)
    this.#lookFor(job)
    const length = this.#lane.length[job] as number
    let ended = 0
    for (const time of this.#moments) {
      if (time > latest) break
      for (; ended < this.#ends.length && (this.#ends[ended] as { end: Seconds }).end <= time; ended++) this.#giveBack((this.#ends[ended] as { task: TaskId }).task)
      if (this.#choose(job, time, time + length)) return time
    }
    return Infinity
  }

  reserve(_job: JobId, start: Seconds, end: Seconds): void {
    this.#reserveNodes(new Set(this.#places), start, end)
    this.#addMoment(end)
  }

  /** What has started holds its own amounts, not whole nodes. */
  start(job: JobId, round: Round): boolean {
    const isStarted = this.#jobs.start(job, round, this.#places)
    if (!isStarted) this.reserve(job, round.now, round.now + (this.#lane.length[job] as number))
    for (const node of new Set(this.#places)) this.#readNode(node)
    this.#sortEnds()
    this.#findMoments()
    return isStarted
  }

  #sortEnds(): void {
    this.#ends = [...this.#running].map((task) => ({ end: this.#endOf(task), task })).sort((a, b) => a.end - b.end || a.task - b.task)
  }

  #readNode(node: NodeId): void {
    for (const [r, resource] of this.#lane.resources.entries()) this.#freeNow[r * this.#nodes + node] = this.#cluster.up(node) ? this.#cluster.free(node, resource) : -1
  }

  #endOf(task: TaskId): Seconds {
    const { running } = this.#lane
    return running.endOf(running.pieceOf(task))
  }

  #findMoments(): void {
    const times = [this.#now, ...this.#ends.map(({ end }) => end), ...this.#reservedEnds].filter((time) => time >= this.#now)
    this.#moments = [...new Set(times)].sort((a, b) => a - b)
  }

  #addMoment(time: Seconds): void {
    const moments = this.#moments
    let at = moments.length
    while (at > 0 && (moments[at - 1] as number) > time) at--
    if (at > 0 && moments[at - 1] !== time) moments.splice(at, 0, time) // before now it would be the first
  }

  #giveBack(task: TaskId): void {
    const node = this.#work.nodeOf(task)
    const shape = this.#work.shapeOf(task)
    for (const [r, resource] of this.#lane.resources.entries()) {
      const at = r * this.#nodes + node
      this.#free[at] = (this.#free[at] as number) + this.#work.demand(shape, resource)
    }
  }

  #lookFor(job: JobId): void {
    const { lane, resources } = this.#lane
    const shape = this.#work.shape(job, lane)
    for (const [r, resource] of resources.entries()) this.#asks[r] = this.#work.demand(shape, resource)
    this.#tasks = this.#work.together(job, lane)
    this.#isDistinct = this.#work.isDistinct(shape)
    this.#taken = this.#takenBy(job)
  }

  /** Finds nodes for all tasks of the piece, from a time to another; false if there are not enough. */
  #choose(job: JobId, time: Seconds, end: Seconds): boolean {
    const shape = this.#work.shape(job, this.#lane.lane)
    let left = this.#tasks
    for (let node = 0; node < this.#nodes; node++) {
      let room = this.#roomOn(node)
      if (room > 0 && !(this.#isFree(node, time, end) && this.#work.mayRunOn(shape, node as NodeId) && !this.#taken.has(node))) room = 0
      this.#room[node] = room
      left -= room
    }
    if (left > 0) return false
    bestRuns(this.#room, this.#tasks, this.#places)
    return true
  }

  /** Whether no reservation takes the node in the time; an empty time is its own beginning. */
  #isFree(node: number, start: Seconds, end: Seconds): boolean {
    for (const reserved of this.#reserved[node] as { start: Seconds; end: Seconds }[])
      if (start < reserved.end && (reserved.start < end || reserved.start === start)) return false
    return true
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

  /** Nodes that another task of the job may not use: those on which one runs, where all must be on different nodes. */
  #takenBy(job: JobId): ReadonlySet<number> {
    const { lane } = this.#lane
    if (!this.#work.isDistinct(this.#work.shape(job, lane)) || this.#work.running(job, lane) === 0) return NO_NODES
    const tasks: TaskId[] = []
    this.#work.runningTasks(job, lane, tasks)
    return new Set(tasks.map((task) => this.#work.nodeOf(task)))
  }

  #reserveNodes(nodes: Iterable<NodeId>, start: Seconds, end: Seconds): void {
    for (const node of nodes) this.#reserved[node]?.push({ start, end })
    this.#reservedEnds.push(end)
  }
}
