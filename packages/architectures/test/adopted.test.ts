// @module-tag long
import { resolve } from '@sched/core'
import { instantCluster, Program, restartDifference, tellable, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neededBy, registry } from './dispatched-world.js'

const orders = ['fifo', 'fair', 'capacity', 'drf', 'kai']
const pbsQueues = { queues: { a: { Priority: 200 } } }
const pbsSoft = { preempt_prio: 'express_queue, normal_jobs, server_softlimits', server: { max_run_soft: '[u:PBS_GENERIC=1]' }, ...pbsQueues }
/** Those that suspend tasks. */
const suspending: readonly Record<string, unknown>[] = [
  ...[{ strict: { order: 'fifo' } }, { easy: { order: 'fifo' } }, { conservative: { order: 'priority' } }].map((policy) => ({ 'slurm-preempting': { policy, tiers: { a: 3, b: 2 }, mode: 'suspend' } })),
  { 'slurm-preempting': { policy: { strict: { order: 'fifo' } }, tiers: { a: 3, b: 2 }, modes: { b: 'suspend' }, graceTime: { default: 2 } } },
  { 'gang-scheduling': { order: 'priority', slice: 2 } },
  { 'pbs-preempting': { policy: { strict: { order: { 'pbs-levels': pbsQueues } } }, ...pbsQueues, preempt_order: 'S' } },
  { 'pbs-preempting': { policy: { greedy: { order: { 'pbs-levels': pbsSoft } } }, ...pbsSoft, preempt_order: 'SR 50 R' } },
]
/** The order of OpenPBS, by use and by values that grow, inside others. */
const pbsUse = { fair_share: true, resource_group: 'ann 1 root 3', unknown_shares: 1, fairshare_usage_res: 'walltime', fairshare_decay_time: 3, scheduler_iteration: 2 }
const byUse = { 'pbs-queues': { take: 'round_robin', queues: { b: { Priority: 1 } }, order: { 'pbs-sort': { ...pbsUse, job_sort_key: ['walltime LOW'] } } } }
const growing = { 'pbs-sort': { ...pbsUse, job_sort_formula: 'fairshare_factor + eligible_time // 2', job_sort_formula_threshold: 1.2, eligible_time_enable: true } }
const sortedByPbs: readonly Record<string, unknown>[] = [byUse, growing].flatMap((order) => [
  ...['easy', 'strict', 'conservative'].map((policy) => ({ [policy]: { order } })),
  { 'pbs-preempting': { policy: { easy: { order: { 'pbs-levels': { ...pbsSoft, order } } } }, ...pbsSoft, preempt_order: 'SR 50 R', order } },
  { 'prime-time': { policy: { easy: { order } }, holidays: 'YEAR 1978\nsunday 0001 0002', backfill_prime: 'true prime', nonPrime: { strict: { order: 'fifo' } } } },
  { 'slurm-limits': { policy: { easy: { order } }, qos: { normal: { MaxJobsPerUser: 2 } } } },
])
/** Limits of what running jobs have left; who asks for more than that never runs. */
const leftOver = { 'slurm-limits': { policy: { strict: { order: 'fifo' } }, qos: { normal: { GrpTRESRunMins: 'billing=1' } } } }
/** Those that know from when on jobs grow older, and how high their priority has been. */
const older = [{ accrue: { qos: { normal: { MaxJobsAccruePerUser: 1 } } } }, { accrue: { accounts: { root: { GrpJobsAccrue: 2 } } } }, { onlyUp: true }, { onlyUp: true, accrue: { qos: { normal: { GrpJobsAccrue: 1 } } } }].map((more) => (
  { strict: { order: { multifactor: { fairShare: 10, jobSize: 3, age: 50, maxAge: 30, calcPeriod: 2, halfLife: 20, ...more } } } }
))
/** Those that reserve nodes, or take what runs on them, after a while. */
const reserving: readonly Record<string, unknown>[] = [
  { 'yunikorn-reserving': { reservationDelay: 1 } },
  { 'yunikorn-preempting': { reservationDelay: 1, attemptInterval: 2 } },
  { 'capacity-scheduler': { queues: { a: { capacity: 30 }, b: { capacity: 70 } }, nodeLocalityDelay: 3, rackLocalityAdditionalDelay: 2 } },
  { 'capacity-scheduler': { queues: { a: { capacity: 30 }, b: { capacity: 70 } }, preemption: { enabled: true, monitoringInterval: 1, maxWaitBeforeKill: 2, totalPreemptionPerRound: 1 } } },
  { 'capacity-scheduler': { queues: { a: { capacity: 30 }, b: { capacity: 70 } }, preemption: { enabled: true, monitoringInterval: 1, maxWaitBeforeKill: 2, totalPreemptionPerRound: 1, lazyPreemption: true } } },
]
/** Those that go by what jobs have had, or have left, or by the priorities that running ones had. */
const preemptive = [{ 'slurm-preempting': { policy: { greedy: { order: 'fifo' } }, tiers: { a: 3, b: 2 }, byPriority: true, order: { multifactor: { age: 100, maxAge: 20, jobSize: 50, calcPeriod: 2 } } } }, { las: { queues: [2, 6], promote: 10 } }, { srtf: { checkpoints: true } }, { 'pbs-preempting': { policy: { greedy: { order: { 'pbs-levels': pbsSoft } } }, ...pbsSoft, preempt_order: 'R' } }]
/** Those that know since when somebody is below a share or has waited for data, or go by shares that were computed before. */
const waiting: readonly Record<string, unknown>[] = [
  { preempting: { policy: { delay: { order: { fair: { pools: { a: { minShare: 2 }, b: { weight: 2, minShare: 1 } } } } } }, minTimeout: 1, fairTimeout: 2, interval: 0.5 } },
  { 'yarn-preempting': { policy: { greedy: { order: { 'yarn-fair': { root: { fairSharePreemptionTimeout: 0.5, fairSharePreemptionThreshold: 1 } } } } }, utilizationThreshold: 0, waitBeforeKill: 1, waitBeforeNextCheck: 0 } },
  { 'yarn-preempting': { policy: { 'yarn-reserving': { policy: { greedy: { order: { 'yarn-fair': { root: { fairSharePreemptionTimeout: 2, fairSharePreemptionThreshold: 1 } } } } }, reservableNodes: 1 } }, utilizationThreshold: 0, updateInterval: 2 } },
  { 'yarn-reserving': { reservableNodes: 1, updateInterval: 2 } },
  { 'yarn-reserving': { reservableNodes: 1, updateInterval: 100 } },
  { delay: { order: 'fair', node: 4, rack: 3 } },
  { delay: { order: 'fair', node: 4, rack: 3, resetOnLaunch: false } },
]
/** Those that let only so many jobs run, spend budgets, or know when a task came back. */
const admitting: readonly Record<string, unknown>[] = [
  { greedy: { order: { fair: { pools: { a: { maxRunningJobs: 2 }, b: { weight: 2, minShare: 1 } }, userMaxRunningJobs: 1 } } } },
  { greedy: { order: { 'yarn-fair': { root: { queues: { a: { maxRunningApps: 1 }, b: { weight: 2 } } }, userMaxRunningApps: 2 } } } },
  { greedy: { order: { capacity: { queues: { a: { capacity: 50, maxParallelApps: 1 }, b: { capacity: 50, ordering: 'priority' } }, maxParallelAppsPerUser: 2 } } } },
  { greedy: { order: { yunikorn: { root: { queues: { a: { maxApplications: 1 }, b: { sort: 'fair', maxApplications: 2 } } } } } } },
  { greedy: { order: { 'dynamic-priority': { interval: 2, queues: { a: { budget: 5, rate: 2 }, b: { budget: 50, rate: 3 } } } } } },
  { greedy: { order: { fifo: { again: 'last' } } } },
  { greedy: { order: { 'grid-engine': { share_tree: { users: { ann: 3, bob: 1 }, default: 1, halftime: 0.01 } } } } },
  { greedy: { order: { 'queue-depth': { order: 'sjf', depth: 2 } } } },
  { greedy: { order: { 'pbs-sort': { fair_share: true, resource_group: 'ann 1 root 3', unknown_shares: 1, fairshare_usage_res: 'walltime', fairshare_decay_time: 3, scheduler_iteration: 2 } } } },
  { greedy: { order: { 'pbs-sort': { job_sort_formula: 'fairshare_tree_usage + eligible_time', job_sort_formula_threshold: 2, eligible_time_enable: true, scheduler_iteration: 2, fair_share: true, unknown_shares: 2, fairshare_usage_res: 'walltime' } } } },
  { greedy: { order: { 'pbs-queues': { take: 'round_robin', queues: { b: { Priority: 1 } } } } } },
  { greedy: { order: { 'help-starving': { order: 'sjf', max_starve: 4 } } } },
  { greedy: { order: { 'lsf-fairshare': { by: 'queue', shares: { a: 2 }, HIST_HOURS: 0.01, ENABLE_HIST_RUN_TIME: true, RUN_JOB_FACTOR: 0.01 } } } },
  { 'kai-preempting': { maxConsolidationPreemptees: 4 } },
]
/** Those that look at the first jobs only so often. */
const delayed: readonly Record<string, unknown>[] = [
  { replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, bf_interval: 7 } },
  { replan: { order: 'priority', nodes: 'named', twoPass: true, batch_sched_delay: 2, defer: true, bf_interval: -1, sched_interval: 9 } },
]
/** Cycles, real priorities, and claims that take other jobs. */
const quick = { NEGOTIATOR_INTERVAL: 3, NEGOTIATOR_CYCLE_DELAY: 1, PRIORITY_HALFLIFE: 5, CLAIM_WORKLIFE: 4 }
const negotiating: readonly Record<string, unknown>[] = [
  { negotiator: quick },
  { negotiator: { ...quick, CONSUMPTION_POLICY: true, CLAIM_WORKLIFE: -1, GROUP_NAMES: ['lab'], GROUP_QUOTA: { lab: 2 }, GROUP_AUTOREGROUP: true } },
  { negotiator: { ...quick, PRIORITY_HALFLIFE: 1e12, PriorityFactor: { ann: 500, bob: 2000 }, PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.2, StateTimer: 2 }, RANK: [{ rank: 1, accounts: ['lab'] }] } },
]
const configs: readonly Record<string, unknown>[] = [
  ...registry.names('order').map((order) => ({ greedy: { order } })),
  ...registry.list('policy').flatMap(({ name, inner }) => {
    const needed = neededBy(name)
    return 'order' in inner ? orders.map((order) => ({ [name]: { ...needed, order } })) : [{ [name]: needed }]
  }),
  ...['round-robin', 'wfq'].flatMap((order) => [{ greedy: { order: { [order]: { weights: { 'a': 2 }, by: 'queue' } } } }, { easy: { order } }, { conservative: { order } }]),
  ...registry.presets('policy').map(({ name }) => ({ [name]: {} })),
  { greedy: { order: { 'fair-share': { calcPeriod: 3, halfLife: 20 } } } },
  { easy: { order: { multifactor: { fairShare: 100, age: 5, maxAge: 30, calcPeriod: 3, halfLife: 20, algorithm: 'classic', chargeEnds: false } } } },
  { easy: { order: 'priority', reservations: 3 } },
  { strict: { order: 'fifo', keepHead: true } },
  { fattened: { order: 'fifo', awt: 8, delayingBackfillsPerHead: 1 } },
  { kueue: { partialAdmission: true } },
  { kueue: { defaults: { admissionMode: 'UsageBasedAdmissionFairSharing', nominalQuota: { pods: 3 } }, admissionFairSharing: { usageHalfLifeTime: 20, usageSamplingInterval: 1 } } },
  { greedy: { order: { kai: { pastUsage: { kValue: 10, fetchInterval: 1, windowSize: 40, halfLifePeriod: 30 } } } } },
  { 'slurm-limits': { policy: { easy: { order: 'fifo' } }, calcPeriod: 3, halfLife: 20, qos: { normal: { GrpTRESMins: 'billing=1' } } } },
  { kueue: { defaults: { cohort: 'all', preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } } },
  { kueue: { crossClusterQueueOrdering: 'Timestamp', timestampPreemptionBuffer: 2, defaults: { cohort: 'all', preemption: { withinClusterQueue: 'LowerOrNewerEqualPriority', reclaimWithinCohort: 'LowerPriority' } } } },
  { kueue: { timeSharing: { interval: 30 }, defaults: { nominalQuota: { pods: 3 }, preemption: { withinClusterQueue: 'LowerPriority' } } } },
  { 'capacity-scheduler': { queues: { a: { capacity: 30, maximumCapacity: 60 }, b: { capacity: 70 } }, preemption: {} } },
  ...suspending,
  ...reserving,
  ...older,
  ...preemptive,
  ...waiting,
  ...admitting,
  ...delayed,
  ...negotiating,
  ...sortedByPbs,
]
/** Those that go by what runs and waits alone, whoever started it. */
const memoryless = ['fifo', 'sjf', 'ljf', 'priority', 'fair', 'drf', 'asset-fairness', 'max-min', 'capacity', 'kai'].map((order) => ({ greedy: { order } }))

/** Limits of what single jobs hold, and of an account that users who name none may have. */
const ofAccounts = { 'slurm-limits': { policy: { strict: { order: 'fifo' } }, accounts: { root: { MaxTRESPerJob: 'billing=2' }, lab: { GrpJobs: 1, GrpTRES: 'billing=3' } } } }
/** Turns too short for some: these begin anew for ever. */
const turns = { kueue: { timeSharing: { interval: 5 }, defaults: { preemption: { withinClusterQueue: 'LowerPriority' } } } }
const remembering = [...configs, leftOver, ofAccounts, turns]

/** Some jobs name an account, of users who name none for others. */
const withAccounts = (world: World): World => ({ ...world, jobs: world.jobs.map((job, i) => (i % 3 === 0 ? { ...job, account: 'lab' } : job)) })

const world = (restarts: number) =>
  fc.tuple(fc.boolean().chain((gangs) => worlds({ heartbeats: false, gangs })).map(tellable).map(withAccounts), fc.array(fc.integer({ min: 1, max: 12 }), { minLength: restarts, maxLength: restarts }))

describe('a dispatcher that takes over what runs', () => {
  it.each(configs.map((config) => [JSON.stringify(config), config] as const))('lets all work be done under %s, however often it begins again', (_, config) => {
    fc.assert(
      fc.property(world(3), ([world, looks]) => {
        const program = new Program(world, () => resolve(registry, 'policy', config), { remembers: false })
        for (const few of looks) {
          program.run(few)
          program.restart()
        }
        expect(program.run()).toBe(true)
      }),
      { seed: 7, numRuns: 15 },
    )
  })

  it.each([
    ...memoryless.map((config) => [JSON.stringify(config), '', config] as const),
    ...remembering.map((config) => [JSON.stringify(config), ' with its memory', config] as const),
  ])('decides under %s%s as the one before it would have', (_, remembers, config) => {
    fc.assert(
      fc.property(world(2), ([world, looks]) => {
        expect(restartDifference(world, () => resolve(registry, 'policy', config), looks, remembers !== '')).toBe(undefined)
      }),
      { seed: 8, numRuns: 30 },
    )
  })

  const tiers = { a: 3, b: 2 }
  it.each([
    { 'slurm-preempting': { policy: { strict: { order: 'fifo' } }, tiers, licenses: { x: 2 } } },
    { 'slurm-preempting': { policy: { greedy: { order: 'fair' } }, tiers, licenses: { x: 1 }, requeueDelay: 2 } },
    { 'pbs-preempting': { policy: { greedy: { order: { 'pbs-levels': pbsSoft } } }, ...pbsSoft, preempt_order: 'SR 50 R', resources_available: { x: 2 } } },
    { negotiator: { ...quick, CONCURRENCY_LIMIT: { x: 2 } } },
  ].map((config) => [JSON.stringify(config), config] as const))('decides under %s as the one before it would have where jobs hold licences', (_, config) => {
    const licensed = (world: World): World => ({ ...world, jobs: world.jobs.map((job, i) => ({ ...job, licenses: { x: i % 2 } })) })
    fc.assert(
      fc.property(world(2), ([world, looks]) => {
        expect(restartDifference(licensed(world), () => resolve(registry, 'policy', config), looks, true)).toBe(undefined)
      }),
      { seed: 9, numRuns: 60 },
    )
  })

  /** But for what a task of `wfq` has cost where nodes were away. */
  const withOutages = remembering.filter((config) => !JSON.stringify(config).includes('"wfq"'))
  const seesAll = (config: Record<string, unknown>) => suspending.includes(config) || 'gang-scheduling' in config
  it.each([
    ...withOutages.filter((config) => !seesAll(config)).map((config) => [JSON.stringify(config), 'nodes report by heartbeats and go and come back', true, config] as const),
    ...withOutages.map((config) => [JSON.stringify(config), 'nodes go and come back', false, config] as const),
  ])('decides under %s as the one before it would have where %s', (_, _where, heartbeats, config) => {
    fc.assert(
      fc.property(worlds({ heartbeats, outages: true }).map(tellable), fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })), (world, looks) => {
        expect(restartDifference(world, () => resolve(registry, 'policy', config), looks)).toBe(undefined)
      }),
      { seed: 18, numRuns: 20 },
    )
  })
})

/** After so many looks a task fails, and the dispatcher begins again. */
const losses = fc.array(fc.record({ looks: fc.integer({ min: 1, max: 8 }), pick: fc.nat(50) }), { minLength: 1, maxLength: 4 })

describe('a dispatcher that begins again where tasks have failed', () => {
  it.each(remembering.map((config) => [JSON.stringify(config), config] as const))('decides under %s as the one before it would have', (_, config) => {
    fc.assert(
      fc.property(worlds({ heartbeats: false, gangs: true, jobs: 12 }).map(tellable).map(withAccounts), losses, (world, losses) => {
        const [runsOn, beginsAgain] = [false, true].map((restarts) => {
          const program = new Program(world, () => resolve(registry, 'policy', config))
          for (const { looks, pick } of losses) {
            program.run(looks)
            program.fail(pick)
            if (restarts) program.restart()
          }
          program.run()
          return program.lines
        })
        expect(beginsAgain).toEqual(runsOn)
      }),
      { seed: 19, numRuns: 15 },
    )
  })
})

describe('a dispatcher that begins again before conservative has seen what others have let go on', () => {
  it('plans anew then, as the one before it would have', () => {
    const nodes = [{ name: 'a', count: 1, resources: { cpu: 2, mem: 8 } }, { name: 'b', count: 1, resources: { cpu: 2, mem: 3 } }]
    const stage = (tasks: number, demand: Record<string, number>, duration: number | number[], data?: { readonly hosts: readonly string[][] }) => ({ name: 's', tasks, demand, duration, ...(data !== undefined && { data }) })
    const jobs = [
      { id: 'high', submit: 0, queue: 'a', stages: [stage(2, { cpu: 1, mem: 2 }, [1, 0.5], { hosts: [['a-0'], ['b-0']] }), stage(3, { mem: 3 }, 1), stage(1, { cpu: 1 }, 0.5)] },
      { id: 'known', submit: 0, estimate: 5, stages: [stage(1, { mem: 3 }, 1), stage(1, { cpu: 1 }, 0.5)] },
      { id: 'endless', submit: 0, stages: [stage(1, { cpu: 1, mem: 2 }, 1)] },
      { id: 'urgent', submit: 0, priority: 1, stages: [stage(2, { cpu: 1 }, 0.5)] },
    ]
    const world: World = { cluster: instantCluster({ nodes }), jobs, queues: [], seed: 1, runtime: { jitter: 0 }, claims: undefined, commitPendingBug: false }
    const make = () => resolve(registry, 'policy', { 'slurm-preempting': { policy: { conservative: { order: 'priority' } }, tiers: { a: 3, b: 2 }, mode: 'suspend' } })
    const program = new Program(world, make)
    program.run()
    expect(program.lines.filter((line) => line.includes('resume'))).toEqual(['0.001 resume known.0.0 on a-0', '0.001 resume urgent.0.0 on a-0', '0.501 resume urgent.0.1 on a-0'])
    expect([1, 2, 3, 4, 5, 6].map((looks) => restartDifference(world, make, [looks]))).toEqual(Array(6).fill(undefined))
  })
})

describe('the memory of a dispatcher', () => {
  it.each(remembering.map((config) => [JSON.stringify(config), config] as const))('says under %s what was when it was asked for, whatever happens after', (_, config) => {
    fc.assert(
      fc.property(world(0), fc.integer({ min: 1, max: 12 }), ([world], looks) => {
        const program = new Program(world, () => resolve(registry, 'policy', config))
        program.run(looks)
        const memory = program.memory()
        const text = JSON.stringify(memory)
        program.run()
        expect(JSON.stringify(memory)).toBe(text)
      }),
      { seed: 12, numRuns: 10 },
    )
  })
})

/** After so many looks a job in the system is another, or is cancelled. */
const news = fc.array(
  fc.record({
    looks: fc.integer({ min: 1, max: 12 }),
    pick: fc.nat(50),
    changes: fc.option(
      fc.record(
        { priority: fc.integer({ min: 0, max: 4 }), user: fc.constantFrom('u', 'v'), queue: fc.constantFrom('a', 'b'), weight: fc.constantFrom(1, 3), estimate: fc.integer({ min: 1, max: 90 }) },
        { requiredKeys: [] },
      ),
      { freq: 3 },
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

describe('a dispatcher that is told other things of a job, or that it is cancelled', () => {
  it.each(configs.map((config) => [JSON.stringify(config), config] as const))('lets all work be done under %s', (_, config) => {
    fc.assert(
      fc.property(world(0), news, ([world], news) => {
        const program = new Program(world, () => resolve(registry, 'policy', config))
        for (const { looks, pick, changes } of news) {
          program.run(looks)
          program.hear(pick, changes, true)
          program.look()
        }
        expect(program.run()).toBe(true)
      }),
      { seed: 9, numRuns: 12 },
    )
  })

  it.each(memoryless.map((config) => [JSON.stringify(config), config] as const))('decides under %s as one that has never heard anything else', (_, config) => {
    fc.assert(
      fc.property(world(0), news, ([world], news) => {
        const [told, anew] = [true, false].map((isLive) => {
          const program = new Program(world, () => resolve(registry, 'policy', config), { remembers: false })
          for (const { looks, pick, changes } of news) {
            program.run(looks)
            program.hear(pick, changes, isLive)
            if (!isLive) program.restart()
            program.look()
          }
          program.run()
          return program.lines
        })
        expect(told).toEqual(anew)
      }),
      { seed: 10, numRuns: 40 },
    )
  })

  /** But for one that decides anew about the job. */
  const unmoved = [...memoryless, leftOver, ...older, ...suspending, ...preemptive].filter((config) => !JSON.stringify(config).includes('conservative'))
  it.each(unmoved.map((config) => [JSON.stringify(config), config] as const))('decides under %s as it would have where that is nothing new', (_, config) => {
    fc.assert(
      fc.property(world(0), news, ([world], news) => {
        const [told, untold] = [true, false].map((isTold) => {
          const program = new Program(world, () => resolve(registry, 'policy', config))
          for (const { looks, pick } of news) {
            program.run(looks)
            if (isTold) program.hear(pick, {}, true)
            program.look()
          }
          program.run()
          return program.lines
        })
        expect(told).toEqual(untold)
      }),
      { seed: 11, numRuns: 40 },
    )
  })
})

/** The same nodes and others like the first of them. */
const withSpares = (world: World): World => {
  const [first] = world.cluster.nodes
  return { ...world, cluster: { ...world.cluster, nodes: [...world.cluster.nodes, { ...(first as NonNullable<typeof first>), name: 'spare', count: 2, racks: 1 }] } }
}

describe('a dispatcher whose cluster may grow', () => {
  /** But for those that go by how many nodes, or how much, the description has: delays in opportunities, quotas where none is given, the part that a job asks. And for plans that come with the first event after a quiet time: that a node is not there is told as one. */
  const byDescription = ['"reserving"', 'capacity-scheduler', '"kueue":{}', 'partialAdmission', 'jobSize', '"bf_interval":7']
  const others = configs.filter((config) => !byDescription.some((each) => JSON.stringify(config).includes(each)))
  it.each(others.map((config) => [JSON.stringify(config), config] as const))('decides under %s as without the nodes that are not there', (_, config) => {
    fc.assert(
      fc.property(worlds({ heartbeats: false }).map(tellable), (world) => { // gangs that only fit with them wait for them
        const lines = (has: World, missing: readonly string[]) => {
          const program = new Program(has, () => resolve(registry, 'policy', config), { missing })
          program.run()
          return program.lines
        }
        expect(lines(withSpares(world), ['spare-0', 'spare-1'])).toEqual(lines(world, []))
      }),
      { seed: 13, numRuns: 10 },
    )
  })
})
