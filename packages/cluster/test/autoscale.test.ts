import { describe, expect, it } from 'vitest'
import { buildCluster, readCluster } from '../src/index.js'

const cpu = { resources: { cpu: 8 } }

describe('a group of nodes that follows demand', () => {
  it('is described with its nodes, and absent where no group does', () => {
    const { autoscale } = buildCluster({ nodes: [{ count: 2, ...cpu }, { name: 'a', count: 5, ...cpu, autoscale: { provision: 60 } }, { count: 4, ...cpu, autoscale: { min: 1, initial: 2, provision: 90, price: 0.5, priority: 7 } }] })
    expect(autoscale).toEqual([
      { name: 'a', first: 2, count: 5, min: 0, initial: 0, provision: 60, price: undefined, priority: 0 },
      { name: undefined, first: 7, count: 4, min: 1, initial: 2, provision: 90, price: 0.5, priority: 7 },
    ])
    expect(buildCluster({ nodes: [{ count: 2, ...cpu }] }).autoscale).toBeUndefined()
    expect(buildCluster(readCluster({ nodes: 3, ...cpu, autoscale: { min: 2, provision: 5 } })).autoscale).toMatchObject([{ first: 0, count: 3, min: 2, initial: 2 }])
  })

  it.each([
    [{ min: 1 }, 'autoscale.provision: is missing, expected a number.'],
    [{ provision: -1 }, 'autoscale.provision: found -1, expected at least 0.'],
    [{ provision: 1, min: 4 }, 'autoscale.min: at least 4 of 3 nodes. The `count` of the group is the most that it may have.'],
    [{ provision: 1, min: 2, initial: 1 }, 'autoscale.initial: 1 nodes at the start, of 2 to 3.'],
    [{ provision: 1, initial: 4 }, 'autoscale.initial: 4 nodes at the start, of 0 to 3.'],
    [{ provision: 1, max: 4 }, 'autoscale.max: unknown key "max".'],
  ])('is refused when it says %j', (autoscale, message) => {
    expect(() => readCluster({ nodes: 3, ...cpu, autoscale })).toThrow(message)
  })

  it('does not go with heartbeats or sleep', () => {
    const autoscale = { provision: 1 }
    expect(() => readCluster({ nodes: 3, ...cpu, autoscale, heartbeat: { interval: 3 } })).toThrow('autoscale: nodes that come and go send no heartbeats.')
    expect(() => readCluster({ nodes: [{ count: 3, ...cpu }, { count: 3, ...cpu, autoscale, sleep: { after: 1, wake: 1 } }] })).toThrow('nodes[1].autoscale: nodes either sleep or are removed.')
  })
})
