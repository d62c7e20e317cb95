import { volcano, type VolcanoOptions } from '@sched/policies'
import { firstDifference, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { recorded } from '../reference/recorded.js'
import { naiveVolcano } from '../reference/volcano.js'

// Ranks, sums and what queues deserve are kept current by hooks; here every start must be that of a session that counts all anew.

const oneOf = fc.constantFrom
const queue = fc.record({ weight: oneOf(1, 1, 2, 3), priority: oneOf(0, 0, 1) })

describe('volcano, against sessions that count all anew', () => {
  it('starts the same tasks on any small world', { tags: 'long' }, () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 6, heartbeats: false }), fc.record({ a: queue, b: queue, 'c.x': queue }), oneOf(1, 1.2, 3), oneOf(0, 1), (world, queues, factor, guaranteed) => {
        const resources = Object.keys({ ...world.cluster.nodes[0]?.slots, ...world.cluster.nodes[0]?.resources })
        const guarantee = Object.fromEntries(resources.map((name) => [name, guaranteed]))
        const all: VolcanoOptions['queues'] = { ...queues, b: { ...queues.b, guarantee }, 'c.x': { ...queues['c.x'], capability: Object.fromEntries(resources.map((name) => [name, 3])) } }
        const options: VolcanoOptions = { queues: all, tiers: [{ plugins: ['priority', 'gang'] }, { plugins: [{ name: 'overcommit', arguments: { 'overcommit-factor': factor } }, 'drf', 'proportion'] }] }
        const recorder = recorded(world, volcano(options, firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveVolcano({ queues: all, factor }))), 'the reference')).toBeUndefined()
      }),
      { seed: 7, numRuns: 250 },
    )
    expect(launches).toBeGreaterThan(1500)
  })
})
