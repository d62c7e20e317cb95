import { buildCluster } from '@sched/cluster'
import type { JobSpec, NodeId, Plug } from '@sched/core'
import { fair, fifo, greedy, strict, yarnFair, yarnPreempting } from '@sched/policies'
import type { Outage } from '@sched/sim'
import { digest, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'
import { play } from './world.js'

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
      { seed: 23, numRuns: Number(process.env['N'] ?? 60) },
    )
    expect(superseded).toBeGreaterThan(10)
  })
})
