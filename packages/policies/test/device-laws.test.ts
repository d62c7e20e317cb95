// @module-tag long
import {
  capacity, capacityScheduler, conservative, delay, drf, easy, fair, fattened, fifo, gangScheduling, greedy, kai, kaiPreempting, kubeScheduler, kueue, las, mapReduce, preempting, priority,
  pbsPreempting, replan, reserving, sjf, skipDelay, slurmPreempting, srtf, strict, volcano, yarnFair, yarnPreempting, yarnReserving, yunikorn, yunikornPreempting, yunikornReserving, type VolcanoOptions,
} from '@sched/policies'
import { checkPolicyLaws, type LawOptions, type MakePolicy } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** The tiers of Volcano itself, where no queue has to wait for ever since it deserves less than a device. */
const unbound: VolcanoOptions['tiers'] = [{ plugins: ['priority', 'gang', 'conformance'] }, { plugins: ['overcommit', 'drf', { name: 'proportion', enabledAllocatable: false, enabledOverused: false }] }]

const policies: Record<string, MakePolicy> = {
  fifo: () => greedy(fifo()),
  priority: () => greedy(priority()),
  fair: () => greedy(fair()),
  drf: () => greedy(drf()),
  capacity: () => greedy(capacity({ queues: {} })),
  'yarn-fair': () => greedy(yarnFair()),
  yunikorn: () => greedy(yunikorn()),
  kai: () => greedy(kai()),
  'capacity-scheduler': () => capacityScheduler(),
  mapreduce: () => mapReduce(fifo()),
  'skip-delay': () => skipDelay(fair(), { skips: [2, 1] }),
  delay: () => delay(fair(), { node: 2, rack: 5 }),
  easy: () => easy(fifo()),
  'easy with two reservations': () => easy(fifo(), { reservations: 2 }),
  conservative: () => conservative(fifo()),
  fattened: () => fattened(fifo()),
  replan: () => replan(fifo()),
  strict: () => strict(sjf()),
  las: () => las({ queues: [2, 6] }),
  srtf: () => srtf(),
  'gang-scheduling': () => gangScheduling(fifo()),
  reserving: () => reserving(capacity({ queues: {} })),
  'yarn-reserving': () => yarnReserving(greedy(yarnFair())),
  'yunikorn-reserving': () => yunikornReserving(),
  volcano: () => volcano({ actions: ['enqueue', 'allocate', 'preempt', 'reclaim'], tiers: unbound }),
  'kube-scheduler': () => kubeScheduler(),
  'kai-preempting': () => kaiPreempting(),
  kueue: () => kueue({ defaults: { cohort: 'all', preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } }),
  'slurm-preempting': () => slurmPreempting(strict(fifo()), { tiers: { a: 3, b: 2 } }),
  'pbs-preempting': () => pbsPreempting(strict(fifo()), { queues: { a: { Priority: 200 } }, preempt_order: 'R' }),
  'yarn-preempting': () => yarnPreempting(greedy(yarnFair({ root: { fairSharePreemptionTimeout: 0.5, fairSharePreemptionThreshold: 1 } })), { utilizationThreshold: 0, waitBeforeKill: 0, waitBeforeNextCheck: 0 }),
  'yunikorn-preempting': () => yunikornPreempting(),
  preempting: () => preempting(greedy(fair())),
}

describe('the laws of policies where nodes have devices', () => {
  const options: LawOptions = { runs: 20, seed: 3, skip: { reservations: 'jobs outlive their estimates' } }
  it.each(Object.entries(policies))('hold for %s', (_, make) => {
    expect(checkPolicyLaws(make, { ...options, worlds: { devices: true, outages: true, failures: true } }).launches).toBeGreaterThan(150)
  })
  it.each(Object.entries(policies))('hold for %s where stages are gangs', (_, make) => {
    expect(checkPolicyLaws(make, { ...options, worlds: { devices: true, gangs: true } }).launches).toBeGreaterThan(100)
  })
})
