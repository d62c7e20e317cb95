import { dispatcher, type Dispatcher } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { fair, greedy, yarnFair, type YarnFairOptions } from '@sched/policies'
import { cluster, instantCluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Lin, Qian, Luan, survey of cluster resource scheduling, section 6, facts 1 and 6; the rest after Hadoop 3, FairScheduler.md.

const count = (names: readonly string[]) => Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((each) => each === name).length]))
/** One machine of so many slots: jobs at time 0, and who starts what, in order, until nothing fits. */
const fill = (slots: number, order: Plug<'order'>, jobs: readonly JobSpec[]): [Dispatcher, string[]] => {
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, slots: { map: slots } }] }), policy: greedy(order) })
  for (const each of jobs) master.submit(each, 0)
  return [master, master.heartbeat('n-0', 0).start.map((each) => each.job)]
}
const started = (slots: number, order: Plug<'order'>, jobs: readonly JobSpec[]) => count(fill(slots, order, jobs)[1])
const of = (queue: string, id = queue, change: JobChange = {}) => job({ id, queue, tasks: 100, ...change })

describe('the figure of the pools: 100 slots, pool 1 with a minimum of 60 (fact 1)', () => {
  const yarn = yarnFair({ root: { queues: { pool1: { minResources: { map: 60 } }, pool2: { policy: 'fifo' } } } })
  const hfs = fair({ pools: { pool1: { minShare: 60 }, pool2: { inner: 'fifo' } } })
  const five = [of('pool1', 'job1'), of('pool1', 'job2'), of('pool2', 'job3'), of('pool2', 'job4'), of('pool2', 'job5')]

  it.each([['yarn-fair', yarn], ['fair', hfs]])('%s gives jobs 1 and 2 30 each, job 3 40, jobs 4 and 5 none until job 3 needs no more', (_, order) => {
    expect(started(100, order, five)).toEqual({ job1: 30, job2: 30, job3: 40 })
    const short = five.map((each) => (each.id === 'job3' ? of('pool2', 'job3', { tasks: 15 }) : each))
    expect(started(100, order, short)).toEqual({ job1: 30, job2: 30, job3: 15, job4: 25 })
  })

  it.each([
    ['yarn-fair', yarnFair({ root: { queues: { pool1: { minResources: { map: 60 } }, pool2: { type: 'parent' } } } })],
    ['fair', fair({ pools: { pool1: { minShare: 60 }, pool2: { pools: { X: {}, Y: {} } } } })],
  ])('%s gives user X alone all 40 of pool 2, and 20 beside Y', (_, order) => {
    const first = five.slice(0, 2)
    expect(started(100, order, [...first, of('pool2.X', 'x')])).toEqual({ job1: 30, job2: 30, x: 40 })
    expect(started(100, order, [...first, of('pool2.X', 'x'), of('pool2.Y', 'y')])).toEqual({ job1: 30, job2: 30, x: 20, y: 20 })
  })

  it.each([['yarn-fair', yarn], ['fair', hfs]])('%s lends the minimum while pool 1 asks for nothing', (_, order) => {
    expect(started(100, order, five.slice(2))).toEqual({ job3: 100 })
  })
})

describe('the order of pools: weights 2 and 1, running jobs 4 and 1, running tasks 8 and 3 (fact 6)', () => {
  const queues = { pool1: { weight: 2 }, pool2: {} }
  const many = ['a', 'b', 'c', 'd'].map((id) => of('pool1', id))
  const one = of('pool2', 'e')
  /** Fills a machine of 12 in two steps, which leaves one slot, and says who gets it. */
  const last = (order: Plug<'order'>, steps: readonly (readonly [readonly JobSpec[], number])[]) => {
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, slots: { map: 12 } }] }), policy: greedy(order) })
    const starts: string[] = []
    for (const [jobs, free] of steps) {
      for (const each of jobs) master.submit(each, 0)
      starts.push(...master.heartbeat('n-0', 0, { free }).start.map(({ job: id }) => (id === 'e' ? 'pool2' : 'pool1')))
    }
    expect(count(starts)).toEqual({ pool1: 8, pool2: 3 })
    return master.heartbeat('n-0', 1).start.map(({ job: id }) => (id === 'e' ? 'pool2' : 'pool1')).join()
  }

  it('Hadoop\'s rule serves pool 2: 8/2 = 4 against 3/1 = 3', () => {
    expect(last(yarnFair({ root: { queues } }), [[many, 8], [[one], 3]])).toBe('pool2')
    expect(last(fair({ pools: queues }), [[many, 8], [[one], 3]])).toBe('pool2')
  })

  it('the survey\'s literal rule serves pool 1: 2/4 = 0.5 against 1/1 = 1', () => {
    expect(last(yarnFair({ root: { queues }, poolOrder: 'survey-literal' }), [[[one], 3], [many, 8]])).toBe('pool1')
  })
})

describe('queues of yarn-fair', () => {
  const twelve = (options: YarnFairOptions, jobs: readonly JobSpec[]) => started(12, yarnFair(options), jobs)

  it.each<[string, YarnFairOptions, readonly JobSpec[], Record<string, number>]>([
    ['by weight', { root: { queues: { a: { weight: 3 } } } }, [of('a'), of('b')], { a: 9, b: 3 }],
    ['a weight of 0 last', { root: { queues: { a: { weight: 0 } } } }, [of('a'), of('b', 'b', { tasks: 5 })], { a: 7, b: 5 }],
    ['by weight at every level', { root: { queues: { a: { weight: 2, queues: { x: { weight: 3 }, y: {} } } } } }, [of('a.x'), of('a.y'), of('b')], { 'a.x': 6, 'a.y': 2, b: 4 }],
    ['the minimum first, of a queue inside as well', { root: { queues: { a: { minResources: { map: 8 }, queues: { x: { minResources: { map: 5 } }, y: {} } } } } }, [of('a.x'), of('a.y'), of('b')], { 'a.x': 5, 'a.y': 3, b: 4 }],
    ['never more than the maximum', { root: { queues: { a: { maxResources: { map: 2 } } } } }, [of('a'), of('b')], { a: 2, b: 10 }],
    ['the maximum of a parent for all inside', { root: { queues: { a: { maxResources: { map: '25%' }, type: 'parent' } } } }, [of('a.x'), of('a.y'), of('b')], { 'a.x': 2, 'a.y': 1, b: 9 }],
    ['nothing of a gang that is larger than what the maximum leaves', { root: { queues: { a: { maxResources: { map: 6 }, policy: 'fifo' } } } }, [of('a', 'a1', { tasks: 2 }), of('a', 'a2', { tasks: 5, gang: true }), of('a', 'a3', { tasks: 4, gang: true })], { a1: 2, a3: 4 }],
    ['the maximum of queues made at first use', { root: { queues: { a: { type: 'parent', maxChildResources: { map: 1 } } } } }, [of('a.x'), of('a.y'), of('b')], { 'a.x': 1, 'a.y': 1, b: 10 }],
    ['one job at a time under maxRunningApps', { root: { queues: { a: { maxRunningApps: 1 } } } }, [of('a', 'a1', { tasks: 2 }), of('a', 'a2'), of('b')], { a1: 2, b: 10 }],
    ['one job of each user', { userMaxRunningApps: 1 }, [of('a', 'a1', { user: 'u', tasks: 2 }), of('b', 'b1', { user: 'u' }), of('b', 'b2', { user: 'v' })], { a1: 2, b2: 10 }],
    ['jobs alike under fair', {}, [of('a', 'a1'), of('a', 'a2', { priority: 9 })], { a1: 6, a2: 6 }],
    ['jobs by weight under fair', {}, [of('a', 'a1', { weight: 2 }), of('a', 'a2')], { a1: 8, a2: 4 }],
    ['jobs by priority, then submission under fifo', { root: { queues: { a: { policy: 'fifo' } } } }, [of('a', 'a1', { tasks: 4 }), of('a', 'a2', { tasks: 4 }), of('a', 'a3', { tasks: 7, priority: 1 })], { a1: 4, a2: 1, a3: 7 }],
    ['defaults where a queue says nothing', { defaults: { maxResources: { map: 4 } }, root: { queues: { a: { maxResources: { map: 7 } } } } }, [of('a'), of('b')], { a: 7, b: 4 }],
  ])('get %s', (_, options, jobs, expected) => {
    expect(twelve(options, jobs)).toEqual(expected)
  })

  it('refuse a gang that is larger than their maximum', () => {
    const options: YarnFairOptions = { root: { queues: { a: { maxResources: { map: 4 } } } } }
    expect(() => twelve(options, [of('a', 'a', { tasks: 5, gang: true })])).toThrow(/a gang asks 5 map, and maxResources of queue "root.a" is 4 map/)
    expect(twelve(options, [of('a', 'a', { tasks: 4, gang: true })])).toEqual({ a: 4 })
  })

  it('start the next job when one ends, where maxRunningApps holds it back', () => {
    const [master] = fill(2, yarnFair({ root: { queues: { a: { maxRunningApps: 1 } } } }), [])
    master.submit(of('a', 'a1', { tasks: 1 }), 0)
    master.submit(of('a', 'a2', { tasks: 1 }), 0)
    const [first] = master.heartbeat('n-0', 0).start
    expect([first?.job, master.heartbeat('n-0', 1).start]).toEqual(['a1', []])
    if (first !== undefined) master.taskEnded(first, 2)
    expect(master.heartbeat('n-0', 2).start.map((each) => each.job)).toEqual(['a2'])
  })

  it('compare memory alone under fair, and the dominant share under drf', () => {
    const jobs = [job({ id: 'c', queue: 'a', demand: { cpu: 4, mem: 1 }, tasks: 50 }), job({ id: 'm', queue: 'b', demand: { cpu: 1, mem: 4 }, tasks: 50 })]
    const on = (policy: 'fair' | 'drf') => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 48, mem: 16 } }] }), policy: greedy(yarnFair({ root: { policy }, defaults: { policy } })) })
      for (const each of jobs) master.submit(each, 0)
      return master.pass(0).start.slice(0, 7).map((each) => each.job).join('')
    }
    // memory of c and m: 1 0, 1 4, 2 4, 3 4, 4 4 (tie: a before b), 5 4, 5 8
    expect(on('fair')).toBe('cmccccm')
    // 48ths: 4 0, 4 12, 8 12, 12 12; then c has 9/48 of memory and m 1/48 of CPU, so m comes: 12 24, 16 24, 20 24
    expect(on('drf')).toBe('cmccmcc')
  })

  it.each<[string, YarnFairOptions, string]>([
    ['jobs sent to a queue with queues inside', { root: { queues: { a: { queues: { x: {} } } } } }, 'jobs are submitted to queue "root.a", which holds queues and no jobs.'],
    ['fifo over queues', { root: { queues: { a: { policy: 'fifo', queues: { x: {} } } } } }, 'queue "root.a" has queues inside it and the policy fifo. fifo is for queues that hold jobs.'],
    ['drf inside fair', { root: { queues: { a: { policy: 'drf' } } } }, 'queue "root.a" has the policy drf in "root", which has fair. Give the queues around it drf too.'],
    ['amounts of what the cluster lacks', { root: { queues: { a: { minResources: { mapp: 1 } } } } }, 'the cluster has no resource "mapp". Did you mean "map"?'],
    ['amounts for queues to be made of what the cluster lacks', { root: { maxChildResources: { mapp: 1 } } }, 'the cluster has no resource "mapp". Did you mean "map"?'],
    ['usual amounts of what the cluster lacks', { defaults: { maxResources: { mapp: 1 } } }, 'the cluster has no resource "mapp". Did you mean "map"?'],
  ])('refuse %s', (_, options, message) => {
    expect(() => fill(2, yarnFair(options), [of('a')])).toThrow(message)
  })
})
