import type { JobSpec } from '@sched/core'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { insideQueue } from '../../src/capacity/inside-queues.js'

// Situations of Hadoop 3's TestApplicationLimits, TestApplicationLimitsByPartition, TestLeafQueue, TestContainerAllocation,
// TestProportionalCapacityPreemptionPolicy and its IntraQueue variant that have application masters. An amount is a GB, of 1,024 MB.

const GB = 1024

interface App {
  readonly am: number
  readonly user?: string
  readonly queue?: string
  readonly label?: string
  /** When it ends: its one task ends then. Default: not in the run. */
  readonly end?: number
}
/** One job a second, from 0 on: the first time at which each master runs, or `-`; tasks are too small to matter. */
function activated(cluster: readonly { readonly mem: number; readonly label?: string }[], apps: readonly App[], options: CapacitySchedulerOptions): (number | '-')[] {
  const nodes = cluster.map(({ mem, label }, i) => ({ name: `n${i}`, count: 1, resources: { mem: mem * GB, task: 99 }, ...(label !== undefined && { labels: { partition: label } }) }))
  const jobs = apps.map(({ am, user = 'ann', queue = 'a', label, end = 999 }, i): JobSpec => {
    const constraints = label === undefined ? {} : { constraints: { require: { partition: label } } }
    return { id: `${i}`, user, queue, submit: i, stages: [{ name: 'master', tasks: 1, demand: { mem: am * GB }, duration: 0, master: true, ...constraints }, { name: 'work', tasks: 1, demand: { task: 1 }, duration: Math.max(0, end - i), ...constraints }] }
  })
  const { recorder } = run({ cluster: instantCluster({ nodes }), jobs, policy: capacityScheduler({ minimumAllocation: { mem: GB }, ...options }), until: apps.length + 1 })
  return jobs.map(({ id }) => recorder.launches.find(({ job, stage }) => job === id && stage === 0)?.time ?? '-')
}

describe('which masters run', () => {
  const small: CapacitySchedulerOptions['queues'] = { a: { capacity: 10, minimumUserLimitPercent: 50, userLimitFactor: 5 }, b: { capacity: 90 } }
  const partitions: CapacitySchedulerOptions['queues'] = { a: { capacity: 30, labels: { x: { capacity: 100 }, y: { capacity: 50 } } }, b: { capacity: 70, labels: { y: { capacity: 50 } } } }
  const threeNodes = [{ mem: 10, label: 'x' }, { mem: 10, label: 'y' }, { mem: 10 }]

  it.each<[string, readonly { readonly mem: number; readonly label?: string }[], readonly App[], CapacitySchedulerOptions, readonly (number | '-')[]]>([
    ['testActiveApplicationLimits: users first, then the queue, which skips to those that fit', [{ mem: 160 }],
      [{ am: 4, end: 3 }, { am: 4 }, { am: 4 }, { am: 4 }, { am: 8, user: 'bob', end: 7 }, { am: 8, user: 'cyd' }, { am: 1, user: 'dan', queue: 'b' }],
      { queues: { ...small, a: { ...small.a, minimumUserLimitPercent: 100 } } }, [0, 1, 3, '-', 4, 7, 6]],
    ['testLimitsComputation: half of what there is, of one user half of that', [{ mem: 160 }], [{ am: 40 }, { am: 1 }, { am: 40, user: 'bob' }, { am: 1, user: 'cyd' }],
      { queues: { a: { capacity: 10, maximumAmResourcePercent: 0.5, minimumUserLimitPercent: 100, userLimitFactor: 5 }, b: { capacity: 90 } } }, [0, '-', 2, '-']],
    ['testAMResourceLimitWithLabels: of a label', threeNodes, [{ am: 1, label: 'x' }, { am: 1, label: 'x' }, { am: 1, label: 'x' }], { queues: { ...partitions, a: { ...partitions.a, labels: { ...partitions.a?.labels, x: { capacity: 100, maximumAmResourcePercent: 0.2 } } } } }, [0, 1, '-']],
    ['testAMResourceLimitWithLabels: of the default partition, until one ends', threeNodes, [{ am: 1, queue: 'b', end: 4 }, { am: 1, queue: 'b' }, { am: 1, queue: 'b' }, { am: 1, label: 'x' }], { queues: partitions, defaults: { maximumAmResourcePercent: 0.2 } }, [0, 1, 4, 3]],
    ['testAtleastOneAMRunPerPartition: whatever it asks', threeNodes, [{ am: 2, label: 'x' }, { am: 1, label: 'x' }, { am: 2, queue: 'b' }, { am: 1, queue: 'b' }], { queues: partitions, defaults: { maximumAmResourcePercent: 0.15 } }, [0, '-', 2, '-']],
    ['testAtleastOneAMRunPerPartition: one of each partition', threeNodes, [{ am: 5, label: 'x' }, { am: 4, label: 'y' }, { am: 3 }, { am: 1, label: 'x' }, { am: 1, label: 'y' }], { queues: partitions }, [0, 1, 2, '-', '-']],
    ['testDefaultAMLimitFromQueueForPartition: that of the queue where the label has none', threeNodes, [{ am: 2, label: 'x' }, { am: 1, label: 'x' }], { queues: partitions, defaults: { maximumAmResourcePercent: 0.2 } }, [0, '-']],
    ['testUserAMResourceLimitWithLabels: of each of two users half', threeNodes, [{ am: 1, label: 'x' }, { am: 1, user: 'bob', label: 'x' }, { am: 1, user: 'bob', label: 'x' }, { am: 1, user: 'bob', label: 'x' }, { am: 1, label: 'x' }],
      { queues: { ...partitions, a: { ...partitions.a, minimumUserLimitPercent: 50, maximumAmResourcePercent: 0.4 } } }, [0, 1, 2, 3, '-']],
    ['testAMResourceLimitForMultipleApplications: 2.5 are 3', [{ mem: 10, label: 'y' }, { mem: 10, label: 'y' }, { mem: 10 }], [{ am: 2, label: 'y' }, { am: 1, label: 'y' }, { am: 1, label: 'y' }],
      { queues: { a: { capacity: 50, labels: { y: { capacity: 50, maximumAmResourcePercent: 0.25 } } }, b: { capacity: 50, labels: { y: { capacity: 50 } } } } }, [0, 1, '-']],
    ['testAMResourceLimitForMultipleApplications: 0.75 are 1', [{ mem: 10 }], [{ am: 1 }, { am: 1 }], { queues: { a: { capacity: 50, maximumCapacity: 50, maximumAmResourcePercent: 0.15 }, b: { capacity: 50 } } }, [0, '-']],
    ['testActiveUsersWithOnlyPendingApps: users who wait count', [{ mem: 16 }], [{ am: 1 }, { am: 1, user: 'bob' }, { am: 1, user: 'cyd' }, { am: 1, user: 'dan' }, { am: 1 }], { queues: { a: { capacity: 100, maximumAmResourcePercent: 0.25, minimumUserLimitPercent: 25 } } }, [0, 1, 2, 3, '-']],
  ])('is as in Hadoop: %s', (_, nodes, apps, options, times) => {
    expect(activated(nodes, apps, options)).toEqual(times)
  })

  it.each([['default', 4], ['dominant', 2]] as const)('goes by memory alone, or by every resource, as fitsIn of the calculator: %s', (resourceCalculator, count) => {
    const jobs = [0, 1, 2, 3].map((i): JobSpec => ({ id: `${i}`, user: 'ann', queue: 'a', submit: 0, stages: [{ name: 'master', tasks: 1, demand: { mem: 1, cpu: 4 }, duration: 0, master: true }, { name: 'work', tasks: 1, demand: { mem: 1 }, duration: 100 }] }))
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { mem: 10, cpu: 20 } }] })
    const { recorder } = run({ cluster, jobs, policy: capacityScheduler({ resourceCalculator, queues: { a: { capacity: 100, maximumAmResourcePercent: 0.5 } } }), until: 9 })
    expect(recorder.launches.filter(({ stage }) => stage === 0).length).toBe(count)
  })

  it('is two of 1,024 MB on 16,384 MB, also where there is none of a third resource (testAMLimitByAllResources)', () => {
    const jobs = [0, 1, 2].map((i): JobSpec => ({ id: `${i}`, user: 'ann', queue: 'a', submit: i, stages: [{ name: 'master', tasks: 1, demand: { mem: GB, cpu: 1 }, duration: 0, master: true }, { name: 'work', tasks: 1, demand: { cpu: 1 }, duration: 100 }] }))
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { mem: 16 * GB, cpu: 64, gpu: 0 } }] })
    const { recorder } = run({ cluster, jobs, policy: capacityScheduler({ resourceCalculator: 'dominant', minimumAllocation: { mem: GB }, queues: { a: { capacity: 100 } } }), until: 9 })
    expect(recorder.launches.filter(({ stage }) => stage === 0).map(({ time }) => time)).toEqual([0, 1])
  })

  it('is found again when the cluster grows (TestLeafQueue.testActivateApplicationByUpdatingClusterResource)', () => {
    const jobs = [0, 1, 2].map((i): JobSpec => ({ id: `${i}`, user: 'ann', queue: 'a', submit: 0, stages: [{ name: 'master', tasks: 1, demand: { mem: 1 }, duration: 0, master: true }, { name: 'work', tasks: 1, demand: { mem: 1 }, duration: 100 }] }))
    const cluster = instantCluster({ nodes: [{ count: 2, resources: { mem: 15 } }] })
    const { recorder } = run({ cluster, jobs, policy: capacityScheduler({ queues: { a: { capacity: 100 } } }), until: 20, outages: [{ node: 1 as never, from: 0, to: 7 }] })
    expect(recorder.launches.filter(({ stage }) => stage === 0).map(({ time }) => time)).toEqual([0, 0, 7])
  })
})

describe('which masters are taken for other queues', () => {
  const eager = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
  /** Four jobs A to D of a, each with so many containers of so much; b wants so much: containers taken from each. */
  const taken = (capacity: number, percent: number, containers: number, size: number, wanted: number): number[] => {
    const stages = (tasks: number, am: boolean) => [...(am ? [{ name: 'master', tasks: 1, demand: { mem: size }, duration: 0, master: true }] : []), { name: 'work', tasks, demand: { mem: size }, duration: 1000 }]
    const jobs = [...['A', 'B', 'C', 'D'].map((id): JobSpec => ({ id, user: 'ann', queue: 'a', submit: 0, stages: stages(containers - 1, true) })), { id: 'E', user: 'bob', queue: 'b', submit: 10, stages: stages(wanted / size, false) }]
    const queues: CapacitySchedulerOptions['queues'] = { a: { capacity, maximumAmResourcePercent: percent, userLimitFactor: 20 }, b: { capacity: 100 - capacity, userLimitFactor: 20 } }
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 100 / size, resources: { mem: size } }] }), jobs, policy: capacityScheduler({ queues, preemption: eager }), until: 16 })
    return ['A', 'B', 'C', 'D'].map((id) => recorder.evictions.filter(({ job }) => job === id).length)
  }

  it.each<[string, readonly [number, number, number, number, number], readonly number[]]>([
    ['testSkipAMContainer: none while there are other containers', [50, 0.1, 25, 1, 50], [0, 2, 24, 24]],
    ['testPreemptSkippedAMContainers: the last two, where other containers are too few, with 2 of 20 allowed', [10, 0.2, 5, 5, 90], [4, 4, 5, 5]],
    ['testAMResourcePercentForSkippedAMContainers: the last two, of 20 with 5 allowed', [10, 0.5, 5, 5, 90], [4, 4, 5, 5]],
  ])('are as in Hadoop: %s', (_, [capacity, percent, containers, size, wanted], expected) => {
    expect(taken(capacity, percent, containers, size, wanted)).toEqual(expected)
  })

  it.each<[string, readonly (readonly [priority: number, used: number, pending: number])[], number, readonly number[]]>([
    ['testSkipAMContainersInInterQueuePreemption: one of each job is spared', [[1, 30, 10], [1, 10, 20], [2, 20, 20]], 30, [11, 9, 0]],
    ['testSkipAMContainersInInterQueuePreemptionSingleApp', [[1, 10, 10], [2, 40, 10]], 10, [9, 0]],
    ['testComplexIntraQueuePreemption, queue a', [[1, 5, 25], [4, 0, 25], [5, 0, 2]], 5, [4, 0, 0]],
  ])('none inside a queue: %s', (_, lines, most, expected) => {
    const user = { used: [100], limit: [100] }
    const inOrder = [...lines.keys()].sort((a, b) => (lines[b]?.[0] ?? 0) - (lines[a]?.[0] ?? 0) || a - b)
    const jobs = inOrder.map((i) => {
      const [priority, used, pending] = lines[i] as (typeof lines)[number]
      return { user, priority, used: [used], pending: [pending], chosen: [0], master: { asked: [Math.min(1, used)], used: [Math.min(1, used)] } }
    })
    const shares = insideQueue({ total: [100], jobs, divided: [lines.reduce((sum, [, used]) => sum + used, 0)], most: [most], minimum: [1], order: 'priority-first', conservativeDrf: true })
    expect(lines.map((__, i) => shares[inOrder.indexOf(i)]?.taken[0])).toEqual(expected)
  })
})
