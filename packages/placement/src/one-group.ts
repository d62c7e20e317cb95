import { leastTasks, startedTogether, type ClusterView, type JobId, type JobSpec, type NodeId, type Round, type ShapeId, type WorkView } from '@sched/core'
import { freeNow, Packing, type TasksAtOnce } from './packing.js'
import { RoomWhenEmpty, type AtOnce } from './room-when-empty.js'

/** A group of nodes that may take a job. */
interface Group {
  readonly id: number
  /** The number of tasks for which it has room, and the number of its nodes with room. */
  readonly room: number
  readonly nodes: number
}

/** A group with its nodes, and the nodes of them to which tasks go. */
interface Packed {
  readonly group: number
  readonly nodes: readonly NodeId[]
  readonly places: readonly NodeId[]
}

/** Names of groups in messages, by level. */
const NAMES = ['node', 'rack']

/** Chooses the group of a level that takes all tasks of a job: a rack, or a group of racks. */
export class OneGroup {
  /** By shape: the most tasks for which any group has room, valid until the cluster seen last changes. */
  readonly #most = new Map<ShapeId, number>()
  #seen: ClusterView | undefined
  #changes = NaN
  readonly #cluster: ClusterView
  readonly #level: number
  /** By group: its nodes, lowest first. */
  readonly #members: NodeId[][]
  readonly #empty: RoomWhenEmpty
  /** By the name of a job with a master: the groups that hold each of its stages beside the master. */
  readonly #besideMaster = new Map<string, ReadonlySet<number>>()

  constructor(cluster: ClusterView, level: number) {
    this.#cluster = cluster
    this.#level = level
    this.#members = Array.from({ length: cluster.groups(level) }, () => [])
    for (let node = 0 as NodeId; node < cluster.nodes; node++) this.#members[cluster.group(level, node)]?.push(node)
    this.#empty = new RoomWhenEmpty(cluster, this.#members)
  }

  /** Forgets a job that has ended. */
  forget(job: JobId, work: WorkView): void {
    if (this.#besideMaster.size > 0) this.#besideMaster.delete(work.name(job))
  }

  /**
   * Called before a job is submitted: why no group can ever hold what of it runs at the same time; `undefined` if one can. `asked`: who asks for
   * one group, for the message.
   */
  admits(spec: JobSpec, asked: string): string | undefined {
    const { stages } = spec
    const [master, ...others] = stages
    const hasMaster = master?.master === true
    const all: readonly AtOnce[] = hasMaster ? others.map((each) => [master, each]) : startedTogether(spec)
    const many = all.filter((each) => tasksOf(each) > 1)
    const lacking = many.find((each) => this.#thatHold([each]).size === 0)
    const groups = hasMaster && lacking === undefined ? this.#thatHold(many) : undefined
    if (groups !== undefined && groups.size > 0) this.#besideMaster.set(spec.id, groups)
    if (lacking === undefined && groups?.size !== 0) return undefined
    const tasks = lacking === undefined ? Math.max(...many.map(tasksOf)) : tasksOf(lacking)
    return `its ${tasks} tasks at once are more than any ${NAMES[this.#level] ?? `group of level ${this.#level}`} has room for (${asked})`
  }

  /** The same for so many groups together, for each stage by itself. */
  admitsIn(groups: number, { stages }: JobSpec, asked: string): string | undefined {
    const lacking = stages.find((stage) => [...this.#empty.heldBy(stage)].sort((a, b) => b - a).slice(0, groups).reduce((sum, held) => sum + held, 0) < leastTasks(stage))
    return lacking && `its ${leastTasks(lacking)} tasks at once are more than any ${groups} racks have room for (${asked})`
  }

  /** The groups that hold what runs beside the job's master; `undefined` if it has no master or may be anywhere. */
  besideMaster(job: JobId, work: WorkView): ReadonlySet<number> | undefined {
    return this.#besideMaster.size === 0 ? undefined : this.#besideMaster.get(work.name(job))
  }

  /** Whether, as `noteMost` was told, no group has room now for so many tasks of a job of which nothing runs; many gangs may wait for the same. */
  lacksRoom(shape: ShapeId, tasks: number, round: Round): boolean {
    return tasks > (this.#mostIn(round)?.get(shape) ?? Infinity)
  }

  /** Notes that no group has room now for more than so many tasks of a shape. */
  noteMost(shape: ShapeId, tasks: number, round: Round): void {
    this.#mostIn(round)?.set(shape, tasks)
  }

  /** What was noted, as long as nothing has changed since; `undefined` if nodes are out of sight or kept from some jobs. */
  #mostIn({ cluster, nodes, bars }: Round): Map<ShapeId, number> | undefined {
    if (bars !== undefined || nodes.length < cluster.nodes || cluster.changeLog === undefined) return undefined
    if (cluster !== this.#seen || cluster.changeLog.count !== this.#changes) this.#most.clear()
    this.#seen = cluster
    this.#changes = cluster.changeLog.count
    return this.#most
  }

  /**
   * Sets `room` to 0 outside one group, and returns how much that group has. It is `taken`, the group that the job is in; otherwise, of the groups
   * that hold so many tasks, the one with the fewest nodes that have room; or, if none holds them, the one with the most room.
   */
  confine(room: Int32Array, wanted: number, job: JobId, round: Round, taken: number | undefined): number {
    const roomIn = this.#members.map((nodes) => nodes.reduce((sum, node) => sum + (room[node] as number), 0))
    const chosen = taken ?? this.#tightest(room, roomIn, wanted, job, round)
    for (let node = 0 as NodeId; node < room.length; node++) if (this.#cluster.group(this.#level, node) !== chosen) room[node] = 0
    return chosen === undefined ? 0 : (roomIn[chosen] as number)
  }

  #tightest(room: Int32Array, roomIn: readonly number[], wanted: number, job: JobId, round: Round): number | undefined {
    const mayBe = this.besideMaster(job, round.work)
    let best: Group | undefined
    for (const [id, nodes] of this.#members.entries()) {
      if (roomIn[id] === 0 || mayBe?.has(id) === false) continue
      const group = { id, room: roomIn[id] as number, nodes: nodes.reduce((count, node) => count + (room[node] === 0 ? 0 : 1), 0) }
      if (best === undefined || isTighter(group, best, wanted)) best = group
    }
    return best?.id
  }

  /**
   * The nodes for a gang of several stages, part by part, all in one group: of the allowed groups that hold all of it, the one with the fewest
   * nodes that have room for any of it. `undefined` if none holds it.
   */
  placesOfAll(parts: readonly TasksAtOnce[], cluster: ClusterView, mayBe: (group: number, nodes: readonly NodeId[]) => boolean): Packed | undefined {
    const groups = [...this.#members.entries()].filter(([group, nodes]) => mayBe(group, nodes))
    const packings = groups.map(([group, nodes]) => ({ group, nodes, packing: new Packing(parts, nodes, cluster, freeNow(cluster)) }))
    const roomy = packings.map((each) => ({ ...each, roomy: each.packing.roomy })).sort((a, b) => a.roomy - b.roomy || a.group - b.group)
    for (const { group, nodes, packing } of roomy) {
      const places = packing.places()
      if (places !== undefined) return { group, nodes, places }
    }
    return undefined
  }

  /** The groups that, when empty, hold each of these sets of stages. */
  #thatHold(all: readonly AtOnce[]): ReadonlySet<number> {
    return new Set([...this.#members.keys()].filter((group) => all.every((each) => this.#empty.holds(each, group))))
  }
}

const tasksOf = (stages: AtOnce): number => stages.reduce((sum, stage) => sum + leastTasks(stage), 0)

/** Whether a group suits so many tasks better than another: with fewer nodes, if both have room for all; otherwise with more room. */
function isTighter(group: Group, other: Group, tasks: number): boolean {
  return group.room >= tasks && other.room >= tasks ? group.nodes < other.nodes : group.room > other.room
}
