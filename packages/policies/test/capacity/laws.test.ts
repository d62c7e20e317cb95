// @module-tag long
import { capacity, capacityScheduler, greedy, reserving, type CapacitySchedulerOptions } from '@sched/policies'
import { checkPolicyLaws, modelOf, type LawOptions, type MakePolicy, type World } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

const settings: Readonly<Record<string, NonNullable<CapacitySchedulerOptions['queues']>[string]>> = {
  a: { capacity: 50, minimumUserLimitPercent: 50, userLimitFactor: 4 },
  b: { capacity: 20, ordering: 'fair', userLimitFactor: -1, priority: 2 },
  c: { capacity: 30, maxParallelApps: 2 },
  'c.x': { capacity: '1w', ordering: 'priority', userLimitFactor: -1 },
  'c.y': { capacity: '3w', ordering: 'fair', sizeBasedWeight: true, userLimitFactor: -1 },
}
/** Queues declared in the order of the world's, with settings that depend on the name alone. */
const queues: (names: readonly string[]) => CapacitySchedulerOptions = (names) => ({
  queues: { ...Object.fromEntries([...names, 'c'].map((name) => [`root.${name}`, settings[name] ?? {}])), root: { autoCreate: true, template: { capacity: 0 }, queueOrdering: 'priority-utilization' } },
  resourceCalculator: 'dominant',
})

/** Parts of the cluster that queues are guaranteed; others none. */
const guaranteed: Readonly<Record<string, number>> = { a: 0.5, b: 0.2, 'c.x': 0.3 / 4, 'c.y': (0.3 * 3) / 4 }
/** Whether a task is larger than the guarantee of its queue: killed for others, it may start anew before them, for ever, as the page on the policy says. */
const hasTooLarge = ({ cluster, jobs }: World): boolean => {
  const { resources, nodes, total } = modelOf(cluster)
  const amountOf = (name: string) => total.subarray(resources.indexOf(name) * nodes, (resources.indexOf(name) + 1) * nodes).reduce((sum, each) => sum + each, 0)
  return jobs.some(({ queue = '', stages }) => stages.some(({ demand }) => Object.entries(demand).some(([name, amount]) => amount > (guaranteed[queue] ?? 0) * amountOf(name))))
}
const taking: LawOptions = { mayBeEndless: hasTooLarge }

const policies: Record<string, [MakePolicy, LawOptions]> = {
  'the order under greedy': [({ queues: names }) => greedy(capacity(queues(names)), firstNode()), {}],
  'open queues': [() => reserving(capacity()), {}],
  'reservations off': [({ queues: names }) => reserving(capacity(queues(names)), { reservations: false }), {}],
  'the scheduler': [({ queues: names }) => capacityScheduler({ ...queues(names), nodeLocalityDelay: 2 }), {}],
  preemption: [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 } }), taking],
  'preemption inside': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, intraQueue: { maxAllowableLimit: 1, minimumThreshold: 0, order: 'priority-first', conservativeDrf: false } } }), taking],
  'lazy preemption': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, lazyPreemption: true } }), taking],
  'preemption to balance, after longer than most tasks run': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 60, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, balance: { maxWaitBeforeKill: 30 } } }), taking],
  'preemption for reserved nodes and by priority': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, selectByReservations: true, byPriority: { delay: 5 } } }), taking],
  'queues that are made and go': [() => capacityScheduler({ queueExpiration: 7, preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3 } }), {}],
  'nodes with least in use first': [({ queues: names }) => capacityScheduler({ ...queues(names), nodeOrder: 'least-used' }), {}],
  'one start per heartbeat': [({ queues: names }) => capacityScheduler({ ...queues(names), multipleAssignments: false, reservationsContinueLookAllNodes: false }), {}],
}

describe('the laws of policies', () => {
  it.each(Object.entries(policies))('hold for %s', (_, [make, options]) => {
    const { launches } = checkPolicyLaws(make, { runs: 40, ...options })
    expect(launches).toBeGreaterThan(300)
  })
})
