// @module-tag long
import { dispatcher } from '@sched/cluster'
import type { Plug, Topology } from '@sched/core'
import { kaiPreempting, kubeScheduler, kueue, volcano, yunikornPreempting } from '@sched/policies'
import { job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kaiScores, topologyAware, topologyTree } from '../src/index.js'

const RACKS = [{ path: ['r0', 'row0'], procs: [2, 1] }, { path: ['r1', 'row0'], procs: [1, 2, 2] }, { path: ['r2', 'row1'], procs: [3] }, { path: ['r3', 'row1'], procs: [1, 1] }]
const CLUSTER = { nodes: RACKS.flatMap(({ path, procs }, rack) => procs.map((each, i) => ({ names: [`${rack}-${i}`], count: 1, racks: path, resources: { procs: each } }))) }
/** The group of a node by level. */
const groupsOf = (node: string) => [node, RACKS[Number(node.split('-')[0])]?.path[0], RACKS[Number(node.split('-')[0])]?.path[1]]

const half = { procs: 6 }
const policies: Record<string, (placement: Plug<'placement'>) => Plug<'policy'>> = {
  'kube-scheduler': (placement) => kubeScheduler({}, placement),
  'kube-scheduler with gangs': (placement) => kubeScheduler({ workloadAwarePreemption: true }, placement),
  'kube-scheduler with gangs and grace times': (placement) => kubeScheduler({ workloadAwarePreemption: true, terminationGracePeriodSeconds: 2 }, placement),
  'volcano, preempt': (placement) => volcano({ actions: ['allocate', 'preempt'], tiers: [{ plugins: ['priority'] }, { plugins: ['gang'] }] }, placement),
  'volcano, gangpreempt': (placement) => volcano({ actions: ['allocate', 'gangpreempt'], tiers: [{ plugins: ['priority', 'gang'] }] }, placement),
  'volcano, reclaim': (placement) => volcano({ actions: ['allocate', 'reclaim'], defaults: { deserved: half }, tiers: [{ plugins: ['priority'] }, { plugins: ['capacity'] }] }, placement),
  'volcano, gangreclaim': (placement) => volcano({ actions: ['allocate', 'gangreclaim'], defaults: { deserved: half }, tiers: [{ plugins: ['priority'] }, { plugins: ['capacity'] }] }, placement),
  kueue: (placement) => kueue({ queues: { x: {}, y: {} }, defaults: { cohort: 'all', nominalQuota: half, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } }, placement),
  'kueue, fair sharing': (placement) => kueue({ queues: { x: {}, y: {} }, fairSharing: true, defaults: { cohort: 'all', nominalQuota: half, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } }, placement),
  'kai-preempting': (placement) => kaiPreempting({ defaults: { resources: { procs: { quota: 6 } } }, maxConsolidationPreemptees: 4 }, placement),
  'yunikorn-preempting': (placement) => yunikornPreempting({ root: { queues: { x: { guaranteed: half, preemptionDelay: 1 }, y: { guaranteed: half, preemptionDelay: 1 } } }, attemptInterval: 1, reservations: false }, placement),
}

/** Jobs of at most as many tasks as some group of the level holds. */
const asked = fc.constantFrom<readonly [most: number, topology: Topology | undefined]>([5, { required: 1 }], [3, { required: 0 }], [8, { required: 2 }], [8, { preferred: 1 }], [8, { required: 2, preferred: 1 }], [6, undefined], [4, undefined], [2, undefined])
const plans = fc.array(fc.record({ asked, tasks: fc.integer({ min: 1, max: 8 }), length: fc.integer({ min: 1, max: 9 }), gap: fc.integer({ min: 0, max: 4 }), priority: fc.integer({ min: 0, max: 2 }), queue: fc.constantFrom('x', 'y') }), { minLength: 1, maxLength: 12 })

describe('every job runs to its end, and is always as near as its topology says, although jobs take the places of others', () => {
  const placements = { 'topology-tree': topologyTree(), 'topology-aware': topologyAware(), 'kai-scores': kaiScores() }
  const all = Object.entries(policies).flatMap(([name, policy]) => Object.entries(placements).map(([placed, placement]) => [`${name}, ${placed}`, policy(placement)] as const))

  it.each(all)('%s', (name, policy) => {
    let kills = 0
    fc.assert(fc.property(plans, (plan) => {
      const control = dispatcher({ cluster: CLUSTER, policy })
      let running: { readonly id: number; readonly job: string; readonly node: string; readonly end: number }[] = []
      const done = plan.map(() => 0)
      const tasksOf = ({ asked: [most], tasks }: (typeof plan)[number]) => Math.min(most, tasks)
      let submit = 0
      const submits = plan.map(({ gap }) => (submit += gap))
      const pass = (now: number) => {
        const { start, kill } = control.pass(now)
        kills += kill.length
        running = running.filter(({ id }) => !kill.some((each) => each.id === id))
        for (const { id, job: name, node } of start) running.push({ id, job: name, node, end: Math.ceil(now) + (plan[Number(name.slice(1))]?.length ?? 0) })
        for (const [i, { asked: [, topology] }] of plan.entries()) {
          const groups = new Set(running.filter(({ job: name }) => name === `j${i}`).map(({ node }) => groupsOf(node)[topology?.required ?? 0]))
          if (topology?.required !== undefined) expect(groups.size, `j${i} at ${now}`).toBeLessThanOrEqual(1)
        }
      }
      const isOver = () => plan.every((each, i) => done[i] === tasksOf(each))
      for (let now = 0; now <= 500 && !isOver(); now++) {
        for (const { id, job: name } of running.filter(({ end }) => end <= now)) {
          control.taskEnded({ id }, now)
          done[Number(name.slice(1))] = (done[Number(name.slice(1))] as number) + 1
        }
        running = running.filter(({ end }) => end > now)
        for (const [i, each] of plan.entries())
          if (submits[i] === now) control.submit(job({ id: `j${i}`, queue: each.queue, priority: each.priority, tasks: tasksOf(each), demand: { procs: 1 }, gang: true, estimate: each.length, ...(each.asked[1] !== undefined && { topology: each.asked[1] }) }), now)
        pass(now)
        for (let wake = control.nextWake, i = 0; wake < now + 1 && i < 20; wake = control.nextWake, i++) pass(Math.max(now, wake))
      }
      expect(done).toEqual(plan.map(tasksOf))
    }), { seed: 23, numRuns: name.startsWith('yunikorn') ? 300 : 40 })
    expect(kills).toBeGreaterThan(0)
  })
})
