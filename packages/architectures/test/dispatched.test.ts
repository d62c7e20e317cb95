// @module-tag long
import { resolve } from '@sched/core'
import { tellable, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { both, neededBy, registry } from './dispatched-world.js'

/** Where all nodes are seen at once. */
const atOnce = [{ 'slurm-preempting': { policy: { strict: { order: 'fifo' } }, tiers: { a: 3, b: 2 }, mode: 'suspend' } }, { 'gang-scheduling': { order: 'fifo', slice: 2 } }]
const tiers = { a: 3, b: 2 }
const pools = { a: { minShare: 2 }, b: { weight: 2, minShare: 1 } }
const orders = ['fifo', 'fair', 'capacity', 'drf']
const configs: readonly Record<string, unknown>[] = [
  ...registry.names('order').map((order) => ({ greedy: { order } })),
  { greedy: { order: 'fair', placement: 'random-fit' } },
  ...registry.list('policy').flatMap(({ name, inner }) => {
    const needed = neededBy(name)
    return 'order' in inner ? orders.map((order) => ({ [name]: { ...needed, order } })) : [{ [name]: needed }]
  }),
  ...registry.presets('policy').map(({ name }) => ({ [name]: {} })),
  { preempting: { policy: { delay: { order: { fair: { pools } } } }, minTimeout: 1, fairTimeout: 2, interval: 0.5 } },
  { 'yarn-preempting': { policy: { greedy: { order: { 'yarn-fair': { root: { fairSharePreemptionTimeout: 0.5, fairSharePreemptionThreshold: 1 } } } } }, utilizationThreshold: 0, waitBeforeKill: 1, waitBeforeNextCheck: 0 } },
  { kueue: { defaults: { cohort: 'all', preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } } },
  { 'slurm-preempting': { policy: { strict: { order: 'fifo' } }, tiers } },
  { 'pbs-preempting': { policy: { greedy: { order: { 'pbs-levels': {} } } }, preempt_prio: 'normal_jobs, server_softlimits', server: { max_run_soft: '[u:PBS_GENERIC=1]' }, preempt_order: 'R' } },
  { las: { queues: [2, 6] } },
  ...['greedy', 'easy', 'strict', 'delay'].map((policy) => ({ [policy]: { order: { 'pbs-queues': { take: 'round_robin', order: { 'pbs-sort': { job_sort_formula: 'fairshare_factor + eligible_time // 2', job_sort_formula_threshold: 1.2, eligible_time_enable: true, fair_share: true, unknown_shares: 1, fairshare_usage_res: 'walltime', scheduler_iteration: 2 } } } } } })),
]

describe.each([['heartbeats', true], ['known at once', false]] as const)('a dispatcher that is told what a simulation with one scheduler is told (%s)', (_, heartbeats) => {
  it.each([...configs, ...(heartbeats ? [] : atOnce)].map((config) => [JSON.stringify(config), config] as const))('decides the same with %s', (_name, config) => {
    fc.assert(
      fc.property(worlds({ heartbeats }).map(tellable), (world) => {
        const { simulated, dispatched } = both(world, () => resolve(registry, 'policy', config))
        expect(dispatched).toEqual(simulated)
      }),
      { seed: 5, numRuns: 12 },
    )
  })
})
