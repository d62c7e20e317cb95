import type { JobSpec, NodeId, PlacementRule, Plug } from '@sched/core'
import { easy, fifo, greedy, kaiPreempting, kubeScheduler, kueue, las, srtf, volcano, yunikornPreempting } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'
import { mayBePlain, type PlainRun } from './plain-rules.js'

const zones = ['a', 'b', 'a', 'c']
const names = zones.map((_, i) => `n${i}`)
const cluster = instantCluster({ nodes: zones.map((zone, i) => ({ count: 1, names: [`n${i}`], resources: { cpu: 4 }, labels: { zone } })) })
const groupOf = (over: string, node: number): string | undefined => (over === 'node' ? String(node) : zones[node])

const value = fc.constantFrom('x', 'y')
const among = { of: fc.record({ tags: fc.record({ app: value }), job: fc.constantFrom('own' as const, 'other' as const) }, { requiredKeys: [] }), over: fc.constantFrom('node', 'zone') }
const rule: fc.Arbitrary<PlacementRule> = fc.oneof(
  fc.record({ kind: fc.constant('antiAffinity' as const), ...among }),
  fc.record({ kind: fc.constant('cardinality' as const), ...among, max: fc.constantFrom(0, 1, 2) }),
  fc.record({ kind: fc.constant('affinity' as const), ...among, weight: fc.constant(3) }),
  fc.record({ kind: fc.constant('spread' as const), ...among, maxSkew: fc.constantFrom(1, 2) }),
)
const draft = fc.record({
  gap: fc.integer({ min: 0, max: 8 }), tasks: fc.integer({ min: 1, max: 3 }), cpu: fc.integer({ min: 1, max: 3 }), duration: fc.integer({ min: 1, max: 20 }), priority: fc.integer({ min: 0, max: 2 }),
  gang: fc.boolean(), app: value, rules: fc.array(rule, { maxLength: 2 }),
})
const jobsOf = (drafts: readonly { gap: number; tasks: number; cpu: number; duration: number; priority: number; gang: boolean; app: string; rules: PlacementRule[] }[]): JobSpec[] => {
  let submit = 0
  return drafts.map(({ gap, tasks, cpu, duration, priority, gang, app, rules }, i) => ({
    id: `job${i}`, submit: (submit += gap), user: 'ann', priority, estimate: 20, queue: app, tags: { app }, placementRules: rules, stages: [{ name: 's', tasks, demand: { cpu }, duration, gang }],
  }))
}
const placement = weighted({ scores: { 'most-allocated': 1, 'inter-pod-affinity': 1 } })
const policies: Record<string, Plug<'policy'>> = {
  greedy: greedy(fifo(), placement), easy: easy(fifo(), { placement }), 'kube-scheduler, which preempts': kubeScheduler({}, placement), volcano: volcano({}, placement),
  'volcano, which preempts': volcano({ actions: ['allocate', 'preempt'], tiers: [{ plugins: ['priority', 'gang'] }, { plugins: ['proportion'] }] }, placement),
  'volcano, which preempts for gangs': volcano({ actions: ['allocate', 'gangpreempt'], tiers: [{ plugins: ['priority', 'gang'] }, { plugins: ['proportion'] }] }, placement),
  'kueue, which preempts': kueue({ defaults: { preemption: { withinClusterQueue: 'LowerPriority' } } }, placement),
  'yunikorn-preempting': yunikornPreempting({ root: { queues: { x: { guaranteed: { cpu: 8 }, preemptionDelay: 2 }, y: { guaranteed: { cpu: 8 }, preemptionDelay: 2 } } } }, placement),
  'volcano, which takes back': volcano({ actions: ['allocate', 'reclaim'], defaults: { deserved: { cpu: 8 } }, tiers: [{ plugins: ['priority'] }, { plugins: ['capacity'] }] }, placement),
  'kueue, which takes back': kueue({ defaults: { cohort: 'all', nominalQuota: { cpu: 8 }, preemption: { reclaimWithinCohort: 'Any' } } }, placement),
  'kai-preempting, which takes back': kaiPreempting({ defaults: { resources: { cpu: { quota: 8 } } } }, placement),
  'kai-preempting, which moves tasks': kaiPreempting({ defaults: { resources: { cpu: { quota: 8 } } }, maxConsolidationPreemptees: 4 }, placement),
  kueue: kueue({}, placement), las: las({ queues: [5, 12] }, placement), srtf: srtf({}, placement), 'kai-preempting': kaiPreempting({}, placement),
}

describe('tasks start where rules let them be at that time', () => {
  it.each(Object.entries(policies))('under %s', { tags: 'long' }, (_, policy) => {
    let launches = 0
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 12 }), (drafts) => {
        const jobs = jobsOf(drafts)
        const { recorder } = run({ cluster, policy, jobs, until: 500, infeasible: 'reject', outages: [{ node: 1 as NodeId, from: 10, to: 30 }] })
        let running: (PlainRun & { readonly task: string })[] = []
        for (const event of recorder.events) {
          if (event.kind !== 'launch' && event.kind !== 'end') continue
          const task = `${event.job} ${event.task}`
          running = running.filter((each) => each.task !== task)
          if (event.kind === 'end') continue
          const { user = '', tags = {}, placementRules: rules = [] } = jobs.find(({ id }) => id === event.job) as JobSpec
          const held = rules.filter(({ kind }) => kind !== 'spread') // who is away does not count in those, and who goes in the same instant may be told later
          const one = { job: event.job, user, tags, rules: held, node: names.indexOf(event.node), task }
          expect(mayBePlain(one, one.node, zones.length, running, groupOf), `${task} on ${event.node} at ${event.time}`).toBe(true)
          running.push(one)
          launches++
        }
      }),
      { numRuns: 40, seed: 9 },
    )
    expect(launches).toBeGreaterThan(200)
  })
})
