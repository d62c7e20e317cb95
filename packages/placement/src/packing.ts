import type { ClusterView, NodeId, ResourceId } from '@sched/core'

/** Tasks that ask for the same amounts and are to run at the same time as others. */
export interface TasksAtOnce {
  readonly tasks: number
  /** What each task asks for of a resource. */
  readonly demand: (resource: ResourceId) => number
  /** How many of them a node could take if there were no others. */
  readonly most: (node: NodeId) => number
  /** Whether no two of these tasks, nor of others of which this is true, may be on one node. */
  readonly isDistinct: boolean
}

/** The amounts that nodes offer: those free now, or those of empty nodes. */
export interface Amounts {
  amount(node: NodeId, resource: ResourceId): number
  /** The amount on one device of a resource that comes in devices. */
  device(node: NodeId, resource: ResourceId, index: number): number
}

/** What is free now. */
export const freeNow = (cluster: ClusterView): Amounts => ({
  amount: (node, r) => cluster.free(node, r),
  device: (node, r, index) => cluster.deviceFree(node, r, index),
})

/** What empty nodes have. */
export const whenEmpty = (cluster: ClusterView): Amounts => ({ amount: (node, r) => cluster.total(node, r), device: (_, r) => cluster.deviceSize(r) })

/** The most looks at a node in one search; if a search needs more, the rack counts as one without room. */
const MOST_LOOKS = 10_000

/**
 * Packs tasks that ask for different amounts on a few nodes, such as those of a rack: finds nodes that hold all of them. Devices are taken as a node
 * gives them, task by task in the order of the parts.
 */
export class Packing {
  readonly #parts: readonly TasksAtOnce[]
  readonly #nodes: readonly NodeId[]
  readonly #cluster: ClusterView
  readonly #amounts: Amounts
  readonly #asked: readonly Float64Array[]
  /** The resources that any part asks for. */
  readonly #resources: readonly ResourceId[]
  /** `[node][part]`: tasks placed there. */
  readonly #taken: Int32Array[]
  /** `[part][node]`: how many of its tasks the nodes from this one on could take if there were no others. */
  readonly #behind: readonly Float64Array[]
  /** `[resource asked for][node]`: what the nodes from this one on have of it. */
  readonly #amountsBehind: readonly Float64Array[]
  /** Keys of a node and what is left of each part at it, for which a search was in vain. */
  readonly #vain = new Set<string>()
  #looks = 0

  constructor(parts: readonly TasksAtOnce[], nodes: readonly NodeId[], cluster: ClusterView, amounts: Amounts) {
    this.#parts = parts
    this.#nodes = nodes
    this.#cluster = cluster
    this.#amounts = amounts
    const resources = cluster.resources.map((_, r) => r as ResourceId)
    this.#asked = parts.map(({ demand }) => Float64Array.from(resources, demand))
    this.#resources = resources.filter((r) => this.#asked.some((asked) => (asked[r] as number) > 0))
    this.#taken = nodes.map(() => new Int32Array(parts.length))
    this.#behind = parts.map((_, p) => fromEach(nodes, (i) => this.room(p, i)))
    this.#amountsBehind = this.#resources.map((r) => fromEach(nodes, (i) => amounts.amount(nodes[i] as NodeId, r)))
  }

  /** The number of nodes with room for a task of any part. */
  get roomy(): number {
    return this.#nodes.reduce((count, _, i) => count + (this.#parts.some((_part, p) => this.room(p, i) > 0) ? 1 : 0), 0)
  }

  /** How many more tasks of a part a node could take beside those placed there. */
  room(part: number, at: number): number {
    const taken = this.#taken[at] as Int32Array
    const { tasks, isDistinct, most } = this.#parts[part] as TasksAtOnce
    if (isDistinct && this.#parts.some((other, p) => other.isDistinct && (taken[p] as number) > 0)) return 0
    const node = this.#nodes[at] as NodeId
    const before = taken[part] as number
    let room = Math.min(tasks, most(node)) - before
    for (const r of this.#resources) {
      const each = this.#asked[part]?.[r] as number
      if (each > 0 && this.#cluster.deviceSize(r) === 0) room = Math.min(room, Math.floor((this.#amounts.amount(node, r) - this.#takenOf(at, r)) / each))
    }
    for (; room > 0; room--) {
      taken[part] = before + room
      const fits = this.#devicesFit(at)
      taken[part] = before
      if (fits) return room
    }
    return 0
  }

  /** What is left of a node beside what was taken there. */
  left(at: number): Amounts {
    const node = this.#nodes[at] as NodeId
    const devices = this.#cluster.resources.map((_, r) => this.#devicesLeft(at, r as ResourceId))
    return {
      amount: (_, r) => this.#amounts.amount(node, r) - (this.#resources.includes(r) ? this.#takenOf(at, r) : 0),
      device: (_, r, index) => devices[r]?.[index] ?? 0,
    }
  }

  /** Takes room on a node for so many more tasks of a part, at most `room`. */
  take(part: number, at: number, tasks: number): void {
    const taken = this.#taken[at] as Int32Array
    taken[part] = (taken[part] as number) + tasks
  }

  /**
   * The places of all tasks, by node and then by part; `undefined` if they do not fit. It first puts each task on the lowest node with room. If
   * that fails, it searches: on each node it tries every combination that leaves no room there, beginning with the most tasks of the first part.
   */
  all(): readonly Int32Array[] | undefined {
    if (this.#lacks(0, this.#parts.map(({ tasks }) => tasks))) return undefined
    if (this.#byNode()) return this.#taken
    this.clear()
    return this.#search(0, this.#parts.map(({ tasks }) => tasks)) ? this.#taken : undefined
  }

  /** The same as a list: the nodes of all tasks, part by part. */
  places(): NodeId[] | undefined {
    const counts = this.all()
    return counts && this.#parts.flatMap((_, p) => this.#nodes.flatMap((node, i) => Array<NodeId>(counts[i]?.[p] as number).fill(node)))
  }

  /** Gives back everything that was taken. */
  clear(): void {
    for (const taken of this.#taken) taken.fill(0)
  }

  #byNode(): boolean {
    return this.#parts.every(({ tasks }, p) => {
      let left = tasks
      for (let i = 0; i < this.#nodes.length && left > 0; i++) {
        const here = Math.min(left, this.room(p, i))
        this.take(p, i, here)
        left -= here
      }
      return left === 0
    })
  }

  #search(at: number, left: readonly number[]): boolean {
    if (left.every((tasks) => tasks === 0)) return true
    if (this.#lacks(at, left) || this.#looks++ > MOST_LOOKS) return false
    const state = `${at} ${left.join(' ')}`
    if (this.#vain.has(state)) return false
    const isFound = this.#tryOn(at, 0, left)
    if (!isFound) this.#vain.add(state)
    return isFound
  }

  /** Tries on a node every combination of tasks of this part and those after it that leaves no room for another task. */
  #tryOn(at: number, part: number, left: readonly number[]): boolean {
    const taken = this.#taken[at] as Int32Array
    if (part === this.#parts.length) {
      const isFull = left.every((tasks, p) => tasks === taken[p] || this.room(p, at) === 0)
      return isFull && this.#search(at + 1, left.map((tasks, p) => tasks - (taken[p] as number)))
    }
    for (let here = Math.min(left[part] as number, this.room(part, at)); here >= 0; here--) {
      taken[part] = here
      if (this.#tryOn(at, part + 1, left)) return true
      taken[part] = 0
    }
    return false
  }

  /** Whether the nodes from this one on obviously have too little for what is left of each part. */
  #lacks(at: number, left: readonly number[]): boolean {
    if (left.some((tasks, p) => tasks > (this.#behind[p]?.[at] as number))) return true
    return this.#resources.some((r, i) => left.reduce((sum, tasks, p) => sum + tasks * (this.#asked[p]?.[r] as number), 0) > (this.#amountsBehind[i]?.[at] as number))
  }

  #takenOf(at: number, r: ResourceId): number {
    return this.#asked.reduce((sum, asked, p) => sum + (asked[r] as number) * (this.#taken[at]?.[p] as number), 0)
  }

  #devicesFit(at: number): boolean {
    return this.#resources.every((r) => this.#devicesLeft(at, r) !== undefined)
  }

  /** What is left of each device of a node; `undefined` if there are not enough. */
  #devicesLeft(at: number, r: ResourceId): readonly number[] | undefined {
    const node = this.#nodes[at] as NodeId
    const size = this.#cluster.deviceSize(r)
    const free = size === 0 ? [] : Array.from({ length: this.#cluster.devices(node, r) }, (_, index) => this.#amounts.device(node, r, index))
    const isEnough = size === 0 || this.#asked.every((asked, p) => {
      for (let left = this.#taken[at]?.[p] as number; left > 0; left--) if (!takeDevices(free, asked[r] as number, size)) return false
      return true
    })
    return isEnough ? free : undefined
  }
}

/** By index: the sum of the amounts from there on; 0 behind the last. */
function fromEach(nodes: readonly NodeId[], amount: (at: number) => number): Float64Array {
  const sums = new Float64Array(nodes.length + 1)
  for (let at = nodes.length - 1; at >= 0; at--) sums[at] = (sums[at + 1] as number) + amount(at)
  return sums
}

/** Takes a share of the device with the least room that is enough, or whole devices, as nodes give them; false if there are not enough. */
function takeDevices(free: number[], amount: number, size: number): boolean {
  for (let left = amount; left > 0; left -= Math.min(size, amount)) {
    const each = Math.min(size, amount)
    const best = free.reduce((least, here, index) => (here >= each && (least < 0 || here < (free[least] as number)) ? index : least), -1)
    if (best < 0) return false
    free[best] = (free[best] as number) - each
  }
  return true
}
