import type { Sharing } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { fairness, type FairnessOptions, type LaneFairnessResult } from '../src/index.js'
import { World } from './world.js'

/** Two queues with 8 tasks each on 4 slots: A holds 3 from 0 s on, B 1; at 10 s one slot goes from A to B; all stop at 20 s. */
function story(options: FairnessOptions = {}): LaneFairnessResult {
  const observer = fairness(options)
  const world = new World([observer], { map: 4 })
  const [a, b] = [world.submit(0, { queue: 'A', tasks: 8 }), world.submit(0, { queue: 'B', tasks: 8 })]
  const moved = world.start(0, a)
  world.start(0, a)
  world.start(0, a)
  world.start(0, b)
  world.end(10, moved)
  world.start(10, b)
  world.close(20)
  return observer.result()[0] as LaneFairnessResult
}

describe('fairness', () => {
  it('compares shares with equal parts: 3 of 4 slots for 10 s, then 2 of 4', () => {
    // Deviation 1/4 of the lane for either queue, then 0: mean 1/8. Jain's index of 3 and 1 is 16/20, then 1: mean 0.9.
    const { lane, seconds, meanDeviation, jain, queues } = story()
    expect([lane, seconds, meanDeviation]).toEqual(['map', 20, 0.125])
    expect(jain).toBeCloseTo(0.9, 12)
    expect(queues).toEqual([
      { queue: 'A', seconds: 20, share: 0.625, fairShare: 0.5, deviation: 0.125 },
      { queue: 'B', seconds: 20, share: 0.375, fairShare: 0.5, deviation: 0.125 },
    ])
  })

  it('takes weights into account: 3 to 1 is fair at first, off by 1/4 later', () => {
    const { meanDeviation, queues } = story({ weight: (queue) => (queue === 'A' ? 3 : 1) })
    expect(queues.map(({ fairShare, deviation }) => [fairShare, deviation])).toEqual([[0.75, 0.125], [0.25, 0.125]])
    expect(meanDeviation).toBe(0.125)
  })

  it("takes the policy's own fair shares where it has any", () => {
    const sharing = { poolOf: (job: number) => job, name: (pool: number) => `pool ${pool}`, fairShares: () => Float64Array.of(3, 1) } as unknown as Sharing
    const { queues } = story({ sharing: () => sharing })
    expect(queues.map(({ queue, fairShare }) => [queue, fairShare])).toEqual([['pool 0', 0.75], ['pool 1', 0.25]])
    expect(story({ sharing: () => undefined }).queues[0]?.queue).toBe('A')
  })

  it('keeps series of the queues asked for at a fixed step', () => {
    const { times, series } = story({ series: ['B'], step: 5 })
    expect(times).toEqual([0, 5, 10, 15])
    // the sample at 10 s sees the whole instant
    expect(series).toEqual([{ queue: 'B', share: [0.25, 0.25, 0.5, 0.5], fairShare: [0.5, 0.5, 0.5, 0.5] }])
  })

  it('bounds the series: with 4 points the step doubles to 8 s, and the means stay those of the whole time', () => {
    const { times, series, seconds, meanDeviation } = story({ series: ['A'], step: 1, points: 4 })
    expect(times).toEqual([0, 8, 16])
    expect(series[0]?.share).toEqual([0.75, 0.75, 0.5])
    // samples at 0, 1, 2, 3 (1 s each), 4, 6 (2 s each), 8, 12 (4 s each), 16 (to the end): A has 3 slots up to 12 s by the samples
    expect(seconds).toBe(20)
    expect(meanDeviation).toBe((0.25 * 12) / 20)
  })

  it('does not demand more for a queue than it wants', () => {
    const observer = fairness()
    const world = new World([observer], { map: 4 })
    const [small, large] = [world.submit(0, { queue: 'small' }), world.submit(0, { queue: 'large', tasks: 9 })]
    world.start(0, small)
    for (let i = 0; i < 3; i++) world.start(0, large)
    world.close(10)
    expect(observer.result()[0]).toMatchObject({ meanDeviation: 0, jain: 1, queues: [{ queue: 'large', fairShare: 0.75 }, { queue: 'small', fairShare: 0.25 }] })
  })

  it('says nothing about time in which one queue is alone', () => {
    const observer = fairness()
    const world = new World([observer], { map: 4 })
    world.start(0, world.submit(0, { queue: 'A', tasks: 9 }))
    world.close(10)
    expect(observer.result()[0]).toEqual({ lane: 'map', seconds: 0, meanDeviation: NaN, jain: NaN, queues: [], times: [], series: [] })
  })

  it('refuses a step and a number of points that it cannot keep', () => {
    expect(() => fairness({ step: 0 })).toThrow(/sampling step is 0 s/)
    expect(() => fairness({ points: 5 })).toThrow(/5 points.*even number/)
  })

  it('leaves rows per queue out when told so', () => {
    expect(story({ queues: false })).toMatchObject({ queues: [], meanDeviation: 0.125 })
  })

  it('measures dominant shares where tasks need several resources', () => {
    // A holds 2 of 9 CPU and 8 of 18 GB, B 6 of 9 CPU and 2 of 18 GB: shares 4/9 and 6/9; either is due 1/2.
    const observer = fairness()
    const world = new World([observer], { cpu: 9, memory: 18 }, { together: true })
    const job = (queue: string, demand: Record<string, number>) => world.submit(0, { queue, stages: [{ name: 'all', tasks: 20, demand, duration: 1 }] })
    const [a, b] = [job('A', { cpu: 1, memory: 4 }), job('B', { cpu: 3, memory: 1 })]
    for (const each of [a, a, b, b]) world.start(0, each)
    world.close(10)
    const { queues } = observer.result()[0] as LaneFairnessResult
    expect(queues.map(({ queue, share, fairShare }) => [queue, share.toFixed(12), fairShare])).toEqual([
      ['A', (4 / 9).toFixed(12), 0.5],
      ['B', (6 / 9).toFixed(12), 0.5],
    ])
  })
})
