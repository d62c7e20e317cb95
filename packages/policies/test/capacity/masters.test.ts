import type { JobSpec } from '@sched/core'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A job with a master of `am` GB and tasks of 1 GB that take `duration` seconds. */
const managed = (id: string, user: string, am: number, change: { submit?: number; duration?: number; tasks?: number; queue?: string; priority?: number } = {}): JobSpec => {
  const { submit = 0, duration = 1000, tasks = 1, queue = 'a', priority } = change
  return {
    id, user, queue, submit, ...(priority !== undefined && { priority }),
    stages: [{ name: 'master', tasks: 1, demand: { mem: am }, duration: 0, master: true }, { name: 'work', tasks, demand: { mem: 1 }, duration }],
  }
}
const queues: CapacitySchedulerOptions['queues'] = { a: { capacity: 10, minimumUserLimitPercent: 50, userLimitFactor: 5 }, b: { capacity: 90 } }
/** When each job's master first starts, on a cluster of so many GB. */
const activated = (mem: number, jobs: readonly JobSpec[], options: CapacitySchedulerOptions = {}, until = 999) => {
  const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem } }] }), jobs, policy: capacityScheduler({ queues, ...options }), until })
  return Object.fromEntries(recorder.launches.filter(({ stage }) => stage === 0).map(({ job, time }) => [job, time]))
}

describe('the part of a queue that masters may have', () => {
  it('is a tenth of what the queue may use, of one user by the capacity and the user limit (TestApplicationLimits.testAMResourceLimit)', () => {
    // 80 GB: 8 GB for masters in a, 4 GB for a user alone, 2 GB for each of two
    const jobs = [managed('0', 'ann', 2), managed('1', 'ann', 2), managed('2', 'bob', 2, { duration: 10 }), managed('3', 'bob', 2)]
    expect(activated(80, jobs)).toEqual({ 0: 0, 1: 0, 2: 0, 3: 10 })
  })

  it('grows with the user limit factor (TestApplicationLimits.testActiveApplicationLimits)', () => {
    // 160 GB: 8 GB for a user alone
    const jobs = [managed('0', 'ann', 4, { duration: 10 }), managed('1', 'ann', 4, { duration: 20 }), managed('2', 'ann', 4), managed('3', 'ann', 4, { submit: 11 })]
    expect(activated(160, jobs)).toEqual({ 0: 0, 1: 0, 2: 10, 3: 20 })
  })

  it.each([[1, { 0: 0, 1: 0, 2: 0 }], [0.5, { 0: 0, 1: 10, 2: 20 }]])('is as the queue says: %s', (maximumAmResourcePercent, times) => {
    const jobs = [0, 1, 2].map((i) => managed(`${i}`, 'ann', 3, { duration: 10, queue: 'c' }))
    const all: CapacitySchedulerOptions = { queues: { c: { capacity: 100, maximumAmResourcePercent } } }
    expect(activated(maximumAmResourcePercent === 1 ? 20 : 10, jobs, all)).toEqual(times)
  })

  it('lets one job run whatever its master asks', () => {
    expect(activated(40, [managed('0', 'ann', 20, { duration: 10 }), managed('1', 'ann', 1)])).toEqual({ 0: 0, 1: 10 })
  })

  it('lets smaller masters pass one that waits, and among those that wait the important first (TestApplicationPriority.testPriorityWithPendingApplications)', () => {
    const options: CapacitySchedulerOptions = { queues: { a: { capacity: 100, maximumAmResourcePercent: 0.5, ordering: 'priority' } } }
    const jobs = [managed('0', 'ann', 4, { duration: 10 }), managed('large', 'ann', 4, { submit: 1 }), managed('small', 'ann', 1, { submit: 2 }), managed('important', 'ann', 4, { submit: 3, priority: 9, duration: 10 })]
    expect(activated(10, jobs, options)).toEqual({ 0: 0, small: 2, important: 10, large: 20 })
  })

  it('counts the user of a job that has just become active when it looks at the next', () => {
    // 24 GB: 2 GB of masters for a user alone, 1 for each of two; 0 wants more until it ends, when 1 is active whatever it asks
    const all: CapacitySchedulerOptions = { queues: { a: { capacity: 10, minimumUserLimitPercent: 50, userLimitFactor: 2, maximumAmResourcePercent: 0.5 }, b: { capacity: 90 } } }
    const jobs = [managed('0', 'cyd', 1, { tasks: 8, duration: 5 }), managed('1', 'ann', 2, { submit: 1, duration: 10 }), managed('2', 'cyd', 2, { submit: 2 })]
    expect(activated(24, jobs, all)).toEqual({ 0: 0, 1: 10, 2: 20 })
  })

  it('does not count jobs without masters', () => {
    const plain = (id: string): JobSpec => ({ id, user: 'ann', queue: 'a', submit: 0, stages: [{ name: 'work', tasks: 1, demand: { mem: 1 }, duration: 10 }] })
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100 } }] }), jobs: [plain('x'), plain('y'), managed('0', 'ann', 1)], policy: capacityScheduler({ queues }), until: 9 })
    expect(recorder.launches.map(({ job, time }) => `${job} at ${time}`)).toEqual(['x at 0', 'y at 0', '0 at 0', '0 at 0'])
  })

  it('shrinks with what other queues use, but not below what is guaranteed', () => {
    // a may use all 100 GB while b is idle: 10 GB for masters; while b has 80, 20 are left: 2 GB
    const half: CapacitySchedulerOptions = { queues: { a: { capacity: 10, userLimitFactor: 100 }, b: { capacity: 90, userLimitFactor: 2 } } }
    const of = (b: number) => activated(100, [...Array.from({ length: b === 0 ? 0 : 1 }, () => managed('b', 'eve', 1, { queue: 'b', tasks: b - 1 })), ...[0, 1, 2, 3].map((i) => managed(`${i}`, 'ann', 1, { submit: 1 }))], half, 9)
    expect([of(0), of(80), of(95)].map((times) => Object.keys(times).filter((id) => id !== 'b').length)).toEqual([4, 2, 1])
  })

  it('keeps what it counts in other queues apart, and is told to who listens', () => {
    const reasons: string[] = []
    const observer = { onDefer: (_job: unknown, _lane: unknown, _reason: unknown, _now: unknown, limit?: string) => void (limit !== undefined && reasons.push(limit)) }
    const jobs = [managed('0', 'ann', 1), managed('1', 'ann', 1), managed('2', 'eve', 1, { queue: 'b' })]
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 20 } }] }), jobs, policy: capacityScheduler({ queues: { a: { capacity: 5, maximumCapacity: 50 }, b: { capacity: 95 } } }), until: 9, observers: [observer] })
    expect(recorder.launches.filter(({ stage }) => stage === 0).map(({ job }) => job)).toEqual(['2', '0'])
    expect(new Set(reasons)).toEqual(new Set(['maximum-am-resource-percent root.a']))
  })
})

describe('preemption and masters', () => {
  const halves: CapacitySchedulerOptions['queues'] = { a: { capacity: 50, maximumAmResourcePercent: 0.2 }, b: { capacity: 50, maximumAmResourcePercent: 1 } }
  const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
  const killed = (jobs: readonly JobSpec[], more: CapacitySchedulerOptions = {}) => {
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100 } }] }), jobs, policy: capacityScheduler({ queues: halves, defaults: { userLimitFactor: -1 }, preemption, ...more }), until: 60 })
    return recorder.evictions.map(({ job, stage, task }) => `${job}.${stage}.${task}`)
  }

  it('leaves masters alone as long as there are other tasks', () => {
    const gone = killed([managed('a0', 'ann', 2, { tasks: 98 }), managed('b0', 'bob', 1, { queue: 'b', tasks: 60, submit: 10 })])
    expect([gone.length, gone.filter((task) => task.startsWith('a0.0'))]).toEqual([50, []])
  })

  it('takes masters last, while those of the queue have more than its part for masters, and all of their jobs with them', () => {
    // a has 5 masters of 16 and 4 tasks each: 100; it is to give 50, has 20 in tasks, and may keep 10 in masters
    const jobs = Array.from({ length: 5 }, (_, i) => managed(`a${i}`, 'ann', 16, { tasks: 4 }))
    const gone = killed([...jobs, managed('b0', 'bob', 1, { queue: 'b', tasks: 60, submit: 10 })], { queues: { ...halves, a: { capacity: 50, maximumAmResourcePercent: 0.8, userLimitFactor: 9 } } })
    expect(gone.filter((task) => task.includes('.0.')).length).toBe(2)
    expect(gone.slice(0, 20).every((task) => task.includes('.1.'))).toBe(true)
  })
})
