import type { JobSpec } from '@sched/core'
import { fifo, greedy, strict, yarnFair, yarnReserving } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { onDemand, sharedState, twoLevel } from '../src/index.js'
import { play } from './world.js'

const managed = (id: string, queue: string, tasks = 2): JobSpec => ({
  id, queue, submit: 0,
  stages: [{ name: 'master', tasks: 1, demand: { memory: 2, vcores: 1 }, duration: 2, master: true }, { name: 'work', tasks, demand: { memory: 1 }, duration: 5 }],
})
const cluster = { nodes: [{ count: 3, resources: { memory: 8, vcores: 6 } }] }
const jobs = Array.from({ length: 6 }, (_, i) => managed(`j${i}`, i % 2 === 0 ? 'x' : 'y'))

describe('the part of a queue for masters where there are several schedulers', () => {
  it.each([
    ['offers', twoLevel(), greedy(yarnFair())],
    ['offers by node', twoLevel({ offers: 'by-node', offerTimeout: 3 }), yarnReserving(greedy(yarnFair()))],
    ['snapshots', sharedState({ decision: { job: 1, task: 0 } }), greedy(yarnFair())],
  ])('counts what a scheduler sees as free: %s', (_, architecture, policy) => {
    expect(play(architecture, jobs, { cluster, policy }).recorder.ends.length).toBe(18)
  })

  it('is asked about its own jobs alone when nothing can start any more', () => {
    const large = jobs.map((job) => ({ ...job, stages: job.stages.map((stage) => ({ ...stage, demand: { memory: 6, vcores: 1 } })) }))
    const { recorder, warnings } = play(twoLevel({ frameworks: 2, batch: 600 }), large, { cluster, policy: greedy(yarnFair({ defaults: { maxAMShare: 0 } })) })
    expect([recorder.launches, warnings.length]).toEqual([[], 1])
  })
})

describe('a virtual cluster of a job with a master', () => {
  const slots = (count: number, slot: number) => ({ cluster: { nodes: [{ count, resources: { slot } }] } })
  const job = (tasks: number, gang = false, am = 1): JobSpec => ({ id: 'a', submit: 0, stages: [{ name: 'master', tasks: 1, demand: { slot: am }, duration: 0, master: true }, { name: 'work', tasks, demand: { slot: 1 }, duration: 5, gang }] })
  const starts = (spec: JobSpec, on: ReturnType<typeof slots>, options: { nodes?: number } = {}) => play(onDemand(strict(fifo()), options), [spec], on).recorder.launches.map(({ time, node }) => `${node} at ${time}`)

  it('has room for it beside the tasks of the largest stage', () => {
    expect(starts(job(4), slots(3, 4))).toEqual(['node-0 at 0', 'node-0 at 0', 'node-0 at 0', 'node-0 at 0', 'node-1 at 0'])
    expect(starts(job(1), slots(3, 1))).toEqual(['node-0 at 0', 'node-1 at 0'])
    expect(starts(job(4, true), slots(2, 4)).length).toBe(5)
    expect(new Set(starts(job(3), slots(3, 4)))).toEqual(new Set(['node-0 at 0']))
  })

  it('is refused where there can be no room for it', () => {
    expect(() => starts(job(4, true), slots(2, 4), { nodes: 1 })).toThrow('job a starts 4 tasks of stage "work" together, its virtual cluster of 1 nodes may have room for 3')
    expect(() => starts(job(2), slots(1, 3), { nodes: 1 })).not.toThrow()
    expect(() => starts(job(2, false, 3), slots(2, 3), { nodes: 1 })).toThrow('job a can have no virtual cluster: its master leaves no room for stage "work" on 1 node')
  })
})
