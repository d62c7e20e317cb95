import { easy } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ExpectedEnds } from '../../src/backfilling/expected-ends.js'
import { firstNode } from '../first-node.js'

const contents = (list: ExpectedEnds): [number, number][] => {
  const found: [number, number][] = []
  for (let at = 0; at < list.to; at = list.after(at)) found.push([list.endAt(at), list.pieceAt(at)])
  return found
}

describe('expected ends', () => {
  const end = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }) }, { weight: 1, arbitrary: fc.constant(Infinity) })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ ends: fc.array(end, { minLength: 1, maxLength: 60, size: 'max' }) }) }, // pieces that come
    { weight: 2, arbitrary: fc.record({ leave: fc.array(fc.nat(), { minLength: 1, maxLength: 40, size: 'max' }) }) },
  )

  it('are as in a list that is sorted anew after each step, by thousands and where many are equal', () => {
    let most = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), (steps) => {
        const list = new ExpectedEnds()
        const plain: [number, number][] = []
        let pieces = 0
        for (const each of steps) {
          if ('ends' in each)
            for (const time of each.ends) {
              const piece = (pieces++ * 7919) % 10_007 // no two alike, and not in order
              list.add(piece, time)
              plain.push([time, piece])
            }
          else
            for (const which of each.leave.slice(0, plain.length)) {
              const [[time, piece]] = plain.splice(which % plain.length, 1) as [[number, number]]
              list.remove(piece, time)
            }
          plain.sort(([a, first], [b, second]) => (a === b ? first - second : a - b))
          expect(contents(list)).toEqual(plain)
          for (const time of [-1, 3, 7, 12.5, Infinity]) expect(list.has(time)).toBe(plain.some(([other]) => other === time))
          most = Math.max(most, plain.length)
        }
      }),
      { seed: 11, numRuns: 60 },
    )
    expect(most).toBeGreaterThan(600) // several chunks
  })
})

describe('easy with jobs of unknown length', () => {
  it('looks at few of those that run when one ends, though all end as late', () => {
    const looks = vi.spyOn(ExpectedEnds.prototype, 'pieceAt')
    const jobs = [job({ id: 'a', demand: { cpu: 1 }, tasks: 600, duration: Array.from({ length: 600 }, (_, i) => 10 + ((i * 61) % 151) / 10) })]
    const { recorder } = run({ policy: easy(undefined, { placement: firstNode() }), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 200 } }] }) })
    expect(recorder.launches).toHaveLength(600)
    expect(looks.mock.calls.length).toBeLessThan(5 * 600) // 200 at each of 400 ends would be 80,000
    looks.mockRestore()
  })
})
