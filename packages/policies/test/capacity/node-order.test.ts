import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, job, run, type JobChange } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Node = readonly [mem: number, cpu: number]
const asking = (id: string, tasks: number, mem: number, change: JobChange = {}) => job({ id, tasks, demand: { mem, cpu: 1 }, duration: 1000, ...change })
/** Nodes of all starts, in their order. */
const order = (nodes: readonly Node[], jobs: readonly ReturnType<typeof asking>[], options: CapacitySchedulerOptions, heartbeat?: number) => {
  const each = nodes.map(([mem, cpu], i) => ({ name: `n${i}`, count: 1, resources: { cpu, mem } }))
  const cluster = heartbeat === undefined ? instantCluster({ nodes: each }) : { nodes: each, heartbeat: { interval: heartbeat } }
  const { recorder } = run({ cluster, jobs, policy: capacityScheduler({ maximumOffswitchAssignments: 1000, ...options }), until: 50 })
  return recorder.launches.map(({ job: id, node }) => `${id}@${/\d+/.exec(node)?.[0]}`)
}
const spread = { nodeOrder: 'least-used' } as const

describe('the order of nodes', () => {
  it('is by what is in use, then by id (testMultiNodeSorterForSchedulingWithOrdering)', () => {
    const four = Array.from({ length: 4 }, (): Node => [10, 10])
    const jobs = [asking('big', 1, 2), asking('small', 1, 1, { submit: 1 }), asking('late', 4, 1, { submit: 2 })]
    expect(order(four, jobs, spread)).toEqual(['big@0', 'small@1', 'late@2', 'late@3', 'late@1', 'late@2'])
    expect(order(four, jobs, {})).toEqual(['big@0', 'small@0', 'late@0', 'late@0', 'late@0', 'late@0'])
  })

  it('is by memory before other resources, in amounts, not in parts', () => {
    // n0 has 4 of 100 in use, n1 3 of 5; cpu comes first among the resources
    const jobs = [asking('x', 1, 4), asking('y', 1, 3, { submit: 1 }), asking('z', 2, 1, { submit: 2 })]
    expect(order([[100, 9], [5, 9]], jobs, spread)).toEqual(['x@0', 'y@1', 'z@1', 'z@0'])
  })

  it('is that of heartbeats where there are any', () => {
    const two: Node[] = [[10, 10], [10, 10]]
    expect(order(two, [asking('a', 4, 1)], spread, 1)).toEqual(order(two, [asking('a', 4, 1)], {}, 1))
  })

  it('passes over reserved nodes (testAllocateForReservedContainer)', () => {
    // large finds 3 free on n0 and 4 on n1, and keeps n0; the small node is too small for it
    const jobs = [asking('a', 2, 5), asking('large', 1, 6, { submit: 1 }), asking('b', 4, 1, { submit: 2, user: 'bob' })]
    expect(order([[8, 9], [9, 9], [3, 9]], jobs, { ...spread, queues: { q: { capacity: 100, userLimitFactor: -1 } }, mappings: ['u:%user:q'], overrideWithMappings: true })).toEqual(['a@0', 'a@1', 'b@2', 'b@2', 'b@2', 'b@1'])
  })

  it('starts a job where a task was killed for it (TestCapacitySchedulerMultiNodesWithPreemption.testAllocateReservationFromOtherNode)', () => {
    // a has all of 6; b wants 1 of its half: the newest task but for the master has 1
    const policy = capacityScheduler({ queues: { a: { capacity: 50 }, b: { capacity: 50 } }, defaults: { userLimitFactor: 10, maximumAmResourcePercent: 1 }, maximumOffswitchAssignments: 9, ...spread, preemption: { maxWaitBeforeKill: 10, monitoringInterval: 1.5, totalPreemptionPerRound: 1, naturalTerminationFactor: 1 } })
    const stage = (mem: number) => ({ name: `of ${mem}`, tasks: 1, demand: { mem }, duration: 1000 })
    const a = { id: 'a', submit: 0, queue: 'a', stages: [{ ...stage(3), duration: 0, master: true }, stage(2), stage(1)] }
    const { recorder } = run({ cluster: instantCluster({ nodes: [1, 2, 3].map((mem) => ({ name: `n${mem}`, count: 1, resources: { mem } })) }), jobs: [a, { id: 'b', submit: 5, queue: 'b', stages: [stage(1)] }], policy, until: 30 })
    expect([recorder.evictions, recorder.launches.filter((each) => each.job === 'b')].map((events) => events.map(({ time, node }) => [time, node]))).toEqual([[[16.5, 'n1-0']], [[16.5, 'n1-0']]]) // marked at 6 s
  })

  it('is that of a look at all nodes before each start, in any small world', () => {
    const node = fc.tuple(fc.integer({ min: 3, max: 9 }), fc.integer({ min: 1, max: 9 }))
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 40 }), (nodes, mem, tasks) => {
        const used = nodes.map(() => 0)
        const plain: string[] = []
        const least = () => nodes.map((_, i) => i).filter((i) => (used[i] as number) + 1 <= Math.min(Math.floor((nodes[i] as Node)[0] / mem), (nodes[i] as Node)[1])).sort((a, b) => (used[a] as number) - (used[b] as number) || a - b)[0]
        for (let next = least(); next !== undefined && plain.length < tasks; next = least()) {
          plain.push(`a@${next}`)
          used[next] = (used[next] as number) + 1
        }
        expect(order(nodes, [asking('a', tasks, mem)], { ...spread, reservations: false })).toEqual(plain)
      }),
      { seed: 4, numRuns: 60 },
    )
  })
})
