import type { Heartbeat } from '@sched/cluster'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeartbeatRing } from '../src/index.js'

/** Beats of all nodes in the first cycles, by time and node. */
function allBeats(interval: number, stagger: boolean, nodes: number, cycles: number): [time: number, node: number][] {
  const beats: [number, number][] = []
  for (let k = 0; k < cycles; k++) for (let node = 0; node < nodes; node++) beats.push([k * interval + (stagger ? (node * interval) / nodes : 0), node])
  return beats.sort((a, b) => a[0] - b[0] || a[1] - b[1])
}

describe('HeartbeatRing', () => {
  it('staggers unless told otherwise, as in a file', () => {
    const times = (heartbeat: Heartbeat) => {
      const ring = new HeartbeatRing(heartbeat, 2)
      ring.advance()
      return ring.next
    }
    expect([times({ interval: 3 }), times({ interval: 3, stagger: true }), times({ interval: 3, stagger: false })]).toEqual([1.5, 1.5, 0])
  })

  it('staggers three nodes over an interval of 3 s', () => {
    const ring = new HeartbeatRing({ interval: 3, stagger: true }, 3)
    const beats = Array.from({ length: 7 }, () => {
      const beat = [ring.next, ring.node]
      ring.advance()
      return beat
    })
    expect(beats).toEqual([[0, 0], [1, 1], [2, 2], [3, 0], [4, 1], [5, 2], [6, 0]])
  })

  it('skips to any time at which beats can be told apart, and says so of others', () => {
    const ring = new HeartbeatRing({ interval: 0.001 }, 2)
    ring.skipTo(9e9)
    expect(ring.next).toBe(9e9)
    expect(() => ring.skipTo(9e15)).toThrow('at 9000000000000000 s heartbeats of every 0.001 s cannot be told apart. Are the times of the workload in seconds?')
  })

  it('lets all nodes beat together without stagger, lowest id first', () => {
    const ring = new HeartbeatRing({ interval: 3, stagger: false }, 2)
    const beats = Array.from({ length: 4 }, () => {
      const beat = [ring.next, ring.node]
      ring.advance()
      return beat
    })
    expect(beats).toEqual([[0, 0], [0, 1], [3, 0], [3, 1]])
  })

  it('skips to the first heartbeat at or after a time, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 0.7, 0.1),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.oneof(fc.double({ min: 0, max: 40, noNaN: true }), fc.nat({ max: 300 })), { minLength: 1, maxLength: 8 }),
        (interval, stagger, nodes, times) => {
          const ring = new HeartbeatRing({ interval, stagger }, nodes)
          const beats = allBeats(interval, stagger, nodes, 500)
          let at = 0
          for (const each of times) {
            const time = each > 40 ? (beats[each] as [number, number])[0] : each // also exactly at a heartbeat
            ring.skipTo(time)
            while ((beats[at] as [number, number])[0] < time) at++
            expect([ring.next, ring.node]).toEqual(beats[at])
            ring.advance()
            at++
          }
        },
      ),
      { seed: 2, numRuns: 300 },
    )
  })

  it('skips a year in a few steps', () => {
    const ring = new HeartbeatRing({ interval: 3, stagger: true }, 1000)
    let steps = 0
    const advance = ring.advance.bind(ring)
    ring.advance = () => {
      steps++
      advance()
    }
    ring.skipTo(365 * 86_400 + 0.001)
    expect([ring.next, ring.node]).toEqual([365 * 86_400 + 0.003, 1])
    expect(steps).toBeLessThan(3000)
  })
})
