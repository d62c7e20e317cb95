import type { KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { world, type Load } from './world.js'

// Cases of Kueue's own tests (TestScheduleForFairSharingRefill), but for one of admission checks.

const cohort = { cohort: 'refill' }
const queues = {
  poor: { ...cohort, nominalQuota: { cpu: 8 }, borrowingLimit: { cpu: 0 } },
  rich: { ...cohort, nominalQuota: { cpu: 2 }, borrowingLimit: { cpu: 8 } },
} satisfies KueueOptions['queues']
const one = (...ids: string[]): Load[] => ids.map((id) => [id, 1])

/** Who is admitted, of those that come together, beside so many CPUs that `rich` has. */
function admitted(refill: number, has: number, ...loads: readonly Load[]): readonly string[] {
  const { come } = world({ fairSharing: { refill }, queues })
  come(['rich_active', has])
  return [...come(...loads).started].sort()
}

describe('workloads that come into the running cycle', () => {
  it('are those of a queue with less, before others have the rest (refill admits the poor ClusterQueue\'s backlog within one cycle)', () => {
    expect(admitted(8, 8, ...one('rich_pending', 'poor_a', 'poor_b'))).toEqual(['poor_a', 'poor_b'])
  })

  it('come in the next one without it (without refill the over-share ClusterQueue takes the freed capacity)', () => {
    expect(admitted(0, 8, ...one('rich_pending', 'poor_a', 'poor_b'))).toEqual(['poor_a', 'rich_pending'])
  })

  it('are no more than is said (budget exhaustion stops refilling and the cycle continues)', () => {
    expect(admitted(1, 7, ...one('rich_pending', 'poor_a', 'poor_b', 'poor_c'))).toEqual(['poor_a', 'poor_b', 'rich_pending'])
    expect(admitted(2, 7, ...one('rich_pending', 'poor_a', 'poor_b', 'poor_c'))).toEqual(['poor_a', 'poor_b', 'poor_c'])
  })

  it('count although they find no room (a refilled workload that no longer fits consumes budget and is requeued)', () => {
    expect(admitted(1, 8, ...one('rich_pending', 'poor_a'), ['poor_big', 8], ...one('rich_next'))).toEqual(['poor_a', 'rich_pending'])
  })

  it('compete by what their queues have then (consecutive refills rerank against fresh usage on every pop)', () => {
    const chain = { cohort: 'chain' }
    const { come } = world({ fairSharing: { refill: 8 }, queues: { a: { ...chain, nominalQuota: { cpu: 1 }, borrowingLimit: { cpu: 8 } }, b: { ...chain, nominalQuota: { cpu: 2 }, borrowingLimit: { cpu: 0 } } } })
    expect(come(...one('a_1', 'a_2', 'a_3', 'b_1')).started).toEqual(['a_1', 'b_1', 'a_2'])
  })
})
