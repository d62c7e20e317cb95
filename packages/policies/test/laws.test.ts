import { capacity, capacityScheduler, conservative, delay, drf, easy, fair, fattened, fifo, greedy, kaiPreempting, kubeScheduler, kueue, las, mapReduce, pbsLevels, pbsPreempting, pbsQueues, pbsSort, primeTime, replan, reserving, sjf, skipDelay, slurmPreempting, srtf, strict, volcano, yarnFair, yarnPreempting, yarnReserving, yunikornReserving } from '@sched/policies'
import type { AvoidOptions, SpeculationOptions } from '@sched/sim'
import { checkPolicyLaws, type LawOptions, type MakePolicy } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from './first-node.js'

/** Pools declared in the order of the world's queues, with settings that depend on the name alone. */
const pools: MakePolicy = ({ queues }) => {
  const declared = Object.fromEntries(queues.filter((name) => !name.includes('.')).map((name) => [name, { weight: name === 'a' ? 2 : 1, minShare: name === 'b' ? 2 : 0 }]))
  const inside = Object.fromEntries(queues.filter((name) => name.startsWith('c.')).map((name) => [name.slice(2), { inner: 'fifo' as const, maxRunningJobs: 2 }]))
  return greedy(fair({ pools: { ...declared, c: { pools: inside, minShare: 1 } }, userMaxRunningJobs: 3 }), firstNode())
}
const policies: Record<string, [MakePolicy, LawOptions]> = {
  fifo: [() => greedy(fifo(), firstNode()), {}],
  'naive fair': [() => greedy(fair({ pools: false }), firstNode()), {}],
  'fair with pools': [pools, {}],
  'skip-delay': [() => skipDelay(fair(), { skips: [2, 1] }), {}],
  delay: [() => delay(fair(), { node: 2, rack: 5 }), {}],
  las: [() => las({ queues: [2, 6] }, firstNode()), {}],
  srtf: [() => srtf({}, firstNode()), {}],
}

const pbsUse = { fair_share: true, unknown_shares: 1, resource_group: 'ann 1 root 3', fairshare_usage_res: 'walltime', fairshare_decay_time: 3, scheduler_iteration: 2, job_sort_key: ['nodect LOW'] }
const withGangs: Record<string, MakePolicy> = {
  fair: pools,
  drf: () => greedy(drf()),
  capacity: () => greedy(capacity({ queues: {} })),
  'capacity-scheduler': () => capacityScheduler(),
  mapreduce: () => mapReduce(fifo()),
  'skip-delay': () => skipDelay(fair(), { skips: [2, 1] }),
  delay: () => delay(fair(), { node: 2, rack: 5 }),
  easy: () => easy(fifo()),
  conservative: () => conservative(fifo()),
  fattened: () => fattened(fifo()),
  strict: () => strict(sjf()),
  'strict by pbs-sort': () => strict(pbsQueues(pbsSort(pbsUse), { take: 'round_robin', queues: { c: { Priority: 1 } } })),
  'prime-time': () => primeTime(easy(fifo()), { holidays: 'YEAR 1978\nsunday 0001 0002', backfill_prime: 'true prime', nonPrime: greedy(fair()) }),
  las: () => las({ queues: [2, 6] }, firstNode()),
  srtf: () => srtf(),
}

const pbsSoft = { preempt_prio: 'express_queue, normal_jobs, queue_softlimits', queues: { a: { Priority: 150 }, b: { max_run_soft: '[u:PBS_GENERIC=1]' } } }
/** Policies that take tasks from each other in these worlds. */
const withPreemption: Record<string, MakePolicy> = {
  'yarn-preempting': () =>
    yarnPreempting(greedy(yarnFair({ root: { fairSharePreemptionTimeout: 0.5, fairSharePreemptionThreshold: 1 } })), { utilizationThreshold: 0, waitBeforeKill: 0, waitBeforeNextCheck: 0 }),
  kueue: () => kueue({ defaults: { cohort: 'all', preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } }),
  'kai-preempting': () => kaiPreempting(),
  'kube-scheduler': () => kubeScheduler(),
  'kube-scheduler, nominating': () => kubeScheduler({ terminationGracePeriodSeconds: 4, backoff: { popFromBackoffQ: false } }),
  'slurm-preempting': () => slurmPreempting(strict(fifo()), { tiers: { a: 3, b: 2 } }),
  'pbs-preempting': () => pbsPreempting(strict(pbsLevels(fifo(), pbsSoft)), { ...pbsSoft, preempt_order: 'R' }),
  'pbs-preempting by pbs-sort': () => pbsPreempting(strict(pbsLevels(pbsSort(pbsUse), pbsSoft)), { ...pbsSoft, preempt_order: 'R', order: pbsSort(pbsUse) }),
  las: () => las({ queues: [2, 6] }),
  srtf: () => srtf(),
}

describe('the laws of policies', () => {
  it.each(Object.entries(withGangs))('hold for %s where stages are gangs', { tags: 'long' }, (_, make) => {
    const { launches } = checkPolicyLaws(make, { runs: 120, seed: 11, worlds: { gangs: true, outages: true, failures: true }, skip: { reservations: 'jobs outlive their estimates' } })
    expect(launches).toBeGreaterThan(300)
  })

  const masters: LawOptions = { runs: 80, seed: 5, worlds: { masters: true, outages: true, failures: true }, skip: { reservations: 'jobs outlive their estimates' } }
  it.each(Object.entries(withGangs))('hold for %s where jobs have masters', { tags: 'long' }, (_, make) => {
    expect(checkPolicyLaws(make, masters).launches).toBeGreaterThan(300)
  })
  it.each(Object.entries(withPreemption))('hold for %s where tasks are taken from jobs with masters', { tags: 'long' }, (_, make) => {
    expect(checkPolicyLaws(make, masters).evictions).toBeGreaterThan(0)
  })

  const copies: LawOptions = { runs: 40, seed: 7, worlds: { masters: true, outages: true, failures: true, speculation: true }, skip: { reservations: 'jobs outlive their estimates' } }
  it.each(Object.entries({ ...withGangs, ...withPreemption }))('hold for %s where slow tasks are copied', { tags: 'long' }, (_, make) => {
    expect(checkPolicyLaws(make, copies).copies).toBeGreaterThan(10)
    expect(checkPolicyLaws(make, { ...copies, worlds: { outages: true, failures: true, speculation: true } }).copies).toBeGreaterThan(10)
  })

  /** Rules that keep copies off nodes, which policies that plan by amounts over the whole cluster refuse. */
  const rules: readonly SpeculationOptions[] = [
    { rule: 'late', minRunTime: 0.5, interval: 0.5, slowTask: 0.75, cap: 0.5 }, { rule: 'hadoop1', minAge: 0, interval: 0.5, gap: 0.1 }, { rule: 'spark', quantile: 0.25, multiplier: 1.2, interval: 0.25 },
  ]
  const { easy: _, conservative: _also, fattened: _too, 'prime-time': _around, ...withoutPlans } = withGangs
  const keepingOff: Record<string, MakePolicy> = {
    ...withoutPlans, ...withPreemption,
    'yarn-reserving': () => yarnReserving(greedy(yarnFair())), reserving: () => reserving(capacity({ queues: {} })), 'yunikorn-reserving': () => yunikornReserving(),
    volcano: () => volcano(), replan: () => replan(fifo(), { nodes: 'named' }),
    'prime-time with named nodes': () => primeTime(easy(fifo(), { nodes: 'named' }), { holidays: 'YEAR 1978\nsunday 0001 0002', backfill_prime: 'true prime' }),
    'easy with named nodes': () => easy(fifo(), { nodes: 'named' }), 'conservative with named nodes': () => conservative(fifo(), { nodes: 'named' }),
  }
  it.each(Object.entries(keepingOff))('hold for %s where copies are kept off nodes', { tags: 'long' }, (_name, make) => {
    expect(checkPolicyLaws(make, { ...copies, runs: 20, worlds: { outages: true, failures: true, speculation: rules } }).copies).toBeGreaterThan(10)
  })
  it.each(['easy', 'conservative', 'fattened'] as const)('are not for %s where copies are kept off nodes, which it says', (name) => {
    expect(() => checkPolicyLaws(withGangs[name] as MakePolicy, { ...copies, worlds: { speculation: rules } })).toThrow(/job j\d has copies of slow tasks that are kept off some nodes \(speculation\), and \w+ plans by amounts over the whole cluster\. Use `replan` with .* Copies of the rule `hadoop` may run on any node\./)
  })

  /** Volcano without queues that wait for ever since they deserve less than a task. */
  const unbound = () => volcano({ tiers: [{ plugins: ['priority', 'gang', 'conformance', 'overcommit', 'drf', { name: 'proportion', enabledAllocatable: false, enabledOverused: false }] }] })
  /** Rules by which jobs avoid nodes, and nodes are drained, soon and for a short time. */
  const avoiding: readonly AvoidOptions[] = [
    { rule: 'hadoop', failures: 1, ignoreThreshold: -1 }, { rule: 'hadoop', failures: 2 }, { rule: 'hadoop1', failures: 1, mostOfJob: 1, blacklists: 1, forgivenAfter: 9 }, { rule: 'hadoop1', failures: 2 },
    { rule: 'spark', abortAfter: 2, timeout: 7 }, { rule: 'spark', task: 2, stage: 1, application: 1 }, { rule: 'drain', failures: 1, time: 8 },
  ]
  it.each(Object.entries(keepingOff))('hold for %s where nodes are avoided after failures', { tags: 'long' }, (name, make) => {
    const isSuspending = name === 'las' || name === 'srtf' || name === 'slurm-preempting'
    const rules = isSuspending ? avoiding.filter(({ rule }) => rule === 'drain') : avoiding
    expect(checkPolicyLaws(name === 'volcano' ? unbound : make, { runs: 60, seed: 3, worlds: { avoid: rules, outages: true }, skip: { reservations: 'jobs outlive their estimates' } }).launches).toBeGreaterThan(300)
  })

  const { las: _las, srtf: _srtf, 'slurm-preempting': _slurm, ...notSuspending } = keepingOff
  it.each(Object.entries(notSuspending))('hold for %s where nodes are avoided by gangs, and by jobs with masters', { tags: 'long' }, (name, make) => {
    const options: LawOptions = { runs: 40, seed: 13, skip: { reservations: 'jobs outlive their estimates' } }
    const chosen = name === 'volcano' ? unbound : make
    expect(checkPolicyLaws(chosen, { ...options, worlds: { avoid: avoiding, outages: true, gangs: true } }).launches).toBeGreaterThan(200)
    // where jobs hold whole nodes, masters may wait for each other for ever
    if (!name.includes('named nodes')) expect(checkPolicyLaws(chosen, { ...options, worlds: { avoid: avoiding, outages: true, masters: true } }).launches).toBeGreaterThan(200)
  })

  it.each(['easy', 'conservative', 'fattened'] as const)('are not for %s where jobs avoid nodes, which it says, but where nodes are drained', { tags: 'long' }, (name) => {
    const make = withGangs[name] as MakePolicy
    expect(() => checkPolicyLaws(make, { runs: 60, worlds: { avoid: avoiding.slice(0, 1) }, skip: { reservations: 'jobs outlive their estimates' } })).toThrow(/job j\d avoids nodes on which its tasks have failed \(avoid\), and .* plans by amounts/)
    expect(checkPolicyLaws(make, { runs: 60, worlds: { avoid: avoiding.filter(({ rule }) => rule === 'drain') }, skip: { reservations: 'jobs outlive their estimates' } }).launches).toBeGreaterThan(300)
  })

  it.each(Object.entries(policies))('hold for %s', (_, [make, options]) => {
    const { launches } = checkPolicyLaws(make, { runs: 30, ...options })
    expect(launches).toBeGreaterThan(300)
  })
})
