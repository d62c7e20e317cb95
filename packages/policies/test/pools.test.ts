import { dispatcher, type Dispatcher } from '@sched/cluster'
import type { NodeId } from '@sched/core'
import { delay, fair, greedy, type FairOptions } from '@sched/policies'
import { cluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** One node with so many map slots and nothing else, so that a heartbeat decides for the whole cluster. */
const oneNode = (map: number) => cluster({ nodes: [{ name: 'n', count: 1, slots: { map } }] })
const master = (slots: number, options: FairOptions, warn?: (message: string) => void): Dispatcher =>
  dispatcher({ cluster: oneNode(slots), policy: greedy(fair(options)), ...(warn && { warn }) })

/** Submits jobs by name and gives the free slots away; which job got each. */
const submit = (to: Dispatcher, id: string, change: JobChange = {}) => to.submit(job({ id, tasks: 1000, ...change }))
const give = (from: Dispatcher, free: number): string[] => from.heartbeat('n-0', 0, { free }).start.map((each) => each.job)
const counts = (jobs: readonly string[]): Record<string, number> => {
  const count: Record<string, number> = {}
  for (const each of jobs) count[each] = (count[each] ?? 0) + 1
  return count
}

describe('pools on 100 slots with minimum shares 60, 0 and 10, the third idle (Zaharia et al., EuroSys 2010, Figure 4)', () => {
  it('get 60, 40 and 0; inside, 30 and 30 where fair, 40, 0 and 0 where FIFO', () => {
    const policy = greedy(fair({ pools: { p1: { minShare: 60 }, p2: { inner: 'fifo' }, p3: { minShare: 10 } } }))
    const jobs = [['p1', 'j1'], ['p1', 'j2'], ['p2', 'j3'], ['p2', 'j4'], ['p2', 'j5']].map(([queue, id]) => job({ id: id as string, queue: queue as string, tasks: 1000, duration: 600 }))
    const { recorder } = run({ policy, jobs, cluster: cluster({ nodes: [{ count: 25, racks: 1, slots: { map: 4 } }] }), until: 6 })
    expect(counts(recorder.launches.map((launch) => launch.job))).toEqual({ j1: 30, j2: 30, j3: 40 })
  })
})

describe('the order of pools', () => {
  it('puts the one further below its minimum first: 50 of 100 before 8 of 10', () => {
    const slots = master(200, { pools: { a: { minShare: 10 }, b: { minShare: 100 } } })
    submit(slots, 'a1', { queue: 'a', tasks: 8 })
    submit(slots, 'b1', { queue: 'b', tasks: 50 })
    expect(counts(give(slots, 58))).toEqual({ a1: 8, b1: 50 })
    submit(slots, 'a2', { queue: 'a' })
    submit(slots, 'b2', { queue: 'b' })
    expect(give(slots, 1)).toEqual(['b2']) // 50/100 = 0.5 < 8/10 = 0.8
  })

  it('is by running tasks over weight where nobody is below a minimum: 3/1 before 8/2', () => {
    const slots = master(200, { pools: { a: { weight: 2 }, b: {} } })
    submit(slots, 'a1', { queue: 'a', tasks: 8 })
    submit(slots, 'b1', { queue: 'b', tasks: 3 })
    give(slots, 11)
    submit(slots, 'a2', { queue: 'a' })
    submit(slots, 'b2', { queue: 'b' })
    expect(give(slots, 2)).toEqual(['b2', 'a2']) // 3 < 4; then 4/1 and 8/2 tie, and a comes before b
  })

  it('is by name where ratios differ by rounding alone: 1/0.7 and 3/2.1, 1 of 2 x 12/14 and 3 of 6 x 12/14', () => {
    for (const pools of [{ a: { weight: 0.7 }, b: { weight: 2.1 } }, { a: { minShare: 2 }, b: { minShare: 6 }, c: { minShare: 6 } }]) {
      const slots = master(12, { pools }, () => undefined)
      submit(slots, 'a1', { queue: 'a', tasks: 1 })
      submit(slots, 'b1', { queue: 'b', tasks: 3 })
      give(slots, 4)
      submit(slots, 'b2', { queue: 'b' })
      submit(slots, 'a2', { queue: 'a' })
      expect(give(slots, 1)).toEqual(['a2'])
    }
  })

  it('does not count a minimum beyond the demand', () => {
    const slots = master(200, { pools: { a: { minShare: 100 }, b: {} } })
    submit(slots, 'a1', { queue: 'a', tasks: 2 })
    submit(slots, 'b1', { queue: 'b' })
    expect(give(slots, 4)).toEqual(['a1', 'a1', 'b1', 'b1'])
  })

  it('follows at every level of the tree', () => {
    const slots = master(200, { pools: { a: { weight: 3, pools: { x: {}, y: { minShare: 2 } } }, b: {} } })
    for (const queue of ['a.x', 'a.y', 'b']) submit(slots, queue, { queue })
    // a: y up to 2 of its minimum, then x and y in turn; a and b as 3 to 1
    expect(give(slots, 8)).toEqual(['a.y', 'b', 'a.y', 'a.x', 'a.x', 'b', 'a.x', 'a.y'])
  })

  it('follows the cluster: half of it gone, minimum shares that take up all of it count half', () => {
    // a and b are to have 2 of 4 slots each; b is idle. One of a's tasks goes with n-1 at 5, and what ends at 10 leaves a with its 1 of 2
    const policy = greedy(fair({ pools: { a: { minShare: 2 }, b: { minShare: 2 }, c: {} } }))
    const jobs = [job({ id: 'a', queue: 'a', tasks: 3, duration: [100, 10, 100] }), job({ id: 'c', queue: 'c', submit: 6 })]
    const nodes = { nodes: [{ name: 'n', count: 2, slots: { map: 2 } }] }
    const { recorder } = run({ policy, jobs, cluster: nodes, outages: [{ node: 1 as NodeId, from: 5, to: Infinity }], until: 10 })
    expect(recorder.launches.filter(({ time }) => time === 10).map((launch) => launch.job)).toEqual(['c'])
  })

  it('is right at once when a pool made at first use scales the minimum shares of the others', () => {
    const slots = master(4, { pools: { a: { minShare: 2 }, b: { minShare: 2, weight: 4 } }, defaults: { minShare: 4 } }, () => undefined)
    submit(slots, 'a', { queue: 'a' })
    submit(slots, 'b', { queue: 'b' })
    expect(give(slots, 2)).toEqual(['a', 'b'])
    // shares 2, 2 and 4 of 4 slots are halved: a and b have reached theirs of 1, so it is by weight: 1/4 before 1/1
    submit(slots, 'c', { queue: 'c', tasks: 1 })
    expect(give(slots, 2)).toEqual(['c', 'b'])
  })
})

describe('minimum shares', () => {
  it('of 60, 50 and 40 on 100 slots are scaled to 40, 33.3 and 26.7, with a warning', () => {
    const warnings: string[] = []
    const slots = master(100, { pools: { a: { minShare: 60 }, b: { minShare: 50 }, c: { minShare: 40 } } }, (message) => void warnings.push(message))
    for (const queue of ['a', 'b', 'c']) submit(slots, queue, { queue })
    // at 40, 33 and 26 one slot is left: 33/33.33 = 0.990 of b's share, 26/26.67 = 0.975 of c's
    expect(counts(give(slots, 100))).toEqual({ a: 40, b: 33, c: 27 })
    expect(warnings).toEqual([expect.stringMatching(/add up to 150 map slots of 100; each is scaled by 100\/150/)])
  })

  it('may differ by slot type', () => {
    const both = cluster({ nodes: [{ name: 'n', count: 1, slots: { map: 9, reduce: 9 } }] })
    const slots = dispatcher({ cluster: both, policy: greedy(fair({ pools: { b: { minShare: { reduce: 3 } } } })) })
    for (const queue of ['a', 'b']) {
      slots.submit(job({ id: `${queue}-map`, queue, tasks: 9 }))
      slots.submit(job({ id: `${queue}-reduce`, queue, tasks: 9, demand: { reduce: 1 } }))
    }
    expect(give(slots, 3)).toEqual(['a-map', 'b-map', 'a-map', 'b-reduce', 'b-reduce', 'b-reduce'])
  })

  it('hold on resource vectors too, counted in tasks and never scaled', () => {
    const slots = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { cpu: 8, mem: 8 } }] }), policy: greedy(fair({ pools: { b: { minShare: 3 } } })) })
    for (const queue of ['a', 'b']) submit(slots, queue, { queue, demand: { cpu: 1, mem: 1 } })
    expect(give(slots, 8)).toEqual(['b', 'b', 'b', 'a', 'a', 'a', 'a', 'b'])
  })
})

describe('the order of the jobs in a pool', () => {
  it('is by running tasks over weight, or by priority and submission', () => {
    const both = master(100, { pools: { a: {}, b: { inner: 'fifo' } } })
    for (const queue of ['a', 'b']) for (const id of ['1', '2']) submit(both, `${queue}${id}`, { queue, ...(id === '2' && { priority: 1, weight: 2 }) })
    expect(give(both, 8)).toEqual(['a1', 'b2', 'a2', 'b2', 'a2', 'b2', 'a1', 'b2'])
  })
})

describe('limits of running jobs', () => {
  const ended = (from: Dispatcher, id: string) => {
    const start = from.heartbeat('n-0', 0).start
    for (const each of start.filter((placed) => placed.job === id)) from.taskEnded(each)
    return [...new Set(start.map((each) => each.job))]
  }

  it('let the jobs of a pool in one after another, by priority and submission', () => {
    const slots = master(50, { pools: { a: { maxRunningJobs: 1 } } })
    for (const id of ['1', '2', '3']) submit(slots, `a${id}`, { queue: 'a', tasks: 2, ...(id === '3' && { priority: 1 }) })
    submit(slots, 'b1', { queue: 'b', tasks: 2 })
    expect([ended(slots, 'a1'), ended(slots, 'a3'), ended(slots, 'a2')]).toEqual([['a1', 'b1'], ['a3'], ['a2']])
  })

  it('hold for a pool with all pools inside it', () => {
    const slots = master(50, { pools: { a: { maxRunningJobs: 1, pools: { x: {}, y: {} } } } })
    for (const queue of ['a.x', 'a.y']) submit(slots, queue, { queue, tasks: 2 })
    expect([ended(slots, 'a.x'), ended(slots, 'a.y')]).toEqual([['a.x'], ['a.y']])
  })

  it('hold for users: one for all, another for ann', () => {
    const slots = master(50, { userMaxRunningJobs: 1, users: { ann: { maxRunningJobs: 2 } } })
    for (const user of ['ann', 'bob']) for (const i of [1, 2, 3]) submit(slots, `${user}${i}`, { user, tasks: 1 })
    expect(counts(give(slots, 50))).toEqual({ ann1: 1, ann2: 1, bob1: 1 })
  })

  it('hold for pools that were not declared', () => {
    const slots = master(50, { defaults: { maxRunningJobs: 1 } })
    for (const [id, queue] of [['1', 'a'], ['2', 'b'], ['3', 'a']] as const) submit(slots, id, { queue, tasks: 1 })
    expect(give(slots, 50)).toEqual(['1', '2'])
  })
})

describe('pools by name', () => {
  it('take a job without queue by its user, and `root.` for the root', () => {
    const slots = master(50, { pools: { ann: { minShare: 1 }, ads: { pools: { batch: { minShare: 2 } } } } })
    submit(slots, 'plain')
    submit(slots, 'hers', { user: 'ann', queue: 'root.ann' })
    submit(slots, 'ads', { queue: 'root.ads.batch' })
    expect(give(slots, 3)).toEqual(['hers', 'ads', 'plain'])
  })

  it.each([
    [{ pools: { a: { pools: { x: {} } } } }, 'a', /submitted to pool "a", which has pools inside it.*a\/x/],
    [{}, 'a..b', /empty part/],
  ] as const)('refuse a queue that is no leaf or no name: %j %s', (options, queue, message) => {
    expect(() => submit(master(5, options), 'j', { queue })).toThrow(message)
  })

  it('refuse a pool inside one that holds jobs', () => {
    const slots = master(5, {})
    submit(slots, 'j', { queue: 'a' })
    expect(() => submit(slots, 'k', { queue: 'a.b' })).toThrow(/"a.b" would lie in "a", which holds jobs itself/)
  })

  it.each([
    [{ pools: { a: { weight: 0 } } }, /pools\.a\.weight/],
    [{ pools: { a: { inner: 'fifo', pools: { x: {} } } } }, /pools\.a\.inner.*has pools inside it and an order/],
    [{ pools: { a: { minShare: { maps: 3 } } } }, /pools\.a\.minShare: the cluster has no slots of type "maps".*Did you mean "map"/],
    [{ pools: { a: { parent: 'b' } } }, /there is no pool "b"/],
    [{ pools: { a: { parent: 'constructor' } } }, /there is no pool "constructor"/],
    [{ pools: { a: { parent: 'b' }, b: { parent: 'a' } } }, /lie in each other/],
  ])('refuse options that no tree can have: %j', (options, message) => {
    expect(() => master(5, options as FairOptions)).toThrow(message)
  })

  it('have minimum shares beside slots that are called as what all objects of JavaScript know', () => {
    const { recorder } = run({ cluster: cluster({ nodes: [{ count: 1, slots: { map: 2, toString: 1 } }] }), policy: greedy(fair({ pools: { b: { minShare: { map: 2 } } } })), jobs: ['a', 'b'].map((id) => job({ id, queue: id, tasks: 2 })) })
    expect(recorder.launches.map((launch) => launch.job)).toEqual(['b', 'b', 'a', 'a'])
  })

  it('lie flat with parents as they lie nested', () => {
    const flat = master(50, { pools: { a: { weight: 2 }, x: { parent: 'a' }, y: { parent: 'a', minShare: 3 } } })
    const nested = master(50, { pools: { a: { weight: 2, pools: { x: {}, y: { minShare: 3 } } } } })
    const played = [flat, nested].map((slots) => {
      for (const queue of ['a.x', 'a.y', 'b']) submit(slots, queue, { queue })
      return give(slots, 20)
    })
    expect(played[0]).toEqual(played[1])
  })
})

describe('one pool for all', () => {
  it('orders jobs by running tasks whatever their queues', () => {
    const slots = master(50, { pools: false })
    submit(slots, 'a1', { queue: 'a' })
    submit(slots, 'a2', { queue: 'a' })
    submit(slots, 'b1', { queue: 'b' })
    expect(give(slots, 6)).toEqual(['a1', 'a2', 'b1', 'a1', 'a2', 'b1'])
  })
})

describe('delay over pools', () => {
  it('is the Hadoop Fair Scheduler: a pool whose job waits lets the next pool go first', () => {
    const racks = cluster({ nodes: [{ name: 'n', count: 2, slots: { map: 1 } }] })
    const slots = dispatcher({ cluster: racks, policy: delay(fair({ pools: { a: { minShare: 1 } } }), { node: 5 }) })
    slots.submit(job({ id: 'a', queue: 'a', data: { hosts: [['n-1']] } }))
    slots.submit(job({ id: 'b', queue: 'b', data: { hosts: [['n-0']] } }))
    expect(slots.heartbeat('n-0', 0).start.map((each) => each.job)).toEqual(['b'])
    expect(slots.heartbeat('n-1', 1).start.map((each) => each.job)).toEqual(['a'])
  })
})
