import { withoutUndefined } from '@sched/core'
import { mixedCapacities, mixedLimit, type CapacityOfResource } from '@sched/policies'
import type { QueueRow, QueueTable, Totals } from '../queue-rows.js'
import { sharesTable, type Asked, type QueueNode, type ShownCluster } from '../share-tree.js'
import { amountOf } from './amount-of.js'
import { clusterName } from './amounts.js'
import type { CapacityFile, CapacityQueue, CapacityValue } from './capacity-model.js'
import { capacityValue } from './capacity-value.js'

/**
 * The queues as a table. Shares: the guarantee, and what idle queues leave in proportion to the guarantees, up to the maximum; of the cluster, and of the
 * nodes of each label. Where that has amounts, it is the largest share of any resource, as the dominant resource calculator has it.
 */
export function capacityTable({ root }: CapacityFile, asked: Asked): QueueTable {
  const tableOf = (top: CapacityQueue, of: Asked) => sharesTable((cluster) => capacityNode(top, cluster, top.isLegacy ? inLegacyMode : inMixedMode), of)
  const table = tableOf(root, asked)
  const ofLabels = labelsIn(root).map((label) => {
    const [top, totals] = [ofLabel(root, label, undefined), asked.labelTotals?.[label]]
    const inParts = tableOf(top, { ...asked, totals: undefined })
    return { label, ...(inParts.leavesOutAmounts && totals !== undefined ? tableOf(top, { ...asked, totals }) : inParts) }
  })
  if (ofLabels.length === 0) return table
  return {
    ...table,
    rows: table.rows.map((row, i) => ({ ...row, labelShares: Object.fromEntries(ofLabels.map(({ label, rows, totals }) => [label, largestPart(rows[i]?.shares ?? {}, totals)])) })),
    leavesOutAmounts: table.leavesOutAmounts || ofLabels.some(({ leavesOutAmounts }) => leavesOutAmounts),
  }
}

/** The largest share of any resource, as a fraction of what there is of it. */
const largestPart = (shares: QueueRow['shares'], totals: Totals = { cluster: 1 }): number =>
  Math.max(0, ...Object.entries(shares).map(([resource, share]) => share / (totals[resource] || 1)))

const LABELLED = /^accessible-node-labels\.([^.]+)\.(?:maximum-)?capacity$/

/** The labels of which queues have capacities, sorted. */
function labelsIn(root: CapacityQueue): string[] {
  const labels = new Set<string>()
  const visit = ({ properties, queues }: CapacityQueue): void => {
    for (const name of properties.keys()) labels.add(LABELLED.exec(name)?.[1] ?? '')
    queues.forEach(visit)
  }
  visit(root)
  return [...labels].filter((label) => label !== '').sort()
}

/** The queue with the capacities that it has on the nodes of a label in the place of its own. */
function ofLabel(queue: CapacityQueue, label: string, parent: CapacityQueue | undefined): CapacityQueue {
  const { capacity: _, maximumCapacity: __, ...rest } = queue
  const of = (name: 'capacity' | 'maximum-capacity') => {
    const found = queue.properties.get(`accessible-node-labels.${label}.${name}`)
    if (found === undefined || found.value.trim() === '-1') return undefined // as a file has it that leaves a label out
    return { ...capacityValue(found, { isMaximum: name === 'maximum-capacity', isLegacy: queue.isLegacy }), file: found.file, line: found.line }
  }
  const own: CapacityQueue = { ...rest, parent, queues: [], ...withoutUndefined({ capacity: of('capacity'), maximumCapacity: of('maximum-capacity') }) }
  own.queues.push(...queue.queues.map((each) => ofLabel(each, label, own)))
  return own
}

type Around = Parameters<QueueNode['bounds']>[2]
/** The bounds of a queue for one resource. `around`: the bounds of its parent; `total`: what the cluster has. */
type BoundsOf = (queue: CapacityQueue, parent: CapacityQueue, cluster: ShownCluster, of: { readonly resource: string; readonly total: number; readonly around: Around }) => Around

function capacityNode(queue: CapacityQueue, cluster: ShownCluster, boundsOf: BoundsOf): QueueNode {
  const settings = Object.fromEntries([...queue.properties].filter(([name]) => name !== 'queues').map(([name, { value }]) => [name, value]))
  return {
    path: queue.path,
    isParent: queue.queues.length > 0,
    settings,
    children: queue.queues.map((each) => capacityNode(each, cluster, boundsOf)),
    bounds: (resource, total, around) => (queue.parent === undefined ? { weight: 1, min: total, max: total } : boundsOf(queue, queue.parent, cluster, { resource, total, around })),
  }
}

/** The bounds if siblings have capacities of one kind. */
const inLegacyMode: BoundsOf = (queue, { queues }, cluster, { resource, total, around }) => {
  const weights = queues.reduce((sum, { capacity }) => sum + (capacity?.kind === 'weight' ? capacity.value : 0), 0)
  const part = (value: CapacityValue | undefined, parent: number, missing: number): number => {
    if (value === undefined || value.kind === 'vector') return missing
    if (value.kind === 'percent') return (value.value / 100) * parent
    if (value.kind === 'weight') return weights === 0 ? 0 : (value.value / weights) * parent
    return amountOf({ byName: value.value }, resource, total, missing, cluster)
  }
  const guarantee = part(queue.capacity, around.min, 0)
  return { weight: guarantee, min: guarantee, max: Math.max(part(queue.maximumCapacity, around.max, around.max), 0) }
}

/** If the cluster is not known, shares are fractions, which are computed as whole numbers of this fraction of it. */
const UNITS = 1e9

/**
 * The bounds if siblings may have capacities of different kinds. Siblings get theirs in the order of their names, as in the policy. Deviation: each resource
 * is divided by itself; that a queue which gets no memory gets nothing else either is not shown.
 */
const inMixedMode: BoundsOf = (queue, { queues }, cluster, { resource, around }) => {
  const units = cluster.totals === undefined ? UNITS : 1
  const [min, max] = [Math.round(around.min * units), Math.round(around.max * units)]
  const sorted = [...queues].sort((a, b) => (a.path < b.path ? -1 : 1))
  const limits = sorted.map(({ maximumCapacity }) => mixedLimit(ofResource(maximumCapacity, resource, cluster), max))
  const at = sorted.indexOf(queue)
  const guarantee = (mixedCapacities(sorted.map(({ capacity }) => ofResource(capacity, resource, cluster)), min, limits)[at] as number) / units
  return { weight: guarantee, min: guarantee, max: (limits[at] as number) / units }
}

/** The capacity that a value gives for one resource of the cluster. If the cluster is not known it is that for memory, and amounts count as 0. */
function ofResource(value: CapacityValue | undefined, resource: string, cluster: ShownCluster): CapacityOfResource {
  if (value === undefined) return 0
  if (value.kind === 'percent') return `${value.value}%`
  if (value.kind === 'weight') return `${value.value}w`
  const { totals } = cluster
  const name = totals === undefined ? 'memory-mb' : Object.keys(value.value).find((each) => clusterName(each, Object.keys(totals)) === resource)
  const own = name === undefined ? 0 : (value.value[name] ?? 0)
  if (totals !== undefined || typeof own === 'string') return own
  cluster.leavesOutAmounts = true
  return 0
}
