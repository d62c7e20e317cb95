import { describe, expect, it } from 'vitest'
import { locality, preemption, utilisation } from '../src/index.js'
import { World } from './world.js'

describe('locality', () => {
  it('weighs tasks alike in one figure and jobs alike in the other', () => {
    // Job A: 3 of 4 launches on the node, 1 in the rack. Job B: its only launch off the rack.
    const near = locality()
    const world = new World([near])
    const a = world.submit(0, { tasks: 4, label: 'large' })
    const b = world.submit(0, { label: 'small' })
    for (const level of [0, 0, 1, 0]) world.start(1, a, { level })
    world.start(1, b, { level: 2 })
    world.finish(9, a)
    world.finish(9, b)
    const { levels, overall, classes } = near.result()
    expect(levels).toEqual(['node', 'rack', 'any'])
    expect(overall).toEqual({ jobs: 2, launches: [3, 1, 1], share: [0.6, 0.2, 0.2], jobShare: [0.375, 0.125, 0.5] })
    expect(classes.map(({ label, launches }) => [label, launches])).toEqual([['large', [3, 1, 0]], ['small', [0, 0, 1]]])
  })

  it('does not count tasks without data', () => {
    const near = locality()
    const world = new World([near])
    const job = world.submit(0, { tasks: 2 })
    world.start(0, job, { level: -1 })
    world.finish(1, job)
    expect(near.result().overall).toEqual({ jobs: 0, launches: [0, 0, 0], share: [NaN, NaN, NaN], jobShare: [NaN, NaN, NaN] })
  })

  it('counts jobs that have not ended when the run ends, and forgets an ended job whose id is used again', () => {
    const near = locality()
    const world = new World([near])
    const first = world.submit(0)
    world.start(0, first, { level: 0 })
    world.finish(1, first)
    const second = world.submit(2)
    expect(second).toBe(first)
    world.start(2, second, { level: 2 })
    world.close(3)
    expect(near.result().overall.launches).toEqual([1, 0, 1])
  })

  it('names the levels of a cluster with no racks, or with groups of racks', () => {
    const namesOf = (levels: number) => {
      const near = locality()
      new World([near], { map: 1 }, { levels })
      return near.result().levels
    }
    expect([namesOf(1), namesOf(3)]).toEqual([['node', 'any'], ['node', 'rack', 'group 2', 'any']])
  })
})

describe('utilisation', () => {
  it('splits busy slot seconds into useful, lost, unreported and unfinished', () => {
    const use = utilisation()
    const world = new World([use], { map: 4 })
    const job = world.submit(10, { tasks: 3 })
    const [done, evicted] = [world.start(10, job), world.start(12, job)]
    world.end(23, done, { stopped: 20 }) // 10 s of work, 3 s until the heartbeat
    world.end(17, evicted, { how: 'evicted' }) // 5 s lost
    world.start(18, job) // runs until the end of the run, 12 s
    world.close(30)
    const { span, resources } = use.result()
    expect(span).toBe(20)
    expect(resources).toEqual([
      { resource: 'map', lane: 'map', capacity: 4, utilisation: 30 / 80, usefulUtilisation: 10 / 80, busy: 30, useful: 10, lost: 5, unreported: 3, unfinished: 12 },
    ])
  })

  it.each([
    ['of the run', undefined, 0, 5],
    ['of a period in which it is killed', { from: 6, to: 20 }, -4, 5],
    ['of one that ends before', { from: 0, to: 9 }, 4, 0],
  ])('takes what a task had done before it was suspended out of the use that counts, %s, when it is killed later', (_, period, useful, lost) => {
    const use = utilisation(period)
    const world = new World([use])
    const job = world.submit(0)
    world.end(4, world.start(0, job), { how: 'evicted', saved: 4 })
    world.end(10, world.start(9, job), { how: 'lost', saved: -4 })
    world.close(20)
    expect(use.result().resources[0]).toMatchObject({ useful, lost, busy: useful + lost })
  })

  it('begins with the first submission, not at time 0, and keeps slot types apart', () => {
    const use = utilisation()
    const world = new World([use], { map: 2, reduce: 1 })
    const job = world.submit(100, {
      stages: [{ name: 'map', tasks: 1, demand: { map: 1 }, duration: 1 }, { name: 'reduce', tasks: 1, demand: { reduce: 1 }, duration: 1 }],
    })
    world.end(105, world.start(100, job, { stage: 0 }))
    world.end(110, world.start(105, job, { stage: 1 }))
    world.finish(110, job)
    world.close(110)
    expect(use.result().resources.map(({ resource, utilisation: u }) => [resource, u])).toEqual([['map', 5 / 20], ['reduce', 5 / 10]])
  })

  it('forgets no seconds of any of many demands', () => {
    const use = utilisation()
    const world = new World([use], { map: 99 })
    const stages = Array.from({ length: 60 }, (_, i) => ({ name: `${i}`, tasks: 3, demand: { map: i + 1 }, duration: 1 }))
    const job = world.submit(0, { stages })
    for (const stage of stages.keys()) {
      world.end(3, world.start(0, job, { stage }), { stopped: 2 })
      world.end(1, world.start(0, job, { stage }), { how: 'evicted' })
      world.start(0, job, { stage })
    }
    world.close(5)
    const slots = (60 * 61) / 2
    expect(use.result().resources).toMatchObject([{ useful: 2 * slots, lost: slots, unreported: slots, unfinished: 5 * slots }])
  })

  it('counts every resource of a task with its demand', () => {
    const use = utilisation()
    const world = new World([use], { cpu: 8, memory: 100 }, { together: true })
    const job = world.submit(0, {
      stages: [{ name: 'big', tasks: 1, demand: { cpu: 4, memory: 10 }, duration: 1 }, { name: 'small', tasks: 1, demand: { cpu: 1, memory: 50 }, duration: 1 }],
    })
    world.end(10, world.start(0, job, { stage: 0 }))
    world.end(10, world.start(0, job, { stage: 1 }))
    world.finish(10, job)
    world.close(10)
    expect(use.result().resources.map(({ lane, busy, utilisation: u }) => [lane, busy, u])).toEqual([['all', 50, 5 / 8], ['all', 600, 60 / 100]])
  })

  it('tells what each of several queues held, also before the second one came', () => {
    const use = utilisation({ from: 0, to: 40 })
    const world = new World([use], { cpu: 10, memory: 100 }, { together: true })
    const of = (now: number, queue: string, cpu: number, memory: number) => world.submit(now, { queue, tasks: 3, stages: [{ name: 'work', tasks: 3, demand: { cpu, memory }, duration: 1 }] })
    const a = of(0, 'ads', 2, 5)
    world.end(10, world.start(0, a), { how: 'evicted', saved: 4 }) // 10 s of 2 cpu
    const b = of(10, 'b', 1, 50)
    const c = of(10, 'c', 1, 1)
    world.end(30, world.start(20, b), { stopped: 28 }) // 10 s until it is known
    world.start(25, a) // to the end of the period, 15 s of 2 cpu
    world.start(35, b) // 5 s
    of(36, 'ads', 9, 9)
    world.finish(36, c)
    world.close(50)
    expect(use.result().queues).toEqual([
      { queue: 'ads', busy: [50, 125], utilisation: [50 / 400, 125 / 4000] },
      { queue: 'b', busy: [15, 750], utilisation: [15 / 400, 750 / 4000] },
      { queue: 'c', busy: [0, 0], utilisation: [0, 0] },
    ])
  })

  it('tells nothing of queues where jobs only have users', () => {
    const use = utilisation()
    const world = new World([use])
    for (const user of ['ann', 'bob']) world.submit(0, { user })
    world.close(10)
    expect(use.result()).not.toHaveProperty('queues')
  })

  it('has no utilisation of a run without jobs', () => {
    const use = utilisation()
    new World([use]).close(10)
    expect(use.result()).toMatchObject({ span: NaN, resources: [{ busy: 0, utilisation: NaN }] })
  })
})

describe('preemption', () => {
  it('counts evicted tasks and what they had done, by the queue that lost them', () => {
    const lost = preemption()
    const world = new World([lost], { map: 10 })
    const stages = [{ name: 'wide', tasks: 3, demand: { map: 2 }, duration: 1 }]
    const [b, a] = [world.submit(0, { queue: 'pool 10', stages }), world.submit(0, { queue: 'pool 9' })]
    world.end(8, world.start(1, b), { how: 'evicted' })
    world.end(6, world.start(2, b), { how: 'evicted' })
    world.end(5, world.start(2, b))
    world.end(9, world.start(4, a), { how: 'evicted' })
    expect(lost.result()).toEqual({
      tasks: 3,
      taskSeconds: 16,
      lost: { map: 27 }, // 2 x (7 + 4) + 5
      queues: [
        { queue: 'pool 9', tasks: 1, taskSeconds: 5, lost: { map: 5 } },
        { queue: 'pool 10', tasks: 2, taskSeconds: 11, lost: { map: 22 } },
      ],
    })
  })

  it('does not count failed tasks', () => {
    const lost = preemption()
    const world = new World([lost])
    world.end(5, world.start(0, world.submit(0)), { how: 'failed' })
    expect(lost.result()).toEqual({ tasks: 0, taskSeconds: 0, lost: {}, queues: [] })
  })
})
