import type { JobSpec, Plug } from '@sched/core'
import { fifo, greedy, kueue } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { monolithic, partitioned, sharedState, twoLevel, type SharedStateOptions } from '../src/index.js'
import { cpuJob, cpus, play, putOn } from './world.js'

const none = { job: 0, task: 0 }
const lines = (options: SharedStateOptions, jobs: readonly JobSpec[], change: Parameters<typeof play>[2] = {}) => play(sharedState(options), jobs, change).decided.lines()

describe('a job that is not placed in full', () => {
  const full = [cpuJob('big', { tasks: 16, duration: 3 }), cpuJob('a', { submit: 0.5, tasks: 2 })]

  it('is tried again a second later, with the decision time of what is left', () => {
    expect(lines({ schedulers: 1, decision: { job: 0.5, task: 0.25 } }, [cpuJob('a', { tasks: 6, duration: 10 })], { cluster: cpus(1, 4), until: 9 })).toEqual([
      'scheduler a#1 0-2: 4 claimed, 4 accepted, 0 conflicted, 2 left', // 0.5 + 6 x 0.25
      'scheduler a#2 3-4: 0 claimed, 0 accepted, 0 conflicted, 2 left',
      'scheduler a#3 5-6: 0 claimed, 0 accepted, 0 conflicted, 2 left',
      'scheduler a#4 7-8: 0 claimed, 0 accepted, 0 conflicted, 2 left',
    ])
  })

  it('waits as long as `requeue` says', () => {
    expect(play(sharedState({ schedulers: 1, decision: none, requeue: 7 }), full).recorder.launches.find(({ job }) => job === 'a')?.time).toBe(7.5)
  })

  it('is given up after more than 100 attempts without a task placed, or 1,000 attempts', () => {
    const busy = [cpuJob('long', { tasks: 15, duration: 5000 }), cpuJob('none', { demand: { cpu: 4 }, submit: 1 }), cpuJob('some', { tasks: 20, submit: 1, duration: 5000 })]
    const given = (options: SharedStateOptions) =>
      play(sharedState({ schedulers: 1, decision: none, ...options }), busy, { until: 4000 }).recorder.events.flatMap((event) => (event.kind === 'abandon' ? [`${event.job} ${event.time}`] : []))
    expect(given({})).toEqual(['none 101', 'some 1001']) // attempts 101 and 1,001: the first is at 1
    expect(given({ abandonAfter: 20, abandonUnplacedAfter: 10 })).toEqual(['none 11', 'some 21'])
    expect(given({ abandonAfter: false, abandonUnplacedAfter: false })).toEqual([])
  })

  it('is given up later where a task of an earlier stage was placed, under every architecture', () => {
    // 15 of 16 CPU are taken; the first stage has the last one for a second, the second stage would need four on one node
    const stages = [{ name: 'first', tasks: 1, demand: { cpu: 1 }, duration: 1 }, { name: 'second', tasks: 1, demand: { cpu: 4 }, duration: 1, after: [{ stage: 0, fraction: 1 }] }]
    const jobs = [cpuJob('long', { tasks: 15, duration: 5000 }), cpuJob('staged', { submit: 1, stages })]
    const limits = { decision: none, abandonAfter: 20, abandonUnplacedAfter: 10 }
    const attempts = (architecture: Plug<'architecture'>) => play(architecture, jobs, { until: 4000 }).decided.all.filter(({ job }) => job === 'staged').length
    expect([sharedState({ schedulers: 1, ...limits }), partitioned({ partitions: 1, ...limits }), monolithic(limits), twoLevel({ frameworks: 1, ...limits })].map(attempts)).toEqual([21, 21, 21, 21])
  })
})

describe('kinds of schedulers', () => {
  const jobs = [cpuJob('b', { class: 'batch' }), cpuJob('s', { class: 'service', submit: 1 }), cpuJob('x', { submit: 2 })]

  it('take the jobs of their classes, "*" all others', () => {
    expect(lines({ decision: none, schedulers: { batch: {}, other: { classes: ['*', 'service'] } } }, jobs).map((line) => line.split('#')[0])).toEqual(['batch b', 'other s', 'other x'])
  })

  it('have their own decision time, conflict detection and commit', () => {
    const two = [cpuJob('a', { class: 'a', tasks: 2 }), cpuJob('b', { class: 'b', tasks: 2 })]
    const run = (b: object) => lines({ schedulers: { a: { decision: { job: 1, task: 0 } }, b: { decision: { job: 2, task: 0 }, ...b } } }, two, { policies: { a: putOn(0, 1), b: putOn(0, 2) }, until: 2.5 })[1]
    expect(run({})).toBe('b b#1 0-2: 2 claimed, 2 accepted, 0 conflicted, 0 left')
    expect(run({ conflict: 'coarse' })).toBe('b b#1 0-2: 2 claimed, 1 accepted, 1 conflicted, 1 left')
    expect(run({ conflict: 'coarse', commit: 'all-or-nothing' })).toBe('b b#1 0-2: 2 claimed, 0 accepted, 2 conflicted, 2 left')
  })

  it('run the policy of their name, else that of their kind, else the policy of the run', () => {
    const some = Array.from({ length: 8 }, (_, i) => cpuJob(`j${i}`, { class: i < 6 ? 'batch' : 'service', submit: i }))
    const { recorder, decided } = play(sharedState({ decision: none, balance: 'round-robin', schedulers: { batch: { count: 3 }, service: {} } }), some, {
      policies: { batch: putOn(1), 'batch-2': putOn(2), service: putOn(3) },
    })
    const owner = new Map(decided.all.map(({ job, scheduler }) => [job, scheduler]))
    expect(recorder.launches.map(({ job, node }) => `${owner.get(job)} ${node}`)).toEqual(['batch-0 node-1', 'batch-1 node-1', 'batch-2 node-2', 'batch-0 node-1', 'batch-1 node-1', 'batch-2 node-2', 'service node-3', 'service node-3'])
  })
})

describe('all-or-nothing', () => {
  const jobs = [cpuJob('a', { tasks: 6, duration: 4 })]
  it('commits nothing of a job for which the snapshot has not room for all', () => {
    expect(lines({ schedulers: 1, decision: none, commit: 'all-or-nothing', abandonUnplacedAfter: 2 }, jobs, { cluster: cpus(1, 4) })).toEqual([
      'scheduler a#1 0-0: 0 claimed, 0 accepted, 0 conflicted, 6 left',
      'scheduler a#2 1-1: 0 claimed, 0 accepted, 0 conflicted, 6 left',
      'scheduler a#3 2-2: 0 claimed, 0 accepted, 0 conflicted, 6 left', // then it is given up
    ])
  })
  it("commits a part of it with `partialGangs`, as the authors' simulator does", () => {
    expect(lines({ schedulers: 1, decision: none, commit: 'all-or-nothing', partialGangs: true }, jobs, { cluster: cpus(1, 4) })[0]).toBe('scheduler a#1 0-0: 4 claimed, 4 accepted, 0 conflicted, 2 left')
  })
})

describe('preemption', () => {
  // low has all 16 CPUs, the newest task on node 3; high comes at 5 with two tasks of 2 CPUs
  const jobs = [
    ...Array.from({ length: 16 }, (_, i) => cpuJob(`low${i}`, { class: 'low', submit: i / 8, duration: 100 })),
    cpuJob('high', { class: 'high', submit: 5, tasks: 2, demand: { cpu: 2 } }),
  ]
  const play16 = (preemption: boolean, precedence = 1, extra: readonly JobSpec[] = [], commit?: 'all-or-nothing') =>
    play(sharedState({ preemption, decision: none, schedulers: { low: {}, high: { precedence, ...(commit && { commit }) } } }), [...jobs, ...extra], { until: 50 }).recorder

  it('takes room from lower precedence, the newest tasks of a node first, and no more than it needs', () => {
    const recorder = play16(true)
    expect(recorder.launches.filter(({ job }) => job === 'high').map(({ time, node }) => `${time} ${node}`)).toEqual(['5 node-0', '5 node-0'])
    expect(recorder.evictions.map(({ job, time }) => `${time} ${job}`)).toEqual(['5 low3', '5 low2', '5 low1', '5 low0'])
  })
  it('does not happen unless asked for, nor at equal precedence', () => {
    expect(play16(false).evictions).toEqual([])
    expect(play16(true, 0).evictions).toEqual([])
  })
  it('of a gang that finds no room for all happens not at all', () => {
    const gang = cpuJob('gang', { class: 'high', submit: 6, tasks: 9, demand: { cpu: 2 } })
    expect(play16(true, 1, [gang], 'all-or-nothing').evictions.filter(({ time }) => time === 6)).toEqual([])
    expect(play16(true, 1, [gang]).evictions.filter(({ time }) => time === 6).length).toBe(12) // 6 of the 9 tasks
  })
  it('takes of several resources only tasks that leave room it needs, though newer ones have less of it', () => {
    // the newest holds memory alone, of which there is enough: the older one with the CPUs goes
    const two = [job({ id: 'old', class: 'low', demand: { cpu: 2, mem: 1 }, duration: 100 }), job({ id: 'new', class: 'low', submit: 1, demand: { cpu: 0, mem: 1 }, duration: 100 })]
    const high = job({ id: 'high', class: 'high', submit: 2, demand: { cpu: 2, mem: 1 } })
    const { recorder } = play(sharedState({ preemption: true, decision: none, schedulers: { low: {}, high: { precedence: 1 } } }), [...two, high], { cluster: { nodes: [{ name: 'n', count: 1, resources: { cpu: 2, mem: 4 } }] }, until: 3 })
    expect(recorder.evictions.map((each) => each.job)).toEqual(['old'])
  })
  it('takes gangs whole, also what runs of them on other nodes', () => {
    const jobs = [cpuJob('gang', { class: 'low', tasks: 3, gang: true, duration: 100 }), cpuJob('alone', { class: 'low', duration: 100 }), cpuJob('high', { class: 'high', submit: 5 })]
    const { recorder } = play(sharedState({ preemption: true, decision: none, schedulers: { low: {}, high: { precedence: 1 } } }), jobs, { cluster: cpus(2, 2), until: 6 })
    expect(recorder.evictions.map(({ job, task, node }) => `${job} ${task} ${node}`)).toEqual(['gang 0 node-0', 'gang 1 node-0', 'gang 2 node-1'])
  })
  it('goes on to nodes that the task may run on', () => {
    const nodes = ['old', 'new'].map((age) => ({ name: age, count: 1, resources: { cpu: 1 }, labels: { age } }))
    const high = job({ id: 'high', class: 'high', submit: 5, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 10, constraints: { require: { age: 'new' } } }] })
    const { recorder } = play(sharedState({ preemption: true, decision: none, schedulers: { low: {}, high: { precedence: 1 } } }), [cpuJob('low', { class: 'low', tasks: 2, duration: 100 }), high], { cluster: { nodes }, until: 6 })
    expect(recorder.launches.filter((each) => each.job === 'high').map(({ time, node }) => `${time} ${node}`)).toEqual(['5 new-0'])
  })
  it('lets who began first commit first where two decisions end at once', () => {
    const schedulers = { a: { decision: { job: 1, task: 0 } }, b: { decision: { job: 2, task: 0 } } }
    const told = (submit: number) => lines({ schedulers }, [cpuJob('jb', { class: 'b', duration: 50 }), cpuJob('ja', { class: 'a', submit, duration: 50 })], { cluster: cpus(1, 1), until: 2 })
    expect(told(1)).toEqual(['b jb#1 0-2: 1 claimed, 1 accepted, 0 conflicted, 0 left', 'a ja#1 1-2: 1 claimed, 0 accepted, 1 conflicted, 1 left'])
  })
  it('settles a conflict in favour of the higher precedence', () => {
    const schedulers = { low: { decision: { job: 1, task: 0 } }, high: { decision: { job: 2, task: 0 }, precedence: 1 } }
    const run = (preemption: boolean) => lines({ preemption, schedulers }, [cpuJob('l', { class: 'low', duration: 50 }), cpuJob('h', { class: 'high' })], { cluster: cpus(1, 1), until: 2.5 })[1]
    expect(run(false)).toBe('high h#1 0-2: 1 claimed, 0 accepted, 1 conflicted, 1 left')
    expect(run(true)).toBe('high h#1 0-2: 1 claimed, 1 accepted, 1 conflicted, 0 left')
  })
})

describe('kueue', () => {
  it.each([
    ['all or nothing', sharedState({ schedulers: 1, decision: none, commit: 'all-or-nothing' })],
    ['incremental', sharedState({ schedulers: 1, decision: none })],
    ['offers', twoLevel({ frameworks: 1, decision: none })],
    ['one after the other', monolithic({ decision: { job: 1, task: 0 } })],
  ])('places all tasks of a job in one decision, as far as its quota goes: %s', (_, architecture) => {
    const { decided } = play(architecture, [cpuJob('a', { queue: 'q', tasks: 3, duration: 50 }), cpuJob('b', { queue: 'q', tasks: 2, duration: 50 })], { policy: kueue({ queues: { q: { nominalQuota: { cpu: 5 } } } }) })
    expect(decided.all.map(({ job, accepted }) => `${job} ${accepted}`)).toEqual(['a 3', 'b 2'])
  })

  it('gives up the place that a task of a gang leaves while the job waits for its next attempt', () => {
    // two at a time have quota; 3 of 5 are left at 0.125, so that the next attempt is at 1.125; the first task ends at 0.625, and somebody else is decided about at 0.75
    const stages = [{ name: 's', tasks: 5, demand: { cpu: 2 }, gang: true, minTasks: 2, duration: [0.5, 1.3, 1.6, 8, 8] }]
    const { recorder } = play(sharedState({ schedulers: 1 }), [cpuJob('g', { queue: 'q', stages }), cpuJob('o', { queue: 'r', submit: 0.75 })], { policy: kueue({ partialAdmission: true, defaults: { nominalQuota: { cpu: 4 } } }) })
    // from then on one at a time: a task ends, and the decision takes 0.1 s and 0.005 s for each that waits
    expect(recorder.launchLines()).toEqual(['0.125 g.0 on node-0', '0.125 g.1 on node-0', '0.855 o.0 on node-0', '1.54 g.2 on node-0', '3.25 g.3 on node-0', '11.355 g.4 on node-0'])
  })
})

describe('limits of a scheduler', () => {
  it('bound what its tasks hold; waiting for them does not count as a failed attempt', () => {
    const jobs = Array.from({ length: 4 }, (_, i) => cpuJob(`j${i}`, { class: 'a', tasks: 2, duration: 200 }))
    const { recorder } = play(sharedState({ decision: none, schedulers: { a: { limits: { resources: { cpu: 3 } } } } }), jobs)
    // three at a time; j1 is tried again at every whole second, also at 200 when its room comes back
    expect(recorder.launches.map(({ time }) => time)).toEqual([0, 0, 0, 200, 200, 200, 400, 400])
    expect(recorder.events.some(({ kind }) => kind === 'abandon')).toBe(false)
  })
  it('excuse an attempt only where they left no room for a claim: one that conflicts counts', () => {
    // a commits on the only node at 1, 2 and 3 s, each time before b's claim, and b may hold one of its two tasks
    const schedulers = { a: {}, b: { limits: { resources: { cpu: 1 } } } }
    const jobs = [...Array.from({ length: 3 }, (_, i) => cpuJob(`a${i}`, { class: 'a', duration: 50 })), cpuJob('b', { class: 'b', tasks: 2, duration: 50 })]
    const { recorder } = play(sharedState({ schedulers, conflict: 'coarse', decision: { job: 1, task: 0 }, abandonAfter: 1 }), jobs, { cluster: cpus(1, 8) })
    expect(recorder.events.filter(({ kind }) => kind === 'abandon').map(({ time }) => time)).toEqual([3])
  })
  it('refuse a task, or a gang, that is larger: it would wait for ever', () => {
    const starts = (spec: ReturnType<typeof cpuJob>, options: Partial<Parameters<typeof play>[2]> = {}) => play(sharedState({ schedulers: { a: { limits: { resources: { cpu: 2 } } } } }), [spec], options).recorder.launches.length
    expect(() => starts(cpuJob('j', { class: 'a', demand: { cpu: 3 } }))).toThrow('job j asks 3 of cpu at once, and scheduler "a" may hold 2 (limits.resources). Raise the limit.')
    expect(() => starts(cpuJob('j', { class: 'a', tasks: 3, gang: true }))).toThrow('job j asks 3 of cpu at once')
    expect(starts(cpuJob('j', { class: 'a', tasks: 3, gang: true }), { infeasible: 'reject' })).toBe(0)
    expect(starts(cpuJob('j', { class: 'a', tasks: 3 }))).toBe(3)
  })
  it('keep a job that starts whole from it for ever, of which the user is told', () => {
    const never = { abandonAfter: false, abandonUnplacedAfter: false, commit: 'all-or-nothing', requeue: 3600 } as const
    const run = () => play(sharedState({ ...never, schedulers: { a: { limits: { resources: { cpu: 2 } } } } }), [cpuJob('j', { class: 'a', tasks: 3 })])
    expect(run).toThrow(/1 job waits although nothing runs: job j has 3 tasks of \{"cpu":1\} and the cell, or the scheduler, room for 2: with commit all-or-nothing such jobs never start/)
  })
  it('bound how many unfinished jobs it admits; the others wait by submission', () => {
    const jobs = Array.from({ length: 4 }, (_, i) => cpuJob(`j${i}`, { class: 'a', submit: i / 4, duration: 10 }))
    const starts = (limit: number) => play(sharedState({ decision: none, schedulers: { a: { limits: { jobs: limit } } } }), jobs).recorder.launches.map(({ job, time }) => `${time} ${job}`)
    expect(starts(2)).toEqual(['0 j0', '0.25 j1', '10 j2', '10.25 j3'])
    expect(starts(4)).toEqual(['0 j0', '0.25 j1', '0.5 j2', '0.75 j3'])
  })
})

describe('random numbers', () => {
  it('of two schedulers differ, so that they do not all choose the same nodes', () => {
    const drawn: number[] = []
    const policy = greedy(fifo())
    play(sharedState({ schedulers: 3 }), [cpuJob('a')], { policy: { ...policy, create: (env) => (drawn.push(env.random('x')()), policy.create(env)) } })
    expect(new Set(drawn).size).toBe(3)
  })
})
