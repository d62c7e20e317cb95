import { lowestBit, type ClusterView, type Env, type GangPart, type JobId, type NodeId, type ResourceId, type Round, type Seconds, type ShapeId, type TaskId, type WorkView } from '@sched/core'
import { bitsFor, countWhere, hasBit, setBit, type NodeBits } from './node-bits.js'
import { LaneTasks } from './lane-tasks.js'
import { A_SECOND, type PassPlan } from './pass-plan.js'
import { ReservedSlots } from './reserved-slots.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { refuseAmounts, type Window } from './windows.js'

/** Tasks of one shape that start together. */
type Tasks = Pick<GangPart, 'shape' | 'tasks'>

/** How many tasks of a shape empty nodes hold: each node; the nodes that hold some; and the most that one holds. */
interface Rooms {
  readonly of: Int32Array
  readonly some: NodeBits
  readonly most: number
}

/** Room on a node for tasks that ask for nothing. */
const MANY = 1e9

/**
 * A plan in which every job has whole nodes for itself, by name, from its start to its end: the lowest ones that are free for its whole run, chosen when a
 * start is found. A job may so wait though enough nodes are free at every moment, if they are not the same ones throughout.
 *
 * Nodes that others use, in parts of the cluster that this policy does not plan, are taken for ever.
 *
 * Source: the schedule of Batsim's batsched (`Schedule::add_job_first_fit` with its basic selector), and the slot sets of OAR 3.
 */
export class WholeNodes implements PassPlan {
  /** The nodes found last, one per task. */
  readonly places: NodeId[] = []
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #work: WorkView
  readonly #cluster: ClusterView
  readonly #running: ReadonlySet<TaskId>
  readonly #windows: readonly Window[]
  /** All nodes, which windows take. */
  readonly #all: readonly NodeId[]
  readonly #slots: ReservedSlots
  readonly #rooms = new Map<ShapeId, Rooms>()
  #now: Seconds = 0
  /** Nodes that are up; those of them that the round sees. */
  readonly #up: NodeBits
  readonly #inSight: NodeBits
  readonly #allowed: NodeBits
  readonly #usable: NodeBits
  /** The nodes that pieces hold until they are expected to end, by that end. */
  readonly #held = new Map<Seconds, NodeId[]>()

  /** `windows`: of all nodes; `running`: the tasks that run in the lane, kept current by its owner. */
  constructor(lane: RigidLane, jobs: RigidJobs, { work, cluster }: Pick<Env, 'work' | 'cluster'>, windows: readonly Window[], running: ReadonlySet<TaskId>) {
    this.#lane = lane
    this.#jobs = jobs
    this.#work = work
    this.#cluster = cluster
    this.#running = running
    this.#windows = windows
    this.#all = windows.length > 0 ? allOf(cluster) : []
    this.#slots = new ReservedSlots(cluster.nodes)
    this.#up = bitsFor(cluster.nodes)
    this.#inSight = bitsFor(cluster.nodes)
    this.#allowed = bitsFor(cluster.nodes)
    this.#usable = bitsFor(cluster.nodes)
  }

  begin(round: Round): void {
    const { now, cluster, nodes } = round
    this.#now = now
    this.#slots.clear(now)
    this.#up.fill(0)
    this.#inSight.fill(0)
    for (let node = 0 as NodeId; node < cluster.nodes; node++) if (cluster.up(node)) setBit(this.#up, node)
    for (const node of nodes) if (hasBit(this.#up, node)) setBit(this.#inSight, node)
    this.#takeRunning(cluster)
    for (const { from, to } of this.#windows) if (to > now) this.#slots.reserve(this.#all, from, to)
  }

  #takeRunning(cluster: ClusterView): void {
    const { running } = this.#lane
    const isOurs = bitsFor(cluster.nodes)
    this.#held.clear()
    for (const task of this.#running) {
      const node = this.#work.nodeOf(task) as NodeId
      const end = running.has(task) ? running.endOf(running.pieceOf(task)) : Infinity // on a drained node: what ends there makes no room
      setBit(isOurs, node)
      const held = this.#held.get(end)
      if (held === undefined) this.#held.set(end, [node])
      else held.push(node)
    }
    for (const [end, held] of this.#held) this.#slots.reserve(held, this.#now, end)
    const ofOthers: NodeId[] = []
    for (let node = 0 as NodeId; node < cluster.nodes; node++) if (!hasBit(isOurs, node) && this.#isUsed(node, cluster)) ofOthers.push(node)
    if (ofOthers.length > 0) this.#slots.reserve(ofOthers, this.#now, Infinity)
  }

  #isUsed(node: NodeId, cluster: ClusterView): boolean {
    return this.#lane.resources.some((resource) => cluster.free(node, resource) < cluster.total(node, resource))
  }

  fitsNow(job: JobId): boolean {
    const length = this.#lengthOf(job)
    const find = (tasks: number, rooms: Rooms) => (this.#holds(tasks, rooms, this.#slots.during(this.#usable, this.#restrict(this.#inSight), this.#now, length)) ? this.#now : Infinity)
    return this.#findAll(job, find) === this.#now
  }

  earliest(job: JobId, notBefore: Seconds = this.#now): Seconds {
    const isAlone = !this.#work.isGangJob(job)
    for (let from = Math.max(this.#now, notBefore); ; ) {
      const start = this.#findAll(job, (tasks, rooms) => this.#search(tasks, rooms, from, this.#lengthOf(job)))
      if (isAlone || start === from || start === Infinity) return start
      from = start // the parts of a job start together
    }
  }

  reserve(job: JobId, start: Seconds): void {
    this.hold(job, this.places, start)
  }

  nextReservation(time: Seconds): Seconds {
    const idleUntil = (end: Seconds) => this.#slots.between(this.#usable, this.#inSight, this.#now, end)
    for (let begin = this.#slots.after(time); begin < Infinity; begin = this.#slots.after(begin)) if (idleUntil(begin) > idleUntil(this.#slots.after(begin))) return begin
    return Infinity
  }

  /** Reserves nodes for the planned length of the job; none where the start is `Infinity`. */
  hold(job: JobId, nodes: readonly NodeId[], start: Seconds): void {
    if (start < Infinity) this.#slots.reserve(nodes, start, start + this.#lengthOf(job))
  }

  /** Gives back what the job has reserved. */
  release(job: JobId, nodes: readonly NodeId[], start: Seconds): void {
    if (start < Infinity) this.#slots.release(nodes, start, start + this.#lengthOf(job))
  }

  /** Whether the round of the last `begin` sees all these nodes. */
  sees(nodes: readonly NodeId[]): boolean {
    return nodes.every((node) => hasBit(this.#inSight, node))
  }

  readonly nameOf = (node: NodeId): string => this.#cluster.name(node)

  start(job: JobId, round: Round): boolean {
    const length = this.#lengthOf(job)
    if (!this.#jobs.start(job, round, this.places)) return false
    this.#slots.reserve(this.places, this.#now, this.#now + length)
    return true
  }

  /** A run of no length would keep nothing free for its job. */
  #lengthOf(job: JobId): Seconds {
    return (this.#lane.length[job] as number) || A_SECOND
  }

  /**
   * Finds a start for one part of the job after another, and writes the nodes of all to `places`. Returns the latest of the starts; the places are those
   * of that time if all parts have the same.
   */
  #findAll(job: JobId, find: (tasks: number, rooms: Rooms) => Seconds): Seconds {
    const { lane } = this.#lane
    const parts: readonly Tasks[] = this.#work.isGangJob(job) ? this.#work.parts(job, lane) : [{ shape: this.#work.shape(job, lane), tasks: this.#work.together(job, lane) }]
    this.places.length = 0
    let latest = -Infinity
    for (const [i, { shape, tasks }] of parts.entries()) {
      const rooms = i === 0 ? this.#roomsOf(shape) : this.#roomsBeside(shape, parts.slice(0, i))
      for (let w = 0; w < this.#up.length; w++) this.#allowed[w] = (rooms.some[w] as number) & (this.#up[w] as number)
      latest = Math.max(latest, find(tasks, rooms))
      if (latest === Infinity) break
      this.#choose(tasks, rooms)
    }
    return latest
  }

  #restrict(nodes: NodeBits): NodeBits {
    for (let w = 0; w < nodes.length; w++) this.#allowed[w] = (this.#allowed[w] as number) & (nodes[w] as number)
    return this.#allowed
  }

  /** The earliest start of so many tasks from `from` on; sets `#usable` to the nodes that are free then. */
  #search(tasks: number, rooms: Rooms, from: Seconds, length: Seconds): Seconds {
    const least = rooms.most > 0 ? Math.ceil(tasks / rooms.most) : Infinity
    for (let time = from; time < Infinity; time = this.#slots.after(time)) {
      time = this.#slots.earliest(this.#usable, this.#allowed, least, time, length)
      if (time < Infinity && this.#holds(tasks, rooms, least)) return time
    }
    return Infinity
  }

  /** Whether the usable nodes, of which there are so many at least, hold so many tasks. */
  #holds(tasks: number, { of, most }: Rooms, nodes: number): boolean {
    if (nodes * most < tasks) return false
    if (most === 1) return true
    let left = tasks
    countWhere(this.#usable, (node) => (left -= of[node] as number) > 0)
    return left <= 0
  }

  /** Appends the lowest of the usable nodes to `places`, as many as the tasks need. */
  #choose(tasks: number, { of }: Rooms): void {
    const usable = this.#usable
    let left = tasks
    for (let w = 0; w < usable.length && left > 0; w++)
      for (let word = usable[w] as number; word !== 0 && left > 0; word &= word - 1) {
        const node = ((w << 5) + lowestBit(word)) as NodeId
        for (let i = Math.min(of[node] as number, left); i > 0; i--, left--) this.places.push(node)
      }
  }

  #roomsOf(shape: ShapeId): Rooms {
    const known = this.#rooms.get(shape)
    if (known !== undefined) return known
    const cluster = this.#cluster
    const rooms = this.#roomsIn(shape, (node, resource) => cluster.total(node, resource))
    this.#rooms.set(shape, rooms)
    return rooms
  }

  /** Rooms beside the parts of the same job whose nodes are in `places`. */
  #roomsBeside(shape: ShapeId, parts: readonly Tasks[]): Rooms {
    const shapes = parts.flatMap((part) => Array.from({ length: part.tasks }, () => part.shape))
    const used = (node: NodeId, resource: ResourceId) => this.places.reduce((sum, place, i) => (place === node ? sum + this.#work.demand(shapes[i] as ShapeId, resource) : sum), 0)
    return this.#roomsIn(shape, (node, resource) => this.#cluster.total(node, resource) - used(node, resource))
  }

  #roomsIn(shape: ShapeId, amount: (node: NodeId, resource: ResourceId) => number): Rooms {
    const work = this.#work
    const asked = this.#lane.resources.filter((resource) => work.demand(shape, resource) > 0)
    const each = work.isDistinct(shape) ? 1 : MANY
    const roomOn = (node: NodeId) => asked.reduce((room, resource) => Math.min(room, Math.floor(amount(node, resource) / work.demand(shape, resource))), each)
    const of = Int32Array.from({ length: this.#cluster.nodes }, (_, node) => (work.mayRunOn(shape, node as NodeId) ? roomOn(node as NodeId) : 0))
    const some = bitsFor(of.length)
    for (const [node, room] of of.entries()) if (room > 0) setBit(some, node)
    return { of, some, most: of.reduce((most, room) => Math.max(most, room), 0) }
  }
}

/**
 * The plans of all lanes, and the listener that keeps what they know of running tasks current. Throws `BAD_OPTION` for a window of amounts, and warns where
 * the cluster is one node, which jobs then have one after another.
 */
export function wholeNodes(jobs: RigidJobs, env: Env, windows: readonly Window[]): { readonly plans: readonly WholeNodes[]; readonly running: LaneTasks } {
  refuseAmounts(windows)
  if (env.cluster.nodes === 1) env.warn('nodes: named gives every job whole nodes, and the cluster is one node: jobs run one after another. Read a log with its option tasks: each, for one node per processor.')
  const running = new LaneTasks(env.cluster)
  return { plans: jobs.lanes.map((lane) => new WholeNodes(lane, jobs, env, windows, running.of[lane.lane] as ReadonlySet<TaskId>)), running }
}

const allOf = ({ nodes }: ClusterView): NodeId[] => Array.from({ length: nodes }, (_, node) => node as NodeId)
