import { capacityScheduler, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

type Asked = readonly [queue: string, submit: number, seconds: number, tasks?: number, label?: string]
type Nodes = readonly { readonly mem: number; readonly label?: string }[]
/**
 * Tasks of 1 GB that start at once, of each job. A user may have what its queue is guaranteed and one task more; of a queue that is guaranteed nothing as much
 * as there is: so the number tells the guarantee.
 */
const starts = (jobs: readonly Asked[], made: CapacityQueueOptions, options: CapacitySchedulerOptions = {}, nodes: Nodes = [{ mem: 100 }]) => {
  const policy = capacityScheduler({
    queues: { made: { capacity: 50, autoCreate: true, ...made }, other: { capacity: 50 } },
    maximumOffswitchAssignments: 1000,
    maximumContainerAssignments: -1,
    ...options,
  })
  const { recorder } = run({
    cluster: instantCluster({ nodes: nodes.map(({ mem, label }, i) => ({ name: `n${i}`, count: 1, resources: { mem }, ...(label !== undefined && { labels: { partition: label } }) })) }),
    jobs: jobs.map(([queue, submit, duration, tasks = 1, label], i) => {
      const spec = job({ id: `${i}`, user: queue, queue: `made.${queue}`, submit, tasks, duration, demand: { mem: 1 } })
      return { ...spec, stages: spec.stages.map((stage) => ({ ...stage, ...(label !== undefined && { constraints: { require: { partition: label } } }) })) }
    }),
    policy,
    until: 1000,
  })
  return jobs.map(([, submit], i) => recorder.launches.filter((each) => each.job === `${i}` && each.time === submit).length)
}
const tenths = { template: { capacity: 40, userLimitFactor: 1 } } // 20 GB each, so that there is room for two
const managed = { queueManagementInterval: 15 }

describe('percentages and amounts of queues made at first use', () => {
  it('go from those without jobs to those with jobs that have none, at the next look (testAutoCreatedQueueActivationDeactivation)', () => {
    const long = 900
    const others: Asked[] = [['x', 0, long], ['y', 0, 10], ['z', 0, long]]
    const asks = (submit: number): Asked => ['z', submit, 50, 90]
    expect([14, 15].map((time) => starts([...others, asks(time)], tenths, managed)[3])).toEqual([90, 20])
    expect(starts([...others, asks(500)], tenths)[3]).toBe(90) // nothing moves where nobody looks
  })

  it('come back to nobody while all of them are given away', () => {
    const others: Asked[] = [['x', 0, 40], ['y', 0, 10], ['z', 0, 900]]
    const back: Asked = ['y', 20, 900] // 20 of 50 are x's, 20 are z's; x ends at 40
    expect([44, 45].map((time) => starts([...others, back, ['y', time, 50, 90]], tenths, managed)[4])).toEqual([90, 20])
  })

  it('are given in the order in which jobs came, not queues', () => {
    // z was made first, but its job came after that of w when y ends
    const jobs: Asked[] = [['x', 0, 900], ['y', 0, 40], ['z', 1, 1], ['w', 5, 900], ['z', 6, 900]]
    const asks = (queue: string): Asked => [queue, 50, 20, 70]
    expect(['w', 'z'].map((queue) => starts([...jobs, asks(queue)], tenths, managed)[5])).toEqual([20, 70])
  })

  it('are all or nothing where they are amounts, too (TestAbsoluteResourceWithAutoQueue.testAutoCreateLeafQueueCreation)', () => {
    const queues = { made: { capacity: { mem: 25 }, autoCreate: true, template: { capacity: { mem: 10 }, userLimitFactor: 1 } }, other: { capacity: { mem: 75 } } }
    const jobs: Asked[] = [['x', 0, 900], ['y', 0, 10], ['z', 0, 900]]
    const of = (queue: string, submit: number, options: CapacitySchedulerOptions) => starts([...jobs, [queue, submit, 50, 60]], {}, { queues, ...options })[3]
    expect([of('x', 5, {}), of('y', 5, {}), of('z', 5, {})]).toEqual([10, 10, 60])
    expect([of('x', 20, managed), of('z', 20, managed)]).toEqual([10, 10])
  })

  it('are of memory alone where that alone counts', () => {
    // 4 of 5 cores for the first would leave none for the second
    const queues = { made: { capacity: { mem: 25, cpu: 5 }, autoCreate: true, template: { capacity: { mem: 10, cpu: 4 }, userLimitFactor: 1 } }, other: { capacity: { mem: 75, cpu: 5 } } }
    const second = (resourceCalculator: 'default' | 'dominant') => {
      const { recorder } = run({
        cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100, cpu: 1000 } }] }),
        jobs: ['x', 'y'].map((queue) => job({ id: queue, user: queue, queue: `made.${queue}`, tasks: 60, duration: 900, demand: { mem: 1, cpu: 1 } })),
        policy: capacityScheduler({ queues, resourceCalculator, maximumOffswitchAssignments: 1000, maximumContainerAssignments: -1 }),
        until: 1,
      })
      return recorder.launches.filter((each) => each.job === 'y').length
    }
    expect([second('default'), second('dominant')]).toEqual([11, 60])
  })

  it('are managed in the legacy mode alone', () => {
    expect(() => capacityScheduler({ legacyQueueMode: false, ...managed })).toThrow('queueManagementInterval: found 15, expected nothing with `legacyQueueMode: false`')
  })

  it('refuse a job for whose queue nothing is left, where the queue around says so (testAutoCreationFailsWhenParentCapacityExceeded)', () => {
    const jobs: Asked[] = [['x', 0, 900], ['y', 0, 10], ['z', 0, 900], ['z', 5, 10], ['z', 20, 10]]
    const of = (failOnExceedingCapacity: boolean) => starts(jobs, { ...tenths, failOnExceedingCapacity }, managed)
    expect([of(true), of(false)]).toEqual([[1, 1, 0, 0, 1], [1, 1, 1, 1, 1]])
  })

  it('are by partition: a third queue has its part of one that has room for it, and none of the other', () => {
    const template = { capacity: 40, userLimitFactor: 1, labels: { gpu: { capacity: 30 } } }
    const made: CapacityQueueOptions = { template, labels: { gpu: { capacity: 100 } } }
    const nodes: Nodes = [{ mem: 100 }, { mem: 100, label: 'gpu' }]
    const jobs: Asked[] = [['x', 0, 900], ['y', 0, 900], ['z', 0, 900], ['w', 0, 900]]
    const of = (queue: string, ...label: readonly [string?]) => starts([...jobs, [queue, 5, 50, 60, ...label]], made, {}, nodes)[4]
    expect([of('x'), of('z'), of('z', 'gpu'), of('w', 'gpu')]).toEqual([20, 60, 31, 60])
  })

  it('are moved by partition, too (testAutoCreatedQueueActivationDeactivation)', () => {
    // x, y and z have 30 each of gpu, and x and y alone their part of the others; when y ends, its gpu goes to w, the rest to z
    const template = { capacity: 50, userLimitFactor: 1, labels: { gpu: { capacity: 30 }, ssd: { capacity: 40 } } }
    const made: CapacityQueueOptions = { template, labels: { gpu: { capacity: 100 }, ssd: { capacity: 100 } } }
    const nodes: Nodes = [{ mem: 100 }, { mem: 100, label: 'gpu' }, { mem: 100, label: 'ssd' }]
    const jobs: Asked[] = [['x', 0, 900], ['y', 0, 10], ['z', 0, 900], ['w', 0, 900]]
    const labels: readonly (readonly [string?])[] = [[], ['gpu'], ['ssd']]
    const at = (submit: number, queue: string) => labels.map((label) => starts([...jobs, [queue, submit, 50, 60, ...label]], made, managed, nodes)[4])
    expect([at(1, 'x'), at(1, 'z'), at(1, 'w')]).toEqual([[25, 31, 41], [60, 31, 60], [60, 60, 60]])
    expect([at(20, 'x'), at(20, 'z'), at(20, 'w')]).toEqual([[25, 31, 41], [25, 31, 41], [60, 31, 60]])
  })
})
