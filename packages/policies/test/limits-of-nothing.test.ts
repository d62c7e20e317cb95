import { capacity, capacityScheduler, delay, fair, greedy, kai, maxMin, preempting, strict, yarnFair, type CapacitySchedulerOptions } from '@sched/policies'
import type { Plug } from '@sched/core'
import { cluster, instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const jobs = ['a', 'b'].map((queue) => job({ id: queue, queue, user: queue }))

/** Jobs that start, and what the user is told in the end. */
function left(policy: Plug<'policy'>, on: ReturnType<typeof cluster> = instantCluster()) {
  const warnings: string[] = []
  const { recorder } = run({ cluster: on, jobs, policy, warn: (text) => void warnings.push(text) })
  return [recorder.launches.map((launch) => launch.job).join(), ...warnings]
}
/** Limits that forbid the jobs a and b, in this order. */
const forbid = (...limits: string[]) => `${limits.length} job${limits.length === 1 ? '' : 's'} can never start, since limits forbid ${limits.length === 1 ? 'it' : 'them'}: ${limits.map((limit) => `${limit} (1)`).join(', ')}. Raise the limit${limits.length === 1 ? '' : 's'}, or change what job${limits.length === 1 ? ' a asks' : 's a, b ask'} for.`

describe('a limit of no running jobs keeps them waiting to the end of the run, which tells of it', () => {
  it.each([
    ['of all users of fair', greedy(fair({ userMaxRunningJobs: 0 })), ['', forbid('maxRunningJobs of user a', 'maxRunningJobs of user b')]],
    ['of a user', preempting(delay(fair({ users: { a: { maxRunningJobs: 0 } } }))), ['b', forbid('maxRunningJobs of user a')]],
    ['of a pool', strict(fair({ pools: { a: { maxRunningJobs: 0 } } })), ['b', forbid('maxRunningJobs a')]],
    ['of a queue of yarn-fair', delay(yarnFair({ root: { queues: { a: { maxRunningApps: 0 } } } })), ['b', forbid('maxRunningApps root.a')]],
    ['of the users of capacity', greedy(capacity({ maxParallelAppsPerUser: 0 })), ['', forbid('maxParallelApps of user a', 'maxParallelApps of user b')]],
    ['of a queue of capacity-scheduler', capacityScheduler({ queues: { a: { capacity: 50, maxParallelApps: 0 }, b: { capacity: 50 } } }), ['b', forbid('maxParallelApps root.a')]],
  ])('%s', (_, policy, expected) => {
    expect(left(policy)).toEqual(expected)
    expect(left(policy, cluster({ heartbeat: { interval: 3600 } }))).toEqual(expected)
  })
})

it('a heartbeat starts one task at least under capacity-scheduler, also with maximumContainerAssignments 0, as Hadoop does', () => {
  const times = (maximumContainerAssignments: number, options: CapacitySchedulerOptions = {}) =>
    run({ cluster: cluster({ nodes: 1, racks: 1, slots: { map: 4 } }), jobs: [job({ tasks: 3, duration: 50 })], policy: capacityScheduler({ maximumContainerAssignments, maximumOffswitchAssignments: 9, ...options }) }).recorder.launches.map(({ time }) => time)
  expect([times(0), times(1), times(2)]).toEqual([[0, 3, 6], [0, 3, 6], [0, 0, 3]])
})

it('maxima of nothing refuse jobs, or keep them waiting, and are told', () => {
  expect(left(greedy(maxMin({ by: 'queue', resource: 'map', shares: { a: { max: 0 } } })))[0]).toBe('b')
  expect(left(greedy(kai({ queues: { a: { resources: { map: { limit: 0 } } } } })))[0]).toBe('b')
})
