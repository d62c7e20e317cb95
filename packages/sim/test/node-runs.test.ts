import type { NodeId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NodeRuns } from '../src/node-runs.js'

interface Run {
  readonly run: number
  readonly node: number
  readonly stop: number
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ run: fc.nat({ max: 200 }), node: fc.nat({ max: 2 }), stop: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ takeFrom: fc.nat({ max: 2 }), now: fc.integer({ min: 0, max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat({ max: 200 }) }) },
)

describe('NodeRuns', () => {
  it('agrees with a plain list of runs over any sequence of starts, reports and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const runs = new NodeRuns(3)
        let list: Run[] = []
        for (const each of steps) {
          if ('stop' in each) {
            if (list.some((other) => other.run === each.run)) continue // a run is on one node at a time
            runs.add(each.run, each.node as NodeId, each.stop)
            list.push(each)
          } else if ('now' in each) {
            const stopped = list.filter((run) => run.node === each.takeFrom && run.stop <= each.now).sort((a, b) => a.stop - b.stop || a.run - b.run)
            const count = runs.takeStopped(each.takeFrom as NodeId, each.now)
            expect([...runs.stopped.subarray(0, count)]).toEqual(stopped.map((run) => run.run))
            list = list.filter((run) => !stopped.includes(run))
          } else {
            const found = list.find((run) => run.run === each.remove)
            expect(runs.remove(each.remove, (found?.node ?? 0) as NodeId)).toBe(found !== undefined)
            list = list.filter((run) => run !== found)
          }
          for (let node = 0; node < 3; node++)
            expect(runs.nextStop[node]).toBe(Math.min(Infinity, ...list.filter((run) => run.node === node).map((run) => run.stop)))
        }
      }),
      { seed: 3, numRuns: 300 },
    )
  })
})
