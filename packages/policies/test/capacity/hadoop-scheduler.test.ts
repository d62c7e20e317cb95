import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import type { Constraints, JobSpec } from '@sched/core'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Situations of Hadoop 3's TestCapacityScheduler, TestCapacitySchedulerApps, TestCapacitySchedulerQueues, TestChildQueueOrder, TestApplicationPriority,
// TestQueueState and TestWorkPreservingRMRestart that no other file has, in numbers of our own.

type Queues = NonNullable<CapacitySchedulerOptions['queues']>
const standing = (sizes: readonly number[], queues: Queues, options: CapacitySchedulerOptions = {}) =>
  dispatcher({
    cluster: cluster({ nodes: sizes.map((mem, i) => ({ name: `n${i}`, count: 1, resources: { mem } })), heartbeat: { interval: 1 } }),
    policy: capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 99, ...options }),
  })
const asking = (id: string, queue: string, tasks: number, mem: number, change: JobChange = {}) => job({ id, queue, user: id, tasks, demand: { mem }, ...change })
const beat = (master: Dispatcher, node: number, now: number) => master.heartbeat(`n${node}-0`, now).start
const who = (started: readonly Placed[]) => started.map(({ job: id }) => id).join(' ')
/** Tasks whose data are on these nodes. */
const near = (id: string, queue: string, ...nodes: number[]) => {
  const [stage] = asking(id, queue, nodes.length, 1).stages
  return { id, submit: 0, queue, user: id, stages: [{ ...stage!, data: { hosts: nodes.map((node) => [`n${node}-0`]) } }] }
}

describe('the capacity scheduler', () => {
  it('starts so many tasks at a heartbeat, in the order of queues and jobs (testNotAssignMultiple, testAssignMultiple)', () => {
    // b is guaranteed more and comes first; then a has 1/2 of 2, b 3/16
    const order = (maximumContainerAssignments: number) => {
      const master = standing([18], { a: { capacity: 11 }, b: { capacity: 89 } }, { maximumContainerAssignments })
      for (const [id, queue, mem] of [['a1', 'a', 1], ['a2', 'a', 2], ['b1', 'b', 3], ['b2', 'b', 4]] as const) master.submit(asking(id, queue, 1, mem))
      return [0, 1, 2, 3].map((now) => who(beat(master, 0, now)))
    }
    expect(order(1)).toEqual(['b1', 'a1', 'b2', 'a2'])
    expect(order(2)).toEqual(['b1 a1', 'b2 a2', '', ''])
  })

  it('reserves no node that is smaller than the task (testContainerAllocationLocalitySkipped)', () => {
    const at = (small: number) => {
      const master = standing([small, 6], { a: { capacity: 100 } })
      master.submit(asking('first', 'a', 1, 1))
      beat(master, 0, 0)
      master.submit(asking('large', 'a', 1, 5))
      expect(beat(master, 0, 1)).toEqual([])
      master.submit(asking('late', 'a', 1, 1))
      return [who(beat(master, 0, 2)), who(beat(master, 1, 3))]
    }
    expect(at(4)).toEqual(['late', 'large'])
    expect(at(5)).toEqual(['', 'large late']) // it had reserved the first
  })

  it('waits for its own node again with a task that was killed there (testRecoverRequestAfterPreemption)', () => {
    const eager = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const master = standing([2, 2], { a: { capacity: 50 }, b: { capacity: 50 } }, { preemption: eager, nodeLocalityDelay: 9 })
    master.submit(near('a', 'a', 0, 0, 1, 1), 0)
    const [[own], there] = [beat(master, 0, 0), beat(master, 1, 1)]
    expect(there.length).toBe(2)
    master.submit(asking('b', 'b', 1, 1), 2)
    const [, taken] = [3, 6].map((now) => master.heartbeat('n1-0', now))
    expect([taken?.kill.map(({ node }) => node), who(taken?.start ?? [])]).toEqual([['n1-0'], 'b'])
    master.taskEnded(own as Placed, 7)
    expect(beat(master, 0, 8)).toEqual([]) // there is room, far from its data
    master.taskEnded(taken?.start[0] as Placed, 9)
    expect(who(beat(master, 1, 10))).toBe('a')
  })

  it('serves the queue first that has the least of equal parts by now, whatever it had before (TestChildQueueOrder.testSortedQueues)', () => {
    // a, b, c and d of 10 have 1, 2, 3 and 4, then d 1, and a 3 and 2 again: d comes before b
    const quarter = { capacity: 25 }
    const master = standing([10], { a: quarter, b: quarter, c: quarter, d: quarter })
    const start = (queue: string, tasks: number, now: number) => {
      master.submit(asking(`${queue} at ${now}`, queue, tasks, 1), now)
      return beat(master, 0, now)
    }
    const end = (tasks: readonly Placed[], now: number) => {
      for (const task of tasks) master.taskEnded(task, now)
    }
    for (const [i, queue] of ['a', 'b', 'c'].entries()) start(queue, i + 1, i)
    const ofD = start('d', 4, 3)
    end(ofD.slice(1), 4)
    end(start('a', 2, 5).slice(1), 6)
    for (const queue of ['b', 'd', 'c']) master.submit(asking(queue, queue, 1, 1), 7)
    expect(who(beat(master, 0, 7))).toBe('d b')
  })

  it.each<[string, Queues, number]>([
    ['anywhere', { root: {} }, 5],
    ['as the root forbids it', { root: { disablePreemption: true } }, 0],
    ['as the queue around it forbids it, which the root does not', { root: { disablePreemption: false }, b: { capacity: 50, disablePreemption: true } }, 0],
    ['as the queue itself allows it, whatever those around say', { root: { disablePreemption: true }, b: { capacity: 50, disablePreemption: true }, 'b.y': { capacity: 100, disablePreemption: false } }, 5],
  ])('takes %s (testPreemptionDisabled)', (_, change, killed) => {
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const master = standing([10], { a: { capacity: 50 }, b: { capacity: 50 }, 'b.y': { capacity: 100 }, ...change }, { preemption })
    master.submit(asking('y', 'b.y', 10, 1), 0)
    beat(master, 0, 0)
    master.submit(asking('a', 'a', 9, 1), 1)
    expect([3, 6].map((now) => master.heartbeat('n0-0', now).kill.length)).toEqual([0, killed])
  })

  it('lets a queue say what a task may ask, less or more than the queue around it (testQueuesMaxAllocationInheritance)', () => {
    const most = (mem: number) => ({ capacity: 50, maximumAllocation: { mem } })
    const may = (queue: string) => {
      const queues = { root: { maximumAllocation: { mem: 4 } }, a: { capacity: 50 }, 'a.x': most(6), 'a.y': { capacity: 50 }, b: most(5), 'b.x': { capacity: 50 }, 'b.y': most(1) }
      const { policy } = standing([9], queues)
      return [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((mem) => policy.admits?.(asking('j', queue, 1, mem)) === undefined).length
    }
    expect(['a.x', 'a.y', 'b.x', 'b.y'].map(may)).toEqual([6, 4, 5, 1])
  })

  it('refuses jobs of no queue, of a name with an empty part, and below a leaf (testAppSubmission)', () => {
    const half = { capacity: 50 }
    const { policy } = standing([9], { a: half, 'a.x': half, 'a.b': half, b: half, 'b.y': { capacity: 100 } })
    const refusal = (queue: string) => policy.admits?.(asking('j', queue, 1, 1))
    expect(['a.x', 'x', 'root.a.b'].map(refusal)).toEqual([undefined, undefined, undefined])
    expect(['q', 'b', 'root..x', 'a..x', '.x', 'a.x.', 'root.a.b.c.d'].filter((queue) => refusal(queue) === undefined)).toEqual([])
  })

  it('serves jobs by priority, none higher than the highest of the cluster (testApplicationOrderingWithPriority, testApplicationPriorityAllocation, testMaxPriorityValidation)', () => {
    const order = (maximumApplicationPriority: number) => {
      const master = standing([4], { a: { capacity: 100 } }, { maximumApplicationPriority })
      for (const [i, priority] of [5, 8, 15, 10].entries()) master.submit(asking(`${priority}`, 'a', 1, 1, { priority }), i)
      return who(beat(master, 0, 9))
    }
    expect([10, 20, 6, 0].map(order)).toEqual(['15 10 8 5', '15 10 8 5', '8 15 10 5', '5 8 15 10'])
  })

  describe('keeps to nodes that requests name (relaxLocality false) and off those of a blacklist, as constraints say', () => {
    const on = (operator: 'In' | 'NotIn', ...nodes: readonly number[]): Constraints => ({ nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator, values: nodes.map((node) => `n${node}-0`) }] }] })
    const one = (id: string, mem: number, constraints: Constraints = {}): JobSpec => {
      const asked = asking(id, 'a', 1, mem)
      return { ...asked, stages: asked.stages.map((stage) => ({ ...stage, constraints })) }
    }
    const at = (nodes: readonly number[], beats: readonly number[], ...specs: readonly JobSpec[]) => {
      const master = standing(nodes, { a: { capacity: 100 } })
      for (const [i, spec] of specs.entries()) master.submit(spec, i)
      return beats.map((node, i) => who(beat(master, node, 10 + i)))
    }
    it('a strict request waits for its node, and others pass it on all others (testLocalityConstraints, testRelaxLocalityOff)', () => {
      expect(at([2, 2], [0, 0, 1], one('strict', 2, on('In', 1)), one('late', 1), one('later', 1))).toEqual(['late later', '', 'strict'])
    })
    it('a strict request reserves no other node (testConstrainedReservation)', () => {
      // its own node is full until the end: nothing is kept on the other
      expect(at([4, 4], [1, 0, 0, 1], one('first', 3, on('In', 1)), one('strict', 4, on('In', 1)), one('late', 4))).toEqual(['first', 'late', '', ''])
    })
    it('a job goes to no node of its blacklist, wherever its data is (testBlackListNodes)', () => {
      expect(at([2, 2, 2], [0, 1, 2], one('picky', 2, on('NotIn', 0, 1)), one('late', 1))).toEqual(['late', '', 'picky'])
    })
  })

  it('counts what runs already for queues and users (testCapacitySchedulerRecovery)', () => {
    // of 16 a and b are guaranteed 8 each; two of ann's jobs run 4 in a, one of bob's 2 in b: b comes first until it has as much
    const master = standing([8, 8], { r: { capacity: 100 }, 'r.a': { capacity: 50 }, 'r.b': { capacity: 50 } })
    for (const [id, queue, user] of [['a1', 'r.a', 'ann'], ['a2', 'r.a', 'ann'], ['b1', 'r.b', 'bob']] as const) {
      master.submit(asking(id, queue, 9, 1, { user }), 0)
      for (const task of [0, 1]) master.adopt({ job: id, task, node: id === 'b1' ? 'n1-0' : 'n0-0' }, 0)
    }
    expect(who(beat(master, 1, 1))).toBe('b1 b1 a1 b1 a1 b1')
  })
})
