import type { ClusterView, JobSpec, NodeId, ResourceId, ShapeId, StageSpec, WorkView } from '@sched/core'
import { strandedOn } from './fragment.js'

/** A kind of task with what is stranded for it. */
interface Kind {
  tasks: number
  readonly amount: number
  readonly others: readonly (readonly [resource: number, amount: number])[]
  /** By node, where labels decide. */
  readonly allowed: Uint8Array | undefined
  /** By node, and in all. */
  readonly stranded: Int32Array
  total: number
}

/** Kinds beyond these are rare, and left out of the measure. */
const MOST_KINDS = 512

/** The fragments of one resource that comes in devices, kept current as tasks start and end; a task costs the number of kinds. */
export class DeviceFragments {
  readonly size: number
  /** What is free on the devices of the cluster. */
  free = 0
  /** Tasks submitted, and those of the kinds that are measured. */
  tasks = 0
  counted = 0
  readonly #kinds = new Map<string, Kind>()
  /** Sum over kinds of their tasks times what is stranded for them. */
  #weighted = 0
  /** By device, those of node `n` from `starts[n]` to `starts[n + 1]`. */
  readonly #devices: Int32Array
  readonly #starts: Int32Array
  /** Bits of a task's devices that come before those of this resource, by node. */
  readonly #firstBit: Int32Array

  constructor(
    readonly resource: ResourceId,
    private readonly cluster: ClusterView,
    private readonly work: WorkView,
    /** What is free of all resources, `[resource * nodes + node]`. */
    private readonly amounts: Int32Array,
  ) {
    this.size = cluster.deviceSize(resource)
    this.#starts = new Int32Array(cluster.nodes + 1)
    this.#firstBit = new Int32Array(cluster.nodes)
    for (let node = 0 as NodeId; node < cluster.nodes; node++) {
      this.#starts[node + 1] = (this.#starts[node] as number) + cluster.devices(node, resource)
      for (let r = 0 as ResourceId; r < resource; r++) this.#firstBit[node] = (this.#firstBit[node] as number) + cluster.devices(node, r)
    }
    this.#devices = new Int32Array(this.#starts[cluster.nodes] as number)
    for (let node = 0 as NodeId; node < cluster.nodes; node++)
      for (let at = this.#starts[node] as number; at < (this.#starts[node + 1] as number); at++) this.#devices[at] = cluster.deviceFree(node, resource, at - (this.#starts[node] as number))
    this.free = this.#devices.reduce((sum, each) => sum + each, 0)
  }

  /** What a task drawn from those submitted so far is expected to find of no use; 0 before the first. */
  get expected(): number {
    return this.counted === 0 ? 0 : this.#weighted / this.counted
  }

  get kinds(): number {
    return this.#kinds.size
  }

  submit({ stages }: JobSpec): void {
    for (const stage of stages) {
      this.tasks += stage.tasks
      const kind = this.#kindOf(stage)
      if (kind === undefined) continue
      kind.tasks += stage.tasks
      this.counted += stage.tasks
      this.#weighted += stage.tasks * kind.total
    }
  }

  /** The task has taken the devices (sign -1), or gives them back (1); `amounts` has changed already. */
  move(shape: ShapeId, node: NodeId, devices: number, sign: 1 | -1): void {
    const [from, to] = [this.#starts[node] as number, this.#starts[node + 1] as number]
    if (from === to) return
    const amount = this.work.demand(shape, this.resource)
    const each = sign * Math.min(amount, this.size)
    const held = (devices >>> (this.#firstBit[node] as number)) & ((1 << (to - from)) - 1)
    for (let left = amount === 0 ? 0 : held; left !== 0; left &= left - 1) {
      const at = from + 31 - Math.clz32(left & -left)
      this.#devices[at] = (this.#devices[at] as number) + each
      this.free += each
    }
    for (const kind of this.#kinds.values()) this.#weighted += kind.tasks * this.#measure(kind, node)
  }

  /** Measures a node anew for a kind, and returns by how much it has changed. */
  #measure(kind: Kind, node: number): number {
    const now = strandedOn(this.#devices, this.#starts[node] as number, this.#starts[node + 1] as number, this.size, kind.amount, this.#isRoom(kind, node))
    const change = now - (kind.stranded[node] as number)
    kind.stranded[node] = now
    kind.total += change
    return change
  }

  #isRoom({ others, allowed }: Kind, node: number): boolean {
    if (allowed !== undefined && allowed[node] === 0) return false
    for (const [resource, amount] of others) if ((this.amounts[resource * this.cluster.nodes + node] as number) < amount) return false
    return true
  }

  #kindOf({ demand, constraints: { require = {} } = {} }: StageSpec): Kind | undefined {
    const key = JSON.stringify([demand, require])
    const known = this.#kinds.get(key)
    if (known !== undefined || this.#kinds.size === MOST_KINDS) return known
    const { nodes, resources } = this.cluster
    const own = resources[this.resource] as string
    const others = Object.entries(demand).filter(([name, amount]) => name !== own && amount > 0).map(([name, amount]) => [resources.indexOf(name), amount] as const)
    const kind: Kind = { tasks: 0, amount: demand[own] ?? 0, others, allowed: this.#allowed(require), stranded: new Int32Array(nodes), total: 0 }
    for (let node = 0; node < nodes; node++) this.#measure(kind, node)
    this.#kinds.set(key, kind)
    return kind
  }

  #allowed(require: Readonly<Record<string, string | readonly string[]>>): Uint8Array | undefined {
    const rules = Object.entries(require)
    if (rules.length === 0) return undefined
    const isAllowed = (node: number) => rules.every(([label, values]) => [values].flat().includes(this.cluster.label(node as NodeId, label) ?? ''))
    return Uint8Array.from({ length: this.cluster.nodes }, (_, node) => Number(isAllowed(node)))
  }
}
