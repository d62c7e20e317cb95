import type { Env, JobId, LaneId, NodeId, Round, TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { SuspendedJobs } from '../src/disciplines/suspended-jobs.js'
import { TasksByJob } from '../src/disciplines/tasks-by-job.js'

const job = 0 as JobId
const lane = 0 as LaneId
const env = { cluster: { lanes: [{ name: 'all', resources: [] }], resources: [] }, work: { unplaced: () => 3 } } as unknown as Env

describe('the tasks of a job', () => {
  it('run in one order, whatever was tried with them and taken back', () => {
    const running = new TasksByJob(env)
    for (const task of [3, 1, 2] as TaskId[]) running.onClaim(job, lane, task)
    expect(running.in(lane).get(job)).toEqual([1, 2, 3])
    for (const task of [1, 2] as TaskId[]) running.onRelease(job, lane, task)
    for (const task of [2, 1] as TaskId[]) running.onClaim(job, lane, task) // as a rollback tells of them
    expect(running.in(lane).get(job)).toEqual([1, 2, 3])
  })

  it('run in the order of their ids, however many come and go', () => {
    const running = new TasksByJob(env)
    const known = new Set<number>()
    for (let i = 0; i < 2000; i++) {
      const task = ((i * i * 7919) % 211) as TaskId
      if (known.delete(task)) running.onRelease(job, lane, task)
      else {
        known.add(task)
        running.onClaim(job, lane, task)
      }
      expect(running.in(lane).get(job) ?? []).toEqual([...known].sort((a, b) => a - b))
    }
  })

  it('are suspended in one order, whatever was tried with them and taken back', () => {
    const jobs = new SuspendedJobs(env, {})
    const order = () => [...(jobs.in(lane).get(job)?.places.keys() ?? [])]
    const on = (...tasks: number[]) => new Map(tasks.map((task) => [task as TaskId, 0 as NodeId]))
    jobs.suspended(job, on(3, 2), { lane, serial: 1 } as Round)
    jobs.suspended(job, on(1), { lane, serial: 2 } as Round)
    expect(order()).toEqual([1, 2, 3])
    jobs.onClaim(job, lane, 1 as TaskId, 0 as NodeId)
    jobs.onRelease(job, lane, 1 as TaskId, 0 as NodeId, 'withdrawn')
    expect(order()).toEqual([1, 2, 3])
  })
})
