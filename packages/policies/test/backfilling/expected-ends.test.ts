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

const held = Float64Array.from({ length: 20_014 }, (_, i) => (i * 31) % 97)

/** Of each chunk its latest end, and by resource what its pieces hold: as the list says, and added up piece by piece. */
function byChunk(list: ExpectedEnds): number[][] {
  const found: number[][] = []
  for (let at = 0; list.beginsChunk(at); at = list.afterChunk(at)) found.push([list.latestIn(at), ...list.sumsIn(at, held, 2)])
  return found
}

function summed(list: ExpectedEnds, plain: readonly [number, number][]): number[][] {
  const found: number[][] = []
  let i = 0
  for (let at = 0; at < list.to; at = list.after(at)) {
    if (list.beginsChunk(at)) found.push([0, 0, 0])
    const last = found.at(-1) as number[]
    const [end, piece] = plain[i++] as [number, number]
    last[0] = end
    for (const r of [0, 1]) last[1 + r] = (last[1 + r] as number) + (held[2 * piece + r] as number)
  }
  return found
}

describe('expected ends', () => {
  const end = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }) }, { weight: 1, arbitrary: fc.constant(Infinity) })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ ends: fc.array(end, { minLength: 1, maxLength: 60, size: 'max' }) }) }, // pieces that come
    { weight: 2, arbitrary: fc.record({ leave: fc.array(fc.nat(), { minLength: 1, maxLength: 40, size: 'max' }) }) },
  )

  it('are as in a list that is sorted anew after each step, by thousands and where many are equal', { tags: 'long' }, () => {
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
          expect(byChunk(list)).toEqual(summed(list, plain))
          for (const time of [-1, 3, 7, 12.5, Infinity]) expect(list.has(time)).toBe(plain.some(([other]) => other === time))
          most = Math.max(most, plain.length)
        }
      }),
      { seed: 11, numRuns: 60 },
    )
    expect(most).toBeGreaterThan(600) // several chunks
  })
})

describe('easy with jobs of unknown length, or of the same', () => {
  it('looks at few of those that run when one ends, though all end as late', () => {
    const looks = vi.spyOn(ExpectedEnds.prototype, 'pieceAt')
    const jobs = [job({ id: 'a', demand: { cpu: 1 }, tasks: 600, duration: Array.from({ length: 600 }, (_, i) => 10 + ((i * 61) % 151) / 10) })]
    const { recorder } = run({ policy: easy(undefined, { placement: firstNode() }), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 200 } }] }) })
    expect(recorder.launches).toHaveLength(600)
    expect(looks.mock.calls.length).toBeLessThan(5 * 600) // 200 at each of 400 ends would be 80,000
    looks.mockRestore()
  })
  it('looks at few of those that run when one ends, though the estimates of all end as late', () => {
    const looks = vi.spyOn(ExpectedEnds.prototype, 'pieceAt')
    const jobs = [job({ id: 'a', demand: { cpu: 1 }, estimate: 1000, tasks: 3000, duration: Array.from({ length: 3000 }, (_, i) => 10 + ((i * 61) % 1501) / 10) })]
    const { recorder } = run({ policy: easy(undefined, { placement: firstNode() }), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1000 } }] }) })
    expect(recorder.launches).toHaveLength(3000)
    expect(looks.mock.calls.length).toBeLessThan(50 * 3000) // 1,000 at each of 2,000 ends would be 2,000,000
    looks.mockRestore()
  })
})
