import type { JobSpec, NodeId, Observer, Plug } from '@sched/core'
import { conservative, easy, fattened, fifo, replan, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'
import { asEstimated, atLeastASecond, conservativeOn, easyOn, fattenedOn, replanOn, reservingOn, strictOn, wholeMinutes, type ReplanChoice } from './reference/cluster-passes.js'
import { scheduleOnNodes, type ClusterPass, type ClusterWorld, type TaskJob } from './reference/cluster.js'

interface Kind {
  readonly windows: boolean
  readonly outages: boolean
}

/** Nodes of few processors and some memory; jobs that start together or task by task, outlive their estimates or have none; nodes that fail or are drained; windows. */
const worldsOf = ({ windows, outages }: Kind) =>
  fc.record({ nodes: fc.integer({ min: 1, max: 4 }), capacity: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 })) }).chain(({ nodes, capacity }) => {
    const amounts = (most: readonly number[]) => fc.tuple(...most.map((amount) => fc.oneof(fc.constant(amount), fc.integer({ min: 0, max: amount }))))
    const job = fc.record({
      user: fc.constantFrom('ann', 'bob'),
      queue: fc.constantFrom('short', 'long'),
      submit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 14 })),
      runtime: fc.integer({ min: 0, max: 8 }),
      more: fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 5 })),
      isKnown: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      tasks: fc.nat({ max: 15 }),
      gang: fc.boolean(),
      size: amounts(capacity).filter((size) => size.some((amount) => amount > 0)),
    })
    const outage = fc.record({ node: fc.nat({ max: nodes - 1 }), from: fc.integer({ min: 1, max: 15 }), seconds: fc.integer({ min: 1, max: 12 }), drain: fc.boolean() })
    const window = fc.record({ from: fc.integer({ min: 0, max: 20 }), seconds: fc.integer({ min: 1, max: 10 }), size: fc.oneof(fc.constant('all' as const), amounts(capacity.map((amount) => amount * nodes))) })
    return fc.record({
      nodes: fc.constant(nodes),
      capacity: fc.constant(capacity),
      jobs: fc.array(job, { minLength: 2, maxLength: 8 }).map((drafts) =>
        drafts
          .map(({ more, isKnown, tasks, size, ...draft }): TaskJob => {
            const most = nodes * Math.min(...size.map((amount, r) => (amount === 0 ? Infinity : Math.floor((capacity[r] ?? 0) / amount))))
            return { ...draft, size, estimate: isKnown ? Math.max(0, draft.runtime + more) : undefined, tasks: 1 + (tasks % most) }
          })
          .sort((a, b) => a.submit - b.submit),
      ),
      outages: fc.array(outage.map(({ from, seconds, ...rest }) => ({ ...rest, from, to: from + seconds })), { maxLength: outages ? 4 : 0 }),
      windows: fc.array(window.map(({ from, seconds, size }) => ({ from, to: from + seconds, size })), { maxLength: windows ? 3 : 0 }),
    })
  })

const demandOf = ([procs = 0, memory = 0]: readonly number[]): Record<string, number> => ({ ...(procs > 0 && { procs }), ...(memory > 0 && { memory }) })
const windowsOf = ({ windows }: ClusterWorld) =>
  windows.filter(({ size }) => size === 'all' || size.some((amount) => amount > 0)).map(({ from, to, size }) => ({ from, to, demand: size === 'all' ? size : demandOf(size) }))

const specOf = ({ user, queue, submit, runtime, estimate, tasks, gang, size }: TaskJob, index: number): JobSpec => ({
  id: `J${index}`,
  user,
  queue,
  submit,
  ...(estimate !== undefined && { estimate }),
  stages: [{ name: 'tasks', tasks, gang, demand: demandOf(size), duration: runtime }],
})

/** Second and job of each start of a task, in order. */
function logOf({ nodes, capacity, jobs, outages }: ClusterWorld, policy: Plug<'policy'>): string[] {
  const names: string[] = []
  const log: string[] = []
  const watch: Observer = {
    onSubmit: (job, { id }) => void (names[job] = id),
    onTaskStart: (_task, job, _lane, _node, _level, now) => void log.push(`${now} ${names[job] ?? ''}`),
  }
  startsOf(jobs.map(specOf), capacity, policy, { nodes, observers: [watch], outages: outages.map((outage) => ({ ...outage, node: outage.node as NodeId })) })
  return log
}

const pairs: Record<string, { policy: (world: ClusterWorld) => Plug<'policy'>; reference: (world: ClusterWorld) => ClusterPass; length?: (job: TaskJob) => number }> = {
  FCFS: { policy: (world) => strict(fifo(), { windows: windowsOf(world) }), reference: () => strictOn },
  EASY: { policy: (world) => easy(fifo(), { windows: windowsOf(world) }), reference: (world) => (windowsOf(world).length === 0 ? easyOn : reservingOn(1)) },
  'EASY with two reservations': { policy: (world) => easy(fifo(), { windows: windowsOf(world), reservations: 2 }), reference: () => reservingOn(2) },
  'EASY with all': { policy: (world) => easy(fifo(), { windows: windowsOf(world), reservations: 'all' }), reference: () => reservingOn(Infinity) },
  conservative: { policy: (world) => conservative(fifo(), { windows: windowsOf(world) }), reference: conservativeOn, length: atLeastASecond },
  fattened: { policy: (world) => fattened(fifo(), { windows: windowsOf(world) }), reference: fattenedOn },
}

describe.each<[string, Kind]>([
  ['nodes that fail and are drained', { outages: true, windows: false }],
  ['windows', { outages: false, windows: true }],
  ['both', { outages: true, windows: true }],
])('on random small clusters with %s', (_, kind) => {
  it.each(Object.entries(pairs))('%s starts every task as its plain reference does', { tags: 'long' }, (_name, { policy, reference, length = asEstimated }) => {
    fc.assert(
      fc.property(worldsOf(kind), (world) => {
        expect(logOf(world, policy(world))).toEqual(scheduleOnNodes(world, reference(world), length))
      }),
      { seed: 20_261_128, numRuns: 150 },
    )
  })
})

describe('replan on random small clusters', () => {
  /** Of some minutes in all, so that limits of whole minutes differ. */
  const slow = ({ jobs, outages, windows, ...rest }: ClusterWorld): ClusterWorld => ({
    ...rest,
    jobs: jobs.map((job) => ({ ...job, submit: 17 * job.submit, runtime: 17 * job.runtime, estimate: job.estimate === undefined ? undefined : 17 * job.estimate })),
    outages: outages.map((outage) => ({ ...outage, from: 17 * outage.from, to: 17 * outage.to })),
    windows: windows.map((window) => ({ ...window, from: 17 * window.from, to: 17 * window.to })),
  })
  const choices: fc.Arbitrary<ReplanChoice> = fc.record({
    bf_resolution: fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 70 })),
    bf_window: fc.oneof(fc.constant(1440), fc.integer({ min: 1, max: 6 })),
    bf_job_part_count_reserve: fc.nat({ max: 2 }),
    bf_max_job_user: fc.nat({ max: 3 }),
    bf_interval: fc.integer({ min: 1, max: 90 }),
    twoPass: fc.boolean(),
  })

  it('starts every task as its plain reference does, beside outages and windows, with limits by user and queue', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worldsOf({ outages: true, windows: true }).map(slow), choices, (world, choice) => {
        expect(logOf(world, replan(fifo(), { windows: windowsOf(world), ...choice }))).toEqual(scheduleOnNodes(world, replanOn(choice), wholeMinutes))
      }),
      { seed: 20_261_129, numRuns: 500 },
    )
  })
})
