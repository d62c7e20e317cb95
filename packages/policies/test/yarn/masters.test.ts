import type { JobSpec } from '@sched/core'
import { greedy, yarnFair, yarnPreempting, type YarnFairOptions } from '@sched/policies'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const managed = (id: string, am: number, change: { submit?: number; duration?: number; tasks?: number; queue?: string; vcores?: number } = {}): JobSpec => {
  const { submit = 0, duration = 1000, tasks = 1, queue = 'a', vcores = 1 } = change
  return { id, queue, submit, stages: [{ name: 'master', tasks: 1, demand: { memory: am, vcores }, duration: 0, master: true }, { name: 'work', tasks, demand: { memory: 1, vcores: 1 }, duration }] }
}
const machine = (memory: number, vcores = 1000, count = 1) => instantCluster({ nodes: [{ count, resources: { memory, vcores } }] })
/** When each job's master first starts. */
const started = (jobs: readonly JobSpec[], options: YarnFairOptions = {}, cluster = machine(20), until = 999) => {
  const { recorder } = run({ cluster, jobs, policy: greedy(yarnFair(options)), until })
  return Object.fromEntries(recorder.launches.filter(({ stage }) => stage === 0).map(({ job, time }) => [job, time]))
}

describe('the part of a queue of yarn-fair that masters may have', () => {
  it('is half of its fair share (FSLeafQueue.canRunAppAM), other jobs wait for one to end', () => {
    expect(started([managed('0', 5, { duration: 10 }), managed('1', 5), managed('2', 5)])).toEqual({ 0: 0, 1: 0, 2: 10 })
  })

  it('shrinks where other queues have jobs', () => {
    // 10 each, 5 for masters
    expect(started([managed('b', 1, { queue: 'b' }), managed('0', 3, { duration: 10 }), managed('1', 3)])).toEqual({ b: 0, 0: 0, 1: 10 })
  })

  it('is as the queue says, as the default says, or without limit at -1', () => {
    const jobs = [managed('0', 5, { duration: 10 }), managed('1', 5, { duration: 10 }), managed('2', 5)]
    expect(started(jobs, { root: { queues: { a: { maxAMShare: 0.25 } } } })).toEqual({ 0: 0, 1: 10, 2: 20 })
    expect(started(jobs, { defaults: { maxAMShare: 0.75 } })).toEqual({ 0: 0, 1: 0, 2: 0 })
    expect(started(jobs, { root: { queues: { a: { maxAMShare: -1 } } }, defaults: { maxAMShare: 0.25 } })).toEqual({ 0: 0, 1: 0, 2: 0 })
  })

  it('is rounded up, so that a single core is enough for a master', () => {
    // under fair queues have no share of cores: half of those that are free and that the queue may have, rounded up
    expect(started([managed('0', 1)], { root: { queues: { a: { maxResources: { vcores: 2 } } } } }, machine(20, 3))).toEqual({ 0: 0 })
    expect(started([managed('b', 1, { queue: 'b' }), managed('0', 1, { vcores: 2 })], { root: { queues: { a: { maxResources: { vcores: 2 } } } } }, machine(20, 4))).toEqual({ b: 0 })
  })

  it('ends the run with a warning where it is too small for any master of those that wait', () => {
    const warnings: string[] = []
    const { recorder } = run({ cluster: machine(20), jobs: [managed('0', 11), managed('1', 12)], policy: greedy(yarnFair()), warn: (text) => void warnings.push(text) })
    expect([recorder.launches, warnings]).toEqual([[], ['2 jobs wait for ever: maxAMShare of the queue leaves no room for the master']])
  })

  it('counts all resources under drf', () => {
    const jobs = [managed('0', 1, { vcores: 3, duration: 10 }), managed('1', 1, { vcores: 3 })]
    expect(started(jobs, { root: { policy: 'drf' } }, machine(100, 10))).toEqual({ 0: 0, 1: 10 })
  })

  it('does not hold back tasks of jobs whose master runs, nor jobs without', () => {
    const plain: JobSpec = { id: 'p', queue: 'a', submit: 0, stages: [{ name: 'work', tasks: 5, demand: { memory: 1, vcores: 1 }, duration: 10 }] }
    const { recorder } = run({ cluster: machine(20), jobs: [managed('0', 10, { tasks: 3 }), plain], policy: greedy(yarnFair()), until: 5 })
    expect(recorder.launches.length).toBe(9)
  })

  it('is told to who listens', () => {
    const limits = new Set<string | undefined>()
    run({ cluster: machine(20), jobs: [managed('0', 10), managed('1', 10)], policy: greedy(yarnFair()), until: 5, observers: [{ onDefer: (...[, , , , limit]) => void limits.add(limit) }] })
    expect([...limits]).toContain('maxAMShare root.a')
  })
})

describe('yarn-preempting and masters', () => {
  const eager = { utilizationThreshold: 0, waitBeforeKill: 0, waitBeforeNextCheck: 0 }
  const options: YarnFairOptions = { root: { fairSharePreemptionTimeout: 1, fairSharePreemptionThreshold: 1 }, defaults: { maxAMShare: -1 } }
  const killed = (jobs: readonly JobSpec[], count: number, memory: number) => {
    const { recorder } = run({ cluster: machine(memory, 1000, count), jobs, policy: yarnPreempting(greedy(yarnFair(options)), eager), until: 30 })
    return recorder.evictions.map(({ job, stage }) => `${job}.${stage}`)
  }

  it('takes masters of a node last, and those of nodes without any first', () => {
    // a fills two nodes, its master on the first; b needs one node's worth
    const gone = killed([managed('a', 1, { tasks: 7 }), managed('b', 1, { queue: 'b', tasks: 3, submit: 5 })], 2, 4)
    expect(gone).not.toContain('a.0')
    expect(gone.length).toBe(4)
  })

  it('takes a master where nothing else makes room, with all that runs of its job', () => {
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { memory: 4, vcores: 99 } }, { count: 4, resources: { memory: 3, vcores: 99 } }] })
    const jobs = [managed('a', 4, { tasks: 12 }), managed('b', 4, { queue: 'b', submit: 5 })]
    const { recorder } = run({ cluster, jobs, policy: yarnPreempting(greedy(yarnFair(options)), eager), until: 12 })
    expect(recorder.evictions.map(({ job, stage }) => `${job}.${stage}`)).toEqual([...Array.from({ length: 12 }, () => 'a.1'), 'a.0'])
  })
})
