import { dispatcher } from '@sched/cluster'
import type { Constraints } from '@sched/core'
import { capacityScheduler, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Situations of TestNodeLabelContainerAllocation, TestCapacitySchedulerWeightMode and TestFifoOrderingPolicyWithExclusivePartitions of Hadoop 3, named at each.

type Queues = NonNullable<CapacitySchedulerOptions['queues']>
const standing = (nodes: readonly (readonly [name: string, mem: number, partition?: string])[], queues: Queues, options: CapacitySchedulerOptions = {}) => {
  const master = dispatcher({
    cluster: cluster({ nodes: nodes.map(([name, mem, partition]) => ({ name, count: 1, resources: { mem }, ...(partition !== undefined && { labels: { partition } }) })), heartbeat: { interval: 1 } }),
    policy: capacityScheduler({ queues, ...options }),
  })
  let now = 0
  const submit = (id: string, queue: string, tasks = 1, partition?: string, priority = 0) => {
    const constraints: Constraints | undefined = partition === undefined ? undefined : { require: { partition } }
    const spec = job({ id, queue, user: 'ann', tasks, priority, demand: { mem: 1 } })
    master.submit({ ...spec, stages: spec.stages.map((stage) => ({ ...stage, ...(constraints !== undefined && { constraints }) })) })
  }
  const beat = (node: string) => master.heartbeat(`${node}-0`, ++now).start.map((task) => task.job).join() || '-'
  return { submit, beat }
}
const weight = (value: number) => ({ capacity: `${value}w` })
const part = (value: number) => ({ capacity: value })

describe('partitions, as in Hadoop', () => {
  it.each([
    ['percentages', part, part],
    ['weights', weight, weight],
    ['percentages in weights', weight, part],
    ['weights in percentages', part, weight],
  ] as const)('serve queues that may use them, by %s (testContainerAllocateWithComplexLabels and its three with weights)', (_, above, inside) => {
    // a.a may use x and y, b.a no partition, b.b y and z; of the 2 GB without a label b.a and b.b may each have half
    const one = inside(100)
    const half: CapacityQueueOptions = { ...inside(50), maximumCapacity: 50 }
    const { submit, beat } = standing([['x', 2, 'x'], ['y', 2, 'y'], ['y2', 2, 'y'], ['z', 2, 'z'], ['none', 2]], {
      a: { ...above(10), maximumCapacity: 10, accessibleLabels: ['x', 'y'], labels: { x: above(100), y: above(50) } },
      'a.a': { ...one, accessibleLabels: ['x', 'y'], defaultLabelExpression: 'x', labels: { x: one, y: one } },
      b: { ...above(90), accessibleLabels: ['y', 'z'], labels: { y: above(50), z: above(100) } },
      'b.a': { ...half, accessibleLabels: [] },
      'b.b': { ...half, accessibleLabels: ['y', 'z'], labels: { y: one, z: one } },
    })
    submit('x', 'a.a')
    submit('y', 'a.a', 1, 'y')
    expect(['y', 'x', 'y'].map(beat)).toEqual(['y', 'x', '-'])
    submit('first', 'b.a')
    expect(beat('none')).toBe('first')
    submit('second', 'b.a')
    expect(['z', 'none'].map(beat)).toEqual(['-', '-']) // its maximum is reached
    submit('other', 'b.b')
    submit('other y', 'b.b', 1, 'y')
    submit('other z', 'b.b', 1, 'z')
    expect(['none', 'x', 'y2', 'x', 'z'].map(beat)).toEqual(['other', '-', 'other y', '-', 'other z'])
  })

  it('let a user have as much as its limit of each says (testContainerAllocationWithSingleUserLimits)', () => {
    const { submit, beat } = standing([['x', 8, 'x'], ['none', 8]], { a: { ...part(10), maximumCapacity: 15, labels: { x: part(100) } }, b: part(90) })
    submit('any', 'a', 3)
    submit('x', 'a', 9, 'x')
    expect([1, 2, 3].map(() => beat('none'))).toEqual(['any', '-', '-']) // 15 % of 8 is one
    expect(Array.from({ length: 9 }, () => beat('x'))).toEqual([...Array<string>(8).fill('x'), '-'])
  })

  it('that are lent serve those that may use them and have a part, and their queues evenly (testPreferenceOfQueuesTowardsNodePartitions)', () => {
    const parent = (value: number) => ({ ...part(value), labels: { x: part(value) } })
    const own = { ...part(50), defaultLabelExpression: 'x', labels: { x: part(100) } }
    const other = { ...part(50), labels: { x: part(0) } }
    const { submit, beat } = standing([['x', 20, 'x'], ['none', 100]], { a: parent(33), b: parent(33), c: parent(34), 'a.own': own, 'a.other': other, 'b.own': own, 'b.other': other, 'c.own': own, 'c.other': other }, { exclusiveLabels: [] })
    const queues = ['a', 'b', 'c'].flatMap((name) => [`${name}.own`, `${name}.other`])
    for (const queue of queues) submit(queue, queue, 6)
    const started = Array.from({ length: 18 }, () => beat('x'))
    expect(started.toSorted()).toEqual(['a.own', 'b.own', 'c.own'].flatMap((queue) => Array<string>(6).fill(queue)))
  })

  it('have their jobs each in an order of its own, by priority and submission (testSingleExclusiveEnforcedPartition, testMultipleExclusiveEnforcedPartitions)', () => {
    const { submit, beat } = standing([['x', 9, 'x'], ['y', 9, 'y'], ['none', 9]], { a: { ...part(100), labels: { x: part(100), y: part(100) } } }, { maximumApplicationPriority: 1, maximumOffswitchAssignments: 9 })
    const jobs = [['x1'], ['none1', 1], ['y1'], ['x2'], ['none2'], ['y2', 1], ['x3', 1], ['none3']] as const
    for (const [id, priority] of jobs) submit(id, 'a', 1, id.startsWith('none') ? undefined : id.charAt(0), priority)
    expect(['y', 'x', 'none'].map(beat)).toEqual(['y2,y1', 'x3,x1,x2', 'none1,none2,none3'])
  })
})
