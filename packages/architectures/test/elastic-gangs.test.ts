import type { JobSpec, NodeId, Plug, StageSpec } from '@sched/core'
import { fifo, greedy, strict } from '@sched/policies'
import type { Recorder } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, partitioned, sharedState, twoLevel } from '../src/index.js'
import { cpus, play } from './world.js'

const common = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
const architectures: Readonly<Record<string, () => Plug<'architecture'>>> = {
  'monolithic at once': () => monolithic(),
  'monolithic, single path': () => monolithic(common),
  'two-level': () => twoLevel(common),
  'two-level that hoards': () => twoLevel({ ...common, hoard: 6 }),
  'shared state, fine': () => sharedState({ ...common, schedulers: 3 }),
  'shared state, coarse': () => sharedState({ ...common, schedulers: 3, conflict: 'coarse' }),
  'shared state with preemption': () => sharedState({ ...common, preemption: true, schedulers: { one: { classes: ['*'], count: 2 }, two: { classes: ['high'], precedence: 1 } } }),
  'one partition': () => partitioned({ ...common, partitions: 1 }),
}
const gang = (tasks: number, change: Partial<StageSpec> = {}): StageSpec => ({ name: 'gang', tasks, demand: { cpu: 1 }, duration: 5, gang: true, ...change })
const job = (id: string, stages: readonly StageSpec[], change: Partial<JobSpec> = {}): JobSpec => ({ id, submit: 0, stages, ...change })

/** What is wrong with a stage of which so many tasks must run or have ended at the end of each instant, unless none runs. */
function short({ events }: Recorder, id: string, stage: number, least: number): string | undefined {
  let [now, running, ended] = [0, 0, 0]
  for (const event of events) {
    if (event.time > now && running > 0 && running + ended < least) return `${id}.${stage} at ${now} s: ${running} run, ${ended} have ended`
    now = event.time
    if ((event.kind !== 'launch' && event.kind !== 'end') || event.job !== id || event.stage !== stage) continue
    running += event.kind === 'launch' ? 1 : -1
    if (event.kind === 'end' && event.how === 'done') ended++
  }
  return undefined
}

describe.each(Object.entries(architectures))('%s', (_, architecture) => {
  it('starts as many tasks of a gang together as must, lets the others follow, and all jobs end, with nodes that fail, too', () => {
    const stages = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 6 }), less: fc.integer({ min: 0, max: 4 }), duration: fc.constantFrom(1, 4, 9) }), { minLength: 1, maxLength: 3 })
    const jobs = fc.array(fc.record({ gap: fc.constantFrom(0, 0.25, 1, 5), isHigh: fc.boolean(), stages }), { minLength: 1, maxLength: 8 })
    const outages = fc.array(fc.record({ node: fc.integer({ min: 0, max: 1 }), from: fc.constantFrom(1, 3, 8.5) }), { maxLength: 2 })
    fc.assert(
      fc.property(jobs, outages, fc.constantFrom(() => greedy(fifo()), () => strict()), (drafts, away, policy) => {
        let submit = 0
        const of = ({ less, ...stage }: { less: number; tasks: number; duration: number }) => gang(stage.tasks, { ...stage, minTasks: Math.min(4, Math.max(1, stage.tasks - less)) })
        const all = drafts.map(({ gap, isHigh, stages }, i) => job(`j${i}`, stages.map(of), { submit: (submit += gap), ...(isHigh && { class: 'high' }) }))
        const { recorder } = play(architecture(), all, { policy: policy(), cluster: cpus(2, 2), outages: away.map(({ node, from }) => ({ node: node as NodeId, from, to: from + 2, drain: false })) })
        expect(Object.keys(recorder.finishes()).length).toBe(all.length)
        for (const { id, stages } of all) for (const [index, { minTasks = 1 }] of stages.entries()) expect(short(recorder, id, index, minTasks)).toBe(undefined)
      }),
      { seed: 6, numRuns: 60 },
    )
  })
})
