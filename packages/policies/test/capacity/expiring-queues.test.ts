import { capacityScheduler, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// TestAutoCreatedQueueDeletionPolicy and the like of Hadoop 3.4, with times of our own: a look every 100 s.

type Asked = readonly [id: string, queue: string, submit: number, tasks: number, seconds?: number]
/** Tasks of 1 GB that start at once, of each job, on 100 GB. Users may have the guarantee of their queue, and one task more: 50 + 1 of two queues, all of one. */
const starts = (jobs: readonly Asked[], change: CapacityQueueOptions = {}, options: CapacitySchedulerOptions = {}) => {
  const policy = capacityScheduler({
    queueExpiration: 100,
    queues: { a: { capacity: '1w', autoCreate: true, template: { userLimitFactor: 1 }, ...change } },
    defaults: { userLimitFactor: -1 },
    maximumOffswitchAssignments: 1000,
    maximumContainerAssignments: -1,
    ...options,
  })
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100 } }] }),
    jobs: jobs.map(([id, queue, submit, tasks, duration = 10]) => job({ id, user: id, queue, submit, tasks, duration, demand: { mem: 1 } })),
    policy,
  })
  return jobs.map(([id, , submit]) => recorder.launches.filter((each) => each.job === id && each.time === submit).length)
}
const later = (submit: number): Asked => ['y', 'a.y', submit, 100]

describe('queues made at first use that are empty', () => {
  it('go at the second look after their last job has ended, and the others are guaranteed the more (testEditSchedule)', () => {
    const x: Asked = ['x', 'a.x', 0, 1]
    expect([199, 200].map((time) => starts([x, later(time)])[1])).toEqual([51, 100])
    expect(starts([x, later(900)], {}, { queueExpiration: 1000 })[1]).toBe(51)
  })

  it('stay while they have jobs (testCapacitySchedulerAutoQueueDeletion)', () => {
    const x: Asked = ['x', 'a.x', 0, 1, 150] // empty at 200 and 300
    expect([299, 300].map((time) => starts([x, later(time)])[1])).toEqual([51, 100])
  })

  it('go after the queues inside them, at two more looks', () => {
    const x: Asked = ['x', 'a.p.x', 0, 1]
    expect([399, 400].map((time) => starts([x, later(time)])[1])).toEqual([51, 100])
  })

  it('are looked at twice again where a job has come since', () => {
    const twice: Asked[] = [['x', 'a.x', 0, 1], ['again', 'a.x', 150, 1]] // empty at 100 and 200, but asked for 50 s ago; at 300 and 400
    expect([399, 400].map((time) => starts([...twice, later(time)])[2])).toEqual([51, 100])
  })

  it('stay where their template says so (testCapacitySchedulerAutoQueueDeletionDisabled)', () => {
    const template = { userLimitFactor: 1, autoRemoval: false }
    expect(starts([['x', 'a.x', 0, 1], later(900)], { template })[1]).toBe(51)
    expect(starts([['x', 'a.p.x', 0, 1], later(900)], { parentTemplate: { autoRemoval: false } })[1]).toBe(51)
  })

  it('stay where no time is set', () => {
    const queues = { a: { capacity: '1w', autoCreate: true, template: { userLimitFactor: 1 } } }
    const stay = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100 } }] }),
      jobs: [job({ id: 'x', queue: 'a.x', duration: 10, demand: { mem: 1 } }), job({ id: 'y', queue: 'a.y', submit: 900, tasks: 100, demand: { mem: 1 } })],
      policy: capacityScheduler({ queues, maximumOffswitchAssignments: 1000 }),
      until: 901,
    })
    expect(stay.recorder.launches.filter((each) => each.job === 'y')).toHaveLength(51)
  })

  it('are made again when they are asked for, and count where their number is limited', () => {
    const jobs: Asked[] = [['x', 'a.x', 0, 1], ['y', 'a.y', 150, 1], ['z', 'a.z', 190, 1], ['w', 'a.w', 200, 1, 900], ['x2', 'a.x', 600, 100]]
    // x goes at 200, and w may come; z was one too many; y goes at 400
    expect(starts(jobs, { maximumQueues: 2 })).toEqual([1, 1, 0, 1, 51])
  })

  it('may be around none, and jobs of their own names are refused as before', () => {
    // p is there until 400, though x is not: no job may be in it
    expect(starts([['x', 'a.p.x', 0, 1], ['p', 'a.p', 300, 1], ['q', 'a.p', 400, 1]])).toEqual([1, 0, 1])
  })

  it('are found by their short names only while they are there', () => {
    const b: NonNullable<CapacitySchedulerOptions['queues']> = { a: { capacity: '1w', autoCreate: true }, b: { capacity: '1w', autoCreate: true } }
    // of two queues x nobody knows which is meant; when that of a has gone, that of b is
    expect(starts([['one', 'a.x', 0, 1], ['two', 'b.x', 0, 1, 900], ['three', 'x', 150, 1], ['four', 'x', 250, 1]], {}, { queues: b })).toEqual([1, 1, 0, 1])
  })

  it('are nothing to preemption: those that are there get their guarantees', () => {
    // y has all; z comes when x has gone, and gets half of the whole, not a third
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, monitoringInterval: 5 }
    const killed = (time: number) => {
      const { recorder } = run({
        cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 90 } }] }),
        jobs: [['x', 0, 1, 10], ['y', 20, 90, 5000], ['z', time, 90, 5000]].map(([id, submit, tasks, duration]) => job({ id: `${id}`, user: `${id}`, queue: `a.${id}`, submit: Number(submit), tasks: Number(tasks), duration: Number(duration), demand: { mem: 1 } })),
        policy: capacityScheduler({ queueExpiration: 100, queues: { a: { capacity: '1w', autoCreate: true } }, maximumOffswitchAssignments: 1000, preemption }),
        until: time + 50,
      })
      return recorder.launches.filter((each) => each.job === 'z').length
    }
    expect([killed(120), killed(220)]).toEqual([30, 45])
  })
})
