import type { NodeId, ScaledGroup, Seconds } from '@sched/core'

type State = 'off' | 'coming' | 'up'

/** Which nodes of a cluster are up, which are on their way, and how many each group has of both. */
export class ScaledNodes {
  /** Nodes that are up. */
  up: number
  /** Nodes on their way, in the order in which they come up. */
  readonly coming: { readonly node: NodeId; readonly time: Seconds }[] = []
  readonly #groups: readonly ScaledGroup[]
  /** By node of the cluster; a node of no group is always up. */
  readonly #states: State[]
  /** By group: nodes that are up or on their way. */
  readonly #sizes: number[]

  constructor(nodes: number, groups: readonly ScaledGroup[]) {
    this.#groups = groups
    this.#states = Array.from({ length: nodes }, () => 'up')
    this.#sizes = groups.map(({ initial }) => initial)
    this.up = nodes
    for (const { first, count, initial } of groups)
      for (let node = first + initial; node < first + count; node++) {
        this.#states[node] = 'off'
        this.up--
      }
  }

  /** Nodes that are neither up nor on their way. */
  get off(): number {
    return this.#states.length - this.up - this.coming.length
  }

  isUp(node: number): node is NodeId {
    return this.#states[node] === 'up'
  }

  /** Nodes of a group, by its index, that are up or on their way. */
  sizeOf(group: number): number {
    return this.#sizes[group] as number
  }

  /** Whether a group has more nodes than its fewest. */
  mayShrink(group: number): boolean {
    return this.sizeOf(group) > (this.#groups[group] as ScaledGroup).min
  }

  /** The index of the group that a node is of. */
  groupOf(node: NodeId): number {
    return this.#groups.findIndex(({ first, count }) => node >= first && node < first + count)
  }

  /** The nodes that are up, of a group by its index, or of the cluster. */
  upOf(group?: number): NodeId[] {
    const { first, count } = group === undefined ? { first: 0, count: this.#states.length } : (this.#groups[group] as ScaledGroup)
    const nodes: NodeId[] = []
    for (let node = first; node < first + count; node++) if (this.isUp(node)) nodes.push(node)
    return nodes
  }

  /** So many nodes of a group are on their way, those first that stand first, and come up at `time`. */
  ask(group: number, nodes: number, time: Seconds): void {
    const { first, count } = this.#groups[group] as ScaledGroup
    let left = nodes
    for (let node = first as number; node < first + count && left > 0; node++) {
      if (this.#states[node] !== 'off') continue
      left--
      this.#states[node] = 'coming'
      this.coming.push({ node: node as NodeId, time })
    }
    this.#sizes[group] = this.sizeOf(group) + nodes - left
    this.coming.sort((a, b) => a.time - b.time)
  }

  /** Makes the nodes up that are due; returns them. */
  arrive(now: Seconds): NodeId[] {
    const later = this.coming.findIndex(({ time }) => time > now)
    const due = this.coming.splice(0, later < 0 ? this.coming.length : later).map(({ node }) => node)
    for (const node of due) this.#states[node] = 'up'
    this.up += due.length
    return due
  }

  /** A node that is up goes. */
  remove(node: NodeId, group: number): void {
    this.#states[node] = 'off'
    this.#sizes[group] = this.sizeOf(group) - 1
    this.up--
  }
}
