import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { expect, it } from 'vitest'

// The controller kueue-priority-booster of Kueue: workloads of one priority take turns under `withinClusterQueue: LowerPriority`.

type Turn = readonly [id: string, submit: number, duration: number, priority?: number]

/** Who starts, `time +id`, and is preempted, `time -id`, of workloads of 2 CPUs in a queue of 2. */
function turns(timeSharing: KueueOptions['timeSharing'], ...jobs: readonly Turn[]): string {
  const policy = kueue({ queues: { a: { nominalQuota: { cpu: 2 }, preemption: { withinClusterQueue: 'LowerPriority' } } }, ...(timeSharing && { timeSharing }) })
  const specs = jobs.map(([id, submit, duration, priority = 0]) => job({ id, submit, duration, queue: 'a', priority, demand: { cpu: 2 } }))
  const { recorder } = run({ policy, cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 2 } }] }), jobs: specs })
  return recorder.events.flatMap((each) => (each.kind === 'launch' ? [`${each.time} +${each.job}`] : each.kind === 'end' && each.how === 'evicted' ? [`${each.time} -${each.job}`] : [])).join(', ')
}

it('a workload gives way to an equal one once it has been admitted for the interval', () => {
  const two: readonly Turn[] = [['first', 0, 100], ['second', 10, 60]]
  expect(turns(undefined, ...two)).toBe('0 +first, 100 +second')
  expect(turns({ interval: 70 }, ...two)).toBe('0 +first, 70 -first, 70 +second, 130 +first')
})

it('a workload that comes after that finds it lowered', () => {
  expect(turns({ interval: 30 }, ['first', 0, 100], ['second', 50, 20])).toBe('0 +first, 50 -first, 50 +second, 70 +first')
})

it('a workload is lowered by so much, and those of higher priority not at all', () => {
  const two: readonly Turn[] = [['first', 0, 100, 5], ['second', 10, 20, 5]]
  const [never, turn] = ['0 +first, 100 +second', '0 +first, 30 -first, 30 +second, 50 +first']
  expect([0, 1].map((negativeBoost) => turns({ interval: 30, negativeBoost }, ...two))).toEqual([never, turn])
  expect([4, 5].map((maxWorkloadPriority) => turns({ interval: 30, maxWorkloadPriority }, ...two))).toEqual([never, turn])
})

it('a workload that is admitted again has its priority back', () => {
  expect(turns({ interval: 30 }, ['first', 0, 40], ['second', 10, 25], ['third', 50, 10])).toBe('0 +first, 30 -first, 30 +second, 55 +first, 85 -first, 85 +third, 95 +first')
})
