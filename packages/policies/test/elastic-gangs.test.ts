import { dispatcher } from '@sched/cluster'
import type { JobSpec, NodeId, Plug, StageSpec } from '@sched/core'
import { capacity, capacityScheduler, conservative, easy, fair, fifo, greedy, kaiPreempting, kueue, las, preempting, slurmPreempting, srtf, yarnFair } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { readyDisciplines } from './ready-disciplines.js'

// A gang with `minTasks`: so many start together and run on, the others follow one by one (Volcano minAvailable, PodGroup minMember).

const machine = instantCluster({ nodes: [{ name: 'n', count: 4, resources: { cpu: 2 } }] })
const gang = (change: Partial<StageSpec> & Partial<JobSpec> = {}) => job({ id: 'gang', submit: 1, estimate: 10, gang: true, tasks: 5, minTasks: 3, demand: { cpu: 1 }, ...change })
const startsOf = (policy: Plug<'policy'>, jobs: readonly JobSpec[], options: Partial<Parameters<typeof run>[0]> = {}) =>
  run({ cluster: machine, policy, jobs, ...options }).recorder.launches.filter((each) => each.job === 'gang').map(({ time, task }) => [time, task])
const timesOf = (...args: Parameters<typeof startsOf>) => startsOf(...args).map(([time]) => time)

const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
  ...readyDisciplines,
  easy: () => easy(),
  conservative: () => conservative(),
  capacity: () => greedy(capacity({ queues: {} })),
  'capacity-scheduler': () => capacityScheduler(),
  'yarn-fair': () => greedy(yarnFair()),
  kueue: () => kueue({ queues: { user: { nominalQuota: { cpu: 8 } } } }),
  'kai-preempting': () => kaiPreempting({}),
  las: () => las(),
  srtf: () => srtf(),
}

describe.each(Object.entries(policies))('%s', (_, policy) => {
  it('starts as many tasks of the gang together as must, and the others as there is room', () => {
    const first = (tasks: number) => job({ id: 'first', tasks, estimate: 10, demand: { cpu: 1 }, duration: 10 })
    expect(timesOf(policy(), [first(5), gang()])).toEqual([1, 1, 1, 10, 10]) // 3 are free
    expect(timesOf(policy(), [first(6), gang()])).toEqual([10, 10, 10, 10, 10]) // 2 are
    expect(timesOf(policy(), [first(4), gang()])).toEqual([1, 1, 1, 1, 10])
  })

  it('runs a gang of which the cluster has room for some tasks only, in waves', () => {
    expect(timesOf(policy(), [gang({ tasks: 9, minTasks: 8, submit: 0 })])).toEqual([...Array<number>(8).fill(0), 10])
    expect(() => timesOf(policy(), [gang({ tasks: 10, minTasks: 9 })])).toThrow(/starts 9 tasks of .* at once/)
  })
})

describe('a gang that loses tasks', () => {
  const outage = (node: number, from: number) => ({ node: node as NodeId, from, to: 100, drain: false })

  it('goes on while so many are left as must, those that have ended counted, and starts anew with all otherwise', () => {
    // tasks 0 and 1 on n-0, 2 and 3 on n-1, 4 on n-2
    const policy = () => greedy(fifo())
    expect(startsOf(policy(), [gang({ submit: 0 })], { outages: [outage(1, 4)] })).toEqual([[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [4, 2], [4, 3]])
    expect(startsOf(policy(), [gang({ submit: 0, minTasks: 4 })], { outages: [outage(1, 4)] })).toEqual([...[0, 1, 2, 3, 4].map((task) => [0, task]), ...[0, 1, 2, 3, 4].map((task) => [4, task])])
    const durations = [1, 2, 10, 10, 10]
    expect(startsOf(policy(), [gang({ submit: 0, minTasks: 3, duration: durations })], { outages: [outage(1, 4)] }).slice(5)).toEqual([[4, 2], [4, 3]])
  })

  it('fails in part where a task of it fails', () => {
    const { recorder } = run({ cluster: machine, policy: greedy(fifo()), jobs: [gang({ submit: 0, minTasks: 1 }), gang({ id: 'whole', submit: 0, tasks: 3, minTasks: 3 })], failures: { probability: 0.3, maxAttempts: 100 }, seed: 4 })
    const ends = recorder.events.flatMap((event) => (event.kind === 'end' && event.how === 'failed' ? [event] : []))
    const together = (id: string) => new Set(ends.filter((each) => each.job === id).map(({ time }) => ends.filter((each) => each.job === id && each.time === time).length))
    expect([together('gang'), together('whole')]).toEqual([new Set([1]), new Set([3])])
  })
})

describe('preemption', () => {
  it.each<[string, () => Plug<'policy'>]>([
    ['preempting', () => preempting(greedy(fair({ pools: { b: { minShare: 2 } } })), { minTimeout: 1 })],
    ['kai-preempting', () => kaiPreempting({ queues: { a: { resources: { cpu: { quota: 4 } } }, b: { resources: { cpu: { quota: 4 } } } } })],
  ])('%s takes what a gang can do without, and leaves as many as must', (_, policy) => {
    const { recorder } = run({ cluster: machine, policy: policy(), jobs: [gang({ submit: 0, queue: 'a', tasks: 8, minTasks: 4, duration: 100 }), job({ id: 'b', submit: 5, queue: 'b', tasks: 2, demand: { cpu: 1 } })], until: 50 })
    const evicted = recorder.events.flatMap((event) => (event.kind === 'end' && event.how === 'evicted' ? [event.task] : []))
    expect(evicted.sort()).toEqual([6, 7])
  })

  it('starts none of a gang alone in the round in which the others are taken', () => {
    // two tasks of the gang run at 8 s, and the third waits; at 11 s the two go, and one of their nodes is free until 21 s, when both are
    const tiers = { a: 3 }
    const jobs = [job({ id: 'first', queue: 'a', submit: 7, tasks: 4, demand: { cpu: 1 }, duration: 100 }), job({ id: 'last', queue: 'a', submit: 11, demand: { cpu: 1 } })]
    const { recorder } = run({ cluster: machine, policy: slurmPreempting(greedy(fifo()), { tiers }), jobs: [gang({ submit: 8, tasks: 3, minTasks: 2, demand: { cpu: 2 }, duration: 100 }), ...jobs], until: 50 })
    expect(recorder.launches.filter((each) => each.job === 'gang').map(({ time }) => time)).toEqual([8, 8, 21, 21])
  })

  it('takes all of a gang with a task that it cannot do without', () => {
    const master = dispatcher({ cluster: machine, policy: kaiPreempting({ queues: { a: { resources: { cpu: { quota: 0 } } }, b: { resources: { cpu: { quota: 8 } } } } }) })
    master.submit({ ...gang({ queue: 'a', tasks: 8, minTasks: 4 }) }, 0)
    expect(master.pass(0).start).toHaveLength(8)
    master.submit(job({ id: 'b', queue: 'b', tasks: 5, gang: true, demand: { cpu: 1 } }), 1)
    expect(master.pass(2).kill).toHaveLength(8)
  })
})
