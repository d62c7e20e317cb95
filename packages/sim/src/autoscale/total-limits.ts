import type { CellState } from '@sched/cluster'
import { amountsByName, SchedError, type NodeId, type ResourceId, type ScaledGroup } from '@sched/core'
import type { ScaledNodes } from './scaled-nodes.js'

/**
 * The most of some resources that all nodes of a cluster may have together, those on their way included.
 *
 * Source: Cluster Autoscaler, --cores-total, --memory-total and --gpu-total, core/scaleup/resource/manager.go. Deviation: there are no lower bounds.
 */
export class TotalLimits {
  readonly #cell: CellState
  readonly #groups: readonly ScaledGroup[]
  readonly #nodes: ScaledNodes
  /** The resources that have a limit, and what nodes have of them that are always there. */
  readonly #limits: readonly { readonly r: ResourceId; readonly most: number; readonly always: number }[]

  /** Throws `BAD_OPTION` for a resource that the cluster has not, or if there is more at the start. */
  constructor(cell: CellState, groups: readonly ScaledGroup[], nodes: ScaledNodes, most: Readonly<Record<string, number>>) {
    this.#cell = cell
    this.#groups = groups
    this.#nodes = nodes
    const all = Array.from({ length: cell.nodes }, (_, node) => node as NodeId)
    const always = all.filter((node) => nodes.groupOf(node) < 0)
    this.#limits = [...amountsByName(most, cell.resources, 'autoscaler.resourcesTotal', Infinity).entries()].filter(([, limit]) => limit < Infinity)
      .map(([r, limit]) => ({ r: r as ResourceId, most: limit, always: always.reduce((sum, node) => sum + cell.total(node, r as ResourceId), 0) }))
    for (const limit of this.#limits)
      if (this.#total(limit) > limit.most)
        throw new SchedError('BAD_OPTION', `the cluster has ${this.#total(limit)} ${cell.resources[limit.r]} at the start.`, { field: `autoscaler.resourcesTotal.${cell.resources[limit.r]}` }, 'Allow more, or describe fewer nodes.')
  }

  /** Most nodes of a group, by its index, that may be added now; `Infinity`: any number. */
  left(group: number): number {
    let left = Infinity
    for (const limit of this.#limits) {
      const each = this.#cell.total((this.#groups[group] as ScaledGroup).first, limit.r)
      if (each > 0) left = Math.min(left, Math.floor((limit.most - this.#total(limit)) / each))
    }
    return left
  }

  #total({ r, always }: { readonly r: ResourceId; readonly always: number }): number {
    return this.#groups.reduce((sum, { first }, group) => sum + this.#nodes.sizeOf(group) * this.#cell.total(first, r), always)
  }
}
