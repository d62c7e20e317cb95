import { lowestBit, ownValue, type ClusterView, type Constraints, type Demand, type JobSpec, type NodeId, type ResourceId, type ShapeId, type StageSpec, type WorkView } from '@sched/core'
import { strandedOn } from './fragment.js'

/** Most kinds of tasks that are measured; further kinds are rare, and left out. */
const MOST_KINDS = 512

/**
 * The fragments of one resource that comes in devices, updated as tasks start and end: each start or end measures its node again, for every kind of
 * task. Kinds are numbered in order of appearance; the stranded amounts of a node lie side by side.
 */
export class DeviceFragments {
  readonly size: number
  /** Amount free on all devices of the cluster. */
  free = 0
  /** Tasks submitted, and those of measured kinds. */
  tasks = 0
  counted = 0
  kinds = 0
  readonly #ids = new Map<string, number>()
  /** Kinds of stages without constraints, by their demand object: jobs with the same demand often share one. */
  readonly #byDemand = new WeakMap<Demand, number>()
  /** By kind: number of its tasks; what is stranded for it in the cluster; index of its demand in `#asked`; the nodes that its constraints allow. */
  readonly #tasksOf = new Float64Array(MOST_KINDS)
  readonly #total = new Float64Array(MOST_KINDS)
  readonly #askedBy = new Int32Array(MOST_KINDS)
  readonly #allowed: (Uint8Array | undefined)[] = []
  /** By kind and resource: its demand of the other resources. */
  readonly #others: Int32Array
  /** The distinct amounts asked for, and what is stranded for each on the node that is being measured. */
  readonly #asked: number[] = []
  readonly #strandedFor: number[] = []
  /** What is stranded on a node for a kind, `[node * width + kind]`. */
  #stranded: Int32Array
  #width = 32
  /** Sum over kinds of their number of tasks times what is stranded for them. */
  #weighted = 0
  /** Free amount by device; the devices of node `n` are at `starts[n]` to `starts[n + 1] - 1`. */
  readonly #devices: Int32Array
  readonly #starts: Int32Array
  /** By node: number of its devices that come before those of this resource. */
  readonly #firstBit: Int32Array

  constructor(
    readonly resource: ResourceId,
    private readonly cluster: ClusterView,
    private readonly work: WorkView,
    /** Free amount of all resources, `[resource * nodes + node]`. */
    private readonly amounts: Int32Array,
  ) {
    const { nodes, resources } = cluster
    this.size = cluster.deviceSize(resource)
    this.#others = new Int32Array(MOST_KINDS * resources.length)
    this.#stranded = new Int32Array(nodes * this.#width)
    this.#starts = new Int32Array(nodes + 1)
    this.#firstBit = new Int32Array(nodes)
    for (let node = 0 as NodeId; node < nodes; node++) {
      this.#starts[node + 1] = (this.#starts[node] as number) + cluster.devices(node, resource)
      for (let r = 0 as ResourceId; r < resource; r++) this.#firstBit[node] = (this.#firstBit[node] as number) + cluster.devices(node, r)
    }
    this.#devices = new Int32Array(this.#starts[nodes] as number)
    for (let node = 0 as NodeId; node < nodes; node++)
      for (let at = this.#starts[node] as number; at < (this.#starts[node + 1] as number); at++)
        this.#devices[at] = cluster.deviceFree(node, resource, at - (this.#starts[node] as number))
    this.free = this.#devices.reduce((sum, each) => sum + each, 0)
  }

  /** Expected amount that is of no use to a task drawn from those submitted so far; 0 before the first. */
  get expected(): number {
    return this.counted === 0 ? 0 : this.#weighted / this.counted
  }

  submit({ stages }: JobSpec): void {
    for (const stage of stages) {
      this.tasks += stage.tasks
      const kind = this.#kindOf(stage)
      if (kind < 0) continue
      this.#tasksOf[kind] = (this.#tasksOf[kind] as number) + stage.tasks
      this.counted += stage.tasks
      this.#weighted += stage.tasks * (this.#total[kind] as number)
    }
  }

  /** A task has taken devices (sign -1) or gives them back (1); `amounts` has been updated already. */
  move(shape: ShapeId, node: NodeId, devices: number, sign: 1 | -1): void {
    const [from, to] = [this.#starts[node] as number, this.#starts[node + 1] as number]
    if (from === to) return
    const amount = this.work.demand(shape, this.resource)
    const each = sign * Math.min(amount, this.size)
    const held = (devices >>> (this.#firstBit[node] as number)) & ((1 << (to - from)) - 1)
    for (let left = amount === 0 ? 0 : held; left !== 0; left &= left - 1) {
      const at = from + lowestBit(left)
      this.#devices[at] = (this.#devices[at] as number) + each
      this.free += each
    }
    for (let a = 0; a < this.#asked.length; a++) this.#strandedFor[a] = this.#strandedOn(node, this.#asked[a] as number, true)
    this.#measure(node, 0, this.kinds)
  }

  /** Measures a node again for kinds `first` to `end - 1`, whose amounts must be up to date in `#strandedFor`. */
  #measure(node: number, first: number, end: number): void {
    const all = this.#strandedOn(node, 0, false)
    const stranded = this.#stranded
    const base = node * this.#width
    for (let kind = first; kind < end; kind++) {
      const now = this.#isRoom(kind, node) ? (this.#strandedFor[this.#askedBy[kind] as number] as number) : all
      const change = now - (stranded[base + kind] as number)
      if (change === 0) continue
      stranded[base + kind] = now
      this.#total[kind] = (this.#total[kind] as number) + change
      this.#weighted += change * (this.#tasksOf[kind] as number)
    }
  }

  #strandedOn(node: number, amount: number, isRoom: boolean): number {
    return strandedOn(this.#devices, this.#starts[node] as number, this.#starts[node + 1] as number, this.size, amount, isRoom)
  }

  #isRoom(kind: number, node: number): boolean {
    const allowed = this.#allowed[kind]
    if (allowed !== undefined && allowed[node] === 0) return false
    const { amounts } = this
    const { nodes, resources } = this.cluster
    const from = kind * resources.length
    for (let r = 0; r < resources.length; r++) if ((amounts[r * nodes + node] as number) < (this.#others[from + r] as number)) return false
    return true
  }

  #kindOf(stage: StageSpec): number {
    if (stage.constraints !== undefined) return this.#intern(stage)
    const known = this.#byDemand.get(stage.demand) ?? this.#intern(stage)
    this.#byDemand.set(stage.demand, known)
    return known
  }

  /** The number of the stage's kind, -1 if there are too many kinds. */
  #intern({ demand, constraints: { distinctNodes: _, ...constraints } = {} }: StageSpec): number {
    const key = JSON.stringify([demand, constraints])
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    if (this.kinds === MOST_KINDS) return -1
    const kind = this.kinds++
    this.#ids.set(key, kind)
    this.#note(kind, demand)
    this.#allowed[kind] = this.#allow(constraints)
    if (kind === this.#width) this.#widen()
    const asked = this.#askedBy[kind] as number
    for (let node = 0; node < this.cluster.nodes; node++) {
      if (this.#starts[node] === this.#starts[node + 1]) continue
      this.#strandedFor[asked] = this.#strandedOn(node, this.#asked[asked] as number, true)
      this.#measure(node, kind, kind + 1)
    }
    return kind
  }

  #note(kind: number, demand: Demand): void {
    const { resources } = this.cluster
    for (const [r, name] of resources.entries()) if (r !== (this.resource as number)) this.#others[kind * resources.length + r] = ownValue(demand, name) ?? 0
    const amount = ownValue(demand, resources[this.resource] as string) ?? 0
    const asked = this.#asked.indexOf(amount)
    this.#askedBy[kind] = asked >= 0 ? asked : this.#asked.push(amount) - 1
  }

  #widen(): void {
    const [old, width] = [this.#stranded, this.#width]
    this.#width = 2 * width
    this.#stranded = new Int32Array(2 * old.length)
    for (let node = 0; node < this.cluster.nodes; node++) this.#stranded.set(old.subarray(node * width, (node + 1) * width), node * this.#width)
  }

  /** By node: 1 if such tasks may run there; `undefined`: they may run anywhere. */
  #allow(constraints: Constraints): Uint8Array | undefined {
    const allowed = Uint8Array.from({ length: this.cluster.nodes }, (_, node) => Number(this.cluster.keepsOff(constraints, node as NodeId) === undefined))
    return allowed.includes(0) ? allowed : undefined
  }
}
