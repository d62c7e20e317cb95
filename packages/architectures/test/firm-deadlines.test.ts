import type { Plug } from '@sched/core'
import { easy, fifo, greedy, replan, strict } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'
import { cpuJob, cpus, play, type Outcome } from './world.js'

const abandoned = ({ recorder }: Outcome) => recorder.events.flatMap((event) => (event.kind === 'abandon' ? [event.job] : []))
const architectures: Record<string, (policy: Plug<'policy'>) => Plug<'architecture'>> = {
  monolithic: () => monolithic(),
  'monolithic with decision times': () => monolithic({ decision: { job: 3, task: 0.5 } }),
  partitioned: () => partitioned({ partitions: 1, decision: { job: 3, task: 0.5 } }),
  'shared state': () => sharedState({ schedulers: 1, decision: { job: 3, task: 0.5 } }),
  'two level': () => twoLevel({ frameworks: 1, decision: { job: 1, task: 0.5 }, offerTime: 0.5 }),
  'on demand': (policy) => onDemand(policy),
}
/** 4 nodes: A has 3 of them until 100. B needs all, and could start until 50; C needs one, and could start until 200. */
const jobs = [
  cpuJob('A', { tasks: 3, duration: 100, estimate: 100 }),
  cpuJob('B', { tasks: 4, duration: 50, estimate: 50, submit: 10, deadline: 100, firmDeadline: true }),
  cpuJob('C', { tasks: 1, duration: 30, estimate: 100, submit: 20, deadline: 300, firmDeadline: true }),
].map((job) => ({ ...job, stages: job.stages.map((stage) => ({ ...stage, gang: true })) }))

describe('jobs with firm deadlines', () => {
  for (const [name, architecture] of Object.entries(architectures))
    for (const [kind, policy] of Object.entries({ strict: strict(), easy: easy(), replan: replan(fifo(), { nodes: 'named' }), greedy: greedy(fifo()) }))
      it(`are given up when they are late, and the others go on: ${name}, ${kind}`, () => {
        const outcome = play(architecture(policy), jobs, { cluster: cpus(4, 1), policy })
        expect(abandoned(outcome)).toEqual(['B'])
        expect(Object.keys(outcome.recorder.finishes())).toEqual(expect.arrayContaining(['A', 'C']))
      })
})
