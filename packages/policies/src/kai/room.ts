import {
  None, runningTasks, type ClusterView, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type ShapeId, type TaskId, type WorkView,
} from '@sched/core'

/** Free amounts of a node: of each resource, and of each of its devices. */
interface Free {
  readonly amounts: number[]
  readonly devices: readonly number[][]
}

/** The place of a task: the node, and the devices that it would hold there, one bit each as in `devicesOf`. */
export interface Place {
  readonly node: NodeId
  readonly devices: number
}

/**
 * What would be free in a round if tasks that were evicted in its draft were in other places. As on real nodes, a share of a device goes to the device
 * with the least room that is enough, and whole devices are the lowest free ones.
 */
export class Room {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #nodes: readonly NodeId[]
  readonly #lane: LaneId
  readonly #resources: readonly ResourceId[]
  /** By node on which something was put. */
  readonly #free = new Map<NodeId, Free>()
  /** By job whose tasks must be on different nodes: the nodes that they are on. */
  readonly #apart = new Map<JobId, Set<NodeId>>()

  constructor({ cluster, work, nodes, lane }: Round) {
    this.#cluster = cluster
    this.#work = work
    this.#nodes = nodes
    this.#lane = lane
    this.#resources = cluster.lanes[lane]?.resources ?? []
  }

  /**
   * Puts a task on the node with room for it that has the least free, by the resource of which the task asks for the largest part of the cluster. Ties: the
   * lowest node. `undefined` if no node has room.
   */
  put(job: JobId, shape: ShapeId): Place | undefined {
    const r = this.#dominant(shape)
    let best: NodeId | None = None
    let least = Infinity
    for (const node of this.#nodes) {
      const free = this.#free.get(node)?.amounts[r] ?? this.#cluster.free(node, r)
      if (free >= least || !this.#fits(job, shape, node)) continue
      best = node
      least = free
    }
    return best === None ? undefined : { node: best, devices: this.#take(job, shape, best, 0) }
  }

  /** Puts a task on a given node; `undefined` if it does not fit there. */
  putOn(job: JobId, shape: ShapeId, node: NodeId): Place | undefined {
    return this.#fits(job, shape, node) ? { node, devices: this.#take(job, shape, node, 0) } : undefined
  }

  /** Puts an evicted task back where it was. */
  putBack(task: TaskId): void {
    this.#take(this.#work.jobOf(task), this.#work.shapeOf(task), this.#work.nodeOf(task) as NodeId, this.#work.devicesOf(task))
  }

  /** Whether the task is at this place already: on the same node and, with shares of a device, on the same device. */
  isWhere(task: TaskId, { node, devices }: Place): boolean {
    if (this.#work.nodeOf(task) !== node) return false
    const shape = this.#work.shapeOf(task)
    const hasShare = this.#resources.some((r) => this.#work.demand(shape, r) % (this.#cluster.deviceSize(r) || 1) !== 0)
    return !hasShare || this.#work.devicesOf(task) === devices
  }

  #dominant(shape: ShapeId): ResourceId {
    let dominant = this.#resources[0] as ResourceId
    let largest = -1
    for (const r of this.#resources) {
      const part = this.#work.demand(shape, r) / this.#cluster.capacity(r)
      if (!(part > largest)) continue
      dominant = r
      largest = part
    }
    return dominant
  }

  #fits(job: JobId, shape: ShapeId, node: NodeId): boolean {
    const [cluster, work] = [this.#cluster, this.#work]
    if (!cluster.up(node) || !work.mayRunOn(shape, node)) return false
    const known = this.#free.get(node)
    for (const r of this.#resources) {
      const amount = work.demand(shape, r)
      if (amount === 0) continue
      if (amount > (known?.amounts[r] ?? cluster.free(node, r))) return false
      const size = cluster.deviceSize(r)
      if (size > 0 && choose((known ?? this.#freeOn(node)).devices[r] as number[], size, amount) === undefined) return false
    }
    return !work.isDistinct(shape) || !this.#nodesOf(job, shape).has(node)
  }

  /** Takes the amounts of a task on a node. `devices`: the devices that it takes; 0: those that the node would choose. Returns the devices. */
  #take(job: JobId, shape: ShapeId, node: NodeId, devices: number): number {
    const [cluster, work] = [this.#cluster, this.#work]
    const free = this.#freeOn(node)
    let taken = 0
    let first = 0
    for (const r of cluster.resources.keys() as Iterable<ResourceId>) {
      const amount = work.demand(shape, r)
      const each = free.devices[r] as number[]
      free.amounts[r] = (free.amounts[r] as number) - amount
      if (amount > 0 && each.length > 0) {
        const size = cluster.deviceSize(r)
        const chosen = devices === 0 ? (choose(each, size, amount) ?? []) : each.flatMap((_, i) => (((devices >> (first + i)) & 1) === 1 ? [i] : []))
        for (const i of chosen) {
          each[i] = (each[i] as number) - Math.min(size, amount)
          taken |= 1 << (first + i)
        }
      }
      first += each.length
    }
    if (work.isDistinct(shape)) this.#nodesOf(job, shape).add(node)
    return taken
  }

  #freeOn(node: NodeId): Free {
    const known = this.#free.get(node)
    if (known !== undefined) return known
    const cluster = this.#cluster
    const resources = [...cluster.resources.keys()] as ResourceId[]
    const free: Free = {
      amounts: resources.map((r) => cluster.free(node, r)),
      devices: resources.map((r) => Array.from({ length: cluster.devices(node, r) }, (_, i) => cluster.deviceFree(node, r, i))),
    }
    this.#free.set(node, free)
    return free
  }

  #nodesOf(job: JobId, shape: ShapeId): Set<NodeId> {
    const known = this.#apart.get(job)
    if (known !== undefined) return known
    const nodes = new Set(runningTasks(job, this.#lane, this.#work).filter((task) => this.#work.shapeOf(task) === shape).map((task) => this.#work.nodeOf(task) as NodeId))
    this.#apart.set(job, nodes)
    return nodes
  }
}

/** The devices that a task takes, given what is free on each; `undefined` if there are not enough. */
function choose(free: readonly number[], size: number, amount: number): readonly number[] | undefined {
  if (amount > size) {
    const whole = free.flatMap((each, i) => (each === size ? [i] : [])).slice(0, amount / size)
    return whole.length * size >= amount ? whole : undefined
  }
  let best = -1
  for (const [i, each] of free.entries()) if (each >= amount && (best < 0 || each < (free[best] as number))) best = i
  return best < 0 ? undefined : [best]
}
