import type { JobSpec } from '@sched/core'
import { fifo, fair, greedy, lsfFairshare } from '@sched/policies'
import { firstDifference, instantCluster, run, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from './first-node.js'
import { recorded } from './reference/recorded.js'

// With its own placement `greedy` searches no node for a shape for which none has room; with any other one it asks for every job.
describe('greedy without heartbeats', () => {
  const orders = { fifo: () => fifo(), fair: () => fair(), 'lsf-fairshare': () => lsfFairshare() }

  it.each(['fifo', 'fair', 'lsf-fairshare'] as const)('starts over %s what a search for every job starts', { tags: 'long' }, (name) => {
    const make = orders[name]
    let launches = 0
    for (const kind of [{}, { gangs: true, gangJobs: true }, { failures: true, outages: true }, { devices: true, events: true }])
      fc.assert(
        fc.property(worlds({ jobs: 9, heartbeats: false, ...kind }), (world) => {
          const recorder = recorded(world, greedy(make()))
          launches += recorder.launches.length
          expect(firstDifference(recorder, recorded(world, greedy(make(), firstNode())), 'a search for every job')).toBeUndefined()
        }),
        { seed: 23, numRuns: 100 },
      )
    expect(launches).toBeGreaterThan(2000)
  })

  it('starts a job where another one that asks for the same may not run, since it has a task on each node', () => {
    const apart = (id: string, tasks: number): JobSpec => ({ id, submit: 0, estimate: 10, stages: [{ name: 's', tasks, demand: { cpu: 1 }, duration: 10, constraints: { distinctNodes: true } }] })
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] }), policy: greedy(fifo()), jobs: [apart('first', 3), apart('second', 1)] })
    expect(recorder.launches.map(({ job, time }) => [job, time])).toEqual([['first', 0], ['first', 0], ['second', 0], ['first', 10]])
  })
})
