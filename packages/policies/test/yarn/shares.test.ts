import { dispatcher } from '@sched/cluster'
import { divideAmongQueues, greedy, queueShares, yarnFair, type QueueOptions, type ShareEntry, type ShareTree } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { QueueSharing } from '../../src/yarn/queue-sharing.js'
import { plainShares } from './plain-shares.js'

const entry: fc.Arbitrary<ShareEntry> = fc.record({
  weight: fc.constantFrom(0, 0.5, 1, 1, 2, 3),
  min: fc.constantFrom(0, 0, 0, 5, 20, 60),
  max: fc.constantFrom(Infinity, Infinity, 0, 10, 40),
  active: fc.constantFrom(true, true, true, false),
})
/** A tree of any shape: entry i lies in one of those before it. */
const trees: fc.Arbitrary<ShareTree> = fc
  .array(fc.tuple(entry, fc.nat()), { minLength: 1, maxLength: 14 })
  .map((all) => ({ entries: all.map(([each]) => each), parents: all.map(([, pick], i) => (i === 0 ? -1 : pick % i)) }))

describe('shares of a tree of queues', () => {
  it('are what bisection of the level over whole shares finds, with minima and maxima at every level', () => {
    fc.assert(
      fc.property(trees, fc.integer({ min: 0, max: 200 }), (tree, total) => {
        const plain = plainShares(tree, total)
        expect([...queueShares(tree, total)]).toEqual(plain)
      }),
      { seed: 2010, numRuns: 200 },
    )
  })

  it('never pass a maximum, are never below a minimum, and sum to what there is where somebody can take it', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 10 }), fc.integer({ min: 0, max: 200 }), (entries, total) => {
        const shares = new Float64Array(entries.length)
        divideAmongQueues(entries, total, shares)
        const sum = shares.reduce((all, each) => all + each, 0)
        for (const [i, { min, max, active }] of entries.entries()) {
          expect(shares[i]).toBeLessThanOrEqual(active ? max : 0)
          expect(shares[i]).toBeGreaterThanOrEqual(active ? Math.min(min, max) : 0)
        }
        const growing = entries.map(({ active, weight, max }, i) => active && weight > 0 && shares[i]! < max).some(Boolean)
        if (growing) expect(sum).toBeGreaterThan(total - 1e-9)
        const minima = entries.reduce((all, { active, min, max }) => all + (active ? Math.min(min, max) : 0), 0)
        expect(sum).toBeLessThanOrEqual(Math.max(total, minima) + 1e-9)
      }),
      { seed: 2010, numRuns: 200 },
    )
  })

  it('of weight 0 are the minimum; minima beyond the total are given all the same', () => {
    const shares = new Float64Array(3)
    const plain = { min: 0, max: Infinity, active: true }
    divideAmongQueues([{ ...plain, weight: 0, min: 10 }, { ...plain, weight: 1 }, { ...plain, weight: 2 }], 100, shares)
    expect([...shares]).toEqual([10, 30, 60])
    divideAmongQueues([{ ...plain, weight: 1, min: 80 }, { ...plain, weight: 1, min: 40 }, { ...plain, weight: 1 }], 100, shares)
    expect([...shares]).toEqual([80, 40, 0])
  })
})

describe('the order yarn-fair', () => {
  /** Instantaneous shares of 90 slots by path, with a job in each of these queues. */
  function shares(queues: Readonly<Record<string, QueueOptions>>, active: readonly string[]): Record<string, number> {
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, slots: { map: 90 } }] }), policy: greedy(yarnFair({ root: { queues } })) })
    for (const queue of active) master.submit(job({ id: queue, queue, tasks: 100 }), 0)
    const { sharing } = master.policy
    if (!(sharing instanceof QueueSharing)) throw new Error('yarn-fair shares by queues')
    const all = sharing.sharesOf(0 as never)
    return Object.fromEntries(sharing.queues.slice(1).map(({ id, path }) => [path.slice(5), all[id]!]))
  }

  it('knows the instantaneous share of each queue: of those with jobs, by weight, between minimum and maximum', () => {
    const queues = { a: { weight: 2 }, b: { queues: { x: { weight: 3 }, y: {} } }, c: { maxResources: { map: 10 } }, d: { minResources: { map: 50 } } }
    expect(shares(queues, ['a', 'b.x'])).toEqual({ a: 60, b: 30, 'b.x': 30, 'b.y': 0, c: 0, d: 0 })
    expect(shares(queues, ['a', 'b.x', 'b.y'])).toEqual({ a: 60, b: 30, 'b.x': 23, 'b.y': 7, c: 0, d: 0 }) // 22.5 and 7.5: at 7 2/3 per weight both rounded down use up 30
    // 10 for c; a : b : d as 2 : 1 : 1 of 80 would leave d 20, so it has its 50, and a and b the other 30
    expect(shares(queues, ['a', 'b.y', 'c', 'd'])).toEqual({ a: 20, b: 10, 'b.x': 0, 'b.y': 10, c: 10, d: 50 })
  })

  it('knows it however jobs have come and ended', () => {
    const queues = { a: { weight: 2, minResources: { map: 7 } }, b: { queues: { x: { weight: 3, maxResources: { map: 30 } }, y: {} } }, c: {} }
    const paths = ['a', 'b.x', 'b.y', 'c', 'made', 'other']
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 99 })), { maxLength: 40 }), (steps) => {
        const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, slots: { map: 90 } }] }), policy: greedy(yarnFair({ root: { queues } })) })
        const sharing = master.policy.sharing as QueueSharing
        const left: { readonly queue: string; readonly task: ReturnType<typeof master.pass>['start'][number] }[] = []
        for (const [now, [kind, pick]] of steps.entries()) {
          if (kind === 0) {
            const queue = paths[pick % paths.length] as string
            master.submit(job({ id: `j${now}`, queue, tasks: 1 }), now)
            left.push(...master.pass(now).start.map((task) => ({ queue, task })))
          } else for (const { task } of left.splice(pick % (left.length + 1), 1)) master.taskEnded(task, now)
          const parents = sharing.queues.map(({ parent }) => parent)
          const isActive = (path: string) => left.some(({ queue }) => path === 'root' || `root.${queue}.`.startsWith(`${path}.`))
          const entries = sharing.queues.map(({ path, weight, minResources, maxResources }) => ({ weight, min: minResources[0] as number, max: maxResources[0] as number, active: isActive(path) }))
          expect([now, ...sharing.sharesOf(0 as never)]).toEqual([now, ...queueShares({ parents, entries }, 90)])
        }
      }),
      { seed: 3, numRuns: 60 },
    )
  })
})
