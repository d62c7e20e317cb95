import { dispatcher } from '@sched/cluster'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Snapshot, type Admitted, type Place } from '../reference/kueue-preemption.js'
import { flavored, type Load } from './world.js'

// Kueue goes on with the next flavors where it could preempt nobody in the one at which the search stopped (flavorassigner.go, LastTriedFlavorIdx; cluster_queue.go, PendingFlavors).

type Queue = NonNullable<KueueOptions['queues']>[string]
const stop = { flavorFungibility: { whenCanPreempt: 'Preempt' } } as const

describe('where each resource of a flavor could be had, but not all together', () => {
  // b_1 borrows 2 of the 4 CPUs of flavor one: a could take them back, were it not that it would borrow the memory
  const b = { cohort: 'c', nominalQuota: { one: { cpu: 0, mem: 4 }, two: { cpu: 0, mem: 0 } } }
  const a = (rules: Queue = {}): Queue => ({ cohort: 'c', nominalQuota: { one: { cpu: 4, mem: 0 }, two: { cpu: 4, mem: 4 } }, preemption: { reclaimWithinCohort: 'Any' }, ...stop, ...rules })

  it.each<[string, Queue, readonly Load[]]>([
    ['of one that waits alone', {}, []], ['beside one of another queue', {}, [['d_in', 9]]], ['of a strict queue', { queueingStrategy: 'StrictFIFO' }, [['d_in', 9]]],
    ['of one that is older than others of its priority', { preemption: { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerOrNewerEqualPriority' } }, [['d_in', 9]]],
  ])('the next flavor is taken: %s', (_, more, others) => {
    const { come } = flavored(['one', 'two'], { queues: { a: a(more), b, d: { nominalQuota: { one: { cpu: 9, mem: 0 } } } } })
    expect(come(['b_1', 2], ['d_0', 1])).toEqual(['+d_0@one', '+b_1@one'])
    expect(come(['a_in', { cpu: 4, mem: 2 }], ...others)).toEqual(['+a_in@two'])
  })

  it('the next flavor is taken in the next cycle: whoever fits into it now comes before', () => {
    const { come } = flavored(['one', 'two'], { queues: { a: a(), b, d: { cohort: 'c', nominalQuota: { two: { cpu: 0, mem: 0 } } } } })
    expect(come(['b_1', 2])).toEqual(['+b_1@one'])
    expect(come(['a_in', { cpu: 4, mem: 2 }, 1], ['d_in', { cpu: 1 }])).toEqual(['+d_in@two'])
  })

  it.each([
    [true, ['+d_0@two', '+a_in@two']],
    [false, ['+d_0@two', '+d_in@two']],
  ])('the next flavor is taken though another was admitted in the cycle before, unless that ends the search (preserveScanProgress: %s)', (preserveScanProgress, expected) => {
    const more = { nominalQuota: { one: { cpu: 4, mem: 0 }, two: { cpu: 5, mem: 4 } } }
    const { come } = flavored(['one', 'two'], { preserveScanProgress, queues: { a: a(more), b, d: { cohort: 'c', nominalQuota: { two: { cpu: 0, mem: 0 } } } } })
    expect(come(['b_1', 2])).toEqual(['+b_1@one'])
    expect(come(['a_in', { cpu: 4, mem: 2 }, 1], ['d_0', { cpu: 1 }], ['d_in', { cpu: 1 }])).toEqual(expected)
  })

  it('it waits where none of them has room, and is looked at from the first flavor on when something has ended', () => {
    const { come, end } = flavored(['one', 'two'], { queues: { a: a(), b } })
    expect(come(['b_1', 2], ['a_0', { cpu: 1, mem: 3 }])).toEqual(['+b_1@one', '+a_0@one'])
    expect(come(['a_1', { mem: 4 }])).toEqual(['+a_1@two'])
    expect(come(['a_in', { cpu: 3, mem: 1 }])).toEqual([])
    expect(end('b_1')).toEqual(['+a_in@one'])
  })
})

describe('one that would have come in by a flavor, and was passed by (FlavorFungibilityPreserveScanProgress)', () => {
  // c_0 borrows 3 of the 4 CPUs of flavor one: the last is for one of a_1 and b_1
  const of = (one: number, two: number): Queue => ({ cohort: 'all', nominalQuota: { one: { cpu: one }, two: { cpu: two } }, preemption: { reclaimWithinCohort: 'Any' }, ...stop })
  const last = (two: number, options: Partial<KueueOptions> = {}) => {
    const { come } = flavored(['one', 'two'], { ...options, queues: { a: of(2, 2), b: { ...of(2, two), borrowingLimit: { two: { cpu: 0 } } }, c: of(0, 0) } })
    expect(come(['c_0', 3])).toEqual(['+c_0@one'])
    return come(['a_1', 1, 1], ['b_1', 1])
  }

  it('goes on with the next flavor, or begins with the first again, where it finds somebody to preempt', () => {
    expect(last(2)).toEqual(['+a_1@one', '+b_1@two'])
    expect(last(2, { fairSharing: true })).toEqual(['+a_1@one', '+b_1@two'])
    expect(last(2, { preserveScanProgress: false })).toEqual(['-c_0', '+a_1@one', '+b_1@one'])
  })

  it('begins with the first again where the others have no room (in Kueue when something has ended)', () => {
    expect(last(0)).toEqual(['-c_0', '+a_1@one', '+b_1@one'])
  })
})

const FLAVORS = ['one', 'two', 'three']
const pair = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }))
const quotas = fc.array(pair, { minLength: 3, maxLength: 3 })
const rules = fc.record({
  preemption: fc.record({ withinClusterQueue: fc.constantFrom('Never' as const, 'LowerPriority' as const), reclaimWithinCohort: fc.constant('Any' as const) }),
  flavorFungibility: fc.record({ whenCanBorrow: fc.constantFrom('MayStopSearch' as const, 'TryNextFlavor' as const), whenCanPreempt: fc.constantFrom('MayStopSearch' as const, 'TryNextFlavor' as const) }),
})
const queueOf = fc.record({ quotas, rules, isStrict: fc.boolean() })
const step = fc.record({ ends: fc.boolean(), which: fc.nat(), queue: fc.nat({ max: 2 }), asks: pair, priority: fc.integer({ min: 0, max: 2 }) })

it.each([true, false])('leaves nobody waiting for whom there is room in any flavor, of all that it asks, whatever comes and ends (preserveScanProgress: %s)', { tags: 'long' }, (preserveScanProgress) => {
  const count = { waited: 0, killed: 0 }
  const labels = Object.fromEntries(FLAVORS.map((type) => [type, { type }]))
  const nodes = FLAVORS.map((type) => ({ name: type, count: 1, resources: { cpu: 99, mem: 99 }, labels: { type } }))
  fc.assert(
    fc.property(fc.array(queueOf, { minLength: 3, maxLength: 3 }), fc.boolean(), fc.array(step, { minLength: 10, maxLength: 30 }), (ofQueues, fairSharing, steps) => {
      const unlimited = ofQueues.flatMap(() => [Infinity, Infinity])
      const all: Place = { name: 'all', nominal: unlimited.map(() => 0), borrowing: unlimited, lending: unlimited, weight: 1, parent: undefined }
      const places = ofQueues.map(({ quotas: own }, i): Place => ({ name: 'abc'.charAt(i), nominal: own.flat(), borrowing: unlimited, lending: unlimited, weight: 1, parent: all }))
      const queues = ofQueues.map(({ quotas: own, rules: more, isStrict }, i): [string, Queue] => [
        'abc'.charAt(i),
        { cohort: 'all', nominalQuota: Object.fromEntries(FLAVORS.map((name, f) => [name, { cpu: own[f]?.[0] ?? 0, mem: own[f]?.[1] ?? 0 }])), ...more, ...(isStrict && { queueingStrategy: 'StrictFIFO' }) },
      ])
      const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ fairSharing, preserveScanProgress, flavors: labels, queues: Object.fromEntries(queues) }) })
      const running = new Map<string, { readonly task: ReturnType<typeof master.pass>['start'][number]; readonly flavor: number }>()
      const inSystem = new Map<string, { readonly queue: number; readonly asks: readonly number[]; readonly priority: number; readonly at: number }>()
      let now = 0
      const pass = (): number => {
        const { start, kill } = master.pass(now)
        for (const each of kill) running.delete(each.job)
        for (const task of start) running.set(task.job, { task, flavor: FLAVORS.indexOf(task.node.replace('-0', '')) })
        count.killed += kill.length
        return start.length + kill.length
      }
      const inFlavor = (asks: readonly number[], flavor: number) => FLAVORS.flatMap((_, f) => (f === flavor ? asks : [0, 0]))
      for (const [i, { ends, which, queue, asks, priority }] of steps.entries()) {
        now += 1
        const gone = [...running.keys()].sort()[which % Math.max(1, running.size)]
        if (ends && gone !== undefined) {
          master.taskEnded((running.get(gone) as NonNullable<ReturnType<typeof running.get>>).task, now)
          running.delete(gone)
          inSystem.delete(gone)
        } else if (asks[0] + asks[1] > 0) {
          const id = `${i}`
          const demand = { ...(asks[0] > 0 && { cpu: asks[0] }), ...(asks[1] > 0 && { mem: asks[1] }) }
          try {
            master.submit(job({ id, queue: 'abc'.charAt(queue), priority, demand }), now)
            inSystem.set(id, { queue, asks, priority, at: i })
          } catch {
            continue // too large
          }
        }
        for (let passes = 0; (pass() > 0 || master.nextWake < Infinity) && passes < 100; passes++) now += 0.001
        const admitted = [...running].map(([id, { flavor }], n): Admitted => {
          const each = inSystem.get(id) as NonNullable<ReturnType<typeof inSystem.get>>
          return { id: n, admission: n, queue: places[each.queue] as Place, priority: each.priority, submitted: each.at, asks: inFlavor(each.asks, flavor) }
        })
        const snapshot = new Snapshot([all, ...places], admitted)
        const waiting = [...inSystem].filter(([id]) => !running.has(id)).sort(([, x], [, y]) => y.priority - x.priority || x.at - y.at)
        const lookedAt = waiting.filter(([, { queue: of }], at) => ofQueues[of]?.isStrict !== true || waiting.findIndex(([, other]) => other.queue === of) === at)
        count.waited += waiting.length
        const fits = ([, each]: (typeof waiting)[number]) => FLAVORS.some((_, f) => inFlavor(each.asks, f).every((amount, c) => amount === 0 || amount <= snapshot.available(places[each.queue] as Place, c)))
        expect([i, lookedAt.filter(fits).map(([id]) => id)]).toEqual([i, []])
      }
    }),
    { seed: 17, numRuns: 200 },
  )
  expect(Math.min(count.waited, count.killed)).toBeGreaterThan(100)
})
