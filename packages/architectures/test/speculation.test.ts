// @module-tag long
import { buildCluster } from '@sched/cluster'
import type { JobSpec, NodeId, Plug } from '@sched/core'
import { fair, fifo, greedy, strict, yarnFair, yarnPreempting } from '@sched/policies'
import type { Outage, SpeculationOptions } from '@sched/sim'
import { digest, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'
import { cpuJob, play } from './world.js'

const slow = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
const architectures: Readonly<Record<string, () => Plug<'architecture'>>> = {
  'monolithic with decision times': () => monolithic(slow),
  'two-level': () => twoLevel(slow),
  'two-level with offers by node': () => twoLevel({ ...slow, offers: 'by-node', refuseSeconds: 5 }),
  'shared state': () => sharedState({ ...slow, schedulers: 3 }),
  'shared state, coarse and all or nothing': () => sharedState({ ...slow, schedulers: 3, conflict: 'coarse', partialGangs: true, commit: 'all-or-nothing' }),
  'shared state with preemption': () => sharedState({ ...slow, preemption: true, schedulers: { one: { classes: ['*'], count: 2 }, two: { classes: ['high'], precedence: 1 } } }),
  partitioned: () => partitioned({ ...slow, partitions: 1 }),
  'on demand': () => onDemand(strict(fifo()), { sharedBy: 'user', idleRelease: 16 }),
}
const policies = [() => greedy(fifo()), () => greedy(fair()), () => yarnPreempting(greedy(yarnFair({ root: { fairSharePreemptionTimeout: 0.5, fairSharePreemptionThreshold: 1 } })), { utilizationThreshold: 0, waitBeforeKill: 0, waitBeforeNextCheck: 0 })]

/** Jobs with a class each: every third one is `high`. */
const classed = ({ jobs }: World): JobSpec[] => jobs.map((job, i) => (i % 3 === 0 ? { ...job, class: 'high' } : job))

/** Of the nodes that there are. */
const outagesOf = ({ cluster, outages = [] }: World): Outage[] => outages.map((outage) => ({ ...outage, node: (outage.node % buildCluster(cluster).nodes) as NodeId }))

describe.each(Object.entries(architectures))('%s', (_, architecture) => {
  it('copies slow tasks: each task is done once, and every job ends, the same in every run', () => {
    let superseded = 0
    fc.assert(
      fc.property(worlds({ speculation: true, failures: true, outages: true, heartbeats: false }), fc.constantFrom(...policies), (world, policy) => {
        const { cluster, seed, runtime, speculation, failures } = world
        const once = () => play(architecture(), classed(world), { cluster, seed, runtime, ...(speculation && { speculation }), ...(failures && { failures }), outages: outagesOf(world), policy: policy(), infeasible: 'reject' }).recorder
        const recorder = once()
        const left = new Set(recorder.events.flatMap((event) => (event.kind === 'reject' || event.kind === 'abandon' ? [event.job] : [])))
        const done = recorder.ends.filter(({ how, job }) => how === 'done' && !left.has(job)).map(({ job, stage, task }) => `${job}.${stage}.${task}`)
        const tasks = world.jobs.filter(({ id }) => !left.has(id)).flatMap(({ id, stages }) => stages.flatMap((stage, s) => Array.from({ length: stage.tasks }, (_each, task) => `${id}.${s}.${task}`)))
        expect(done.sort()).toEqual(tasks.sort())
        expect(digest(once())).toBe(digest(recorder))
        superseded += recorder.ends.filter(({ how }) => how === 'superseded').length
      }),
      { seed: 23, numRuns: 60 },
    )
    expect(superseded).toBeGreaterThan(10)
  })

  it('decides as without speculation where no copy is ever made', () => {
    fc.assert(
      fc.property(worlds({ heartbeats: false, outages: true }), fc.constantFrom(...policies), (world, policy) => {
        const { cluster, seed, runtime } = world
        const of = (speculation?: SpeculationOptions) =>
          digest(play(architecture(), classed(world), { cluster, seed, runtime, ...(speculation && { speculation }), outages: outagesOf(world), policy: policy(), infeasible: 'reject' }).recorder)
        expect(of({ minimum: 0, runningCap: 0, totalCap: 0 })).toBe(of())
        expect(of({ stages: [] })).toBe(of())
      }),
      { seed: 29, numRuns: 25 },
    )
  })
})

describe('a job that leaves while a decision about it is open', () => {
  const deciding = (seconds: number) => ({ ...slow, decision: { job: seconds, task: 0 } })
  const single: Readonly<Record<string, (seconds: number) => Plug<'architecture'>>> = {
    monolithic: (seconds) => monolithic(deciding(seconds)),
    partitioned: (seconds) => partitioned({ ...deciding(seconds), partitions: 1 }),
    'shared state': (seconds) => sharedState({ ...deciding(seconds), schedulers: 1 }),
  }

  it.each(Object.entries(single))('because a task has failed too often is no job that the scheduler of %s decides about', (_, architecture) => {
    // The first task of a starts at 1000 s and fails by 1300 s. From 1001 to 2001 s its second task is decided about, then b.
    const jobs = [cpuJob('a', { tasks: 2, duration: 300 }), cpuJob('b', { submit: 1400, duration: 5 })]
    const { recorder, decided } = play(architecture(1000), jobs, { cluster: { nodes: [{ count: 1, resources: { cpu: 1 } }] }, failures: { probability: 0.99, maxAttempts: 1 }, seed: 5 })
    expect(recorder.events.find(({ kind }) => kind === 'abandon')).toMatchObject({ job: 'a' })
    expect(recorder.launches.map(({ job, time }) => [job, time])).toEqual([['a', 1000], ['b', 3001]])
    expect(decided.lines()).toEqual(['scheduler a#1 0-1000: 1 claimed, 1 accepted, 0 conflicted, 1 left', 'scheduler b#1 2001-3001: 1 claimed, 1 accepted, 0 conflicted, 0 left'].map((line) => line.replace('scheduler', decided.all[0]?.scheduler ?? '')))
  })

  it.each(Object.entries(single))('because the task is done of which a copy was to be placed is no job that the scheduler of %s decides about', (_, architecture) => {
    // Three tasks start at 12 s and end at 22, 22 and 33.5 s; a copy of the last is decided about from 23 to 35 s.
    const jobs = [cpuJob('a', { tasks: 3, duration: [10, 10, 21.5] }), cpuJob('b', { submit: 34, duration: 5 })]
    const { recorder } = play(architecture(12), jobs, { cluster: { nodes: [{ count: 3, resources: { cpu: 1 } }] }, speculation: true })
    expect(recorder.launches.map(({ job, time }) => [job, time])).toEqual([['a', 12], ['a', 12], ['a', 12], ['b', 47]])
    expect(recorder.finishes()).toEqual({ a: 33.5, b: 52 })
  })

  it('because the task is done of which a copy was to be placed is no job that a framework answers for', () => {
    // The first offer comes a second later, to be answered 12 s after that; that of 24.001 s is for the copy, whose task is done at 34.501 s.
    const jobs = [cpuJob('a', { tasks: 3, duration: [10, 10, 21.5] }), cpuJob('b', { submit: 35, duration: 5 })]
    const { recorder, decided } = play(twoLevel(deciding(12)), jobs, { cluster: { nodes: [{ count: 3, resources: { cpu: 1 } }] }, speculation: true })
    expect(recorder.launches.filter(({ job }) => job === 'a')).toHaveLength(3)
    expect(recorder.finishes()['a']).toBeCloseTo(34.501, 9)
    expect(decided.all.map(({ job }) => job)).toEqual(['a', 'b'])
  })
})
