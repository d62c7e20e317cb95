import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { greedy, yarnAssign, yarnFair, yarnPreempting, yarnReserving, type YarnFairOptions } from '@sched/policies'
import { cluster, instantCluster, run } from '@sched/testkit'
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

  it('is of the cores that are free by then, where the queue has no share of them', () => {
    // 4 of the 5 that are half of 10; the next master would make them 5, and half of the 6 that are left is 3
    expect(started([managed('0', 1, { vcores: 4, duration: 10 }), managed('1', 1)], {}, machine(100, 10))).toEqual({ 0: 0, 1: 10 })
  })

  it.each([[3, { 0: 0 }], [6, {}]])('is half of what is free, at most of its maximum, of every resource that it has no share of: of 25 and 10 no more than 5 (TestFSLeafQueue.testCanRunAppAMReturnsTrue, testCanRunAppAMReturnsFalse: %i)', (gpu, expected) => {
    const { stages, ...job } = managed('0', 2048, { vcores: 2 })
    const jobs: JobSpec[] = [{ ...job, stages: stages.map((stage) => ({ ...stage, demand: { ...stage.demand, ...(stage.master === true && { gpu }) } })) }]
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { memory: 4096, vcores: 10, gpu: 25 } }] })
    expect(started(jobs, { root: { queues: { a: { maxResources: { memory: 8192, vcores: 4, gpu: 10 } } } } }, cluster)).toEqual(expected)
  })

  it('ends the run with a warning where it is too small for any master of those that wait', () => {
    const warnings: string[] = []
    const { recorder } = run({ cluster: machine(20), jobs: [managed('0', 11), managed('1', 12)], policy: greedy(yarnFair()), warn: (text) => void warnings.push(text) })
    expect([recorder.launches, warnings]).toEqual([[], ['2 jobs can never start, since limits forbid them: maxAMShare root.a (2). Raise the limit, or change what jobs 0, 1 ask for.']])
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

// Situations of Hadoop 3's TestFairScheduler and TestFairSchedulerPreemption that have application masters.
describe('masters in Hadoop\'s own cases', () => {
  const GB = 1024
  interface App {
    readonly am: number
    readonly submit: number
    /** Seconds from its start to its end. */
    readonly lasts?: number
    readonly vcores?: number
    readonly queue?: string
  }
  /** When masters first run; each job has a task that is too small to matter. */
  const times = (apps: readonly App[], options: YarnFairOptions, memory = 20 * GB, vcores = 20, nodes = 1) => {
    const jobs = apps.map(({ am, submit, lasts = 999, vcores: cores = 1, queue = 'queue1' }, i): JobSpec => ({
      id: `${i}`, queue, submit, stages: [{ name: 'master', tasks: 1, demand: { memory: am, vcores: cores }, duration: 0, master: true }, { name: 'work', tasks: 1, demand: { task: 1 }, duration: lasts }],
    }))
    const cluster = instantCluster({ nodes: [{ count: nodes, resources: { memory, vcores, task: 99 } }] })
    const { recorder } = run({ cluster, jobs, policy: greedy(yarnFair(options)), until: 50 })
    return jobs.map(({ id }) => recorder.launches.find(({ job, stage }) => job === id && stage === 0)?.time ?? '-')
  }
  const fifth: YarnFairOptions = { root: { queues: { queue1: { maxAMShare: 0.2 } } } }
  const other: App = { am: GB, submit: 0, queue: 'default' }

  it.each<[string, readonly App[], YarnFairOptions, readonly (number | '-')[]]>([
    ['testQueueMaxAMShare: 2 GB of 10; those that wait run as others end', [other, { am: GB, submit: 1, lasts: 9 }, { am: GB, submit: 2, lasts: 18 }, { am: GB, submit: 3, lasts: 10 }, { am: 2 * GB, submit: 4, lasts: 10 }, { am: 2 * GB, submit: 5 }], fifth, [0, 1, 2, 10, 20, 30]],
    ['testQueueMaxAMShare: alone a queue has twice that', [{ am: GB, submit: 1 }, { am: GB, submit: 2 }, { am: GB, submit: 3 }, { am: GB, submit: 4 }, { am: GB, submit: 5 }], fifth, [1, 2, 3, 4, '-']],
    ['testQueueMaxAMShareDefault: half, where the queue says nothing', [{ ...other, am: 5 * GB }, { am: 4 * GB, submit: 1 }, { am: GB, submit: 2 }, { am: GB, submit: 3 }], {}, [0, 1, 2, '-']],
    ['testQueueMaxAMShareDefault: as the default says, or the queue', [{ ...other, am: 4 * GB }, { am: 4 * GB, submit: 1 }, { am: 2 * GB, submit: 2 }, { am: GB, submit: 3 }], { root: { queues: { queue1: { maxAMShare: 0.6 } } }, defaults: { maxAMShare: 0.4 } }, [0, 1, 2, '-']],
    ['testQueueMaxAMShareDefault: none at -1', [other, { am: 10 * GB, submit: 1 }, { am: 8 * GB, submit: 2 }], { defaults: { maxAMShare: -1 } }, [0, 1, 2]],
    ['testQueueMaxAMShare with drf: of every resource', [{ am: GB, submit: 0, vcores: 4 }, { am: GB, submit: 1, vcores: 2 }, { am: 4 * GB, submit: 2, vcores: 0 }], { root: { policy: 'drf', queues: { queue1: { policy: 'drf', maxAMShare: 0.2 } } } }, [0, '-', '-']],
    ['YARN-5136: one core is enough for a master', [{ am: GB, submit: 0 }], { root: { policy: 'drf', queues: { queue1: { maxAMShare: 0.1, maxResources: { vcores: 1 } } } } }, [0]],
  ])('%s', (_, apps, options, expected) => {
    expect(times(apps, options)).toEqual(expected)
  })

  it('keeps no node for a master beyond the part of its queue (testQueueMaxAMShareWithContainerReservation)', () => {
    // two nodes full of `default`; queue1 may have 4 GB of masters, so that the one that is free next is not kept for its other master
    const jobs: JobSpec[] = [
      { id: 'full', queue: 'default', submit: 0, stages: [{ name: 'work', tasks: 2, demand: { memory: 8 * GB, vcores: 1 }, duration: [10, 20] }] },
      ...['a', 'b'].map((id): JobSpec => ({ id, queue: 'queue1', submit: 1, stages: [{ name: 'master', tasks: 1, demand: { memory: 4 * GB, vcores: 1 }, duration: 0, master: true }, { name: 'work', tasks: 1, demand: { memory: GB, vcores: 1 }, duration: 100 }] })),
      { id: 'later', queue: 'default', submit: 2, stages: [{ name: 'work', tasks: 1, demand: { memory: 8 * GB, vcores: 1 }, duration: 10 }] },
    ]
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 2, resources: { memory: 8 * GB, vcores: 9 } }] }), jobs, policy: yarnReserving(greedy(yarnFair({ root: { queues: { queue1: { maxAMShare: 0.5 } } } }))), until: 25 })
    expect(recorder.launches.map(({ job, time }) => `${job} at ${time}`)).toEqual(['full at 0', 'full at 0', 'a at 10', 'a at 10', 'later at 20'])
  })

  it('keeps nodes for a master only while the part of its queue has room for it (testQueueMaxAMShareWithContainerReservation, step by step)', () => {
    // queue1 may have 13 of 25 for masters; their other tasks are for a node that says nothing
    const node = (name: string, memory: number, far = 'no') => ({ names: [name], count: 1, resources: { memory, vcores: 99 }, labels: { far } })
    const policy = yarnReserving(yarnAssign(greedy(yarnFair({ root: { queues: { queue1: { maxAMShare: 0.5 } } } })), { assignMultiple: false }), { reservableNodes: 1 })
    const master = dispatcher({ cluster: cluster({ nodes: [node('a', 10), node('b', 10), node('c', 5), node('d', 0, 'yes')] }), policy })
    let now = 0
    const app = (id: string, memory: number) => {
      const work = { name: 'work', tasks: 1, demand: { vcores: 1 }, duration: 9, constraints: { require: { far: 'yes' } } }
      master.submit({ id, submit: 0, queue: 'queue1', stages: [{ name: 'master', tasks: 1, demand: { memory, vcores: 1 }, duration: 0, master: true }, work] }, ++now)
    }
    const end = (id: string) => {
      for (const task of master.cancel(id, ++now)) master.taskEnded(task, now)
    }
    const beats = (names: string) => [...names].map((name) => master.heartbeat(name, ++now).start.map(({ job }) => job).join() || '-').join(' ')
    app('1', 1)
    expect(beats('a')).toBe('1')
    app('2', 1)
    expect(beats('b')).toBe('2')
    app('3', 10)
    expect(beats('ab')).toBe('- -') // reserved
    app('4', 5)
    expect(beats('ac')).toBe('- 4')
    end('1')
    app('5', 1)
    expect(beats('a')).toBe('5') // 3 has no room any more: 1 + 5 + 10
    end('3')
    app('6', 10)
    app('7', 1)
    expect(beats('a')).toBe('7') // nor does 6 reserve
    end('4')
    end('5')
    expect(beats('ab')).toBe('- -') // now it does
    app('8', 1)
    expect(beats('ab')).toBe('- -')
    end('2')
    expect(beats('ba')).toBe('6 8')
  })

  it.each<[string, readonly (readonly [master: number, task: number])[], readonly [number, number], readonly string[]]>([
    ['testPreemptionSelectNonAMContainer: two others of each node', [[0, 0], [0, 0], [1, 1], [1, 1]], [4, 2], ['task on n0', 'task on n0', 'task on n1', 'task on n1']],
    ['testRelaxLocalityPreemptionWithLessAMInRemainingNodes: nothing of the node with masters alone', [[0, 1], [0, 1], [0, 1], [0, 1]], [4, 1], ['task on n1', 'task on n1', 'task on n1', 'task on n1']],
  ])('%s', (_, jobsOn, [tasks, size], expected) => {
    // child-1 fills two nodes of 4 GB with jobs of a master and a task, child-2 asks for so many containers of so many GB
    const on = (node: number) => ({ demand: { memory: GB, vcores: 1 }, constraints: { require: { node: `${node}` } } })
    const jobs = jobsOn.map(([master, task], i): JobSpec => ({ id: `${i}`, queue: 'child-1', submit: 0, stages: [{ name: 'master', tasks: 1, ...on(master), duration: 0, master: true }, { name: 'work', tasks: 1, ...on(task), duration: 999 }] }))
    const cluster = instantCluster({ nodes: [0, 1].map((i) => ({ name: `n${i}`, count: 1, resources: { memory: 4 * GB, vcores: 12 }, labels: { node: `${i}` } })) })
    const starving: JobSpec = { id: 's', queue: 'child-2', submit: 5, stages: [{ name: 'work', tasks, demand: { memory: size * GB, vcores: size }, duration: 999 }] }
    const root = { fairSharePreemptionTimeout: 0, fairSharePreemptionThreshold: 1 }
    const { recorder } = run({ cluster, jobs: [...jobs, starving], policy: yarnPreempting(greedy(yarnFair({ root, defaults: { maxAMShare: -1 } })), { utilizationThreshold: 0, waitBeforeKill: 0 }), until: 5.5 })
    expect(recorder.evictions.map(({ stage, node }) => `${stage === 0 ? 'master' : 'task'} on ${node.slice(0, 2)}`).sort()).toEqual(expected)
  })
})
