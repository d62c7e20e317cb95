import type { QueueTable } from '../queue-rows.js'
import { sharesTable, type Asked, type QueueNode, type ShownCluster } from '../share-tree.js'
import { amountOf } from './amount-of.js'
import type { CapacityFile, CapacityQueue, CapacityValue } from './capacity-model.js'

/** Queues with their guarantees, and what idle ones leave by guarantee, up to the maximum. */
export const capacityTable = ({ root }: CapacityFile, asked: Asked): QueueTable => sharesTable((cluster) => capacityNode(root, cluster), asked)

function capacityNode(queue: CapacityQueue, cluster: ShownCluster): QueueNode {
  const settings = Object.fromEntries([...queue.properties].filter(([name]) => name !== 'queues').map(([name, { value }]) => [name, value]))
  const weights = (queue.parent?.queues ?? []).reduce((sum, { capacity }) => sum + (capacity?.kind === 'weight' ? capacity.value : 0), 0)
  const part = (value: CapacityValue | undefined, resource: string, total: number, parent: number, missing: number): number => {
    if (value === undefined) return missing
    if (value.kind === 'percent') return (value.value / 100) * parent
    if (value.kind === 'weight') return weights === 0 ? 0 : (value.value / weights) * parent
    return amountOf({ byName: value.value }, resource, total, missing, cluster)
  }
  return {
    path: queue.path,
    isParent: queue.queues.length > 0,
    settings,
    children: queue.queues.map((each) => capacityNode(each, cluster)),
    bounds: (resource, total, parent) => {
      if (queue.parent === undefined) return { weight: 1, min: total, max: total }
      const guarantee = part(queue.capacity, resource, total, parent.min, 0)
      return { weight: guarantee, min: guarantee, max: Math.max(part(queue.maximumCapacity, resource, total, parent.max, parent.max), 0) }
    },
  }
}
