import { dispatcher, type Dispatcher, type DispatcherMemory } from '@sched/cluster'
import type { ResourceId } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fairShares, type Claimant } from '../../src/kai/fair-shares.js'
import { PastUsage } from '../../src/kai/past-usage.js'
import { firstNode } from '../first-node.js'

type Settings = NonNullable<KaiOptions['pastUsage']>
const gpu = 0 as ResourceId
const defaults = { kValue: 1, windowSize: 604_800, windowType: 'sliding', fetchInterval: 60 } as const

describe('fair shares, where past usage counts (calcShareWeights)', () => {
  const claimant = (change: Partial<Claimant>): Claimant => ({ priority: 100, quota: 0, limit: Infinity, weight: 1, request: 20, ...change })
  it.each<[string, number, readonly Partial<Claimant>[], readonly number[]]>([
    ['are less for who has had more', 1, [{ usage: 0.5 }, {}], [4, 8]], // 1/2 and 1/2 + 1/2
    ['are those by weight for who has had its part', 1, [{ weight: 3, usage: 0.75 }, { usage: 0.25 }], [9, 3]],
    ['are nothing for who has had twice its part', 1, [{ usage: 1 }, {}], [0, 12]],
    ['are nothing for who has had a tenth more than its part, with a k of 10', 10, [{ usage: 0.55 }, { usage: 0.45 }], [0, 12]],
    ['are within quotas what they were', 1, [{ quota: 4, usage: 1 }, {}], [4, 8]],
    ['go by parts of those who ask more', 1, [{ request: 2, usage: 1 }, { usage: 0.5 }, {}], [0, 2, 10]], // none, 1/6 and 2/3: of 12 they are 2.4 and 9.6
    ['are for who asks little what it asks, and the rest goes to the others', 1, [{ request: 1 }, { usage: 0.5 }, {}], [1, 3, 8]], // 2/3, 1/6 and 2/3, then 1/2 and 1 of what is left
    ['are those by weight with a k of 0', 0, [{ usage: 1 }, {}], [6, 6]],
    ['leave what nobody has a part of to lower priorities', 2, [{ priority: 2, usage: 0.75 }, { priority: 2, usage: 0.75 }, { priority: 1, usage: 0.5 }], [0, 0, 12]],
  ])('%s', (_, kValue, claimants, expected) => {
    expect(fairShares(12, claimants.map(claimant), 1, kValue)).toEqual(expected)
  })
})

describe('past usage', () => {
  it('is what was had of what there was, by halves as it grows old, in any window', () => {
    const time = fc.integer({ min: 0, max: 2000 })
    const amount = fc.integer({ min: 0, max: 5 })
    const changes = fc.array(fc.tuple(time, amount), { minLength: 1, maxLength: 30 }).map((all) => all.sort(([a], [b]) => a - b))
    const settings = fc.record({ windowSize: fc.integer({ min: 1, max: 20 }).map((fetches) => fetches * 7), windowType: fc.constantFrom('sliding' as const, 'tumbling' as const), halfLifePeriod: fc.constantFrom(undefined, 0.5, 20, 300) })
    let counted = 0
    fc.assert(
      fc.property(settings, changes, changes, fc.array(time, { minLength: 1, maxLength: 20 }), ({ windowSize, windowType, halfLifePeriod }, had, there, asked) => {
        let capacity = 0
        const past = new PastUsage({ kValue: 1, windowSize, windowType, halfLifePeriod, fetchInterval: 7 }, { resources: ['gpu'], capacity: () => capacity }, 0)
        const mine = past.meters('q')
        const events = [...had.map(([now, to]) => [now, () => mine[0]?.set(to, now)] as const), ...there.map(([now, to]) => [now, () => (capacity = to)] as const), ...asked.map((now) => [now, () => now] as const)]
        for (const [now, happens] of events.sort(([a], [b]) => a - b)) {
          happens()
          if (!past.fetch(now)) continue
          const end = now - (now % 7)
          const start = Math.max(0, windowType === 'sliding' ? end - windowSize : (Math.ceil(end / windowSize) - 1) * windowSize)
          const whole = integral(there, start, end, halfLifePeriod)
          if (whole < 1e-300) continue
          counted++
          const expected = integral(had, start, end, halfLifePeriod) / whole
          expect(Math.abs(past.part(mine, gpu) - expected)).toBeLessThan(1e-9 * Math.max(1, expected))
        }
      }),
      { seed: 5, numRuns: 300 },
    )
    expect(counted).toBeGreaterThan(1000)
  })

  it('is known anew when it is fetched, and not before', () => {
    const past = new PastUsage({ ...defaults, windowSize: 120 }, { resources: ['gpu'], capacity: () => 4 }, 0)
    const mine = past.meters('q')
    mine[gpu]?.set(2, 0)
    expect([past.fetch(59), past.part(mine, gpu), past.next]).toEqual([false, 0, 60])
    mine[gpu]?.set(4, 90)
    expect([past.fetch(100), past.part(mine, gpu), past.fetch(110), past.next]).toEqual([true, 0.5, false, 120])
    expect([past.fetch(200), past.part(mine, gpu)]).toEqual([true, 0.875]) // from 60 to 180
  })
})

/** Of steps of an amount, an instant that is so much before the end counted as such a half-life says. */
function integral(steps: readonly (readonly [time: number, amount: number])[], start: number, end: number, halfLife: number | undefined): number {
  const weight = (from: number, to: number) => (halfLife === undefined ? to - from : 2 ** ((to - end) / halfLife) - 2 ** ((from - end) / halfLife))
  return steps.reduce((sum, [time, amount], i) => {
    const [from, to] = [Math.max(start, time), Math.min(end, steps[i + 1]?.[0] ?? end)]
    return to > from ? sum + amount * weight(from, to) : sum
  }, 0)
}

/** The part of all that each queue has had after so many seconds on a node of 16 GPUs, where a queue waits for jobs of so many GPUs that never end. */
function parts(gpus: Readonly<Record<string, number>>, pastUsage: Settings | undefined, seconds = 600): Record<string, number> {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 16 } }] }), policy: kaiPreempting({ pastUsage, ties: 'submission' }, firstNode()) })
  const had: Record<string, number> = {}
  const running = new Map<number, string>()
  for (const [queue, gpu] of Object.entries(gpus)) {
    had[queue] = 0
    for (let i = 0; i < 20; i++) master.submit(job({ id: `${queue}${i}`, queue: `department.${queue}`, demand: { gpu } }), 0)
  }
  for (let now = 0; now < seconds; ) {
    const { start, kill } = master.pass(now)
    for (const { id } of kill) running.delete(id)
    for (const { id, job: name } of start) running.set(id, Object.keys(gpus).find((queue) => name.startsWith(queue)) as string)
    const next = Math.min(seconds, master.nextWake)
    for (const queue of running.values()) had[queue] = (had[queue] as number) + ((gpus[queue] as number) * (next - now)) / (16 * seconds)
    now = next
  }
  return had
}

describe('queues take turns (time_aware_fairness_test.go)', () => {
  const of = (settings: Settings): Settings => ({ fetchInterval: 1, windowSize: 150, ...settings })

  it('where only one of them can have anything', () => {
    const two = { one: 16, two: 16 }
    expect(parts(two, undefined)).toEqual({ one: 1, two: 0 })
    const { one, two: other } = parts(two, of({ halfLifePeriod: 75 }))
    expect([one, other].map((part) => Math.round(10 * (part as number)))).toEqual([5, 5])
  })

  it('where jobs of one are larger than its part, which else never run, the more the more past usage counts', { tags: 'long' }, () => {
    const burst = (kValue?: number) => Math.round(100 * (parts({ one: 1, two: 1, burst: 12 }, kValue === undefined ? undefined : of({ kValue })).burst as number))
    expect([burst(), burst(1), burst(2), burst(10)]).toEqual([0, 0, 15, 30]) // with 1 its part is 2/3 at most, and 12 of 16 are more
  })

  it('and the laws of policies hold', { tags: 'long' }, () => {
    expect(checkPolicyLaws(() => kaiPreempting({ pastUsage: { fetchInterval: 3, windowSize: 20, halfLifePeriod: 4 } }, firstNode()), { runs: 12 }).launches).toBeGreaterThan(90)
  })

  it.each([[false, 6], [true, 0]] as const)('counts after a restart, with the memory of the dispatcher before: %s', (remembers, ofFirst) => {
    const begin = () => dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 12 } }] }), policy: kaiPreempting({ pastUsage: { ...defaults, fetchInterval: 10 } }, firstNode()) })
    const submit = (master: Dispatcher, queue: string, now: number) => {
      for (let i = 0; i < 12; i++) master.submit(job({ id: `${queue}${i}`, queue, demand: { gpu: 1 } }), now)
    }
    const before = begin()
    submit(before, 'first', 0)
    for (const placed of before.pass(0).start) before.taskEnded(placed, 100)
    const after = begin()
    if (remembers) after.recall(JSON.parse(JSON.stringify(before.memory())) as DispatcherMemory)
    for (const queue of ['first', 'second']) submit(after, queue, 105)
    expect(after.pass(105).start.filter(({ job: name }) => name.startsWith('first'))).toHaveLength(ofFirst)
  })
})
