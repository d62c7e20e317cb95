// @module-tag long
import { dispatcher, type Dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import type { Plug } from '@sched/core'
import { fifo, kaiPreempting, kubeScheduler, kueue, las, negotiator, slurmPreempting, srtf, strict, volcano } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const queues = { a: { resources: { cpu: { quota: 4 } } }, b: { resources: { cpu: { quota: 2 } } }, c: { resources: { cpu: { quota: 0 } } } }
const quotas = { a: { cohort: 'all', nominalQuota: { cpu: 4 } }, b: { cohort: 'all', nominalQuota: { cpu: 2 } }, c: { cohort: 'all', nominalQuota: { cpu: 2 } } }
const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
  'kai-preempting': () => kaiPreempting({ queues }),
  'kube-scheduler': () => kubeScheduler(),
  'kube-scheduler with grace times': () => kubeScheduler({ terminationGracePeriodSeconds: 2.5 }),
  'kube-scheduler with backoff': () => kubeScheduler({ backoff: {} }),
  'kube-scheduler that waits for the end of backoff': () => kubeScheduler({ backoff: { popFromBackoffQ: false }, terminationGracePeriodSeconds: 1.5 }),
  'kueue': () => kueue({ queues: quotas, defaults: { preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } }),
  'kueue by age': () => kueue({ queues: quotas, defaults: { preemption: { reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } } }, crossClusterQueueOrdering: 'Timestamp' }),
  'kueue in turns': () => kueue({ queues: quotas, defaults: { preemption: { withinClusterQueue: 'LowerPriority' } }, timeSharing: { interval: 1.75 } }),
  'volcano': () => volcano(),
  'las': () => las(),
  'srtf': () => srtf(),
  'negotiator': () => negotiator({ NEGOTIATOR_INTERVAL: 1.5, NEGOTIATOR_CYCLE_DELAY: 0.5, PRIORITY_HALFLIFE: 5, PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.1, StateTimer: 1 }, RANK: [{ rank: 1, users: ['a'], nodes: ['node-0'] }] }),
  'negotiator that takes several places': () => negotiator({ NEGOTIATOR_INTERVAL: 2, NEGOTIATOR_CYCLE_DELAY: 1, PRIORITY_HALFLIFE: 5, PREEMPTION_REQUIREMENTS: true, ALLOW_PSLOT_PREEMPTION: true }),
  'slurm-preempting': () => slurmPreempting(strict(fifo()), { tiers: { a: 3, b: 2 } }),
}
const draft = fc.record({ queue: fc.constantFrom('a', 'b', 'c'), priority: fc.integer({ min: 0, max: 2 }), tasks: fc.integer({ min: 1, max: 3 }), cpu: fc.integer({ min: 1, max: 3 }) })
type Draft = typeof draft extends fc.Arbitrary<infer D> ? D : never

/** What is decided when a job comes each second, and until the next one when the policy wants to be asked; with a new dispatcher before every time that it is. */
function decided(policy: () => Plug<'policy'>, drafts: readonly Draft[], restarts: boolean): string[] {
  const begin = () => dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] }), policy: policy() })
  const lines: string[] = []
  const running = new Map<number, Placed & { readonly since: number }>()
  let master: Dispatcher = begin()
  const jobs = drafts.map(({ queue, priority, tasks, cpu }, i) => job({ id: `j${i}`, queue, user: queue, priority, tasks, demand: { cpu }, submit: i, estimate: 5 + 3 * cpu }))
  const again = (came: number) => {
    const memory = JSON.parse(JSON.stringify(master.memory())) as DispatcherMemory
    master = begin()
    const calls = [
      ...jobs.slice(0, came).map((each) => ({ at: each.submit, id: -1, call: () => master.submit(each, each.submit, { again: true }) })),
      ...Array.from(running.values(), (run) => ({ at: run.since, id: run.id, call: () => {
        running.delete(run.id)
        const placed = master.adopt(run, run.since)
        taken.push([placed.id, { ...run, id: placed.id }])
      } })),
    ]
    const taken: [number, Placed & { readonly since: number }][] = []
    for (const { call } of calls.sort((one, other) => one.at - other.at || one.id - other.id)) call()
    for (const [id, run] of taken) running.set(id, run)
    master.recall(memory)
  }
  const look = (now: number, came: number) => {
    if (restarts) again(came)
    const { start, kill } = master.pass(now)
    for (const each of kill) running.delete(each.id)
    for (const each of start) running.set(each.id, { ...each, since: now })
    lines.push(...kill.map((each) => `${now} kill ${each.job}.${each.task}`), ...start.map((each) => `${now} ${each.job}.${each.task} on ${each.node}`))
  }
  for (const [i, each] of jobs.entries()) {
    for (let looks = 0; looks < 20 && master.nextWake < i; looks++) look(master.nextWake, i)
    master.submit(each, i)
    look(i, i + 1)
  }
  return lines
}

it.each(Object.entries(policies))('%s takes after a restart whom it would have taken', (_, policy) => {
  fc.assert(fc.property(fc.array(draft, { minLength: 3, maxLength: 12 }), (drafts) => {
    expect(decided(policy, drafts, true)).toEqual(decided(policy, drafts, false))
  }), { seed: 3, numRuns: 100 })
})
