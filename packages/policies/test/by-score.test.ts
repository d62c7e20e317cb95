import type { Env, JobId, LaneId, NodeId, Round, TaskId } from '@sched/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byScore } from '../src/orders/by-score.js'

const LANE = 0 as LaneId
const job = fc.nat({ max: 12 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('come', 'go', 'more', 'claim'), job, asks: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('node'), job, asks: fc.nat({ max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('read'), job, asks: fc.constantFrom(0, 0, 1, 3, 10) }) },
)

it.each([[1], [5], [1000]])('an order by score is as if it were sorted anew in every instant, with scores that change every %d s', (epoch) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 120 }), (steps) => {
      let now = 0
      let capacity = 1
      const asks = new Map<JobId, number>()
      const scoreOf = (id: JobId): number => (asks.get(id) as number) * capacity + ((Math.floor(now / epoch) * (id % 5)) % 7)
      const order = byScore({ cluster: { lanes: [{}] }, work: { rank: (id: JobId) => 100 - id } } as unknown as Env, scoreOf, (time) => Math.floor(time / epoch))
      const read = (): JobId[] => {
        order.begin({ lane: LANE, now } as Round)
        const block = order.next()
        return Array.from(block?.ids.subarray(block.from, block.to) ?? []) as JobId[]
      }
      for (const { kind, job, asks: amount } of steps) {
        const id = job as JobId
        if (kind === 'read') {
          now += amount
          if (amount === 0) now += 0.25 // what is asked changes no order within an instant, unless somebody comes
          expect(read()).toEqual([...asks.keys()].sort((a, b) => scoreOf(b) - scoreOf(a) || b - a))
        } else if (kind === 'come') {
          if (asks.has(id)) continue
          asks.set(id, amount)
          order.onReady?.(id, LANE)
        } else if (kind === 'node') {
          capacity = 1 + amount
          order.onNode?.(0 as NodeId, true)
        } else if (asks.has(id)) {
          if (kind === 'go') asks.delete(id)
          else asks.set(id, amount)
          if (kind === 'go') order.onDrained?.(id, LANE)
          else if (kind === 'more') order.onMore?.(id, LANE)
          else order.onClaim?.(id, LANE, 0 as TaskId, 0 as NodeId)
        }
      }
    }),
    { seed: 4, numRuns: 300 },
  )
})

it('asks no number for a job that waits alone, and those of both once there are two', () => {
  const asked: number[] = []
  const scoreOf = (id: JobId): number => asked.push(id) && id
  const order = byScore({ cluster: { lanes: [{}] }, work: { rank: (id: JobId) => id } } as unknown as Env, scoreOf, () => 0)
  const read = (now: number): number[] => {
    order.begin({ lane: LANE, now } as Round)
    const block = order.next()
    return Array.from(block?.ids.subarray(block.from, block.to) ?? [])
  }
  order.onReady?.(3 as JobId, LANE)
  expect([read(1), read(2), asked]).toEqual([[3], [3], []])
  order.onReady?.(7 as JobId, LANE)
  expect([read(2), asked]).toEqual([[7, 3], [3, 7]])
})
