import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import { delay, fifo, greedy, yarnFair, yarnPreempting, type QueueOptions, type YarnPreemptingOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job, run, type JobChange } from '@sched/testkit'
import { randomStream, type JobSpec, type NodeId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { queuePasses } from '../backfilling/machine.js'
import { firstNode } from '../first-node.js'
import { plainShares } from './plain-shares.js'

type Queues = Readonly<Record<string, QueueOptions>>
const slotsOf = (map: number) => cluster({ nodes: [{ name: 'n', count: 1, slots: { map } }], heartbeat: { interval: 3 } })
const beat = (master: Dispatcher, now: number, free = 0) => master.heartbeat('n-0', now, { free })
const tasksOf = (placed: readonly Placed[]) => placed.map(({ job: id, task }) => `${id}${task}`)

/**
 * 100 slots, all taken: Q runs 60 tasks, of which 30 started at 0 s and 30 at 1 s, R runs 30 since 2 s, P runs 10 of 50 since 3 s.
 * Fair shares are 34 each: whole amounts, as Hadoop's. Short of tasks since 3 s; the tasks of one moment are taken by falling number.
 */
function full(queues: Queues, options: YarnPreemptingOptions = {}, root: QueueOptions = {}): Dispatcher {
  const master = dispatcher({ cluster: slotsOf(100), policy: yarnPreempting(greedy(yarnFair({ root: { ...root, queues } })), options) })
  master.submit(job({ id: 'q', queue: 'Q', tasks: 1000 }), 0)
  beat(master, 0, 30)
  beat(master, 1, 30)
  master.submit(job({ id: 'r', queue: 'R', tasks: 1000 }), 2)
  beat(master, 2, 30)
  master.submit(job({ id: 'p', queue: 'P', tasks: 50 }), 3)
  expect(beat(master, 3, 10).start.every((each) => each.job === 'p')).toBe(true)
  return master
}
/** Every second until `end`: when tasks were killed, how many, of whom. */
function kills(master: Dispatcher, end: number): Record<number, string> {
  const seen: Record<number, string> = {}
  for (let now = 4; now <= end; now++) {
    const { kill } = beat(master, now)
    if (kill.length > 0) seen[now] = `${kill.length} of ${[...new Set(kill.map((each) => each.job))].join(' and ')}`
  }
  return seen
}
const min30 = { minResources: { map: 30 } }

describe('preemption by YARN\'s rules', () => {
  it('takes what is missing to the minimum after its timeout, and kills 15 s later: from Q, which is above its fair share', () => {
    // at 2 s P wanted nothing, for the last time; at 62 s 20 tasks are marked; R has less than its share
    expect(kills(full({ P: { ...min30, minSharePreemptionTimeout: 60 } }), 100)).toEqual({ 77: '20 of q' })
  })

  it('takes the newest tasks of a node, or the oldest', () => {
    const taken = (victims: 'newest' | 'oldest') => {
      const master = full({ P: { ...min30, minSharePreemptionTimeout: 5 } }, { waitBeforeKill: 0, victims })
      return tasksOf([4, 5, 6, 7, 8].flatMap((now) => beat(master, now).kill))
    }
    expect(taken('newest')).toEqual(Array.from({ length: 20 }, (_, i) => `q${59 - i}`))
    expect(taken('oldest')).toEqual(Array.from({ length: 20 }, (_, i) => `q${i}`))
  })

  it.each<[string, QueueOptions, Record<number, string>]>([
    // floor(34 x threshold) - 10; the job of P is there since 3 s
    ['half of it by default', {}, { 78: '7 of q' }],
    ['all of it with a threshold of 1', { fairSharePreemptionThreshold: 1 }, { 78: '24 of q' }],
    ['nothing where it has the part already', { fairSharePreemptionThreshold: 0.3 }, {}],
  ])('takes up to a part of the fair share: %s', (_, threshold, expected) => {
    expect(kills(full({ P: { fairSharePreemptionTimeout: 60, ...threshold } }), 85)).toEqual(expected)
  })

  it('takes for the larger of both claims, and not for their sum', () => {
    expect(kills(full({ P: { ...min30, minSharePreemptionTimeout: 61, fairSharePreemptionTimeout: 60, fairSharePreemptionThreshold: 1 } }), 85)).toEqual({ 78: '24 of q' })
  })

  it('inherits timeouts and thresholds down the tree, where a queue has none of its own', () => {
    // R, of 30 since 2 s, lacks 4 to 34, P, of 10 since 3 s, 24; Q, of 60, keeps its 34
    const root = { fairSharePreemptionTimeout: 30, fairSharePreemptionThreshold: 1 }
    expect(kills(full({}, {}, root), 60)).toEqual({ 47: '4 of q', 48: '22 of q' })
    expect(kills(full({ P: { fairSharePreemptionTimeout: 40 } }, {}, root), 60)).toEqual({ 47: '4 of q', 58: '22 of q' })
    expect(kills(full({ P: { fairSharePreemptionThreshold: 0.5 } }, {}, root), 60)).toEqual({ 47: '4 of q', 48: '7 of q' })
  })

  it('never takes from queues with allowPreemptionFrom false, or from those inside', () => {
    const starved = { P: { ...min30, minSharePreemptionTimeout: 10 } }
    expect(kills(full({ ...starved, Q: { allowPreemptionFrom: false } }), 60)).toEqual({})
    expect(kills(full(starved, {}, { allowPreemptionFrom: false }), 60)).toEqual({})
  })

  it('takes nothing while no resource is used above the threshold', () => {
    const starved = { P: { ...min30, minSharePreemptionTimeout: 10 } }
    expect(kills(full(starved, { utilizationThreshold: 1 }), 60)).toEqual({}) // all are: not above 1
    expect(kills(full(starved, { utilizationThreshold: 0.99 }), 60)).toMatchObject({ 27: '20 of q' })
  })

  it('gives the room to the job it was made for, though another queue has less (FairScheduler.assignPreemptedContainers)', () => {
    const master = full({ P: { fairSharePreemptionTimeout: 60, fairSharePreemptionThreshold: 1 } })
    for (let now = 4; now < 78; now++) beat(master, now)
    master.submit(job({ id: 'z', queue: 'Z', tasks: 100 }), 77)
    const { kill, start } = beat(master, 78, Infinity)
    expect([kill.length, start.filter((each) => each.job === 'p').length, start.length]).toEqual([24, 24, 24])
    for (const each of start.slice(0, 3)) master.taskEnded(each, 79)
    expect(tasksOf(beat(master, 79, Infinity).start)).toEqual(['z0', 'z1', 'z2']) // the promise is kept: in order again
  })

  it('keeps no room on a node that went away meanwhile', () => {
    const first = (goes: boolean) => {
      const master = full({ P: { fairSharePreemptionTimeout: 60, fairSharePreemptionThreshold: 1 } })
      for (let now = 4; now < 78; now++) beat(master, now)
      master.submit(job({ id: 'z', queue: 'Z', tasks: 100 }), 77)
      if (goes) for (const up of [false, true]) master.policy.onNode?.(0 as NodeId, up)
      return beat(master, 78, Infinity).start[0]?.job
    }
    expect([first(false), first(true)]).toEqual(['p', 'z']) // p has 10, z nothing
  })

  it('takes again for the same job only after the kill, four heartbeats and the pause', () => {
    // 90 slots, shares of 30: P lacks 20, Q of 40 can give 10, marked at 12 s. With Z the others' shares are 20 since P has its 30: Q can give 10 more
    const seen = (waitBeforeNextCheck: number) => {
      const queues = { P: { ...min30, minSharePreemptionTimeout: 10 }, R: { allowPreemptionFrom: false } }
      const master = dispatcher({ cluster: slotsOf(90), policy: yarnPreempting(greedy(yarnFair({ root: { queues } })), { waitBeforeKill: 5, waitBeforeNextCheck }) })
      for (const [now, [queue, free]] of ([['Q', 40], ['R', 40], ['P', 10]] as const).entries()) {
        master.submit(job({ id: queue, queue, tasks: 100 }), now)
        beat(master, now, free)
      }
      const times: Record<number, number> = {}
      for (let now = 3; now <= 60; now++) {
        if (now === 20) master.submit(job({ id: 'Z', queue: 'Z', tasks: 100 }), now)
        const { kill, start } = beat(master, now, 10)
        expect(start.every((each) => each.job === 'P')).toBe(true)
        if (kill.length > 0) times[now] = kill.length
      }
      return times
    }
    expect(seen(10)).toEqual({ 16: 10, 43: 10 }) // marked at 11 and 11 + 5 + 4 x 3 + 10 = 38 s
    expect(seen(0)).toEqual({ 16: 10, 33: 10 })
  })

  it('lets a job keep tasks that ended before they were to be killed', () => {
    const master = dispatcher({ cluster: slotsOf(4), policy: yarnPreempting(greedy(yarnFair({ root: { queues: { P: { minResources: { map: 2 }, minSharePreemptionTimeout: 5 } } } }))) })
    master.submit(job({ id: 'q', queue: 'Q', tasks: 100 }), 0)
    const { start } = beat(master, 0, 4)
    master.submit(job({ id: 'p', queue: 'P', tasks: 2 }), 1)
    for (let now = 1; now <= 8; now++) expect(beat(master, now).kill).toEqual([]) // q2 and q3 are marked at 6 s
    for (const each of start.slice(2)) master.taskEnded(each, 9)
    expect(tasksOf(beat(master, 9, 4).start)).toEqual(['p0', 'p1'])
    for (let now = 10; now <= 30; now++) expect(beat(master, now).kill).toEqual([])
  })

  it('counts tasks that ended so as lost no more when it takes for the next', () => {
    const starved = { minResources: { map: 2 }, minSharePreemptionTimeout: 5 }
    const master = dispatcher({ cluster: slotsOf(8), policy: yarnPreempting(greedy(yarnFair({ root: { queues: { P: starved, S: starved } } }))) })
    master.submit(job({ id: 'q', queue: 'Q', tasks: 100 }), 0)
    const { start } = beat(master, 0, 8)
    master.submit(job({ id: 'p', queue: 'P', tasks: 2 }), 1)
    for (let now = 1; now <= 8; now++) beat(master, now) // q6 and q7 are marked at 6 s, to be killed at 21 s
    for (const each of start.slice(6)) master.taskEnded(each, 9)
    expect(tasksOf(beat(master, 9, 2).start)).toEqual(['p0', 'p1'])
    master.submit(job({ id: 's', queue: 'S', tasks: 2 }), 10)
    const killed: string[] = []
    for (let now = 10; now <= 40; now++) killed.push(...tasksOf(beat(master, now).kill))
    expect(killed).toEqual(['q5', 'q4']) // marked at 15 s: of its 6 tasks q keeps 3 at least
  })

  it('starts the clocks anew where nobody asks it while nobody waits', () => {
    // without heartbeats: both slots are Q's from 0 s on, and nothing waits until P's job comes at 40 s
    const jobs = [job({ id: 'q', queue: 'Q', tasks: 2, duration: 100 }), job({ id: 'p', queue: 'P', submit: 40 })]
    const queues = { P: { minResources: { map: 1 }, minSharePreemptionTimeout: 20 } }
    const policy = yarnPreempting(greedy(yarnFair({ root: { queues } })), { waitBeforeKill: 0, updateInterval: 1 })
    const { recorder } = run({ jobs, cluster: instantCluster({ nodes: [{ name: 'n', count: 1, slots: { map: 2 } }] }), policy, architecture: queuePasses.plug({}) })
    expect(recorder.evictions.map(({ time }) => time)).toEqual([60])
  })

  /** Nodes of so much, without heartbeats unless `interval` is one; P has a minimum of 2. Kills, and starts of p, by second. */
  const seen = (sizes: readonly number[], jobs: readonly JobSpec[], weight = 1, interval = 0) => {
    const nodes = sizes.map((mem, i) => ({ name: `n${i}`, count: 1, resources: { mem } }))
    const queues = { P: { minResources: { mem: 2 }, minSharePreemptionTimeout: 1 }, Q: { weight } }
    const policy = yarnPreempting(greedy(yarnFair({ root: { queues } })), { waitBeforeKill: 0, utilizationThreshold: 0, updateInterval: 1 })
    const { recorder } = run({ cluster: interval === 0 ? instantCluster({ nodes }) : cluster({ nodes, heartbeat: { interval } }), jobs, policy, until: 40 })
    const found: Record<string, number> = {}
    const count = (key: string) => void (found[key] = (found[key] ?? 0) + 1)
    for (const { job: id, time } of recorder.evictions) count(`${id} killed at ${time}`)
    for (const { job: id, time } of recorder.launches) if (id === 'p') count(`p at ${time}`)
    return found
  }
  const of = (id: string, queue: string, tasks: number, change: JobChange = {}) => job({ id, queue, tasks, demand: { mem: 1 }, duration: 100, ...change })

  it('takes gangs whole, if their job keeps its fair share, and spares whom they make needless', () => {
    const gang = (tasks: number) => of('gang', 'Q', tasks, { gang: true })
    const late = of('p', 'P', 2, { submit: 5 })
    // without a share of Q: two of the gang are on n0, which makes room for both tasks; with one, gang and q are due 2 each
    expect(seen([2, 2, 2, 2], [gang(3), of('q', 'Q', 5, { submit: 1 }), late], 0)).toEqual({ 'gang killed at 6': 3, 'p at 6': 2 })
    expect(seen([2, 2, 2, 2], [gang(4), of('q', 'Q', 4, { submit: 1 }), late])).toEqual({ 'q killed at 6': 2, 'p at 6': 2 })
    // one task of 2: q's on n0 came last, but the gang is needed, and enough
    expect(seen([3, 3], [gang(2), of('q', 'Q', 4, { submit: 1 }), job({ id: 'p', queue: 'P', submit: 5, demand: { mem: 2 }, duration: 100 })], 0)).toEqual({ 'gang killed at 6': 2, 'p at 6': 1 })
  })

  it('takes what a gang must have only where nothing else makes room', () => {
    // n0 has the first three of the gang, which it must have, n1 one more and two of q; all of Q may go
    const gang = of('gang', 'Q', 4, { gang: true, minTasks: 3 })
    expect(seen([3, 3], [gang, of('q', 'Q', 2, { submit: 1 }), of('p', 'P', 2, { submit: 5 })], 0)).toEqual({ 'q killed at 6': 2, 'p at 6': 2 })
    // its other task makes room, though it is as old; where nothing else does, all go, on the node where the fewest are
    expect(seen([2, 2], [gang, of('p', 'P', 1, { submit: 5 })], 0)).toEqual({ 'gang killed at 6': 1, 'p at 6': 1 })
    expect(seen([2, 2], [of('gang', 'Q', 4, { gang: true, minTasks: 4 }), of('p', 'P', 1, { submit: 5 })], 0)).toEqual({ 'gang killed at 6': 4, 'p at 6': 1 })
  })

  it('takes of tasks that started together those of the job that came later, whatever ids were used before', () => {
    // first and second start at 20 s, when filler ends; second came at 15 s, and has the ids of old, which has ended
    const one = (id: string, submit: number, mem: number, duration: number, queue = 'Q') => job({ id, queue, submit, demand: { mem }, duration })
    const jobs = [one('old', 0, 2, 10), one('filler', 0, 4, 20), one('first', 1, 3, 100), one('second', 15, 3, 100), one('p', 30, 2, 5, 'P')]
    expect(seen([6], jobs, 0)).toEqual({ 'second killed at 31': 1, 'p at 31': 1 })
  })

  it('makes room for all of a gang, and starts it whole, or for none of it', () => {
    const world = (tasks: number, interval = 0) => seen([1, 1, 1, 1], [of('q', 'Q', 8), of('p', 'P', tasks, { submit: 5, gang: true })], 1, interval)
    expect(world(2)).toEqual({ 'q killed at 5': 2, 'p at 5': 2 }) // at 4 s, at the last look, it lacked nothing
    expect(world(3)).toEqual({}) // its minimum is 2
    expect(world(2, 3)).toEqual({}) // nodes come one at a time
  })

  it('starts no part of a gang of a later stage on a node that is kept for its job', () => {
    const [first] = of('p', 'P', 1).stages as [JobSpec['stages'][number]]
    const p = { ...of('p', 'P', 1, { submit: 5 }), stages: [first, { ...first, tasks: 2, gang: true }] }
    expect(seen([2, 2], [of('q', 'Q', 8), p])).toEqual({ 'q killed at 5': 2, 'p at 5': 1 }) // its minimum is 2: one for the first stage
  })

  it('says that it has no effect over another order', () => {
    const warnings: string[] = []
    dispatcher({ cluster: slotsOf(4), policy: yarnPreempting(greedy(fifo())), warn: (text) => warnings.push(text) })
    expect(warnings).toEqual(["preemption by YARN's rules has no effect: the order under it is not yarn-fair"])
  })
})

describe('no job is taken below its fair share', () => {
  const names = ['a', 'b', 'c.x', 'c.y']
  const timeouts = { minSharePreemptionTimeout: 2, fairSharePreemptionTimeout: 2, fairSharePreemptionThreshold: 1 }
  const queues: Queues = { a: { weight: 2, minResources: { map: 5 } }, b: {}, c: { queues: { x: { minResources: { map: 3 } }, y: { weight: 3, policy: 'fifo' } } } }
  const entry = (weight: number, min: number, active: boolean) => ({ weight, min, max: Infinity, active })

  it('whatever comes and ends, by shares that are computed anew', { tags: 'long' }, () => {
    let killed = 0
    for (let seed = 1; seed <= 6; seed++) {
      const draw = randomStream(seed, 'preempting')
      const master = dispatcher({ cluster: slotsOf(24), policy: yarnPreempting(greedy(yarnFair({ root: { ...timeouts, queues } })), { waitBeforeKill: 0, waitBeforeNextCheck: 0, updateInterval: 1 }) })
      const jobs = new Map<string, { queue: string; running: Set<number>; tasks: Placed[] }>()
      for (let now = 1; now <= 120; now++) {
        if (draw() < 0.3 && jobs.size < 12) {
          const queue = names[Math.floor(draw() * names.length)]!
          const id = `${queue}-${now}`
          master.submit(job({ id, queue, tasks: 1 + Math.floor(draw() * 15) }), now)
          jobs.set(id, { queue, running: new Set(), tasks: [] })
        }
        for (const [id, each] of [...jobs])
          for (const task of [...each.tasks])
            if (draw() < 0.03) {
              each.tasks.splice(each.tasks.indexOf(task), 1)
              each.running.delete(task.task)
              if (master.taskEnded(task, now)) jobs.delete(id)
            }
        const active = (queue: string) => [...jobs.values()].filter((each) => `${each.queue}.`.startsWith(`${queue}.`)).length
        const { kill, start } = master.heartbeat('n-0', now)
        const [, a = 0, b = 0, , x = 0, y = 0] = plainShares(
          { parents: [-1, 0, 0, 0, 3, 3], entries: [entry(1, 0, true), entry(2, 5, active('a') > 0), entry(1, 0, active('b') > 0), entry(1, 0, active('c') > 0), entry(1, 3, active('c.x') > 0), entry(3, 0, active('c.y') > 0)] }, 24,
        )
        const share: Record<string, number> = { a, b, 'c.x': x, 'c.y': y }
        for (const { job: id, task } of kill) {
          const each = jobs.get(id)!
          each.running.delete(task)
          each.tasks = each.tasks.filter((other) => other.task !== task)
        }
        for (const id of new Set(kill.map((each) => each.job))) {
          const { queue, running } = jobs.get(id)!
          // fifo gives all of a queue's share to the first of its jobs, and the others have none to lose
          const isFirst = [...jobs].find(([, each]) => each.queue === queue)?.[0] === id
          const own = queue === 'c.y' ? (isFirst ? share[queue]! : 0) : share[queue]! / active(queue)
          expect({ seed, now, id, left: running.size, isAtLeast: running.size >= own - 1e-9 }).toMatchObject({ isAtLeast: true })
          killed++
        }
        for (const task of start) {
          jobs.get(task.job)!.running.add(task.task)
          jobs.get(task.job)!.tasks.push(task)
        }
      }
    }
    expect(killed).toBeGreaterThan(15)
  })

  it('forgets a chosen task that has ended, also while its slot is still busy', () => {
    const policy = yarnPreempting(greedy(yarnFair({ root: { fairSharePreemptionTimeout: 1, fairSharePreemptionThreshold: 1 } })), { utilizationThreshold: 0, waitBeforeKill: 4.5 })
    const jobs = [job({ id: 'a', queue: 'a', tasks: 4, duration: 8 }), job({ id: 'b', queue: 'b', submit: 4, tasks: 1 })]
    const cluster = { nodes: [{ count: 1, slots: { map: 2 } }], heartbeat: { interval: 3, stagger: true } }
    // chosen some 1 s after b came, for 9 to 12 s; at 9 s it is known to have ended at 8 s, and its slot is free at 12 s
    const { recorder } = run({ cluster, jobs, policy, commitPendingBug: true })
    expect([recorder.evictions, recorder.launches.find(({ job: id }) => id === 'b')?.time]).toEqual([[], 12])
  })
})

describe('the laws of policies', () => {
  const options: YarnPreemptingOptions = { waitBeforeKill: 1, waitBeforeNextCheck: 1, updateInterval: 1, utilizationThreshold: 0.3 }
  const root: QueueOptions = { fairSharePreemptionTimeout: 1, fairSharePreemptionThreshold: 1 }
  it.each([
    ['greedy', () => yarnPreempting(greedy(yarnFair({ root }), firstNode()), options)],
    ['delay', () => yarnPreempting(delay(yarnFair({ root }), { node: 2, rack: 5 }), options)],
  ])('hold for yarn-preempting over %s', { tags: 'long' }, (_, make) => {
    expect(checkPolicyLaws(make, { runs: 12 }).launches).toBeGreaterThan(80)
  })
})
