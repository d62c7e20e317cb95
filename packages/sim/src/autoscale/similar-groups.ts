import type { CellState } from '@sched/cluster'
import type { ResourceId, ScaledGroup } from '@sched/core'

/** By how much of the larger one the memory of nodes of similar groups may differ. */
const MEMORY_RATIO = 0.015
const MEMORY = new Set(['mem', 'memory'])
/** Labels in which nodes of similar groups may differ: names of nodes, zones and regions. */
const IGNORED: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/fluentd-ds-ready', 'kops.k8s.io/instancegroup', 'topology.ebs.csi.aws.com/zone', 'topology.gke.io/zone', 'topology.disk.csi.azure.com/zone',
])

/**
 * Whether the nodes of two groups are of one kind: they have the same of every resource, of memory (`mem`, `memory`) nearly, and the same labels but for
 * names, zones and regions.
 *
 * Source: Cluster Autoscaler, processors/nodegroupset/compare_nodegroups.go. What system pods leave free, which may differ there by 5 %, is not modelled.
 */
export function areSimilar(cell: CellState, { first: a }: ScaledGroup, { first: b }: ScaledGroup): boolean {
  const { labels } = cell.model
  const isSame = (name: string, r: number) => {
    const [one, other] = [cell.total(a, r as ResourceId), cell.total(b, r as ResourceId)]
    return MEMORY.has(name) ? Math.abs(one - other) <= Math.max(one, other) * MEMORY_RATIO : one === other
  }
  return cell.resources.every(isSame) && labels.keys.every((key) => IGNORED.has(key) || labels.of(a, key) === labels.of(b, key))
}

/** A group of nodes that may have more. */
export interface Growing {
  /** Index of the group. */
  readonly group: number
  /** Its nodes, and the most that it may have. */
  readonly size: number
  readonly most: number
}

/**
 * So many new nodes for each of some groups: each node is one of the group that is smallest by then and may have more. Equal ones take turns, those first that
 * were smaller, then in the order given. There are fewer if the groups may not have as many.
 *
 * Source: Cluster Autoscaler, BalanceScaleUpBetweenGroups. Deviation: where groups are full there, others that are equal may change places.
 */
export function balanced(groups: readonly Growing[], nodes: number): { readonly group: number; readonly nodes: number }[] {
  const grown = [...groups].sort((a, b) => a.size - b.size).map(({ group, size, most }, place) => ({ group, size, most, place, nodes: 0 }))
  for (let left = nodes; left > 0; left--) {
    const [next] = grown.filter(({ size, most }) => size < most).sort((a, b) => a.size - b.size || a.place - b.place)
    if (next === undefined) break
    next.size++
    next.nodes++
  }
  return grown.filter((each) => each.nodes > 0).map(({ group, nodes: added }) => ({ group, nodes: added }))
}
