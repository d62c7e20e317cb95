import { ownValue, type ClusterView, type HardwareView, type NodeId, type ResourceId } from '@sched/core'
import type { NodeGroup } from './description.js'

/** The real hardware of the nodes, in columns `[kind * nodes + node]`. */
export interface Hardware {
  /** Names of the kinds, in order of first mention. */
  readonly kinds: readonly string[]
  /** Amount on the node; `Infinity` where its description does not say. */
  readonly amounts: Float64Array
  /** Relative speed of this kind on the node, 1 = nominal. */
  readonly speeds: Float64Array
}

export function hardwareOf(groups: readonly NodeGroup[], nodes: number): Hardware {
  const kinds = [...new Set(groups.flatMap((group) => Object.keys(group.hardware ?? {})))]
  const amounts = new Float64Array(kinds.length * nodes).fill(Infinity)
  const speeds = new Float64Array(kinds.length * nodes).fill(1)
  for (const [k, kind] of kinds.entries()) {
    let node = k * nodes
    for (const { count, hardware, speeds: given } of groups) {
      amounts.fill(ownValue(hardware, kind) ?? Infinity, node, node + count)
      speeds.fill(ownValue(given, kind) ?? 1, node, node + count)
      node += count
    }
  }
  return { kinds, amounts, speeds }
}

/** Amount of each kind that tasks use, `[kind * nodes + node]`, and the number of working tasks on each node. Written by the runtime model. */
export class HardwareUse {
  /** How much of a kind the tasks on a node use now. */
  readonly use: Float64Array
  /** Number of tasks on a node that are at work now. */
  readonly runnable: Int32Array
  /** Whether a runtime model writes the use. */
  isMeasured = false

  constructor({ kinds }: Hardware, nodes: number) {
    this.use = new Float64Array(kinds.length * nodes)
    this.runnable = new Int32Array(nodes)
  }
}

/** The hardware of a cell's nodes as schedulers see it: measured if a runtime model writes it, otherwise by what is claimed. */
export class NodeHardware implements HardwareView {
  readonly #cell: ClusterView
  readonly #hardware: Hardware
  readonly #use: HardwareUse
  readonly #claims: Int32Array
  readonly #nodes: number

  /** `claims`: number of tasks with claims on each node, kept by the cell. */
  constructor(cell: ClusterView, hardware: Hardware, use: HardwareUse, claims: Int32Array) {
    this.#cell = cell
    this.#hardware = hardware
    this.#use = use
    this.#claims = claims
    this.#nodes = cell.nodes
  }

  get isMeasured(): boolean {
    return this.#use.isMeasured
  }

  get kinds(): readonly string[] {
    return this.isMeasured ? this.#hardware.kinds : this.#cell.resources
  }

  amount(node: NodeId, kind: number): number {
    return this.isMeasured ? (this.#hardware.amounts[kind * this.#nodes + node] as number) : this.#cell.total(node, kind as ResourceId)
  }

  speed(node: NodeId, kind: number): number {
    return this.isMeasured ? (this.#hardware.speeds[kind * this.#nodes + node] as number) : this.#cell.speed(node)
  }

  use(node: NodeId, kind: number): number {
    if (this.isMeasured) return this.#use.use[kind * this.#nodes + node] as number
    return this.#cell.total(node, kind as ResourceId) - this.#cell.free(node, kind as ResourceId)
  }

  runnable(node: NodeId): number {
    return (this.isMeasured ? this.#use.runnable : this.#claims)[node] as number
  }
}
