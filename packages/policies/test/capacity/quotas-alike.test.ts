import type { ClusterView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { Pots } from '../../src/capacity/pots.js'
import { QueueTree } from '../../src/capacity/queue-tree.js'
import { Quotas } from '../../src/capacity/quotas.js'

const pots = { count: 1, width: 1, totals: Float64Array.of(1000), partitions: [''], partitionOf: () => 0, laneOf: () => 0, counted: [[0]], memory: [0] } as unknown as Pots
const cluster = { resources: ['memory-mb'] } as unknown as ClusterView

describe('quotas of queues made at first use', () => {
  const queues = { root: { autoCreate: true }, 'root.a': { capacity: '2w' }, 'root.b': { autoCreate: true, capacity: '3w', template: { capacity: '2w', maximumCapacity: 40 } } } as const
  it.each([true, false])('are those of queues that are computed one by one (legacy mode %s)', (legacyQueueMode) => {
    const tree = new QueueTree({ queues, defaults: {}, templates: {}, legacyQueueMode }, () => true)
    const quotas = new Quotas(tree, pots, cluster, { isLegacy: legacyQueueMode })
    for (const name of ['x', 'b.y', 'b.z', 'v', 'w', 'b.t', 'c']) tree.leaf(`root.${name}`)
    tree.remove(tree.leaf('root.v'))
    const columns = () => (quotas.compute(), [quotas.guaranteed, quotas.most, quotas.part].map((column) => [...column]))
    const together = columns()
    for (const { id, own } of [...tree.queues]) tree.change(id, { ...own }) // no two have the same options any more
    expect(together).toEqual(columns())
    expect(new Set(together[0]).size).toBeGreaterThan(3)
  })
})
