import type { VolcanoOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { both, outcome, wants } from './world.js'

// Cases of Volcano's own tests of the action allocate: allocate_test.go (TestAllocate, TestFareShareAllocate), dequeue_strategy_test.go.
// Where a task there fits no node at all, another one holds a part of a larger node here: such a job is refused.

const fair: VolcanoOptions = { actions: ['allocate'], tiers: [{ plugins: ['gang', 'drf', 'proportion'] }] }

describe('allocate (TestAllocate)', () => {
  it('gives a job of two tasks a node', () => {
    expect(outcome({ n1: both(2) }, fair, [], wants('p1', 'c1', both(1), { tasks: 2 }))).toEqual(['+p1@n1', '+p1@n1'])
  })
  it('gives one task each to the jobs of two queues', () => {
    expect(outcome({ n1: both(2) }, fair, [], wants('p1', 'c1', both(1), { tasks: 2 }), wants('p2', 'c2', both(1), { tasks: 2 }))).toEqual(['+p1@n1', '+p2@n1'])
  })
  it('lets no job that fits no node stand in the way of another queue', () => {
    const free: VolcanoOptions = { ...fair, tiers: [{ plugins: ['gang', 'drf', { name: 'proportion', enabledAllocatable: false }] }] }
    expect(outcome({ n1: { cpu: 4, mem: 4 } }, free, [wants('p0', 'c1', { cpu: 2, mem: 1 })], wants('p1', 'c1', { cpu: 3, mem: 1 }), wants('p2', 'c2', both(1)))).toEqual(['+p2@n1'])
  })
  it('starts a gang as a whole or not at all', () => {
    const nodes = { n1: both(1), n2: both(1) }
    expect(outcome(nodes, fair, [wants('p0', 'c1', both(1))], wants('p1', 'c1', both(1), { tasks: 2, min: 2 }))).toEqual([])
    expect(outcome(nodes, fair, [], wants('p1', 'c1', both(1), { tasks: 2, min: 2 }))).toEqual(['+p1@n1', '+p1@n2'])
  })
  it('starts of a gang of several kinds of tasks one of each kind, or none where one kind lacks its minimum', () => {
    /** Two masters and two workers of one gang, on nodes of their own, of which that of the masters has room for one. */
    const run = (masters: number) => {
      const stages = [{ kind: 'master', min: masters }, { kind: 'worker', min: 1 }].map(({ kind, min }) => ({
        name: kind, tasks: 2, demand: both(1), duration: 1000, gang: true, ...(min < 2 && { minTasks: min }), constraints: { require: { node: kind } },
      }))
      const held = ['master', 'worker'].map((on) => wants(on, 'c2', both(1), { on }))
      return outcome({ master: both(2), worker: both(2) }, fair, held, { ...wants('pg1', 'c1', both(1)), stages, gang: true })
    }
    expect(run(1)).toEqual(['+pg1@master', '+pg1@worker'])
    expect(run(2)).toEqual([])
  })
})

describe('allocate between queues (TestFareShareAllocate)', () => {
  const options: VolcanoOptions = { actions: ['allocate'], tiers: [{ plugins: ['drf', { name: 'proportion', enabledAllocatable: false }] }] }
  const nodes = { n1: both(5) }
  const held = [wants('small-1', 'q1', both(1))]
  it('serves the queue with the smaller share first', () => {
    expect(outcome(nodes, options, held, wants('large-1', 'q1', both(2)), wants('large-2', 'q2', { cpu: 3, mem: 2 }))).toEqual(['+large-2@n1'])
  })
  it('places a queue that was served anew before the next one is', () => {
    expect(outcome(nodes, options, held, wants('large-1', 'q1', both(2)), wants('large-2', 'q2', both(2)), wants('small-2', 'q2', both(1)))).toEqual(['+large-2@n1', '+large-1@n1'])
  })
  it('goes on to the next job of a queue where one has no tasks left', () => {
    expect(outcome(nodes, options, held, wants('pod-2', 'q1', both(2)))).toEqual(['+pod-2@n1'])
  })
  it('starts nothing with which a queue would have more than it deserves, unless that is switched off', () => {
    // q2 deserves 2.5 of 5
    const jobs = [wants('large-1', 'q1', both(2)), wants('large-2', 'q2', both(3))]
    expect(outcome(nodes, { ...options, tiers: [{ plugins: ['drf', 'proportion'] }] }, held, ...jobs)).toEqual([])
    expect(outcome(nodes, options, held, ...jobs)).toEqual(['+large-2@n1'])
  })
})

describe('the dequeue strategy (dequeue_strategy_test.go)', () => {
  type Strategy = 'fifo' | 'traverse' | 'priorityfifo' | undefined
  /** What starts beside a job that holds all but 2 of a node. */
  const run = (strategies: Readonly<Record<string, Strategy>>, ...jobs: Parameters<typeof outcome>[3][]) => {
    const queues = Object.fromEntries(Object.entries(strategies).map(([name, dequeueStrategy]) => [name, dequeueStrategy === undefined ? {} : { dequeueStrategy }]))
    return outcome({ n1: both(12) }, { queues, actions: ['allocate'], tiers: [{ plugins: ['priority', 'gang'] }] }, [wants('p0', 'rest', both(10))], ...jobs)
  }
  const [large, small] = [both(10), both(1)]
  it('fifo lets nobody pass who is not of higher priority', () => {
    expect(run({ q1: 'fifo' }, wants('p1', 'q1', large), wants('p2', 'q1', small))).toEqual([])
    expect(run({ q1: 'fifo' }, wants('p1', 'q1', small), wants('p2', 'q1', small))).toEqual(['+p1@n1', '+p2@n1'])
  })
  it('traverse, the default, passes over who has no room', () => {
    expect(run({ q1: 'traverse' }, wants('p1', 'q1', large), wants('p2', 'q1', small))).toEqual(['+p2@n1'])
    expect(run({ q1: undefined }, wants('p1', 'q1', large), wants('p2', 'q1', small))).toEqual(['+p2@n1'])
  })
  it('is that of each queue', () => {
    const jobs = [wants('p1', 'f', large), wants('p2', 'f', small), wants('p3', 't', large), wants('p4', 't', small)]
    expect(run({ f: 'fifo', t: 'traverse' }, ...jobs)).toEqual(['+p4@n1'])
  })
  it('priorityfifo holds lower priorities back, and not equal ones (allocate_priority_fifo_test.go)', () => {
    const high = { priority: 1000 }
    const jobs = [wants('a', 'q1', both(4), high), wants('b', 'q1', small, high), wants('c', 'q1', small, { priority: 500 })]
    expect(run({ q1: 'priorityfifo' }, ...jobs)).toEqual(['+b@n1'])
    expect(run({ q1: 'fifo' }, ...jobs)).toEqual([])
    expect(run({ q1: 'traverse' }, ...jobs)).toEqual(['+b@n1', '+c@n1'])
    expect(run({ q1: 'priorityfifo' }, ...jobs.slice(0, 2), wants('c', 'q1', small, high))).toEqual(['+b@n1', '+c@n1'])
  })
  it('fifo holds nobody back for tasks of a job that has its minimum: there, nothing has failed (allocateResourcesForTasks)', () => {
    const options: VolcanoOptions = { queues: { q: { dequeueStrategy: 'fifo' } }, actions: ['allocate'], tiers: [{ plugins: ['priority', 'gang'] }] }
    const jobs = (min: number) => [wants('a', 'q', both(2), { tasks: 2, min, priority: 1 }), wants('b', 'q', both(1))]
    expect(outcome({ n1: both(3) }, options, [], ...jobs(1))).toEqual(['+a@n1', '+b@n1'])
    expect(outcome({ n1: both(3), n2: both(2) }, options, [wants('rest', 'other', both(2), { on: 'n2' })], ...jobs(2))).toEqual([])
  })
  it('holds back by the highest priority of those that ask what has no room', () => {
    const options: VolcanoOptions = { queues: { q: { dequeueStrategy: 'fifo' } }, actions: ['allocate'], tiers: [{ plugins: [{ name: 'priority', enableJobOrder: false }, 'gang'] }] }
    expect(outcome({ n1: both(2) }, options, [], wants('low', 'q', both(2), { tasks: 2, min: 1 }), wants('a', 'q', both(1)), wants('b', 'q', both(1), { priority: 1 }))).toEqual(['+low@n1'])
    const jobs = [wants('big', 'q', both(2)), wants('big-too', 'q', both(2), { priority: 1 }), wants('small', 'q', both(1), { priority: 1 })]
    expect(outcome({ n1: both(2) }, options, [wants('rest', 'other', both(1))], ...jobs)).toEqual([])
    expect(outcome({ n1: both(2) }, options, [wants('rest', 'other', both(1))], ...jobs.slice(0, 1), ...jobs.slice(2))).toEqual(['+small@n1'])
  })
})
