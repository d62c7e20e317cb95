import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A queue: its percentage of the cluster, the part of that which it uses, in percent, and its priority. */
type State = readonly [capacity: number, used: number, priority?: number]
type Ordering = 'utilization' | 'priority-utilization'
/** The order in which queues a, b, ... start one small task each, in the default partition or in x, where then all their capacities are. */
function order(queueOrdering: Ordering, states: readonly State[], partition = ''): string {
  const names = [...'abcdefg'].slice(0, states.length)
  const total = states.reduce((sum, [capacity]) => sum + capacity, 0)
  const of = (capacity: number) => (partition === '' ? { capacity } : { capacity: 0, labels: { x: { capacity } } })
  const rest = { ...of(100 - total), ...(partition === '' ? {} : { capacity: 100 }) }
  const queues: CapacitySchedulerOptions['queues'] = { root: { queueOrdering }, ...Object.fromEntries(names.map((name, i) => [name, { ...of(states[i]![0]), priority: states[i]![2] ?? 0 }])), rest }
  const node = (name: string, mem: number, label = partition) => ({ names: [name], count: 1, resources: { mem }, ...(label !== '' && { labels: { partition: label } }) })
  const master = dispatcher({
    cluster: cluster({ nodes: [node('full', 9000), node('next', 1000), ...(partition === '' ? [] : [node('other', 100, '')])], heartbeat: { interval: 1 } }),
    policy: capacityScheduler({ queues, defaults: { userLimitFactor: -1, maximumApplications: 9 }, maximumOffswitchAssignments: 99 }),
  })
  const submit = (id: string, queue: string, mem: number) => {
    const spec = job({ id, queue, tasks: 1, demand: { mem } })
    const stages = spec.stages.map((stage) => ({ ...stage, ...(partition !== '' && { constraints: { require: { partition } } }) }))
    master.submit({ ...spec, stages }, 0)
  }
  for (const [i, [capacity, used]] of states.entries()) {
    if (used === 0 || capacity === 0) continue
    submit(`used ${names[i]}`, names[i]!, capacity * used)
    master.adopt({ job: `used ${names[i]}`, task: 0, node: 'full' }, 0)
  }
  for (const name of names) submit(name, name, 1)
  return master.heartbeat('next', 1).start.map((each) => each.job).join('')
}

// TestPriorityUtilizationQueueOrderingPolicy of Hadoop 3, with other numbers
describe('queues in one queue', () => {
  it.each<[string, readonly State[], string]>([
    ['the one with the least part first', [[20, 30], [30, 10]], 'ba'],
    ['so with three', [[20, 30], [30, 10], [40, 60]], 'bac'],
    ['whatever their priorities', [[20, 30, 2], [30, 10, 1], [40, 60, 0]], 'bac'],
    ['those with nothing in use by their size', [[20, 0], [30, 0]], 'ba'],
    ['those without a guarantee last, by name', [[0, 0], [30, 120], [0, 0]], 'bac'],
  ])('are served by utilization: %s (testUtilizationOrdering)', (_, states, expected) => {
    for (const partition of ['', 'x']) expect(order('utilization', states, partition)).toBe(expected)
  })

  it.each<[string, readonly State[], string]>([
    ['both below, of one priority', [[20, 30, 1], [30, 10, 1]], 'ba'],
    ['both above, of one priority', [[20, 110, 1], [30, 130, 1]], 'ab'],
    ['one below, one above', [[20, 10, 1], [30, 120, 1]], 'ab'],
    ['both above: the higher priority', [[20, 110, 1], [30, 130, 2]], 'ba'],
    ['both below: the higher priority', [[20, 10, 1], [30, 30, 2]], 'ba'],
    ['one below, whatever its priority', [[20, 10, 1], [30, 120, 2]], 'ab'],
    ['one below, one at its guarantee', [[20, 10, 1], [30, 100, 2]], 'ab'],
    ['both at their guarantees: the higher priority', [[20, 100, 1], [30, 100, 2]], 'ba'],
    ['five', [[20, 120, 1], [10, 100, 2], [10, 20, 0], [20, 110, 0], [30, 20, 3]], 'ecbad'],
    ['one without a guarantee', [[0, 0, 1], [30, 120, 1]], 'ba'],
    ['the other without a guarantee', [[30, 10, 1], [0, 0, 1]], 'ab'],
    ['two without a guarantee, by priority', [[0, 0, 1], [0, 0, 2], [10, 20, 0], [30, 110, 0], [30, 20, 3]], 'ecdba'],
  ])('are served by priority and utilization: %s (testPriorityUtilizationOrdering)', (_, states, expected) => {
    for (const partition of ['', 'x']) expect(order('priority-utilization', states, partition)).toBe(expected)
  })
})
