import { None, type ClusterView, type Constraints, type Lane, type LaneId, type NodeId, type ResourceId, type ShapeId, type StageSpec } from '@sched/core'

const NODE = 0 as ResourceId
const LANE: readonly Lane[] = [{ name: 'nodes', resources: [NODE] }]

/** The machine as seen by a resource manager that allocates whole nodes: every node has one unit of the resource `node`. */
export class WholeNodes implements ClusterView {
  readonly nodes: number
  readonly resources = ['node']
  readonly lanes = LANE
  readonly levels: number
  readonly heartbeat = 0
  readonly #cluster: ClusterView
  readonly #isTaken: Uint8Array
  readonly #versions: Int32Array

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
    this.nodes = cluster.nodes
    this.levels = cluster.levels
    this.#isTaken = new Uint8Array(cluster.nodes)
    this.#versions = new Int32Array(cluster.nodes)
  }

  /** Whether no virtual cluster has the node, it is up, and nothing else runs there. */
  isFree(node: NodeId): boolean {
    return this.#isTaken[node] === 0 && this.#cluster.up(node) && this.#isEmpty(node)
  }

  #isEmpty(node: NodeId): boolean {
    const { resources } = this.#cluster
    for (let r = 0 as ResourceId; r < resources.length; r++) if (this.#cluster.free(node, r) !== this.#cluster.total(node, r)) return false
    return true
  }

  /** Whether something that belongs to no virtual cluster runs on any node. */
  hasForeign(): boolean {
    for (let node = 0 as NodeId; node < this.nodes; node++) if (this.#isTaken[node] === 0 && !this.#isEmpty(node)) return true
    return false
  }

  take(node: NodeId): void {
    this.#isTaken[node] = 1
  }

  give(node: NodeId): void {
    this.#isTaken[node] = 0
  }

  /** Counts a committed claim on the node. */
  count(node: NodeId): void {
    this.#versions[node] = this.version(node) + 1
  }

  /** Hardware of the machine. */
  get hardware() {
    return this.#cluster.hardware
  }

  free(node: NodeId): number {
    return this.isFree(node) ? 1 : 0
  }
  total(): number {
    return 1
  }
  capacity(): number {
    let up = 0
    for (let node = 0 as NodeId; node < this.nodes; node++) if (this.up(node)) up++
    return up
  }
  hasRoom(_lane: LaneId, node: NodeId): boolean {
    return this.isFree(node)
  }
  nextWithRoom(_lane: LaneId, from: number): NodeId | None {
    for (let node = from as NodeId; node < this.nodes; node++) if (this.isFree(node)) return node
    return None
  }
  version(node: NodeId): number {
    return this.#versions[node] as number
  }

  group(level: number, node: NodeId): number {
    return this.#cluster.group(level, node)
  }
  groups(level: number): number {
    return this.#cluster.groups(level)
  }
  groupName(level: number, group: number): string {
    return this.#cluster.groupName(level, group)
  }
  speed(node: NodeId): number {
    return this.#cluster.speed(node)
  }
  up(node: NodeId): boolean {
    return this.#cluster.up(node)
  }
  name(node: NodeId): string {
    return this.#cluster.name(node)
  }
  deviceSize(): number {
    return 0
  }
  devices(): number {
    return 0
  }
  deviceFree(): number {
    return 0
  }
  couldTake(_shape: ShapeId, node: NodeId): number {
    return this.free(node)
  }
  couldHold(): number {
    return 1
  }
  couldStart(_stage: StageSpec, node: NodeId): number {
    return this.free(node)
  }
  get hasSoftTaints(): boolean {
    return this.#cluster.hasSoftTaints
  }
  get labels(): readonly string[] {
    return this.#cluster.labels
  }
  label(node: NodeId, key: string): string | undefined {
    return this.#cluster.label(node, key)
  }
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined {
    return this.#cluster.keepsOff(constraints, node)
  }
}
