import { dispatcher } from '@sched/cluster'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Cases of Kueue's own tests (TestSchedule, TestLastSchedulingContext): who is admitted in which flavor, and who is preempted. What there is looked at
// again in the next cycle comes here in the same call, who waits for what is given back in the next.

type Queue = NonNullable<KueueOptions['queues']>[string]
type Amounts = number | Readonly<Record<string, number>>
/** What holds quota, of a flavor. */
type Held = readonly [id: string, asks: Amounts, flavor: string, priority?: number]
type Load = readonly [id: string, asks: Amounts, priority?: number]
/** Nominal quota, what may be borrowed beyond it, and what is lent of it, of CPUs, by flavor. */
type Quotas = Readonly<Record<string, number | readonly [nominal: number, borrows?: number | undefined, lends?: number | undefined]>>

const RESOURCES = ['cpu', 'mem', 'gpu']
const amounts = (asks: Amounts) => (typeof asks === 'number' ? { cpu: asks } : asks)

function queue(cohort: string | undefined, quotas: Quotas, more: Queue = {}): Queue {
  const limits = (i: 1 | 2) => Object.fromEntries(Object.entries(quotas).flatMap(([flavor, quota]) => (typeof quota === 'number' || quota[i] === undefined ? [] : [[flavor, { cpu: quota[i] }]])))
  const nominalQuota = Object.fromEntries(Object.entries(quotas).map(([flavor, quota]) => [flavor, { cpu: typeof quota === 'number' ? quota : quota[0], mem: 0, gpu: 0 }]))
  return { nominalQuota, ...(cohort !== undefined && { cohort, borrowingLimit: limits(1), lendingLimit: limits(2) }), ...more }
}

/** Who is preempted, `-id`, and who is admitted, `+id flavor`, when the last come together; then when `ends` has ended. */
function play(options: KueueOptions, held: readonly Held[], come: readonly Load[], ends?: string) {
  const flavors = ['one', 'two', 'three']
  const resources = Object.fromEntries(RESOURCES.map((name) => [name, 1000]))
  const nodes = flavors.map((type) => ({ count: 1, resources, labels: { type } }))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ ...options, flavors: Object.fromEntries(flavors.map((type) => [type, { type }])) }) })
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number]>()
  const pass = (now: number) => {
    const { start, kill } = master.pass(now)
    for (const each of start) running.set(each.job, each)
    return [...kill.map((each) => `-${each.job}`), ...start.map((each) => `+${each.job} ${flavors[Number(/\d+/.exec(each.node)?.[0])]}`)].sort()
  }
  const submit = (now: number, id: string, asks: Amounts, priority = 0, flavor?: string) => {
    const { stages, ...spec } = job({ id, queue: id.split('_')[0] as string, priority, demand: amounts(asks) })
    master.submit({ ...spec, stages: stages.map((stage) => ({ ...stage, ...(flavor !== undefined && { constraints: { require: { type: flavor } } }) })) }, now)
  }
  for (const [i, [id, asks, flavor, priority]] of held.entries()) {
    submit(i, id, asks, priority, flavor)
    expect(pass(i)).toEqual([`+${id} ${flavor}`])
  }
  for (const [id, asks, priority] of come) submit(held.length, id, asks, priority)
  const first = pass(held.length)
  if (ends === undefined) return first
  master.taskEnded(running.get(ends) as NonNullable<ReturnType<typeof running.get>>, held.length + 1)
  return [...first, 'then', ...pass(held.length + 1)]
}

type Case = readonly [name: string, options: KueueOptions, held: readonly Held[], come: readonly Load[], expected: readonly string[], ends?: string]
const check = (cases: readonly Case[]) =>
  it.each(cases.map((each) => ({ name: each[0], each })))('$name', ({ each: [, options, held, come, expected, ends] }) => {
    expect(play(options, held, come, ends)).toEqual(ends === undefined ? [...expected].sort() : expected)
  })

const own = { withinClusterQueue: 'LowerPriority' } as const
const both = { ...own, reclaimWithinCohort: 'Any' } as const
const lower = { ...own, reclaimWithinCohort: 'LowerPriority' } as const
const borrowing = { borrowWithinCohort: { policy: 'LowerPriority' } } as const
const strict = { queueingStrategy: 'StrictFIFO' } as const

describe('two queues of a cohort with two flavors', () => {
  const queues = {
    a: queue('eng', { one: [50, 50], two: [100, 0] }, strict),
    b: queue('eng', { one: [50, 10], two: [0, 100] }, { ...strict, preemption: both }),
    s: queue(undefined, { three: 50 }, strict),
  }
  const g = queue('eng', { one: [50, 10], two: [0, 100] }, { preemption: both })
  check([
    ['there is no room in a queue without a cohort', { queues }, [['s_0', 40, 'three']], [['s_1', 11]], []],
    ['queues of other cohorts are admitted side by side', { queues }, [], [['s_1', 1], ['a_1', 51]], ['+s_1 three', '+a_1 one']],
    ['nobody needs to borrow', { queues }, [], [['a_1', 40], ['b_1', 40]], ['+a_1 one', '+b_1 one']],
    ['what was borrowed would be too much beside who need not borrow, and is of the next flavor', { queues }, [], [['a_1', 45], ['b_1', 56]], ['+a_1 one', '+b_1 two']],
    ['what is borrowed fits beside who need not borrow', { queues }, [], [['a_1', 45], ['b_1', 55]], ['+a_1 one', '+b_1 one']],
    ['who would have to take back a flavor keeps nothing of another', { queues }, [['b_0', 50, 'one'], ['b_1', 1, 'two']], [['a_1', 100], ['b_2', 1]], ['+b_2 one']],
    ['the next flavor has room where the first cannot be borrowed', { queues }, [['b_0', 45, 'one']], [['a_1', 60]], ['+a_1 two']],
    ['of both queues one is preempted', { queues }, [['a_0', 100, 'two'], ['b_0', 30, 'one', -1], ['b_1', 10, 'one', -2], ['a_1', 60, 'one']], [['b_2', 20]], ['-a_1', '-b_1', '+b_2 one']],
    ['a queue at its limit stands in nobody\'s way', { queues: { ...queues, g } }, [['g_0', 51, 'one'], ['g_1', 100, 'two']], [['b_1', 50], ['a_1', 1], ['g_2', 50]], ['+b_1 one', '+a_1 one']],
    ['with fair sharing the smallest share is first', { fairSharing: true, queues: { ...queues, c: queue('eng', { one: [10, 0] }) } }, [['a_0', 50, 'one'], ['b_0', 55, 'one']], [['b_1', 1], ['a_1', 5]], ['+a_1 one', '+b_1 two']],
  ])
})

describe('quotas of one flavor', () => {
  const two = (a: number, b: number, preemption: Queue['preemption'], c = 0): KueueOptions => ({ queues: { a: queue('o', { one: a }, { preemption }), b: queue('o', { one: b }, { preemption }), c: queue('o', { one: c }) } })
  const lent: KueueOptions = { queues: { a: queue('l', { one: [3, undefined, 2] }), b: queue('l', { one: [2, undefined, 2] }) } }
  const wide = (cpu: number, mem: number): Queue => ({ cohort: 'w', nominalQuota: { one: { cpu, mem } }, borrowingLimit: { one: { cpu: 10, mem: 10 } }, preemption: both })
  const three: KueueOptions = { queues: { a: wide(10, 10), b: wide(10, 10), c: wide(10, 10) } }
  const reclaims = (reclaimWithinCohort: 'Any' | 'LowerPriority' | 'Never'): KueueOptions => ({ queues: { a: queue('r', { one: 2 }, { preemption: { reclaimWithinCohort } }), b: queue('r', { one: 0 }) } })
  check([
    ['no more is borrowed than is lent', lent, [['b_0', 2, 'one']], [['b_1', 3]], []],
    ['two borrow different resources', three, [], [['a_1', { cpu: 16 }, -1], ['b_1', { mem: 16 }, -2]], ['+a_1 one', '+b_1 one']],
    ['two borrow the same resource as far as there is', three, [], [['a_1', { cpu: 16 }, -1], ['b_1', { cpu: 14 }, -2]], ['+a_1 one', '+b_1 one']],
    ['one borrows where there is not enough for two', three, [], [['a_1', { cpu: 16 }, -1], ['b_1', { cpu: 16 }, -2]], ['+a_1 one']],
    [
      'who waits at its limit of borrowing does not block another borrower',
      { queues: { s: queue('w', { one: [4, 0] }), a: queue('w', { one: [0, 3] }, { preemption: { reclaimWithinCohort: 'LowerPriority', ...borrowing } }), b: queue('w', { one: 0 }, { preemption: { reclaimWithinCohort: 'LowerPriority', ...borrowing } }) } },
      [['a_0', 2, 'one']],
      [['a_1', 3], ['b_1', 1]],
      ['+b_1 one'],
    ],
    [
      'a queue takes back what is its own',
      { queues: { a: queue('o', { one: [50, 50] }), b: queue('o', { one: [50, 10] }, { preemption: both }) } },
      [['a_0', 100, 'one']],
      [['b_1', 1, -1], ['a_1', 1, 1]],
      ['-a_0', '+b_1 one'],
    ],
    ['no more are preempted than are needed, though others borrow', { queues: { a: queue('o', { one: 2 }, { preemption: both }), b: queue('o', { one: 2 }), c: queue('o', { one: 2 }) } }, [['a_1', 1, 'one', -2], ['a_2', 1, 'one', -2], ['b_1', 1, 'one'], ['b_2', 1, 'one'], ['a_3', 1, 'one', -1], ['b_3', 1, 'one']], [['a_in', 2]], ['-a_1', '-a_2', '+a_in one']],
    ['nobody is preempted for more than is its own', two(2, 2, both), [['a_1', 1, 'one', -1], ['b_1', 1, 'one', -1]], [['a_in', 3, 1]], []],
    ['two preempt in their own queues', two(2, 2, own), [['a_1', 2, 'one'], ['b_1', 2, 'one']], [['a_in', 2, 100], ['b_in', 2, 100]], ['-a_1', '-b_1', '+a_in one', '+b_in one']],
    ['one preempts after another who fits', two(1, 2, own), [['b_1', 2, 'one']], [['a_fit', 1, 100], ['b_in', 2, 99]], ['-b_1', '+a_fit one', '+b_in one']],
    ['nobody is preempted in vain where one of two has room', two(2, 2, { ...own, ...borrowing }, 1), [['a_1', 2, 'one'], ['b_1', 2, 'one']], [['a_in', 3, 100], ['b_in', 3, 99]], ['-a_1', '+a_in one']],
    ['who takes back comes before who cannot', { queues: { a: queue('o', { one: 10 }), b: queue('o', { one: 10 }, { preemption: { reclaimWithinCohort: 'Any' } }), c: queue('o', { one: 0 }) } }, [['a_0', 5, 'one'], ['c_2', 5, 'one', 0], ['c_3', 5, 'one', 1]], [['a_1', 10], ['b_1', 10]], ['-c_2', '+b_1 one']],
    [
      'who would take the same one as another before it fits when that is gone', // and takes nobody else
      { queues: { a: queue('o', { one: 3 }, { preemption: both }), b: queue('o', { one: 2 }, { preemption: both }), c: queue('o', { one: 0 }) } },
      [['c_big', 4, 'one', -1], ['c_small', 1, 'one']],
      [['a_1', 1, 1], ['b_1', 1]],
      ['-c_big', '+a_1 one', '+b_1 one'],
    ],
    [
      'the first of a StrictFIFO queue is looked at again when another has come in', // c borrows with c_new, which is too important, so c_old may go
      { queues: { s: queue('o', { one: 0 }, { ...strict, preemption: { reclaimWithinCohort: 'LowerPriority', ...borrowing } }), c: queue('o', { one: 2 }), pool: queue('o', { one: 1 }) } },
      [['c_old', 2, 'one', -1]],
      [['s_1', 2, 3], ['c_new', 1, 5]],
      ['+c_new one', '-c_old', '+s_1 one'],
    ],
    ['what can be taken back is lent', reclaims('Any'), [['a_0', 1, 'one']], [['a_1', 2], ['b_1', 1]], ['+b_1 one']],
    ['who borrows from nearer comes first, whatever the priorities', { cohorts: { near: { parent: 'r', nominalQuota: { one: { cpu: 4 } } } }, queues: { a: queue('near', { one: 0 }), b: queue('r', { one: 0 }) } }, [], [['a_1', 4], ['b_1', 4, 3]], ['+a_1 one']],
  ])
})

describe('fair sharing', () => {
  const root = (cpu: number): KueueOptions['cohorts'] => ({ r: { nominalQuota: { one: { cpu } } } })
  const none = (cohort: string) => queue(cohort, { one: 0 })
  const within = (cpu: number) => queue('o', { one: cpu }, { preemption: lower })
  const asks = (column: 'mem' | 'gpu' | undefined): Queue => ({ cohort: 'o', nominalQuota: { one: { cpu: 0, mem: column === 'mem' ? 1 : 0, gpu: column === 'gpu' ? 1 : 0 } }, preemption: lower })
  check([
    [
      'goes from cohort to cohort',
      { fairSharing: true, cohorts: { ...root(200), x: { parent: 'r' }, y: { parent: 'r' } }, queues: { d: none('x'), e: none('x'), f: none('y'), g: none('y') } },
      [['d_0', 10, 'one'], ['e_0', 20, 'one'], ['g_0', 100, 'one']],
      [['d_1', 70], ['e_1', 61], ['f_1', 1], ['g_1', 1]],
      ['+d_1 one'],
    ],
    ['goes by the share with the workload', { fairSharing: true, cohorts: root(100) ?? {}, queues: { b: none('r'), c: none('r') } }, [['b_0', 10, 'one']], [['b_1', 50], ['c_1', 75]], ['+b_1 one']],
    [
      'admits in every cohort',
      { fairSharing: true, cohorts: root(10) ?? {}, queues: { a: none('r'), b: queue('x', { one: 10 }), c: queue(undefined, { one: 10 }) } },
      [],
      [['a_1', 10], ['b_1', 10], ['c_1', 10]],
      ['+a_1 one', '+b_1 one', '+c_1 one'],
    ],
    ['then goes by priority', { fairSharing: true, cohorts: root(10) ?? {}, queues: { b: none('r'), c: none('r') } }, [], [['b_1', 10, 99], ['c_1', 10, 101]], ['+c_1 one']],
    ['then goes by age', { fairSharing: true, cohorts: root(10) ?? {}, queues: { b: none('r'), c: none('r') } }, [], [['c_1', 10, 101], ['b_1', 10, 101]], ['+c_1 one']],
    [
      'lets all preempt in their own queues',
      { fairSharing: true, queues: { a: within(2), b: within(2), c: within(2), rest: queue('o', { one: 3 }) } },
      [['a_0', 3, 'one'], ['b_0', 3, 'one'], ['c_0', 3, 'one']],
      [['a_1', 3, 100], ['b_1', 3, 100], ['c_1', 3, 100]],
      ['-a_0', '-b_0', '-c_0', '+a_1 one', '+b_1 one', '+c_1 one'],
    ],
    [
      'lets the second of two who would take of the same queue take what it needs beside that',
      { fairSharing: true, queues: { a: asks('mem'), b: asks('gpu'), c: asks(undefined), rest: queue('o', { one: 9 }) } },
      [['a_0', { mem: 1 }, 'one'], ['b_0', { gpu: 1 }, 'one'], ['c_0', 9, 'one']],
      [['a_1', { cpu: 3, mem: 1 }, 100], ['b_1', { cpu: 3, gpu: 1 }, 99]],
      ['-a_0', '-c_0', '+a_1 one', '-b_0', '+b_1 one'],
    ],
  ])
})

describe('the flavor of one that preempts', () => {
  const of = (a: number, b: number, fair = false): KueueOptions => ({ fairSharing: fair, queues: { a: queue('o', { one: a, two: a }, { preemption: lower }), b: queue('o', { one: b, two: b }) } })
  const stop = { whenCanBorrow: 'Borrow', whenCanPreempt: 'Preempt' } as const
  const next = { whenCanBorrow: 'TryNextFlavor', whenCanPreempt: 'TryNextFlavor' } as const
  const reclaims = { preemption: { reclaimWithinCohort: 'LowerPriority' } } as const
  const cohort: KueueOptions = {
    queues: {
      a: queue('c', { one: [50, 50], two: [100, 0] }, { ...strict, ...reclaims, flavorFungibility: stop }),
      b: queue('c', { one: [50, 50], two: [100, 0] }, { ...strict, ...reclaims, flavorFungibility: stop }),
      t: queue('c', { one: [50, 50], two: [100, 0] }, { ...strict, ...reclaims, flavorFungibility: next }),
    },
  }
  check([
    ['is one where others give back', of(10, 0), [['a_1', 5, 'one', 50], ['b_1', 5, 'two', 50]], [['a_in', 6, 100]], ['-b_1', '+a_in two']],
    ['is that with fair sharing, too', of(7, 3, true), [['a_1', 5, 'one', 50], ['b_1', 5, 'two', 50]], [['a_in', 8, 100]], ['-b_1', '+a_in two']],
    ['is the first where the other would need its own queue, too', of(10, 0), [['a_1', 5, 'one', 50], ['a_2', 5, 'two', 50], ['b_1', 5, 'two', 50]], [['a_in', 6, 100]], ['-a_1', '+a_in one']],
    ['is the first where others are too important in the other', of(10, 0), [['a_1', 6, 'one', 50], ['a_2', 5, 'two', 50], ['b_1', 5, 'two', 9001]], [['a_in', 5, 100]], ['-a_1', '+a_in one']],
    ['is the second where nobody may be preempted in the first', { queues: { a: queue(undefined, { one: 50, two: 100 }, { preemption: own, flavorFungibility: { whenCanPreempt: 'Preempt' } }) } }, [['a_0', 50, 'one']], [['a_in', 20]], ['+a_in two']],
    ['is the second where the first is another\'s own', { queues: { a: queue('c', { one: [0, 1], two: [0, 1] }, { preemption: { ...both, ...borrowing }, flavorFungibility: stop }), b: queue('c', { one: 1, two: 1 }) } }, [['b_1', 1, 'one']], [['a_in', 1, 100]], ['+a_in two']],
    ['is the first when that is given back, where the second is too small', { queues: { a: queue(undefined, { one: 50, two: 10 }, { preemption: own, flavorFungibility: { whenCanPreempt: 'Preempt' } }) } }, [['a_0', 50, 'one']], [['a_in', 20]], ['then', '+a_in one'], 'a_0'],
    [
      'is one where it borrows CPUs and preempts for memory', // whichever it prefers; in Kueue it stays with PreemptionOverBorrowing
      {
        queues: {
          a: { cohort: 'm', nominalQuota: { one: { cpu: 1, mem: 4 } }, preemption: own, flavorFungibility: { preference: 'PreemptionOverBorrowing' } },
          b: { cohort: 'm', nominalQuota: { one: { cpu: 1, mem: 0 } } },
        },
      },
      [['a_0', { mem: 4 }, 'one', -1]],
      [['a_in', { cpu: 2, mem: 2 }]],
      ['-a_0', '+a_in one'],
    ],
    ['is borrowed before the next is tried', cohort, [['a_0', 50, 'one']], [['a_1', 20], ['b_1', 20]], ['+a_1 one', '+b_1 one']],
    ['is the next before one is borrowed', cohort, [['a_0', 50, 'one'], ['t_0', 50, 'one']], [['t_1', 20]], ['+t_1 two']],
    ['is borrowed where the next is full', cohort, [['a_0', 40, 'one'], ['t_0', 40, 'one'], ['t_1', 100, 'two']], [['t_2', 20]], ['+t_2 one']],
    ['is taken back where the next is full', cohort, [['a_0', 100, 'one', -1], ['b_0', 50, 'one', -1], ['t_0', 100, 'two']], [['t_1', 20]], ['-a_0', '+t_1 one']],
    [
      'is taken back where the next can only be borrowed and is full',
      { queues: { a: queue('c', { one: [0, 60], two: [30, 30] }, { preemption: both, flavorFungibility: next }), b: queue('c', { one: [30, 30], two: [30, 30] }, { preemption: both, flavorFungibility: next }), s: queue('c', { one: 30 }) } },
      [['a_1', 22, 'one'], ['a_2', 22, 'one'], ['a_3', 22, 'two'], ['b_1', 22, 'two']],
      [['b_in', 22]],
      ['-a_2', '+b_in one'],
    ],
  ])
})

describe('one whose victim has gone for another in the cycle', () => {
  const places = { root: { nominalQuota: { one: { cpu: 31 } } }, a: { parent: 'root' }, b: { parent: 'root' }, c: { parent: 'root' } }
  const queues = {
    hero: queue('a', { one: 30 }, { preemption: both }),
    noisy: queue('a', { one: 0 }, { preemption: both }),
    tiny: queue('b', { one: 5 }, { preemption: both }),
    rest: queue('c', { one: 0 }, { preemption: both }),
  }
  const two = queue('root', { one: 5, two: 5 }, { preemption: both })
  check([
    [
      'takes another at once', // who came before takes rest_0, which leaves too little
      { fairSharing: true, cohorts: places, queues },
      [['noisy_0', 30, 'one'], ['tiny_0', 6, 'one'], ['rest_0', 30, 'one']],
      [['tiny_1', 1], ['hero_1', 30]],
      ['-noisy_0', '-rest_0', '+hero_1 one', '+tiny_1 one'],
    ],
    ['takes nobody where there is room now', { fairSharing: true, cohorts: places, queues }, [['rest_0', 66, 'one']], [['tiny_1', 5], ['hero_1', 29], ['rest_1', 40, 10]], ['-rest_0', '+hero_1 one', '+tiny_1 one']],
    ['takes nobody where there is room now, without shares', { cohorts: places, queues }, [['rest_0', 66, 'one']], [['tiny_1', 5], ['hero_1', 29]], ['-rest_0', '+hero_1 one', '+tiny_1 one']],
    ['does not go to another flavor', { fairSharing: true, cohorts: { root: {} }, queues: { a: two, b: two } }, [['a_0', 10, 'one'], ['a_1', 10, 'two']], [['a_2', 10, 11], ['b_2', 10, 10]], ['-a_0', '+b_2 one']],
    [
      'does not go to another flavor before who could take that', // b_2 takes a_0, which a_2 would have; in flavor two a_2 would have a_1, which c_2 takes
      { queues: { a: queue('r', { one: 0, two: 0 }, { preemption: { ...lower, ...borrowing } }), b: queue('r', { one: 10 }, { preemption: both }), c: queue('r', { two: 0 }, { preemption: { ...lower, ...borrowing } }), d: queue('r', { two: 10 }) } },
      [['a_0', 10, 'one'], ['a_1', 10, 'two']],
      [['a_2', 10, 11], ['b_2', 10], ['c_2', 10, 11]],
      ['-a_0', '-a_1', '+b_2 one', '+c_2 two'],
    ],
    [
      'comes before the next of the queue that took it', // which would come first in another cycle, and take the room
      { queues: { a: queue('r', { one: 0 }), b: queue('r', { one: 4 }, { preemption: lower }), c: queue('r', { one: 2 }, { preemption: { ...lower, ...borrowing } }) } },
      [['a_0', 6, 'one']],
      [['b_1', 1, 3], ['b_2', 3, 2], ['c_1', 3, 5]],
      ['-a_0', '+b_1 one', '+c_1 one'],
    ],
  ])
})

describe('cases of its tests of 2026', () => {
  const lower = { preemption: { ...own, reclaimWithinCohort: 'LowerPriority' } } as const
  const two = (alpha: number, beta: number) => ({ queues: { a: queue('other', { one: alpha, two: alpha }, lower), b: queue('other', { one: beta, two: beta }) } })
  const lends = (reclaimWithinCohort: 'Any' | 'LowerPriority' | 'Never') => ({ queues: { a: queue('root', { one: 2 }, { queueingStrategy: 'StrictFIFO', preemption: { reclaimWithinCohort } }), b: queue('root', { one: 0 }) } })
  const alone = (more: Queue) => ({ queues: { a: queue(undefined, { one: 10, two: 10 }, { preemption: own, ...more }) } })
  const borrows = (ofTwo: number) => ({ queues: { a: queue('c', { one: [10, 1], two: ofTwo }, { flavorFungibility: { whenCanBorrow: 'TryNextFlavor', whenCanPreempt: 'TryNextFlavor' } }), b: queue('c', { one: 1 }) } })
  const zero = { cohort: 'all', preemption: { reclaimWithinCohort: 'Any' } } as const
  /** Queue b has all of the 4 CPUs but one, and a has one of its own. */
  const shares = (weightOfA: number, weightOfB: number): KueueOptions => ({ fairSharing: true, cohorts: { all: { nominalQuota: { one: { cpu: 3 } } } }, queues: { a: { ...zero, weight: weightOfA, nominalQuota: { one: { cpu: 1 } } }, b: { ...zero, preemption: {}, weight: weightOfB, nominalQuota: { one: { cpu: 0 } } } } })

  check([
    ['the flavor in which it reclaims is preferred', two(10, 0), [['a_1', 5, 'one', 50], ['b_1', 5, 'two', 50]], [['a_in', 6, 100]], ['-b_1', '+a_in two']],
    ['the flavor in which it takes of others is preferred, with fair sharing, though it borrows', { ...two(7, 3), fairSharing: true }, [['a_1', 5, 'one', 50], ['b_1', 5, 'two', 50]], [['a_in', 8, 100]], ['-b_1', '+a_in two']],
    ['the first flavor is, where it would have to take of its own queue in the second, too', two(10, 0), [['a_1', 5, 'one', 50], ['a_2', 5, 'two', 50], ['b_1', 5, 'two', 50]], [['a_in', 6, 100]], ['-a_1', '+a_in one']],
    ['the first flavor is, where who borrows in the second has a higher priority', two(10, 0), [['a_1', 6, 'one', 50], ['a_2', 5, 'two', 50], ['b_1', 5, 'two', 9001]], [['a_in', 5, 100]], ['-a_1', '+a_in one']],
    ['who reclaims comes before an older one of another queue that is full', { queues: { x: queue('o', { one: 10 }), y: queue('o', { one: 10 }, { preemption: { reclaimWithinCohort: 'Any' } }), z: queue('o', { one: 0 }) } },
      [['x_0', 5, 'one'], ['z_2', 5, 'one'], ['z_3', 5, 'one', 1]], [['x_1', 10], ['y_1', 10]], ['-z_2', '+y_1 one']],
    ['quota of a queue that can always reclaim it is lent', lends('Any'), [['a_1', 1, 'one']], [['a_2', 2], ['b_1', 1]], ['+b_1 one']],
    ['quota of a queue that may not reclaim it from all is not lent', lends('LowerPriority'), [['a_1', 1, 'one']], [['a_2', 2], ['b_1', 1]], []],
    ['quota of a queue that never reclaims it is not lent', lends('Never'), [['a_1', 1, 'one']], [['a_2', 2], ['b_1', 1]], []],
    ['takes others before it tries the next flavor', alone({ flavorFungibility: { whenCanBorrow: 'MayStopSearch', whenCanPreempt: 'MayStopSearch' } }), [['a_0', 2, 'one', -1]], [['a_in', 9]], ['-a_0', '+a_in one']],
    ['tries the next flavor before it takes others', alone({}), [['a_0', 2, 'one', -1]], [['a_in', 9]], ['+a_in two']],
    ['borrows in the first flavor, where the next has too little', borrows(1), [['a_0', 2, 'one']], [['a_in', 9]], ['+a_in one']],
    ['does not borrow in the first flavor, where the next has enough', borrows(10), [['a_0', 2, 'one']], [['a_in', 9]], ['+a_in two']],
    ['a queue without weight that borrows takes of another without weight', shares(0, 0), [['b_1', 1, 'one'], ['b_2', 1, 'one'], ['b_3', 1, 'one']], [['a_in', 2]], ['-b_3', '+a_in one']],
    ['so does one with weight of another with weight', shares(1, 1), [['b_1', 1, 'one'], ['b_2', 1, 'one'], ['b_3', 1, 'one']], [['a_in', 2]], ['-b_3', '+a_in one']],
    ['a queue without weight that borrows takes nothing of one with weight', shares(0, 1), [['b_1', 1, 'one'], ['b_2', 1, 'one'], ['b_3', 1, 'one']], [['a_in', 2]], []],
  ])
})
