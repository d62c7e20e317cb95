import type { LaneId, ShapeId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { QueueLoads } from '../../src/capacity/ideal-allocation.js'
import type { Pots } from '../../src/capacity/pots.js'
import { WhatToTake } from '../../src/capacity/what-to-take.js'

describe('what one look may still take', () => {
  it('is nothing after a gang larger than all that is allowed, which goes alone: no task, and no reservation', () => {
    // 40 GB in one pot, a tenth may go at once; shapes of 1 GB
    const pots = { count: 1, lanes: 1, width: 1, totals: Float64Array.of(40), demands: Float64Array.of(1), least: Float64Array.of(1), demandAt: () => 0, of: () => 0 } as unknown as Pots
    const loads = { guaranteed: [40, 0], total: [40], used: [40, 30] } as unknown as QueueLoads
    const [lane, shape] = [0 as LaneId, 0 as ShapeId]
    const toTake = new WhatToTake(pots, false)
    toTake.begin(lane, 0.1)
    expect(toTake.beginLeaf(Float64Array.of(0, 20), 1, 0, loads)).toBe(true)
    expect(toTake.most(shape)).toBe(4)
    expect(toTake.mayTogether(shape, 10, true)).toBe(true)
    toTake.take(shape, 10)
    expect([toTake.isDone, toTake.isSpent, toTake.most(shape)]).toEqual([false, true, 0])
  })
})
