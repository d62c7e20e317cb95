import { None, type JobId, type ResourceId, type ShapeId, type WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WaitingShapes } from '../../src/preemptive-order/waiting-shapes.js'

const RESOURCES = [0, 1] as ResourceId[]
const demand = (shape: ShapeId, resource: ResourceId): number => (resource === 0 ? 1 + shape : 7 - shape)
/** A job, by id beyond the first columns too, and the shape that it waits with from then on. */
const change = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.constantFrom<number>(None, None, 0, 1, 2, 3, 4, 5, 6))

describe('the least that waiting jobs ask', () => {
  it('is that of a look at all of them', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const shapes = new WaitingShapes({ demand } as WorkView, RESOURCES)
        const waiting = new Map<number, number>()
        for (const [job, shape] of changes) {
          shapes.set(job as JobId, shape as ShapeId | None)
          waiting.set(job, shape)
          const asks = [...waiting.values()].filter((each) => each !== None)
          expect([...shapes.least]).toEqual(RESOURCES.map((r) => Math.min(Infinity, ...asks.map((each) => demand(each as ShapeId, r)))))
        }
      }),
      { seed: 5, numRuns: 200 },
    )
  })
})
