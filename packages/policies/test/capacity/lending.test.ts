import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job, run } from '@sched/testkit'
import type { Constraints } from '@sched/core'
import { describe, expect, it } from 'vitest'

/** A node of 10 GB in the default partition and one of 10 GB in x, which is lent. */
const description = { nodes: [{ name: 'plain', count: 1, resources: { mem: 10 } }, { name: 'x', count: 1, resources: { mem: 10 }, labels: { partition: 'x' } }] }
const onX: Constraints = { require: { partition: 'x' } }
const asking = (id: string, queue: string, tasks: number, constraints?: Constraints) => {
  const spec = job({ id, queue, user: id, tasks, demand: { mem: 1 }, duration: 500 })
  return constraints === undefined ? spec : { ...spec, stages: spec.stages.map((stage) => ({ ...stage, constraints })) }
}
const standing = (queues: NonNullable<CapacitySchedulerOptions['queues']>, options: CapacitySchedulerOptions = {}) => {
  const master = dispatcher({ cluster: cluster(description), policy: capacityScheduler({ queues, exclusiveLabels: [], ...options }) })
  let time = 0
  const beat = (node: 'plain' | 'x') => master.heartbeat(`${node}-0`, ++time).start.map((task) => task.job).join() || '-'
  return { master, beat, beats: (node: 'plain' | 'x', times: number) => Array.from({ length: times }, () => beat(node)) }
}
const ab = { a: { capacity: 50, labels: { x: { capacity: 100 } } }, b: { capacity: 50, accessibleLabels: [], userLimitFactor: 5 } }

// as TestNodeLabelContainerAllocation of Hadoop 3, with other amounts
describe('partitions that are lent', () => {
  it('serve jobs of the default partition that were tried on as many nodes as there are, since they started there (testQueuesWithoutAccessUsingPartitionedNodes)', () => {
    const { master, beat } = standing(ab)
    master.submit(asking('job', 'b', 30))
    const seen = Array.from({ length: 22 }, () => [beat('x'), beat('plain')])
    // while the plain node has room each start there begins the count anew: 1 on x, 2 on the plain node
    expect(seen.slice(0, 10)).toEqual(Array(10).fill(['-', 'job']))
    expect(seen.slice(10)).toEqual([['-', '-'], ...Array<string[]>(10).fill(['job', '-']), ['-', '-']]) // 1, then 2 of 2 nodes and more
  })

  it('count nodes that are up alone', () => {
    const { master, beats } = standing(ab)
    master.nodeDown('plain-0')
    master.submit(asking('job', 'b', 2))
    expect(beats('x', 2)).toEqual(['job', 'job'])
    master.nodeUp('plain-0')
    master.submit(asking('late', 'b', 1))
    expect(beats('x', 2)).toEqual(['-', 'late'])
  })

  it('serve nobody else while they are exclusive, or their own jobs wait (testPreferenceOfNeedyAppsTowardsNodePartitions)', () => {
    const exclusive = standing(ab, { exclusiveLabels: ['x'] })
    exclusive.master.submit(asking('job', 'b', 30))
    expect(exclusive.beats('x', 5)).toEqual(Array(5).fill('-'))
    const { master, beats } = standing(ab)
    master.submit(asking('plain', 'a', 30))
    master.submit(asking('labelled', 'a', 4, onX))
    expect(beats('x', 7)).toEqual([...Array<string>(4).fill('labelled'), '-', 'plain', 'plain'])
  })

  it('are lent in full, whatever the maxima of queues there (testQueueMaxCapacitiesWillNotBeHonoredWhenNotRespectingExclusivity)', () => {
    const half = { capacity: 50, labels: { x: { capacity: 50, maximumCapacity: 50 } } }
    const { master, beats } = standing({ a: half, b: half })
    master.submit(asking('job', 'a', 30))
    expect(beats('x', 12)).toEqual(['-', ...Array<string>(10).fill('job'), '-'])
  })

  it('serve queues that may use them first, then by what they use of their capacity there, then by name (testOrderOfAllocationOnPartitions)', () => {
    const plain = { capacity: 25, accessibleLabels: [], userLimitFactor: -1 }
    const { master, beats } = standing({ a: { capacity: 25, labels: { x: { capacity: 30 } }, userLimitFactor: -1 }, b: { capacity: 25, labels: { x: { capacity: 70 } }, userLimitFactor: -1 }, c: plain, d: plain })
    master.submit(asking('a', 'a', 1, onX))
    master.submit(asking('b', 'b', 2, onX))
    expect(beats('x', 3)).toEqual(['b', 'a', 'b']) // 0 of 7 before 0 of 3, then 0 of 3 before 1 of 7, 1 of 3
    for (const id of ['d1', 'c1', 'b1', 'a1']) master.submit(asking(id, id.charAt(0), 2))
    // all are tried once at the first beat; b has 2 of 7, a 1 of 3; b twice, which makes 4 of 7; a; then c and d, by turns
    expect(beats('x', 8)).toEqual(['-', 'b1', 'a1', 'b1', 'a1', 'c1', 'd1', 'c1'])
  })

  it('take no masters, which wait for a node of their own, and are not counted as tried meanwhile (am.allow-non-exclusive-allocation of YARN is false)', () => {
    const { master, beats } = standing(ab)
    const spec = asking('job', 'b', 3)
    master.submit({ ...spec, stages: [{ name: 'master', tasks: 1, demand: { mem: 1 }, duration: 0, master: true }, ...spec.stages] })
    expect(beats('x', 5)).toEqual(Array(5).fill('-'))
    expect(beats('plain', 1)).toEqual(['job'])
    expect(beats('x', 4)).toEqual(['-', 'job', 'job', 'job'])
  })

  it('come after all nodes of the default partition where there are no heartbeats', () => {
    const jobs = [asking('job', 'b', 14), asking('own', 'a', 3, onX)]
    const { recorder } = run({ cluster: instantCluster({ ...description, nodes: [...description.nodes].reverse() }), jobs, policy: capacityScheduler({ queues: ab, exclusiveLabels: [] }), until: 100 })
    const counts = new Map<string, number>()
    for (const { job: id, node } of recorder.launches) counts.set(`${id} on ${node}`, (counts.get(`${id} on ${node}`) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ 'job on plain-0': 10, 'job on x-0': 4, 'own on x-0': 3 })
  })

  it('are taken back for their own jobs', () => {
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const jobs = [asking('job', 'b', 20), { ...asking('own', 'a', 7, onX), submit: 10 }]
    const { recorder } = run({ cluster: instantCluster(description), jobs, policy: capacityScheduler({ queues: ab, exclusiveLabels: [], preemption }), until: 100 })
    expect(recorder.evictions.map(({ job: id, node }) => `${id} ${node}`)).toEqual(Array(7).fill('job x-0'))
    expect(recorder.launches.filter(({ job: id }) => id === 'own')).toHaveLength(7)
  })

  it('are taken back from those they were lent to before others (testNodePartitionPreemptionOfIgnoreExclusivityAndRespectCapacity)', () => {
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const queues = { a: { capacity: 50, labels: { x: { capacity: 50 } } }, b: { capacity: 50, labels: { x: { capacity: 50 } } } }
    // lent has both nodes but for what ownA has on x later than it: of A's 10 of 10 there 5 are to go, though lent came first
    const jobs = [{ ...asking('lent', 'a', 13), submit: 0 }, { ...asking('ownA', 'a', 7, onX), submit: 1 }, { ...asking('ownB', 'b', 5, onX), submit: 10 }]
    const { recorder } = run({ cluster: instantCluster(description), jobs, policy: capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, exclusiveLabels: [], preemption }), until: 100 })
    expect(recorder.evictions.map(({ job: id, node }) => `${id} ${node}`)).toEqual([...Array<string>(3).fill('lent x-0'), ...Array<string>(2).fill('ownA x-0')])
  })
})
