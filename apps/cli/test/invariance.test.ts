// @module-tag long
import { buildCluster, readCluster, type ClusterInput } from '@sched/cluster'
import { resolve, SchedError, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskEnd, type TaskId, type Workload, type WorkView } from '@sched/core'
import { decisions, standardMetrics, waitReasons } from '@sched/metrics'
import { Simulation } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { describe, expect, it } from 'vitest'
import { builtIns } from '../src/registry.js'

const registry = builtIns()
const needed: Readonly<Record<string, object>> = { 'skip-delay': { skips: 5 }, 'node-weight': { weights: { 'n-0': 1, 'n-1': 2, 'n-2': 3, 'n-3': 4 } } }
/** Every policy with every order and every placement. */
const policies = registry.list('policy').flatMap(({ name, inner }) => {
  if (name === 'bayes-comm') return [] // needs a trained model
  const plain = { ...needed[name] }
  return [
    ...('order' in inner ? registry.names('order').map((order) => ({ [name]: { ...plain, order } })) : [{ [name]: plain }]),
    ...('placement' in inner ? registry.names('placement').map((placement) => ({ [name]: { ...plain, placement: { [placement]: needed[placement] ?? {} } } })) : []),
  ]
})
/** Times that are sums of powers of two, and jobs divided in turn and not by a hash of their names. */
const decision = { job: 0.25, task: 0.125 }
const inTurn = { decision, balance: 'round-robin' }
const architectures = [
  'monolithic', { monolithic: { decision } }, { partitioned: { decision, partitions: { all: { nodes: 'rest', classes: ['*'] } } } },
  { 'shared-state': inTurn }, { 'shared-state': { ...inTurn, conflict: 'coarse', commit: 'all-or-nothing' } },
  { 'two-level': { ...inTurn, offerTime: 0.125 } }, { 'two-level': { ...inTurn, offerTime: 0.125, offers: 'by-node' } }, { 'on-demand': { sharedBy: 'user', idleRelease: 16 } },
]

interface World {
  readonly cluster: ClusterInput
  readonly jobs: readonly JobSpec[]
}

function world(heartbeat: boolean): World {
  const jobs = Array.from({ length: 8 }, (_, i): JobSpec => {
    const demand = [{ cpu: 1 }, { cpu: 2, mem: 1 }, { cpu: 1, mem: 2 }][i % 3] as Record<string, number>
    const first = { name: 'first', tasks: 1 + ((i * 5) % 4), demand, duration: 2 + ((i * 7) % 12), ...(!heartbeat && i % 4 === 0 && { gang: true }) }
    const stages = i % 3 === 0 ? [first, { name: 'last', tasks: 2, demand: { cpu: 1 }, duration: 3, after: [{ stage: 0, fraction: 1 }] }] : [first]
    return { id: `job-${i}`, submit: Math.floor(i / 2) * 2.5, user: ['ann', 'bob', 'cid'][i % 3] as string, queue: i % 2 === 0 ? 'a' : 'b', class: 'batch', estimate: 20, priority: i % 2, stages }
  })
  return { cluster: { nodes: [{ name: 'n', count: 4, resources: { cpu: 4, mem: 8 } }], ...(heartbeat && { heartbeat: { interval: 4 } }) }, jobs }
}

/** Starts and ends of tasks, in order. */
class Log implements Observer {
  readonly lines: string[] = []
  #cluster!: ClusterView
  #work!: WorkView

  constructor(private readonly shift: Seconds, private readonly unit: Seconds) {}

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }
  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, node: NodeId, _level: number, now: Seconds): void {
    this.#note('start', job, node, now)
  }
  onTaskEnd(_task: TaskId, job: JobId, _lane: LaneId, node: NodeId, how: TaskEnd, _started: Seconds, _stopped: Seconds, now: Seconds): void {
    this.#note(how, job, node, now)
  }

  /** What comes a millisecond after something else is told to the microsecond; in another unit of time, of which a millisecond is another part, it is not. */
  #note(what: string, job: JobId, node: NodeId, now: Seconds): void {
    this.lines.push(`${((now - this.shift) / this.unit).toFixed(this.unit === 1 ? 6 : 2)} ${what} ${this.#work.name(job).replace('j-', 'job-')} on ${this.#cluster.name(node)}`)
  }
}

/** Starts and ends in order, or that the pair is refused. */
function play({ cluster, jobs }: World, policy: unknown, architecture: unknown, { shift = 0, unit = 1, observers = [], workload = workloadOf('jobs', [...jobs]) }: { shift?: number; unit?: number; observers?: readonly Observer[]; workload?: Workload } = {}): string {
  const log = new Log(shift, unit)
  try {
    new Simulation({
      cluster: buildCluster(readCluster(cluster)), workload, policy: resolve(registry, 'policy', policy, 'policy'), architecture: resolve(registry, 'architecture', architecture, 'architecture'),
      observers: [log, ...observers], infeasible: 'reject', runtime: { jitter: 0 },
    }).run()
  } catch (error) {
    if (error instanceof SchedError && error.code === 'BAD_OPTION') return error.code
    throw error
  }
  return log.lines.join('\n')
}

const doubled = (amounts: Readonly<Record<string, number>>) => Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, 2 * amount]))
const all = ({ cluster, jobs }: World, change: (job: JobSpec) => JobSpec): World => ({ cluster, jobs: jobs.map(change) })
/** A multiple of every interval that a policy has by default. */
const LATER = 1_536_000

const laws: readonly (readonly [string, (given: World, ...parts: [unknown, unknown]) => string])[] = [
  ['all of it later, by a multiple of all intervals', (given, ...parts) => play(all(given, (job) => ({ ...job, submit: job.submit + LATER })), ...parts, { shift: LATER })],
  ['all demands and all there is times 2', ({ cluster, jobs }, ...parts) =>
    play({ cluster: { ...cluster, nodes: [{ name: 'n', count: 4, resources: { cpu: 8, mem: 16 } }] }, jobs: jobs.map((job) => ({ ...job, stages: job.stages.map((stage) => ({ ...stage, demand: doubled(stage.demand) })) })) }, ...parts)],
  ['the workload as a stream', (given, ...parts) => {
    const workload = { name: 'stream', open: () => ({ next: (left => () => left.shift())([...given.jobs]) }) }
    return play(given, ...parts, { workload })
  }],
  ['other names in the same order', (given, ...parts) => play(all(given, (job) => ({ ...job, id: job.id.replace('job-', 'j-') })), ...parts)],
  ['with everybody listening', (given, ...parts) => play(given, ...parts, { observers: [standardMetrics(), decisions(), waitReasons()] })],
]

/** One scheduler that decides at once in both worlds, the others in one of them. */
const cases = architectures
  .flatMap((architecture, i) => [true, false].filter((heartbeat) => architecture === 'monolithic' || heartbeat === (i % 2 === 0)).map((heartbeat) => ({ architecture, heartbeat })))
  .map(({ architecture, heartbeat }, at) => ({ name: `${JSON.stringify(architecture)}${heartbeat ? ' with heartbeats' : ''}`, architecture, given: world(heartbeat), at }))

describe('the same tasks start at the same times under every policy, order and placement, whatever does not matter', () => {
  // one law for each pair, in turn, so that every policy is held to all of them; SCHED_ALL_LAWS=1 holds every pair to each
  it.each(cases)('$name', ({ architecture, given, at }) => {
    let runs = 0
    for (const [index, policy] of policies.entries()) {
      const before = play(given, policy, architecture)
      if (before !== 'BAD_OPTION') runs++
      for (const [i, [law, again]] of laws.entries()) {
        if ((index + at) % laws.length !== i && process.env['SCHED_ALL_LAWS'] === undefined) continue
        expect({ law, policy: JSON.stringify(policy), run: again(given, policy, architecture) }).toEqual({ law, policy: JSON.stringify(policy), run: before })
      }
    }
    expect(runs).toBeGreaterThan(50)
  })
})

/** Policies that know seconds: with all their times in a unit of so many. */
const inUnits: readonly ((unit: Seconds) => Record<string, object>)[] = [
  (unit) => ({ delay: { order: 'fair', node: 2 * unit, rack: 3 * unit } }),
  (unit) => ({ easy: { order: { multifactor: { fairShare: 100, age: 50, maxAge: 8 * unit, calcPeriod: 4 * unit, halfLife: 16 * unit } }, extension: unit, margin: unit } }),
  (unit) => ({ conservative: { order: 'fifo', nodes: 'named', extension: unit, windows: [{ from: 16 * unit, to: 24 * unit, demand: 'all' }] } }),
  (unit) => ({ strict: { order: { priority: { age: 5, maxAge: 16 * unit } } } }),
  (unit) => ({ fattened: { order: 'fifo', awt: 2 * unit, extension: unit } }),
  (unit) => ({ greedy: { order: { 'dynamic-priority': { interval: 4 * unit, queues: { a: { budget: 20, rate: 2 }, b: { budget: 50, rate: 3 } } } } } }),
  (unit) => ({ greedy: { order: { 'fair-share': { calcPeriod: 2 * unit, halfLife: 8 * unit } } } }),
  (unit) => ({ greedy: { order: { 'lsf-fairshare': { HIST_HOURS: unit / 256, CPU_TIME_FACTOR: 64 / unit, RUN_TIME_FACTOR: 32 / unit, ENABLE_HIST_RUN_TIME: true, RUN_JOB_FACTOR: 0.25 } } } }),
  (unit) => ({ greedy: { order: { kai: { pastUsage: { kValue: 10, fetchInterval: 2 * unit, windowSize: 32 * unit, halfLifePeriod: 8 * unit } } } } }),
  (unit) => ({ 'gang-scheduling': { order: 'fifo', slice: 4 * unit } }),
  (unit) => ({ negotiator: { NEGOTIATOR_INTERVAL: 4 * unit, NEGOTIATOR_CYCLE_DELAY: unit, PRIORITY_HALFLIFE: 16 * unit, CLAIM_WORKLIFE: 8 * unit } }),
  (unit) => ({ negotiator: { NEGOTIATOR_INTERVAL: 4 * unit, NEGOTIATOR_CYCLE_DELAY: unit, PRIORITY_HALFLIFE: 16 * unit, MAXJOBRETIREMENTTIME: 2 * unit, PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.2, StateTimer: 4 * unit } } }),
  (unit) => ({ las: { queues: [4 * unit, 16 * unit] } }),
  (unit) => ({ preempting: { policy: { greedy: { order: { fair: { pools: { a: { minShare: 6 }, b: { minShare: 6 } } } } } }, minTimeout: 2 * unit, fairTimeout: 4 * unit, interval: unit, updateInterval: 0.5 * unit } }),
  (unit) => ({ 'slurm-preempting': { policy: { greedy: { order: 'fifo' } }, tiers: { a: 1, b: 2 }, exemptTime: 4 * unit, graceTime: { default: 2 * unit }, requeueDelay: 2 * unit } }),
  (unit) => ({ 'kube-scheduler': { terminationGracePeriodSeconds: 2 * unit, backoff: { podInitialBackoffSeconds: unit, podMaxBackoffSeconds: 8 * unit } } }),
  (unit) => ({ 'capacity-scheduler': { queues: { a: { capacity: 30 }, b: { capacity: 70 } }, preemption: { monitoringInterval: unit, maxWaitBeforeKill: 2 * unit, totalPreemptionPerRound: 1 } } }),
  (unit) => ({ replan: { order: 'fifo', nodes: 'named', extension: unit, bf_interval: 2 * unit, bf_resolution: unit, sched_interval: 4 * unit, batch_sched_delay: unit, weights: { 'n-1': 3 },
    reservations: [{ name: 'course', from: 2 * unit, to: 12 * unit, nodes: ['n-0', 'n-2'], users: ['ann'] }, { name: 'repair', from: 16 * unit, to: 24 * unit, nodes: ['n-3'] }] } }),
  (unit) => ({ 'slurm-preempting': { policy: { replan: { order: 'fifo', nodes: 'named', extension: unit, bf_interval: 2 * unit, bf_resolution: unit, windows: [{ from: 12 * unit, to: 16 * unit, demand: 'all' }] } }, tiers: { a: 1, b: 2 }, mode: 'requeue', requeueDelay: 2 * unit } }),
  (unit) => ({ 'slurm-limits': { policy: { greedy: { order: 'fifo' } }, halfLife: 16 * unit, calcPeriod: 4 * unit, qos: { normal: { GrpTRESMins: `cpu=${2 * unit}`, GrpTRESRunMins: `cpu=${4 * unit}`, MaxWall: unit } } } }),
  (unit) => ({ 'kai-preempting': { defaultPreemptMinRuntime: 4 * unit, defaultReclaimMinRuntime: 2 * unit, stalenessGracePeriod: 8 * unit, queues: { a: { resources: { cpu: { quota: 2 } } }, b: { resources: { cpu: { quota: 8 } }, reclaimMinRuntime: unit } } } }),
  (unit) => ({ 'yarn-preempting': { waitBeforeKill: 2 * unit, waitBeforeNextCheck: unit, updateInterval: unit, policy: { greedy: { order: { 'yarn-fair': { root: { queues: { a: { minResources: { cpu: 8 }, minSharePreemptionTimeout: 2 * unit, fairSharePreemptionTimeout: 4 * unit }, b: { minResources: { cpu: 8 }, minSharePreemptionTimeout: 4 * unit } } } } } } } } }),
  (unit) => ({ 'yunikorn-preempting': { reservationDelay: 2 * unit, attemptInterval: 4 * unit, root: { queues: { a: { preemptionDelay: 2 * unit }, b: { preemptionDelay: 2 * unit } } } } }),
]

describe('the same tasks start at the same times in another unit of time', () => {
  const inUnit = ({ cluster, jobs }: World, unit: Seconds): World => ({
    cluster: { ...cluster, ...(cluster.heartbeat !== undefined && { heartbeat: { interval: 4 * unit } }) },
    jobs: jobs.map((job) => ({ ...job, submit: unit * job.submit, estimate: unit * 8, stages: job.stages.map((stage) => ({ ...stage, duration: unit * (stage.duration as number) })) })),
  })

  it.each(inUnits.map((policy) => [JSON.stringify(policy(1)), policy] as const))('under %s', (_, policy) => {
    const units = JSON.stringify(policy(1)).includes('replan') ? [60, 120, 960] : [2, 4, 16] // Slurm counts in whole minutes
    for (const heartbeat of [true, false]) {
      const [before, ...others] = units.map((unit) => play(inUnit(world(heartbeat), unit), policy(unit), 'monolithic', { unit }))
      expect(before).toMatch(/start/)
      for (const other of others) expect(other).toBe(before)
    }
  })
})

type Amounts = (cpu: number, mem?: number) => Record<string, number>
/** Policies that know amounts: with all of theirs in a unit of so much. */
const inAmounts: readonly ((of: Amounts) => Record<string, object>)[] = [
  (of) => ({ 'slurm-limits': { policy: { greedy: { order: 'fifo' } }, partitions: { a: { MaxTRESPerJob: of(8) } }, qos: { normal: { GrpTRES: of(9), MaxTRESPerUser: of(6, 12), GrpTRESMins: of(3), GrpTRESRunMins: of(4) } } } }),
  (of) => ({ kueue: { queues: { a: { nominalQuota: of(5, 8), borrowingLimit: of(2), cohort: 'all', preemption: { reclaimWithinCohort: 'Any' } }, b: { nominalQuota: of(8, 16), lendingLimit: of(3), cohort: 'all', preemption: { reclaimWithinCohort: 'Any' } } }, cohorts: { all: { nominalQuota: of(2, 4) } } } }),
  (of) => ({ kueue: { fairSharing: {}, queues: { a: { nominalQuota: of(3, 8), weight: 2, cohort: 'all', preemption: { reclaimWithinCohort: 'Any' } }, b: { nominalQuota: of(4, 8), cohort: 'all', preemption: { reclaimWithinCohort: 'Any' } } } } }),
  (of) => ({ 'capacity-scheduler': { minimumAllocation: of(1, 1), legacyQueueMode: false, queues: { a: { capacity: of(5, 10), maximumCapacity: of(10, 30) }, b: { capacity: of(11, 22), maximumAllocation: of(2, 8) } }, preemption: {} } }),
  (of) => ({ 'yunikorn-preempting': { root: { queues: { a: { guaranteed: of(6), max: of(9, 20), preemptionDelay: 1 }, b: { guaranteed: of(8, 4), sort: 'fair', preemptionDelay: 1, limits: [{ users: ['*'], maxResources: of(7, 16) }] } } } } }),
  (of) => ({ volcano: { actions: ['enqueue', 'allocate', 'backfill', 'preempt', 'reclaim'], queues: { a: { capability: of(9, 20), guarantee: of(2, 2) }, b: { weight: 3 } } } }),
  (of) => ({ volcano: { actions: ['enqueue', 'allocate', 'reclaim'], tiers: [{ plugins: ['priority', 'gang'] }, { plugins: ['drf', 'capacity'] }], queues: { a: { deserved: of(6, 12), capability: of(12, 24) }, b: { deserved: of(10, 20), guarantee: of(3, 3) } } } }),
  (of) => ({ 'kai-preempting': { queues: Object.fromEntries(['a', 'b'].map((queue, i) => [queue, { resources: Object.fromEntries(Object.entries(of(4 + 2 * i, 8)).map(([name, quota]) => [name, { quota, limit: 3 * quota }])) }])) } }),
  (of) => ({ 'yarn-preempting': { policy: { greedy: { order: { 'yarn-fair': { root: { policy: 'drf', queues: { a: { minResources: of(6, 4), maxResources: of(9, 30), minSharePreemptionTimeout: 1 }, b: { policy: 'drf', minResources: of(8, 8), minSharePreemptionTimeout: 1 } } } } } } } } }),
  (of) => ({ negotiator: { SLOT_WEIGHT: { cpu: 1 / (of(1)['cpu'] as number) }, NEGOTIATOR_INTERVAL: 4, NEGOTIATOR_CYCLE_DELAY: 1, PRIORITY_HALFLIFE: 16 } }),
  (of) => ({ conservative: { order: 'fifo', windows: [{ from: 6, to: 12, demand: of(8) }, { from: 20, to: 22, demand: of(4, 16) }] } }),
  (of) => ({ easy: { order: { multifactor: { tres: { cpu: 100 }, fairShare: 50, billing: { cpu: 1, mem: 0.25 } } }, windows: [{ from: 6, to: 12, demand: of(8) }] } }),
]

describe('the same tasks start at the same times in another unit of amounts', () => {
  const inUnit = ({ cluster, jobs }: World, of: Amounts): World => ({
    cluster: { ...cluster, nodes: [{ name: 'n', count: 4, resources: of(4, 8) }] },
    jobs: jobs.map((job) => ({ ...job, estimate: 8, stages: job.stages.map((stage) => ({ ...stage, demand: of(stage.demand['cpu'] as number, stage.demand['mem']) })) })),
  })
  const unitOf = (unit: number): Amounts => (cpu, mem) => ({ cpu: cpu * unit, ...(mem !== undefined && { mem: mem * unit }) })

  // as in millicores, so that no rounding to whole amounts matters
  it.each(inAmounts.map((policy) => [JSON.stringify(policy(unitOf(1))), policy] as const))('under %s', (_, policy) => {
    for (const heartbeat of [true, false]) {
      const [before, ...others] = [1024, 2048, 16_384].map((unit) => play(inUnit(world(heartbeat), unitOf(unit)), policy(unitOf(unit)), 'monolithic'))
      expect(before).toMatch(/start/)
      for (const other of others) expect(other).toBe(before)
    }
  })
})
