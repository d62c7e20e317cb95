import type { JobSpec } from '@sched/core'
import { greedy, yarnFair, yarnReserving } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { sharedState, twoLevel } from '../src/index.js'
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
