import { lowestBit, type ClusterView, type JobId, type NodeId, type ResourceId, type Seconds, type ShapeId, type TaskId, type WorkView } from '@sched/core'
import type { ClockMultiples } from './clock-multiples.js'
import { bitsFor, hasBit, setBit, type NodeBits } from './node-bits.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import type { RigidLane } from './rigid-lane.js'

/** The window of time, in seconds, within which the ends of tasks are added up together. */
export interface LookAhead {
  /** Its width at first; 0: the ends of each job are looked at by themselves. */
  readonly window: Seconds
  /** By how much it grows from one look to the next; 0: it doubles. */
  readonly growth: Seconds
  /** Multiples of its first width on the clock. */
  readonly barriers: ClockMultiples
}

/** Most processors of each node that the jobs of a queue may have together. */
export interface QueueCap {
  readonly queue: string
  readonly most: number
  /** Processors. */
  readonly resource: ResourceId
  readonly queues: QueuesOfJobs
}

/** Tasks of a job that are expected to end together. */
interface End {
  readonly end: Seconds
  readonly job: JobId
  readonly tasks: TaskId[]
}

/** What a task asks of a resource: more than nothing. */
interface Asked {
  readonly resource: ResourceId
  readonly amount: number
}

/** Room of the nodes for tasks of one shape. */
interface Rooms {
  /** Tasks that may start now, by node. */
  readonly now: Int32Array
  /** The nodes on which some may. */
  readonly some: NodeBits
  /** Tasks for which the end of a running task makes room, by entry of `#node`. */
  readonly gain: Int32Array
  /** Most tasks that any node may hold when everything has ended. */
  readonly most: number
  /** When each node first has room for a task; absent until somebody asks. */
  ready?: Float64Array
}

/** Room for tasks that ask for nothing. */
const MANY = 1e9

/** Number of shapes of which the room is kept. */
const MOST_SHAPES = 64

/**
 * How many tasks of a shape each node has room for, now and as running tasks come to their expected ends. That is computed once for all
 * jobs of a shape, until something starts; `roomNow` and `whenRoom` then only add up the nodes that may be used.
 */
export class Releases {
  /** By node: tasks that may start there at the time that `whenRoom` returned last, or at that of `roomNow`; 0 on nodes that may not be used. */
  readonly room: Int32Array
  readonly #lane: RigidLane
  readonly #work: WorkView
  readonly #nodes: number
  readonly #look: LookAhead
  #ends: End[] = []
  #shape = -1
  /** The nodes on which each end frees something: entries `#from[i]` to `#from[i + 1] - 1` of `#node` are of end i. */
  #from: number[] = []
  #node: number[] = []
  /** Room by shape, valid until something starts. */
  readonly #rooms = new Map<ShapeId, Rooms>()
  /** The room of the shape last given to `take`. */
  #of: Rooms = { now: new Int32Array(), some: bitsFor(0), gain: new Int32Array(), most: 0 }
  /** Of the shape of which the room is counted: what a task asks, by resource, and how many a node holds at most, however much is free. */
  #asked: readonly Asked[] = []
  #most = MANY
  /** What is free, `[i * nodes + node]`, of each resource that is asked. */
  readonly #free: Float64Array
  readonly #cap: QueueCap | undefined
  /** By node, in processors: what is left of the cap, and what running jobs of the queue use of it. */
  readonly #left: Float64Array
  readonly #had: Float64Array

  /** `cap`: the cap on the queue of the jobs for which room is searched. */
  constructor(lane: RigidLane, work: WorkView, nodes: number, look: LookAhead, cap?: QueueCap) {
    this.#lane = lane
    this.#work = work
    this.#nodes = nodes
    this.#look = look
    this.room = new Int32Array(nodes)
    this.#free = new Float64Array(lane.width * nodes)
    this.#cap = cap
    this.#left = new Float64Array(cap === undefined ? 0 : nodes)
    this.#had = new Float64Array(cap === undefined ? 0 : nodes)
  }

  /** Takes in what runs, after it has changed or time has passed. */
  begin(running: Iterable<TaskId>): void {
    const pieces = this.#lane.running
    const ends: End[] = []
    this.#had.fill(0)
    for (const task of running) {
      if (this.#cap !== undefined) this.#had[this.#work.nodeOf(task)] = (this.#had[this.#work.nodeOf(task)] as number) + this.#capped(task)
      if (!pieces.has(task)) continue // on a drained node: what ends there makes no room
      const job = this.#work.jobOf(task)
      const end = pieces.endOf(pieces.pieceOf(task))
      const last = ends.at(-1)
      if (last?.job === job && last.end === end) last.tasks.push(task)
      else ends.push({ end, job, tasks: [task] })
    }
    this.#ends = ends.sort((a, b) => a.end - b.end || this.#work.rank(a.job) - this.#work.rank(b.job))
    this.#from = [0]
    this.#node = []
    for (const { tasks } of this.#ends) {
      for (const task of tasks) this.#node.push(this.#work.nodeOf(task))
      this.#from.push(this.#node.length)
    }
    this.#rooms.clear()
    this.#shape = -1
  }

  /** Chooses the shape of the tasks for which `whenRoom` is asked next. */
  take(shape: ShapeId, cluster: ClusterView): void {
    if (shape === this.#shape) return
    this.#shape = shape
    const known = this.#rooms.get(shape)
    if (known !== undefined) {
      this.#of = known
      return
    }
    if (this.#rooms.size === MOST_SHAPES) this.#rooms.clear()
    this.#rooms.set(shape, (this.#of = this.#roomsOf(shape, cluster)))
  }

  /** On fewer nodes so many tasks have no room even if all that runs has ended. */
  leastNodes(tasks: number): number {
    return this.#of.most > 0 ? Math.ceil(tasks / this.#of.most) : Infinity
  }

  /** By node, when it first has room for a task: `-Infinity` now, `Infinity` never. Valid until something starts. */
  get ready(): Float64Array {
    const { now, gain } = this.#of
    if (this.#of.ready !== undefined) return this.#of.ready
    const ready = Float64Array.from(now, (room) => (room > 0 ? -Infinity : Infinity))
    for (let i = 0; i < this.#ends.length; i++)
      for (let at = this.#from[i] as number; at < (this.#from[i + 1] as number); at++) {
        const node = this.#node[at] as number
        if ((gain[at] as number) > 0 && ready[node] === Infinity) ready[node] = (this.#ends[i] as End).end
      }
    return (this.#of.ready = ready)
  }

  #roomsOf(shape: ShapeId, cluster: ClusterView): Rooms {
    const { room } = this
    this.#asked = this.#lane.resources.map((resource) => ({ resource, amount: this.#work.demand(shape, resource) })).filter(({ amount }) => amount > 0)
    this.#most = this.#work.isDistinct(shape) ? 1 : MANY
    for (const [i, { resource }] of this.#asked.entries()) for (let node = 0; node < this.#nodes; node++) this.#free[i * this.#nodes + node] = cluster.free(node as NodeId, resource)
    if (this.#cap !== undefined) for (let node = 0; node < this.#nodes; node++) this.#left[node] = this.#cap.most - (this.#had[node] as number)
    for (let node = 0; node < this.#nodes; node++) room[node] = this.#roomOn(shape, node)
    const now = room.slice()
    const gain = new Int32Array(this.#node.length)
    let at = 0
    for (const { tasks } of this.#ends) for (const task of tasks) gain[at] = this.#giveBack(task, this.#node[at++] as number, shape)
    const some = bitsFor(this.#nodes)
    for (let node = 0; node < this.#nodes; node++) if ((now[node] as number) > 0) setBit(some, node)
    return { now, some, gain, most: room.reduce((most, each) => Math.max(most, each), 0) }
  }

  /** Sets `room` to what the usable nodes have now, and returns how many tasks that is in all. */
  roomNow(usable: NodeBits): number {
    const { room } = this
    const { now, some } = this.#of
    room.fill(0)
    let sum = 0
    for (let w = 0; w < usable.length; w++)
      for (let bits = (usable[w] as number) & (some[w] as number); bits !== 0; bits &= bits - 1) {
        const node = (w << 5) + lowestBit(bits)
        sum += room[node] = now[node] as number
      }
    return sum
  }

  /**
   * The time at which enough of what runs on the usable nodes has ended for so many tasks more than now; `Infinity`: not until `until`. Sets `room` to the
   * room at that time. `suits`: whether the room at a time is where the job needs it.
   *
   * Adds the room of ends, job by job or window by window, until there is enough. All windows begin at the same time, the multiple of the first width on the
   * clock after the first end, and become wider. Source: Slurm, `_will_run_test` of select/cons_tres.
   */
  whenRoom(tasks: number, usable: NodeBits, until: Seconds, suits?: (time: Seconds) => boolean): Seconds {
    const ends = this.#ends
    let left = tasks
    let { window } = this.#look
    let origin = Infinity
    for (let i = 0; i < ends.length; ) {
      let last: Seconds = Infinity
      for (let isMore = true; isMore && i < ends.length; ) {
        const { end } = ends[i] as End
        if (end > until && left > 0) return Infinity
        const gained = this.#add(i++, usable)
        if (gained < 0) continue
        if (end > until) return Infinity
        left -= gained
        if (origin === Infinity && window > 0) origin = this.#look.barriers.down(end) + window
        last = end
        isMore = window > 0 && i < ends.length && (ends[i] as End).end <= origin + window
      }
      if (left <= 0 && suits?.(last) !== false) return last
      window = this.#widen(window, origin, ends[i]?.end)
    }
    return Infinity
  }

  /** Adds the room that end i makes on usable nodes and returns it; -1 when the end is on none of them. */
  #add(i: number, usable: NodeBits): number {
    const to = this.#from[i + 1] as number
    let gained = -1
    for (let at = this.#from[i] as number; at < to; at++) {
      const node = this.#node[at] as number
      if (!hasBit(usable, node)) continue
      const gain = this.#of.gain[at] as number
      this.room[node] = (this.room[node] as number) + gain
      gained = Math.max(gained, 0) + gain
    }
    return gained
  }

  /** The width of the next window, wide enough to reach the next end. */
  #widen(window: Seconds, origin: Seconds, next: Seconds | undefined): Seconds {
    const { growth } = this.#look
    let wider = window
    if (window > 0)
      do wider = growth > 0 ? wider + growth : wider * 2
      while (next !== undefined && next < Infinity && next > origin + wider)
    return wider
  }

  /** Frees what a task holds on its node; returns for how many more tasks of the shape the node then has room. */
  #giveBack(task: TaskId, node: number, shape: ShapeId): number {
    const before = this.room[node] as number
    if (before === this.#most) return 0
    const held = this.#work.shapeOf(task)
    const asked = this.#asked
    for (let i = 0, at = node; i < asked.length; i++, at += this.#nodes) this.#free[at] = (this.#free[at] as number) + this.#work.demand(held, (asked[i] as Asked).resource)
    if (this.#cap !== undefined) this.#left[node] = (this.#left[node] as number) + this.#capped(task)
    const room = this.#roomOn(shape, node)
    this.room[node] = room
    return room - before
  }

  /** Number of tasks of the shape for which the node's free amounts suffice. */
  #roomOn(shape: ShapeId, node: number): number {
    let room = this.#most
    const asked = this.#asked
    for (let i = 0, at = node; i < asked.length; i++, at += this.#nodes) room = Math.min(room, Math.max(0, Math.floor((this.#free[at] as number) / (asked[i] as Asked).amount)))
    if (this.#cap === undefined) return room
    const asks = this.#work.demand(shape, this.#cap.resource)
    // a larger task could run nowhere
    return asks > 0 && (asks <= this.#cap.most || this.#cap.most === 0) ? Math.min(room, Math.max(0, Math.floor((this.#left[node] as number) / asks))) : room
  }

  /** Processors that a running task takes of the cap. */
  #capped(task: TaskId): number {
    const { queue, resource, queues } = this.#cap as QueueCap
    return queues.of(this.#work.jobOf(task)) === queue ? this.#work.demand(this.#work.shapeOf(task), resource) : 0
  }
}
