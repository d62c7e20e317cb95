import { withoutUndefined, type Plug } from '@sched/core'
import { capacity, capacityScheduler, fifo, greedy, reserving, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, firstDifference, instantCluster, job, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveCapacity, naiveCapacityScheduler } from './naive.js'
import { recorded } from '../reference/recorded.js'

const oneOf = fc.constantFrom
/** A maximum of 100 keeps every job of the world possible; lower ones are what makes jobs too large for the rest of a queue. */
const settings: fc.Arbitrary<CapacityQueueOptions> = fc
  .record({
    minimumUserLimitPercent: oneOf(undefined, 25, 50),
    userLimitFactor: oneOf(undefined, -1, 0.5, 2),
    ordering: oneOf(undefined, 'priority' as const, 'fair' as const),
    sizeBasedWeight: oneOf(undefined, true),
    maxParallelApps: oneOf(undefined, undefined, undefined, 1, 2),
    priority: oneOf(undefined, 1, 2),
    queueOrdering: oneOf(undefined, 'priority-utilization' as const),
    disablePreemption: oneOf(undefined, undefined, undefined, undefined, undefined, undefined, true, false),
  })
  .map(withoutUndefined)
const siblings = oneOf<(string | number)[]>([50, 20, 30], [25, 75, 0], [40, 40, 20], ['1w', '2w', '1w'], ['3w', '1w', '2w'])
const inside = oneOf<(string | number)[]>([60, 40], [100, 0], ['1w', '3w'])

export const schedulers: fc.Arbitrary<CapacitySchedulerOptions> = fc
  .record({
    own: fc.array(settings, { minLength: 6, maxLength: 6 }),
    siblings,
    inside,
    caps: fc.array(oneOf(undefined, undefined, undefined, 100, 80, 75), { minLength: 6, maxLength: 6 }),
    resourceCalculator: oneOf('default' as const, 'dominant' as const),
    ties: oneOf('name' as const, 'capacity' as const),
    userLimitBasis: oneOf('active-usage' as const, 'active-users' as const),
    rest: fc
      .record({
        nodeLocalityDelay: oneOf(undefined, 0, 1, 2),
        rackLocalityAdditionalDelay: oneOf(undefined, 0, 2),
        rackLocalityFullReset: oneOf(undefined, false),
        multipleAssignments: oneOf(undefined, undefined, false),
        maximumContainerAssignments: oneOf(undefined, -1, 1, 2),
        maximumOffswitchAssignments: oneOf(undefined, 1, 3, 9),
        reservations: oneOf(undefined, undefined, false),
        reservationsContinueLookAllNodes: oneOf(undefined, true, false),
      })
      .map(withoutUndefined),
  })
  .map(({ own, siblings: [a, b, c], inside: [x, y], caps, rest, ...options }) => {
    const names = ['root', 'root.a', 'root.b', 'root.c', 'root.c.x', 'root.c.y']
    const capacities = [undefined, a, b, c, x, y]
    const queue = (i: number) => {
      const cap = Math.max(caps[i] ?? 100, typeof capacities[i] === 'number' ? capacities[i] : 0)
      return { ...own[i], ...(i === 0 ? { autoCreate: true, maxParallelApps: 9 } : {}), ...(capacities[i] !== undefined && { capacity: capacities[i] }), ...(i > 0 && cap < 100 && { maximumCapacity: cap }) }
    }
    return { queues: Object.fromEntries(names.map((name, i) => [name, queue(i)])), ...options, ...rest }
  })

/** Holds both against each other on random worlds. Jobs that the scheduler refuses are left out of the world. */
function agree(runs: number, shipped: (options: CapacitySchedulerOptions) => Plug<'policy'>, reference: (options: CapacitySchedulerOptions) => Plug<'policy'>, of: fc.Arbitrary<World> = worlds({ jobs: 6 })): number {
  let [launches, evictions] = [0, 0]
  fc.assert(
    fc.property(of, schedulers, (world, options) => {
      const recorder = recorded(world, shipped(options))
      launches += recorder.launches.length
      evictions += recorder.evictions.length
      const refused = new Set(recorder.events.filter(({ kind: what }) => what === 'reject').map(({ job }) => job))
      const left = { ...world, jobs: world.jobs.filter(({ id, after }) => !refused.has(id) && !refused.has(after ?? '')) }
      expect(firstDifference(recorded(left, shipped(options)), recorded(left, reference(options)), 'the reference')).toBeUndefined()
    }),
    { seed: 5, numRuns: runs },
  )
  expect(launches).toBeGreaterThan(5 * runs)
  return evictions
}

describe('the capacity scheduler decides as its plain form', () => {
  it('the order, under the greedy discipline', { tags: 'long' }, () => {
    const orderOptions = ({ queues, ties, resourceCalculator, userLimitBasis }: CapacitySchedulerOptions) => ({ queues, ties, resourceCalculator, userLimitBasis }) as CapacitySchedulerOptions
    agree(25, (options) => greedy(capacity(orderOptions(options)), firstNode()), (options) => naiveGreedy(naiveCapacity(orderOptions(options))))
  })

  it('with delay, reservations and the limits of a heartbeat', { tags: 'long' }, () => {
    agree(80, capacityScheduler, naiveCapacityScheduler, worlds({ jobs: 6, heartbeats: true }))
  })

  it('with preemption', () => {
    const preemption = { monitoringInterval: 2, maxWaitBeforeKill: 3, totalPreemptionPerRound: 0.7, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const preempting = (make: (options: CapacitySchedulerOptions) => Plug<'policy'>) => ({ queues, ...options }: CapacitySchedulerOptions) =>
      make({ ...options, maximumOffswitchAssignments: 9, preemption, queues: Object.fromEntries(Object.entries(queues ?? {}).map(([path, own]) => [path, { ...own, userLimitFactor: -1 }])) })
    const draft = (submit: number, ...queues: string[]) => fc.record({ submit: fc.constant(submit), queue: oneOf(...queues), user: oneOf('ann', 'bob'), tasks: fc.integer({ min: 8, max: 16 }), mem: fc.integer({ min: 2, max: 4 }), cpu: oneOf(0, 0, 1), duration: oneOf(14, 40) })
    const drafts = fc.tuple(draft(0, 'a', 'c.x'), draft(1, 'a', 'c.x'), draft(10, 'b', 'c.y'), draft(12, 'a', 'b', 'c.y'))
    const nodes = cluster({ nodes: [{ count: 2, resources: { mem: 20, cpu: 12 } }] })
    const full: fc.Arbitrary<World> = fc.record({ drafts, seed: fc.nat({ max: 9 }) }).map(({ drafts: all, seed }) => ({
      cluster: nodes, seed, queues: [], runtime: { jitter: 0 }, claims: undefined, commitPendingBug: false,
      jobs: all.sort((x, y) => x.submit - y.submit).map(({ queue, user, tasks, mem, cpu, duration, submit }, i) => job({ id: `j${i}`, submit, queue, user, tasks, duration, demand: { mem, cpu } })),
    }))
    expect(agree(10, preempting(capacityScheduler), preempting(naiveCapacityScheduler), full)).toBeGreaterThan(5)
  })

  it('gangs alone, which reserve nothing: as one after another over all nodes', { tags: 'long' }, () => {
    const draft = fc.record({ gap: oneOf(0, 0, 1, 4), tasks: fc.integer({ min: 2, max: 9 }), cpu: oneOf(1, 1, 2, 4), mem: oneOf(0, 1, 3), duration: oneOf(3, 7, 20), priority: oneOf(0, 0, 1) })
    const sizes = fc.array(oneOf({ cpu: 4, mem: 8 }, { cpu: 2, mem: 4 }, { cpu: 8, mem: 4 }), { minLength: 2, maxLength: 6 })
    let launches = 0
    fc.assert(
      fc.property(fc.array(draft, { minLength: 4, maxLength: 16 }), sizes, (drafts, nodes) => {
        let submit = 0
        const jobs = drafts.map(({ gap, ...rest }, i) => job({ id: `j${i}`, gang: true, submit: (submit += gap), tasks: rest.tasks, duration: rest.duration, priority: rest.priority, demand: { cpu: rest.cpu, mem: rest.mem } }))
        const world: World = { cluster: instantCluster({ nodes: nodes.map((resources, i) => ({ name: `n${i}`, count: 1, resources })) }), jobs, queues: [], seed: 1, runtime: { jitter: 0 }, claims: undefined, commitPendingBug: false }
        const found = recorded(world, reserving(fifo()))
        launches += found.launches.length
        expect(firstDifference(found, recorded(world, greedy(fifo(), firstNode())), 'the greedy discipline')).toBeUndefined()
      }),
      { seed: 5, numRuns: 200 },
    )
    expect(launches).toBeGreaterThan(2000)
  })
})
