import type { ClusterView, NodeId } from '@sched/core'

/** The groups of nodes that rules refer to, numbered from 0; -1 for a node in none. */
export class NodeGroups {
  readonly #cluster: ClusterView
  readonly #known = new Map<string, Int32Array>()

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
  }

  /** Whether any node is in such a group. */
  areAny(over: string): boolean {
    return this.of(over).some((group) => group >= 0)
  }

  /** The group of each node. */
  of(over: string): Int32Array {
    const known = this.#known.get(over)
    if (known !== undefined) return known
    const groups = new Int32Array(this.#cluster.nodes).map((_, node) => node)
    if (over === 'rack') groups.forEach((node) => { groups[node] = this.#cluster.levels > 1 ? this.#cluster.group(1, node as NodeId) : -1 })
    else if (over !== 'node') this.#byLabel(over.replace(/^label:/, ''), groups)
    this.#known.set(over, groups)
    return groups
  }

  #byLabel(label: string, groups: Int32Array): void {
    const values = new Map<string, number>()
    groups.forEach((node) => {
      const value = this.#cluster.label(node as NodeId, label)
      const group = value === undefined ? -1 : (values.get(value) ?? values.size)
      if (value !== undefined) values.set(value, group)
      groups[node] = group
    })
  }
}
