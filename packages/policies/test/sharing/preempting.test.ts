import { dispatcher } from '@sched/cluster'
import type { Plug } from '@sched/core'
import { drf, greedy, maxMin, preempting, type PreemptingOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

/** 100 slots, all taken: Q runs 60 tasks, R 30, P 10 of 50. How many tasks of whom are killed, the first time, within 100 s. */
function killed(order: Plug<'order'>, options: PreemptingOptions, queues = ['Q', 'R', 'P']): string {
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, slots: { map: 100 } }] }), policy: preempting(greedy(order), options) })
  for (const [now, [queue, free, tasks]] of ([[queues[0], 60, 1000], [queues[1], 30, 1000], [queues[2], 10, 50]] as const).entries()) {
    master.submit(job({ id: `${queue}`, queue: `${queue}`, tasks }), now)
    master.heartbeat('n-0', now, { free })
  }
  for (let now = 3; now <= 100; now++) {
    const { kill } = master.heartbeat('n-0', now, { free: 0 })
    if (kill.length > 0) return `${kill.length} of ${[...new Set(kill.map((each) => each.job))].join(' and ')}`
  }
  return 'none'
}

describe('preempting knows the shares of orders that divide slots', () => {
  const by = 'queue'

  it.each<[string, Plug<'order'>, PreemptingOptions, string]>([
    ['max-min, below its minimum: 30 - 10', maxMin({ by, shares: { P: { min: 30 } } }), { minTimeout: 30 }, '20 of Q'],
    ['max-min, below half of its fair share: floor(33.3) - 10', maxMin({ by }), { fairTimeout: 30 }, '23 of Q'],
    ['max-min, with a weight: its share is 50, those of the others 25', maxMin({ by, shares: { P: { weight: 2 } } }), { fairTimeout: 30 }, '40 of R and Q'],
    ['max-min, with a maximum: it cannot have more than 12', maxMin({ by, shares: { P: { max: 12 } } }), { fairTimeout: 30 }, 'none'],
    ['drf: floor(33.3) - 10', drf({ by }), { fairTimeout: 30 }, '23 of Q'],
    ['drf, strict', drf({ by, blocked: 'strict' }), { fairTimeout: 30 }, '23 of Q'],
    ['drf, with a weight', drf({ by, weights: { P: 2 } }), { fairTimeout: 30 }, '40 of R and Q'],
    ['drf without a timeout', drf({ by }), {}, 'none'],
  ])('%s', (_, order, options, expected) => {
    expect(killed(order, options)).toBe(expected)
  })

  it('at every level: P has half of the half of its parent', () => {
    // shares of a and b 50, of R and P 25: b has 40 and takes 10 from a; P has 10, and 5 of the 15 that it lacks are R's
    expect(killed(drf({ by }), { fairTimeout: 30, starvationFraction: 1 }, ['a', 'b.R', 'b.P'])).toBe('15 of a and b.R')
  })

  it('and says so where tasks ask for several resources, which have no such shares', () => {
    const warnings: string[] = []
    dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4, mem: 4 } }] }), policy: preempting(greedy(drf({ by }))), warn: (text) => warnings.push(text) })
    expect(warnings).toEqual(['preemption has no effect: the order under it has no shares'])
  })

  it.each([['drf', drf({ by })], ['max-min', maxMin({ by, shares: { a: { min: 2 } } })]])('and keeps the laws over %s', { tags: 'long' }, (_, order) => {
    expect(checkPolicyLaws(() => preempting(greedy(order, firstNode()), { minTimeout: 1, fairTimeout: 1, interval: 1 }), { runs: 12 }).launches).toBeGreaterThan(80)
  })
})
