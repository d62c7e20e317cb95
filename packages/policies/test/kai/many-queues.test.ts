import { greedy, kai } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fairShares, type Claimant } from '../../src/kai/fair-shares.js'
import { Queues } from '../../src/kai/queues.js'
import { firstNode } from '../first-node.js'

/** The division as its description has it: all lists are made anew in every round, and what rounding has taken is kept by queue. */
function plainShares(total: number, queues: readonly Claimant[], step: number, kValue: number): number[] {
  const asked = queues.map(({ limit, request }) => Math.min(limit, request))
  const shares = queues.map(({ quota }, i) => Math.min(quota === Infinity ? total : quota, asked[i] as number))
  let left = Math.max(0, total - shares.reduce((sum, share) => sum + share, 0))
  for (const priority of [...new Set(queues.map((queue) => queue.priority))].sort((a, b) => b - a)) {
    const rests = new Map<number, number>()
    for (let isAnother = true; isAnother && left > 0; ) {
      const round = left
      isAnother = false
      const hungry = queues.flatMap((queue, i) => (queue.priority === priority && queue.weight > 0 && (asked[i] as number) > (shares[i] as number) ? [i] : []))
      const all = hungry.reduce((sum, i) => sum + (queues[i]?.weight as number), 0)
      const weights = hungry.map((i) => {
        const { weight, usage = 0 } = queues[i] as Claimant
        return kValue === 0 ? weight : Math.max(0, weight / all + kValue * (weight / all - usage))
      })
      const sum = weights.reduce((before, weight) => before + weight, 0)
      if (sum === 0) break
      for (const [at, i] of hungry.entries()) {
        const part = (round * (weights[at] as number)) / sum
        const wanted = (asked[i] as number) - (shares[i] as number)
        const given = wanted <= part ? wanted : Math.floor(part / step) * step
        if (wanted <= part) rests.delete(i)
        else if (part > given) rests.set(i, part - given)
        shares[i] = (shares[i] as number) + given
        left -= given
        isAnother ||= wanted < part
      }
    }
    for (const [i] of [...rests].sort(([a, first], [b, second]) => second - first || a - b)) {
      const given = Math.max(0, Math.min(step, left))
      shares[i] = (shares[i] as number) + given
      left -= given
    }
  }
  return shares
}

describe('fair shares of many queues', () => {
  const oneOf = fc.constantFrom
  const claimant = fc.record({
    priority: oneOf(100, 100, 100, 50, 200),
    quota: oneOf(0, 0, 3, 7, Infinity),
    limit: oneOf(Infinity, Infinity, 0, 4, 20),
    weight: oneOf(0, 1, 1, 1, 2.5, 7),
    request: fc.integer({ min: 0, max: 40 }),
    usage: oneOf(0, 0, 0.01, 0.3, 1),
  })

  it('are those of the plain division', () => {
    let shared = 0
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), oneOf(1, 1, 4), oneOf(0, 0, 1, 3), fc.array(claimant, { maxLength: 60, size: 'max' }), (total, step, kValue, queues) => {
        const shares = fairShares(total, queues, step, kValue)
        expect(shares).toEqual(plainShares(total, queues, step, kValue))
        if (shares.some((share, i) => share > 0 && share < (queues[i]?.request as number))) shared++
      }),
      { seed: 21, numRuns: 600 },
    )
    expect(shared).toBeGreaterThan(200)
  })

  it('are divided without a look at queues of which nothing has changed', () => {
    const count = 300
    const looks = vi.spyOn(Queues.prototype, 'of')
    const jobs = Array.from({ length: count }, (_, i) => job({ id: `j${i}`, queue: `q${(i * 7) % count}`, submit: i, tasks: 2, demand: { cpu: 1 }, duration: 100 }))
    const { recorder } = run({ policy: greedy(kai(), firstNode()), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 100 } }] }) })
    expect(recorder.launches).toHaveLength(2 * count)
    expect(looks.mock.calls.length).toBeLessThan(30 * count) // one at each queue that claims would be more than 80,000
    looks.mockRestore()
  })
})
