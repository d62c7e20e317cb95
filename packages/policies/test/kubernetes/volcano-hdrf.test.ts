import { dispatcher } from '@sched/cluster'
import { drf, greedy } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// A case of Volcano's own tests of hierarchical dominant shares, under the order that docs/kubernetes.md names for them.

type Amounts = Readonly<Record<string, number>>

describe('hdrf, as drf with hierarchy: rescaled (hdrf_test.go)', () => {
  it('is not held back by queues that can grow no more (blocking nodes)', () => {
    const demands: Readonly<Record<string, Amounts>> = { 'pg1': { cpu: 1 }, 'pg2': { cpu: 1 }, 'pg3.pg31': { cpu: 1 }, 'pg3.pg32': { mem: 1 }, 'pg4': { mem: 1 } }
    const weights = { pg1: 25, pg2: 25, pg3: 25, pg4: 25, 'pg3.pg31': 50, 'pg3.pg32': 50 }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 30, mem: 30 } }] }), policy: greedy(drf({ by: 'queue', hierarchy: 'rescaled', weights })) })
    for (const [queue, demand] of Object.entries(demands)) master.submit(job({ id: queue, queue, demand, tasks: 30 }), 0)
    const { start } = master.pass(0)
    expect(Object.keys(demands).map((queue) => start.filter((each) => each.job === queue).length)).toEqual([10, 10, 10, 15, 15])
  })
})
