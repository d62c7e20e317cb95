import { dispatcher, type Decisions, type Dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { randomStream } from '@sched/core'
import { cluster, instantCluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Situations of Hadoop 3's TestCapacitySchedulerLazyPreemption, named at each, and what they leave open.

const eager = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0, lazyPreemption: true }
const queues: CapacitySchedulerOptions['queues'] = { a: { capacity: 10 }, b: { capacity: 20 }, c: { capacity: 70 } }
const asking = (id: string, queue: string, tasks: number, mem = 1, change: JobChange = {}) => job({ id, queue, user: id, tasks, demand: { mem }, ...change })
/** Nodes of 4, the first `n0-0`; a has all but one unit of them, c the last one. Looks are at 3, 6, ... */
const full = (count: number, options: CapacitySchedulerOptions = {}, room = 4) => {
  const nodes = Array.from({ length: count }, (_, i) => ({ name: `n${i}`, count: 1, resources: { mem: room }, labels: { name: `n${i}` } }))
  const { preemption, ...rest } = options
  const policy = capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 999, preemption: { ...eager, ...preemption }, ...rest })
  const master = dispatcher({ cluster: cluster({ nodes, heartbeat: { interval: 1 } }), policy })
  master.submit(asking('a0', 'a', count * room - 1), 0)
  for (let node = 0; node < count; node++) master.heartbeat(`n${node}-0`, 0)
  master.submit(asking('c0', 'c', 1), 0)
  master.heartbeat(`n${count - 1}-0`, 0)
  return master
}
const told = ({ start, kill }: Decisions) => [kill.map(({ job: id, node }) => `${id} ${node}`), start.map(({ job: id, node }) => `${id} ${node}`)]
const beat = (master: Dispatcher, node: number, now: number) => told(master.heartbeat(`n${node}-0`, now))
const nothing = [[], []]

describe('lazy preemption', () => {
  it('kills on the node, at the beat at which another is started there (testSimplePreemption)', () => {
    const master = full(2)
    master.submit(asking('c1', 'c', 1), 1)
    expect([3, 6, 9].map((now) => told(master.tick(now)))).toEqual([nothing, nothing, nothing])
    expect(beat(master, 0, 10)).toEqual(nothing) // the newest of a runs on the other node
    expect(beat(master, 1, 11)).toEqual([['a0 n1-0'], ['c1 n1-0']])
  })

  it('waits for data first, as long as it would for a free node (testPreemptionConsidersNodeLocalityDelay)', () => {
    const master = full(2, { nodeLocalityDelay: 1, rackLocalityAdditionalDelay: 0 })
    const [stage] = asking('c1', 'c', 1).stages
    master.submit({ ...asking('c1', 'c', 1), stages: [{ ...stage!, data: { hosts: [['n0-0']] } }] }, 1)
    master.tick(3)
    master.tick(6)
    expect([7, 8].map((now) => beat(master, 1, now))).toEqual([nothing, [['a0 n1-0'], ['c1 n1-0']]])
  })

  it('kills nobody on nodes that the task may not run on (testPreemptionConsidersHardNodeLocality)', () => {
    const master = full(2)
    const [stage] = asking('c1', 'c', 1).stages
    master.submit({ ...asking('c1', 'c', 1), stages: [{ ...stage!, constraints: { require: { name: 'n0' } } }] }, 1)
    master.tick(3)
    master.tick(6)
    expect([7, 8, 9, 10].map((now) => beat(master, now % 2, now))).toEqual([nothing, nothing, nothing, nothing])
  })

  it('chooses no more while those are there, and beside them what more is wanted (testPreemptionPolicyShouldRespectAlreadyMarkedKillableContainers)', () => {
    const killed = (looks: number, later: number) => {
      const master = full(1, {}, 8)
      master.submit(asking('c1', 'c', 1), 1)
      for (let look = 1; look <= looks; look++) master.tick(3 * look)
      master.submit(asking('c2', 'c', 3), 3 * looks + 1)
      for (let look = 1; look <= later; look++) master.tick(3 * (looks + look))
      return beat(master, 0, 3 * (looks + later) + 1)[0]?.length
    }
    expect([killed(2, 0), killed(5, 0), killed(5, 1), killed(5, 2)]).toEqual([1, 1, 1, 4])
  })

  it('chooses nobody for users at their limit (testPreemptionConsidersUserLimit)', () => {
    const master = full(2, { queues: { ...queues, c: { capacity: 70, userLimitFactor: 0.1 } } })
    master.submit({ ...asking('c1', 'c', 1), user: 'c0' }, 1)
    master.tick(3)
    master.tick(6)
    expect(beat(master, 1, 7)).toEqual(nothing)
  })

  it('lets nobody go for a queue that has its guarantee, nor when what it was for is gone', () => {
    const master = full(2)
    master.submit(asking('c1', 'c', 1), 1)
    master.tick(3)
    master.tick(6)
    master.cancel('c1', 7)
    master.submit(asking('a1', 'a', 3), 7) // above its guarantee, and waiting
    expect(beat(master, 1, 8)).toEqual(nothing)
    master.submit(asking('b0', 'b', 5), 9) // may have 1.6 of 8, so 1 until it is not below that; and one task was to be killed
    expect(beat(master, 1, 10)).toEqual([['a0 n1-0'], ['b0 n1-0']])
    expect(beat(master, 1, 11)).toEqual(nothing)
  })

  it('lets those end by themselves that end before', () => {
    const master = full(2)
    master.submit(asking('c1', 'c', 1), 1)
    master.tick(3)
    master.tick(6)
    const ended = master.cancel('a0', 7)
    master.taskEnded(ended.find(({ node }) => node === 'n0-0')!, 7)
    expect(beat(master, 0, 8)).toEqual([[], ['c1 n0-0']])
    expect(beat(master, 1, 9)).toEqual(nothing)
  })

  it('reserves the node where those to be killed are too little, and takes more of them then', () => {
    const master = full(1, {}, 8)
    master.submit(asking('c1', 'c', 1), 1)
    master.tick(3)
    master.tick(6)
    master.cancel('c1', 7)
    master.submit(asking('c2', 'c', 1, 2), 8)
    expect(beat(master, 0, 9)).toEqual(nothing) // reserved: c counts 3 of 5.6, and a 2 too much, of which one may be killed
    expect([12, 15].map((now) => told(master.tick(now)))).toEqual([nothing, nothing])
    expect(beat(master, 0, 16)).toEqual([['a0 n0-0', 'a0 n0-0'], ['c2 n0-0']])
  })

  it('starts no gang in part: all that it needs is killed, or nobody', () => {
    const killed = (tasks: number) => {
      const master = full(1, { reservations: false }, 8)
      master.submit(asking('c1', 'c', 3), 1)
      master.tick(3)
      master.tick(6)
      master.cancel('c1', 7)
      master.submit(asking('gang', 'c', tasks, 1, { gang: true }), 7)
      return beat(master, 0, 8).map((each) => each.length)
    }
    expect([killed(3), killed(4)]).toEqual([[3, 3], [0, 0]])
  })

  it('leaves no queue around above its maximum', () => {
    // p has at most 6 of 8: x all of them, y is to have 3. With room on another node y would make p larger than it may be
    const nested: CapacitySchedulerOptions['queues'] = { p: { capacity: 75, maximumCapacity: 75 }, 'p.x': { capacity: 50 }, 'p.y': { capacity: 50 }, q: { capacity: 25 } }
    const policy = capacityScheduler({ queues: nested, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 999, preemption: eager })
    const nodes = [0, 1].map((i) => ({ name: `n${i}`, count: 1, resources: { mem: 4 } }))
    const master = dispatcher({ cluster: cluster({ nodes, heartbeat: { interval: 1 } }), policy })
    master.submit(asking('x', 'p.x', 6), 0)
    beat(master, 0, 0)
    beat(master, 1, 0)
    master.submit(asking('y', 'p.y', 4), 1)
    for (const now of [3, 6]) master.tick(now) // 3 of x are killable: two on the second node, one on the first
    expect(beat(master, 1, 7)).toEqual(nothing) // two are free there, and p has all it may
    expect(beat(master, 0, 8)).toEqual([['x n0-0'], ['y n0-0']])
  })

  it('kills nobody but where another starts at once, on random traces', { tags: 'long' }, () => {
    let kills = 0
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomStream(seed, 'lazy')
      const draw = (most: number) => 1 + Math.floor(random() * most)
      const beats = seed % 2 === 0
      const nodes = [{ name: 'n', count: draw(4), resources: { mem: 4 + draw(6) } }]
      const jobs = Array.from({ length: 25 }, (_, i) => asking(`j${i}`, ['a', 'b', 'c'][draw(3) - 1] as string, draw(8), draw(3), { submit: draw(60), duration: draw(40), ...(draw(6) === 1 && { gang: true, tasks: 2, demand: { mem: 1 } }) }))
      const policy = capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, preemption: { ...eager, maxWaitBeforeKill: seed % 3 } })
      const { recorder } = run({ cluster: beats ? cluster({ nodes, heartbeat: { interval: 1 } }) : instantCluster({ nodes }), jobs, policy, until: 3000 })
      const isGang = new Set(jobs.filter(({ stages }) => stages[0]?.gang === true).map(({ id }) => id))
      for (const { time, node, job: id } of recorder.evictions)
        if (!isGang.has(id) && ++kills > 0) expect({ seed, time, node, id, has: recorder.launches.some((each) => each.time === time && each.node === node && each.job[0] === 'j' && each.job !== id) }).toMatchObject({ has: true })
    }
    expect(kills).toBeGreaterThan(100)
  })
})
