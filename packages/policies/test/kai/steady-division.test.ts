import type { ClusterView, LaneId, ResourceId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { PastUsage } from '../../src/kai/past-usage.js'
import type { Queue, Queues } from '../../src/kai/queues.js'
import { SteadyShares } from '../../src/kai/steady-shares.js'
import type { PoolTree } from '../../src/orders/pools.js'

const claims = { priority: 0, quota: [0], limit: [Infinity], weight: [1] }

/** Steady shares of so many GPUs among equal queues, and how often a queue was looked at. */
function division(queues: number) {
  const state = { capacity: 64, looks: 0 }
  const pools = [{ path: '' }]
  const made: Queue[] = []
  const add = () => {
    pools.push({ path: `q${pools.length}` })
    made[pools.length - 1] = { allocated: [0], pending: [0], steadyShare: new Float64Array(1) } as unknown as Queue
  }
  for (let i = 0; i < queues; i++) add()
  const cluster = { capacity: () => state.capacity, deviceSize: () => 1 } as unknown as ClusterView
  const of = (pool: number) => (state.looks++, made[pool] as Queue)
  const shares = new SteadyShares(0 as ResourceId, cluster, { pools } as unknown as PoolTree, { of } as unknown as Queues, new Map([['', claims]]) as never, undefined as PastUsage | undefined)
  return { state, add, divide: () => shares.divide(0 as LaneId), shares: () => made.slice(1).map(({ steadyShare }) => steadyShare[0]) }
}

describe('steady fair shares of queues that all ask for everything', () => {
  it('are divided again only when there are more queues or what there is has changed', () => {
    const { state, add, divide, shares } = division(32)
    expect(divide()).toBe(true)
    expect(shares()).toEqual(Array.from({ length: 32 }, () => 2))
    state.looks = 0
    for (let again = 0; again < 100; again++) expect(divide()).toBe(false)
    expect(state.looks).toBe(0)
    state.capacity = 32
    expect(divide()).toBe(true)
    expect(shares()).toEqual(Array.from({ length: 32 }, () => 1))
    for (let more = 0; more < 32; more++) add()
    state.capacity = 64
    divide()
    expect(shares()).toEqual(Array.from({ length: 64 }, () => 1))
    for (let more = 0; more < 64; more++) add()
    state.capacity = 128
    state.looks = 0
    divide()
    expect(shares()).toEqual(Array.from({ length: 128 }, () => 1))
    expect(state.looks).toBeGreaterThan(0)
  })
})
