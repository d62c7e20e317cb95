import { capacity, capacityScheduler, greedy, reserving, type CapacitySchedulerOptions } from '@sched/policies'
import { checkPolicyLaws, type LawOptions, type MakePolicy } from '@sched/testkit'
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
  queues: { ...Object.fromEntries([...names, 'c'].map((name) => [`root.${name}`, settings[name] ?? {}])), root: { autoCreate: true, queueOrdering: 'priority-utilization' } },
  resourceCalculator: 'dominant',
})

const policies: Record<string, [MakePolicy, LawOptions]> = {
  'the order under greedy': [({ queues: names }) => greedy(capacity(queues(names)), firstNode()), {}],
  'open queues': [() => reserving(capacity()), {}],
  'reservations off': [({ queues: names }) => reserving(capacity(queues(names)), { reservations: false }), {}],
  'the scheduler': [({ queues: names }) => capacityScheduler({ ...queues(names), nodeLocalityDelay: 2 }), {}],
  preemption: [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 } }), {}],
  'preemption inside': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, intraQueue: { maxAllowableLimit: 1, minimumThreshold: 0, order: 'priority-first', conservativeDrf: false } } }), {}],
  'lazy preemption': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 3, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, lazyPreemption: true } }), {}],
  'preemption to balance, after longer than tasks run': [({ queues: names }) => capacityScheduler({ ...queues(names), preemption: { monitoringInterval: 3, maxWaitBeforeKill: 60, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, balance: { maxWaitBeforeKill: 30 } } }), {}],
  'one start per heartbeat': [({ queues: names }) => capacityScheduler({ ...queues(names), multipleAssignments: false, reservationsContinueLookAllNodes: false }), {}],
}

describe('the laws of policies', () => {
  it.each(Object.entries(policies))('hold for %s', (_, [make, options]) => {
    const { launches } = checkPolicyLaws(make, { runs: 40, ...options })
    expect(launches).toBeGreaterThan(300)
  })
})
