import type { JobSpec, NodeId, Observer } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobQuantiles } from '../src/job-quantiles.js'
import { runSeries, type RunSeries } from '../src/run-series.js'
import { scheduleWindow } from '../src/schedule-window.js'
import { TimeMeans } from '../src/time-means.js'
import { World } from './world.js'

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

describe('TimeMeans', () => {
  it('has the means of the level over each step, as counted in the plainest way', () => {
    const change = fc.record({ after: fc.integer({ min: 0, max: 400 }), by: fc.integer({ min: -3, max: 5 }) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 300 }), (changes, from, rest) => {
        const means = new TimeMeans(from, 16)
        const column = means.add()
        const levels: { at: number; level: number }[] = [{ at: from, level: 0 }]
        for (const { after, by } of changes) {
          const last = levels.at(-1) ?? { at: from, level: 0 }
          levels.push({ at: last.at + after, level: last.level + by })
          means.change(column, last.at + after, by)
        }
        const end = (levels.at(-1)?.at ?? from) + rest
        const found = means.until(end, column)
        expect(found.length).toBeLessThanOrEqual(16)
        const plain = found.map((_, i) => {
          const [a, b] = [from + i * means.step, Math.min(end, from + (i + 1) * means.step)]
          return sum(levels.map(({ at, level }, l) => level * Math.max(0, Math.min(b, levels[l + 1]?.at ?? end) - Math.max(a, at)))) / (b - a)
        })
        found.forEach((mean, i) => expect(mean).toBeCloseTo(plain[i] ?? NaN, 9))
      }),
      { seed: 3, numRuns: 300 },
    )
  })

  it('doubles its step as time goes on, so that from half of the steps to all of them are in use', () => {
    const means = new TimeMeans(0, 100)
    const column = means.add()
    means.change(column, 0, 1)
    const found = means.until(1_000_000, column)
    expect(found.length).toBeGreaterThan(50)
    expect(found.length).toBeLessThanOrEqual(100)
    expect(new Set(found)).toEqual(new Set([1]))
  })
})

describe('runSeries', () => {
  const at = (values: readonly number[], { from, step }: RunSeries, time: number) => values[Math.floor((time - from) / step)]

  it('follows waiting jobs, running tasks and the use of what they hold', () => {
    const series = runSeries()
    const world = new World([series], { map: 4 })
    const [a, b] = [world.submit(10, { queue: 'x' }), world.submit(10, { queue: 'y', stages: [{ name: 'map', tasks: 1, demand: { map: 2 }, duration: 1 }] })]
    const ofA = world.start(12, a) // a waits 2 s and runs 8 s on 1 of 4 slots, b waits 10 s and runs 5 s on 2 of 4
    world.end(20, ofA)
    world.finish(20, a)
    const ofB = world.start(20, b)
    world.end(25, ofB)
    world.finish(25, b)
    world.close(25)
    const found = series.result()
    expect([found.from, found.end]).toEqual([10, 25])
    expect([11, 13, 21].map((time) => at(found.waitingJobs, found, time))).toEqual([2, 1, 0])
    expect([11, 13, 21].map((time) => at(found.runningTasks, found, time))).toEqual([0, 1, 1])
    const [map] = found.resources
    expect([11, 13, 21].map((time) => at(map?.use ?? [], found, time))).toEqual([0, 0.25, 0.5])
    expect(map?.queues?.map(({ queue, use }) => [queue, at(use, found, 13), at(use, found, 21)])).toEqual([['x', 0.25, 0], ['y', 0, 0.5]])
    expect(found.nodesAway).toBeUndefined()
    expect(sum(found.waitingJobs.slice(0, -1)) * found.step).toBeCloseTo(12, 9) // 2 s and 10 s; nobody waits at the end
  })

  it('has nodes that are away where some are, also before the first job comes', () => {
    const series: Observer & { result(): RunSeries } = runSeries()
    const world = new World([series])
    series.onNode?.(0 as NodeId, false, 1)
    const job = world.submit(2)
    series.onNode?.(0 as NodeId, true, 6)
    world.finish(10, job) // given up: it waits no more
    world.close(12)
    const found = series.result()
    expect([3, 7].map((time) => at(found.nodesAway ?? [], found, time))).toEqual([1, 0])
    expect([9, 11].map((time) => at(found.waitingJobs, found, time))).toEqual([1, 0])
  })

  it('has the nodes of groups that follow demand, and not those that are away', () => {
    const series: Observer & { result(): RunSeries } = runSeries()
    const world = new World([])
    const autoscale = [{ first: 0 as NodeId, count: 3, min: 0, initial: 1, provision: 5, price: undefined, priority: 0 }, { first: 3 as NodeId, count: 2, min: 2, initial: 2, provision: 5, price: undefined, priority: 0 }]
    series.onRunStart?.({ cluster: { ...world.cluster, autoscale }, work: world.work } as never)
    series.onNode?.(1 as NodeId, false, 0)
    series.onSubmit?.(0 as never, { id: 'a', submit: 2, stages: [] }, 2)
    series.onScale?.(0, 3, 6)
    series.onScale?.(0, 2, 10)
    series.onRunEnd?.(12)
    const found = series.result()
    expect([4, 8, 11].map((time) => at(found.scaledNodes ?? [], found, time))).toEqual([3, 5, 4])
    expect(found.nodesAway).toBeUndefined()
  })

  it('is empty for a run without jobs, and tells at most 12 queues apart', () => {
    const none = runSeries()
    new World([none]).close(5)
    expect(none.result().waitingJobs).toEqual([])
    const many = runSeries()
    const world = new World([many])
    for (let i = 0; i < 13; i++) world.end(i + 1, world.start(i, world.submit(i, { queue: `q${i}` })))
    world.close(20)
    expect(many.result().resources[0]?.queues).toBeUndefined()
  })
})

describe('jobQuantiles', () => {
  it('has the waits, responses and slowdowns of finished jobs at equal fractions', () => {
    const found = jobQuantiles({ parts: 4, tau: 1 })
    const world = new World([found.observer], { map: 9 })
    for (const wait of [0, 1, 2, 3, 4]) {
      const job = world.submit(wait * 100)
      world.end(wait * 100 + wait + 2, world.start(wait * 100 + wait, job)) // runs 2 s
      world.finish(wait * 100 + wait + 2, job)
    }
    expect(found.result()).toEqual({ jobs: 5, fractions: [0, 0.25, 0.5, 0.75, 1], wait: [0, 1, 2, 3, 4], response: [2, 3, 4, 5, 6], slowdown: [1, 1.5, 2, 2.5, 3] })
  })

  it('leaves out jobs outside the period and those given up', () => {
    const found = jobQuantiles({ parts: 1, period: { from: 5, to: 10 } })
    const world = new World([found.observer])
    const [early, counted, given] = [world.submit(0), world.submit(5), world.submit(6)]
    world.end(8, world.start(7, counted))
    world.finish(8, counted)
    world.finish(8, early)
    world.abandon(8, given)
    world.finish(9, given)
    expect(found.result()).toMatchObject({ jobs: 1, wait: [2, 2] })
    expect(jobQuantiles().result()).toMatchObject({ jobs: 0, wait: [] })
  })
})

describe('scheduleWindow', () => {
  const rigid = (id: string): Partial<JobSpec> => ({ id, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 1 }] })
  /** Jobs that run side by side: job i from second i on, 10 s long, the last one 30 s. */
  function story(observer: Observer, count: number): void {
    const world = new World([observer], { procs: 99 }, { nodes: 1 })
    const running = Array.from({ length: count }, (_, i) => world.start(i, world.submit(i, rigid(`j${i}`))))
    running.forEach((task, i) => world.end(i + 1 < count ? i + 10 : 40, task))
    world.close(50)
  }

  it('keeps a schedule that is short enough', () => {
    const window = scheduleWindow({ most: 3, cut: false })
    story(window, 3)
    expect(window.result()).toMatchObject({ until: Infinity, end: 50, nodes: ['node 0'], units: { resource: 'procs', count: 99 } })
    expect(window.result()?.rows.map(({ id, start, end, units }) => [id, start, end, units])).toEqual([['j0', 0, 10, '0'], ['j1', 1, 11, '1'], ['j2', 2, 40, '2']])
  })

  it('keeps nothing of a longer one, or all that ran until it was full', () => {
    const none = scheduleWindow({ most: 3, cut: false })
    story(none, 4)
    expect(none.result()).toBeUndefined()
    const cut = scheduleWindow({ most: 3, cut: true })
    story(cut, 20) // the fourth ends at 13: j0 to j12 began before that, j13 did not
    expect(cut.result()?.until).toBe(13)
    expect(cut.result()?.rows.map(({ id }) => id)).toEqual(Array.from({ length: 13 }, (_, i) => `j${i}`))
  })

  it('has what still runs at the end until then', () => {
    const window = scheduleWindow({ most: 3, cut: false })
    const world = new World([window], { procs: 9 }, { nodes: 1 })
    const [a, b] = [world.submit(0, rigid('a')), world.submit(1, rigid('b'))]
    world.end(4, world.start(0, a))
    world.finish(4, a)
    world.start(2, b)
    world.close(7)
    expect(window.result()?.rows.map(({ id, start, end }) => [id, start, end])).toEqual([['a', 0, 4], ['b', 2, 7]])
  })

  it('has the times in which nodes were away, the last ones until the end', () => {
    const window: Observer & ReturnType<typeof scheduleWindow> = scheduleWindow({ most: 3, cut: false })
    const world = new World([window])
    window.onNode?.(1 as NodeId, false, 3)
    window.onNode?.(1 as NodeId, true, 5)
    window.onNode?.(0 as NodeId, false, 6)
    world.close(9)
    expect(window.result()?.away).toEqual([{ node: 1, from: 3, to: 5 }, { node: 0, from: 6, to: 9 }])
  })
})
