import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { world } from './world.js'

// Cases of Kueue's own tests (TestSchedule, TestEntryOrdering, TestClusterQueueUpdate), in numbers of ours.

describe('admission', () => {
  const cohort = { cohort: 'all' } as const
  const two: KueueOptions = { queues: { a: { ...cohort, nominalQuota: { cpu: 4 } }, b: { ...cohort, nominalQuota: { cpu: 4 } } } }

  it('is by quota, borrowed ones included, and gives back what has ended', () => {
    const { come, end, running } = world(two)
    expect(come(['a_1', 6]).started).toEqual(['a_1'])
    expect(come(['b_1', 3]).started).toEqual([]) // 2 are left
    expect(come(['b_2', 2]).started).toEqual(['b_2'])
    expect(end('a_1').started).toEqual(['b_1'])
    expect(running()).toEqual(['b_1', 'b_2'])
  })

  it('is not beyond limits of borrowing, nor into what is not lent', () => {
    const limited = (a: object, b: object) => world({ queues: { a: { ...cohort, nominalQuota: { cpu: 4 }, ...a }, b: { ...cohort, nominalQuota: { cpu: 4 }, ...b } } })
    expect(limited({ borrowingLimit: { cpu: 1 } }, {}).come(['a_1', 5]).started).toEqual(['a_1'])
    expect(() => limited({ borrowingLimit: { cpu: 1 } }, {}).come(['a_1', 6])).toThrow(/queue a: 6 cpu of at most 5/)
    expect(() => limited({}, { lendingLimit: { cpu: 1 } }).come(['a_1', 6])).toThrow(/queue a: 6 cpu of at most 5/)
    const { come } = limited({}, { lendingLimit: { cpu: 1 } })
    expect(come(['a_1', 5]).started).toEqual(['a_1'])
    expect(come(['b_1', 3]).started).toEqual(['b_1'])
  })

  it('is first of those that need not borrow, then of higher priorities, then of older ones', () => {
    const { come, end } = world({ queues: { a: { ...cohort, nominalQuota: { cpu: 2 } }, b: { ...cohort, nominalQuota: { cpu: 2 } }, c: { ...cohort, nominalQuota: { cpu: 2 } } } })
    come(['c_0', 6])
    come(['a_borrows', 3, 9], ['b_1', 2], ['c_1', 2, 1])
    expect(end('c_0').started).toEqual(['c_1', 'b_1']) // 2 are left, and a_borrows asks 3
    const next = world(two)
    next.come(['a_0', 8])
    next.come(['a_old', 2], ['b_young', 2])
    expect(next.end('a_0').started).toEqual(['a_old', 'b_young'])
  })

  it('of a queue is by priority and age, and passes over what does not fit unless it is StrictFIFO', () => {
    const queue = (queueingStrategy: 'StrictFIFO' | 'BestEffortFIFO') => {
      const { come } = world({ queues: { a: { nominalQuota: { cpu: 4 }, queueingStrategy } } })
      come(['a_0', 2])
      return come(['a_1', 1], ['a_2', 3, 1], ['a_3', 1, 1]).started
    }
    expect(queue('BestEffortFIFO')).toEqual(['a_3', 'a_1'])
    expect(queue('StrictFIFO')).toEqual([])
  })

  it('of a StrictFIFO queue goes on at once when the first one leaves', () => {
    const { come, leave } = world({ queues: { a: { nominalQuota: { cpu: 4 }, queueingStrategy: 'StrictFIFO' } } })
    expect([come(['a_1', 3]), come(['a_2', 2], ['a_3', 1])].map(({ started }) => started)).toEqual([['a_1'], []])
    expect(leave('a_2').started).toEqual(['a_3'])
  })

  it('keeps for the first of a StrictFIFO queue what is its own, though others could borrow it', () => {
    const run = (queueingStrategy: 'StrictFIFO' | 'BestEffortFIFO') => {
      const { come, end } = world({ queues: { a: { ...cohort, nominalQuota: { cpu: 4 }, queueingStrategy }, b: { ...cohort, nominalQuota: { cpu: 2 } } } })
      come(['a_0', 1])
      come(['b_0', 3])
      come(['a_big', 3]) // 2 are left
      const started = come(['b_1', 1]).started
      return [started, end('b_0').started]
    }
    expect(run('BestEffortFIFO')).toEqual([['b_1'], ['a_big']])
    expect(run('StrictFIFO')).toEqual([[], ['a_big', 'b_1']])
  })

  it('does not take for borrowed what is kept for the first of a StrictFIFO queue', () => {
    // c and b have 8 of 8; a's first, of 5, cannot have what is its own, and keeps it; so a is above its quota by no workload of its own
    const reclaim = { preemption: { reclaimWithinCohort: 'Any' as const } }
    const { come } = world({ queues: { a: { ...cohort, nominalQuota: { cpu: 4 }, queueingStrategy: 'StrictFIFO', borrowingLimit: { cpu: 4 } }, b: { ...cohort, nominalQuota: { cpu: 4 }, ...reclaim } } })
    come(['a_0', 3])
    come(['b_0', 3])
    come(['a_1', 4])
    expect(come(['b_1', 4], ['b_2', 1])).toEqual({ started: ['b_2'], killed: [] })
  })

  /** Starts by queue when the tasks of `pool`, which hold all CPUs, end one after the other. */
  const oneByOne = (options: KueueOptions, cpus: number, queues: readonly string[]) => {
    const { come, end } = world(options)
    const fill = Array.from({ length: cpus }, (_, i) => [`pool_${i}`, 1] as const)
    come(...fill)
    come(...queues.flatMap((queue) => Array.from({ length: cpus }, (_, i) => [`${queue}_${i}`, 1] as const)))
    const started = fill.flatMap(([id]) => end(id).started)
    return queues.map((queue) => started.filter((id) => id.startsWith(queue)).length)
  }

  it('with fair sharing is of the queue that would have the smallest share', () => {
    const all = (weight: number) => ({ ...cohort, nominalQuota: { cpu: 0 }, weight })
    const shares = (a: number, b: number) => oneByOne({ fairSharing: true, queues: { a: all(a), b: all(b), pool: { ...cohort, nominalQuota: { cpu: 9 } } } }, 9, ['a', 'b'])
    expect(shares(1, 1)).toEqual([5, 4])
    expect(shares(2, 1)).toEqual([6, 3])
    expect(shares(0, 1)).toEqual([0, 9])
  })

  it.each([0, 123_456_789])('with fair sharing is of the queue that borrows nothing yet, though both weigh %d (TestSchedule, two queues with this weight)', (weight) => {
    const run = (fairSharing: boolean) => {
      const all = { ...cohort, nominalQuota: { cpu: 0 }, weight }
      const { come } = world({ fairSharing, cohorts: { all: { nominalQuota: { cpu: 8 } } }, queues: { b: all, c: all } })
      come(['b_0', 4])
      return come(['b_1', 4, 9001], ['c_1', 4]).started
    }
    expect([run(false), run(true)]).toEqual([['b_1'], ['c_1']])
  })

  it('with fair sharing divides among cohorts first, then in them', () => {
    const of = (name: string) => ({ cohort: name, nominalQuota: { cpu: 0 } })
    const options: KueueOptions = { fairSharing: true, cohorts: { left: { parent: 'root' }, right: { parent: 'root' } }, queues: { a: of('left'), b: of('left'), c: of('right'), pool: { cohort: 'root', nominalQuota: { cpu: 12 } } } }
    expect(oneByOne(options, 12, ['a', 'b', 'c'])).toEqual([3, 3, 6])
  })

  it('looks at one workload of each queue in a cycle, so that weights count where not all of them fit', () => {
    const all = (weight: number) => ({ ...cohort, nominalQuota: { cpu: 0 }, weight })
    const { come } = world({ fairSharing: true, queues: { a: all(2), b: all(1), pool: { ...cohort, nominalQuota: { cpu: 4 } } } })
    expect(come(...['a', 'b'].flatMap((queue) => Array.from({ length: 4 }, (_, i) => [`${queue}_${i}`, 1] as const))).started).toEqual(['a_0', 'b_0', 'a_1', 'b_1'])
  })

  it('reserves quota for a whole gang, which starts when nodes have room for it', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 2 } }] }), policy: kueue({ queues: { a: { nominalQuota: { cpu: 4 } }, b: { nominalQuota: { cpu: 4 } } } }) })
    const one = job({ id: 'one', queue: 'b', demand: { cpu: 1 } })
    const gang = job({ id: 'gang', queue: 'a', tasks: 2, gang: true, demand: { cpu: 2 } })
    master.submit(one, 0)
    const [task] = master.pass(0).start
    master.submit(gang, 1)
    master.submit({ ...one, id: 'a1', queue: 'a' }, 1)
    expect(master.pass(1).start).toEqual([]) // the gang holds all of a's quota and waits for a node
    master.taskEnded(task as NonNullable<typeof task>, 2)
    expect(master.pass(2).start.map((each) => each.job)).toEqual(['gang', 'gang'])
  })

  it('is kept by a task that waits for a node when another of its job is lost', () => {
    // wide has one task on node 1 and one that is admitted; the lost one is admitted anew, after high, which has come since
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 2 } }] }), policy: kueue({ queues: { a: { nominalQuota: { cpu: 4 } }, b: { nominalQuota: { cpu: 4 } } } }) })
    const of = (id: string, queue: string, tasks = 1, priority = 0) => job({ id, queue, tasks, priority, demand: { cpu: 2 } })
    master.submit(of('held', 'b'), 0)
    const [held] = master.pass(0).start
    master.submit(of('wide', 'a', 2), 1)
    const [first] = master.pass(1).start
    master.submit(of('high', 'a', 1, 9), 2)
    expect([held?.job, first?.job, ...master.pass(2).start.map((each) => each.job)]).toEqual(['held', 'wide'])
    master.nodeDown(first?.node as string, 3)
    master.taskFailed(first as NonNullable<typeof first>, 3)
    expect(master.pass(3).start).toEqual([])
    master.taskEnded(held as NonNullable<typeof held>, 4)
    expect(master.pass(4).start.map((each) => each.job)).toEqual(['wide'])
  })

  it('starts all tasks of a job that is no gang one by one, as far as the quota goes', () => {
    const { submit } = world({ queues: { a: { nominalQuota: { cpu: 3 } } } })
    expect(submit(job({ id: 'a_wide', queue: 'a', tasks: 5, demand: { cpu: 1 } })).started).toEqual(['a_wide', 'a_wide', 'a_wide'])
  })
})

describe('what is not settled by one look', () => {
  const of = (cpu: number, preemption: object = {}) => ({ cohort: 'all', nominalQuota: { cpu }, preemption })
  const wants = (id: string, cpu: number, priority = 0) => job({ id, queue: id.split('_')[0] as string, priority, demand: { cpu } })
  const started = (master: ReturnType<typeof dispatcher>, now: number) => master.pass(now).start.map((each) => each.job)

  it('a queue has its own back a moment after another has borrowed it at the same instant, whatever else happens', () => {
    const options: KueueOptions = { queues: { a: of(4, { reclaimWithinCohort: 'Any' }), b: of(4) } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 100 } }] }), policy: kueue(options) })
    for (const each of [wants('a_1', 2), wants('a_2', 2), wants('b_1', 6)]) master.submit(each, 7)
    expect(started(master, 7)).toEqual(['a_1', 'b_1']) // a_1 and b_1 are the first of their queues
    expect(master.nextWake).toBe(7.001)
    const { start, kill } = master.pass(7.001)
    expect([kill.map((each) => each.job), start.map((each) => each.job)]).toEqual([['b_1'], ['a_2']])
  })

  it('who has just borrowed gives it back, not an older one of higher priority beside it', () => {
    // b_low is admitted into the half of a that a_2 asks a cycle later; it cannot be evicted in the round in which it starts, and nobody else is instead of it
    const options: KueueOptions = { queues: { a: of(4, { reclaimWithinCohort: 'Any' }), b: of(4) } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 8 } }] }), policy: kueue(options) })
    master.submit(wants('b_old', 4), 6)
    expect(started(master, 6)).toEqual(['b_old'])
    for (const each of [wants('a_1', 2), wants('a_2', 2), wants('b_low', 2, -1), wants('b_next', 2, -1)]) master.submit(each, 7)
    const first = master.pass(7)
    expect([first.kill, first.start.map((each) => each.job)]).toEqual([[], ['a_1', 'b_low']])
    expect(master.nextWake).toBe(7.001)
    const { start, kill } = master.pass(7.001)
    expect([kill.map((each) => each.job), start.map((each) => each.job)]).toEqual([['b_low'], ['a_2']])
  })

  it('nobody starts in the quota of who has just started and gives way, before that is gone', () => {
    // d_low borrows the 1 of c; a_2 preempts it for half of what it has, and the other half is for b_2, which would have preempted it, too
    const preemption = { reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } }
    const options: KueueOptions = { queues: { a: of(1, preemption), b: of(1, preemption), c: of(1), d: of(1) } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 100 } }] }), policy: kueue(options) })
    for (const each of [wants('a_1', 1), wants('a_2', 1), wants('b_1', 1), wants('b_2', 1), wants('d_low', 2, -1)]) master.submit(each, 7)
    expect(started(master, 7)).toEqual(['a_1', 'b_1', 'd_low']) // 4 of 4
    const { start, kill } = master.pass(7.001)
    expect([kill.map((each) => each.job), start.map((each) => each.job)]).toEqual([['d_low'], ['a_2', 'b_2']])
  })

  it('who could have no room is set aside, and others like it with it, though there is room a cycle later', () => {
    // q_1 and q_2 may preempt nobody; a_in takes b_big, which leaves 3: q_1 is looked at again in the next look, before q_2
    const options: KueueOptions = { queues: { q: of(0), a: of(4, { reclaimWithinCohort: 'Any' }), b: of(0) } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), policy: kueue(options) })
    master.submit(wants('b_big', 4), 0)
    expect(started(master, 0)).toEqual(['b_big'])
    for (const each of [wants('q_1', 2), wants('q_2', 2), wants('a_in', 1)]) master.submit(each, 1)
    const { start, kill } = master.pass(1)
    expect([kill.map((each) => each.job), start.map((each) => each.job)]).toEqual([['b_big'], ['a_in']])
    expect(started(master, 1)).toEqual(['q_1'])
  })

  it('who was preempted has its queue\'s own back a moment later, of another queue that borrows', () => {
    // b is above its 5 by 3; a_in, of 5, takes b_3 and b_2, which leaves b 3; b_3 fits into the other 2, and c has 2 of them
    const reclaim = { reclaimWithinCohort: 'Any' } as const
    const options: KueueOptions = { queues: { a: of(5, reclaim), b: of(5, reclaim), c: of(2, reclaim) } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 12 } }] }), policy: kueue(options) })
    const played = (now: number, ...specs: readonly JobSpec[]) => {
      for (const spec of specs) master.submit(spec, now)
      const { start, kill } = master.pass(now)
      return [kill.map((each) => each.job), start.map((each) => each.job)]
    }
    for (const [now, each] of [wants('c_1', 2), wants('c_2', 2), wants('b_1', 3), wants('b_2', 3), wants('b_3', 2)].entries()) played(now, each)
    expect(played(7, wants('a_in', 5))).toEqual([['b_3', 'b_2'], ['a_in']])
    expect([played(7), master.nextWake]).toEqual([[[], []], 7.001])
    expect(played(7.001)).toEqual([['c_2'], ['b_3']])
  })

  it('who was set aside before one without a node gave way comes in at once', () => {
    // q_low waits for 3 CPUs on a node; of its quota q_high takes 2, and s may borrow the third
    const options: KueueOptions = { queues: { q: of(5, { withinClusterQueue: 'LowerPriority' }), s: of(0) } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 2 } }, { count: 1, resources: { cpu: 1 } }, { count: 1, resources: { cpu: 4 } }] }), policy: kueue(options) })
    master.submit(wants('q_held', 2), 0)
    master.nodeDown('node2-0', 0)
    expect(started(master, 0)).toEqual(['q_held'])
    for (const each of [wants('q_low', 3), wants('s_1', 1)]) master.submit(each, 1)
    expect(started(master, 1)).toEqual([])
    master.submit(wants('q_high', 2, 1), 2)
    expect(started(master, 2)).toEqual(['s_1'])
  })
})

describe('mistakes', () => {
  const made = (options: KueueOptions) => () => world(options)
  it.each<[string, KueueOptions, RegExp]>([
    ['an unknown resource', { queues: { a: { nominalQuota: { cpus: 1 } } } }, /no resource "cpus".*Did you mean "?cpu/],
    ['an unknown flavor', { queues: { a: { nominalQuota: { spot: { cpu: 1 } } } } }, /no flavor "spot"\. Known: none\./],
    ['cohorts in a ring', { cohorts: { x: { parent: 'y' }, y: { parent: 'x' } } }, /cohort "x" lies in itself: x in y in x/],
    ['a limit without a cohort', { queues: { a: { lendingLimit: { cpu: 1 } } } }, /no cohort/],
    ['a flavor whose place among others is lost', { flavors: { spot: {}, 7: {} } }, /flavor "7" is called by a number alone/],
    ['a flavor without nodes', { flavors: { spot: { type: 'spot' } } }, /no node has the labels/],
  ])('%s', (_, options, message) => {
    expect(made(options)).toThrow(message)
  })
})
