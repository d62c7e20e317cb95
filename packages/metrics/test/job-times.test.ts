import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bySize, jobRows, jobTimes, median, quantile, standardMetrics, Values, type JobRow } from '../src/index.js'
import { World } from './world.js'

/** Runs one job from `submit` over `start` to `end`. */
function run(world: World, submit: number, start: number, end: number, label?: string): void {
  const job = world.submit(submit, label === undefined ? {} : { label })
  world.end(end, world.start(start, job))
  world.finish(end, job)
}

describe('job times', () => {
  it('count the wait to the first task and the response to the end of the job', () => {
    const times = jobTimes()
    const world = new World([times])
    const job = world.submit(10, { tasks: 2 })
    const [first, second] = [world.start(14, job), world.start(30, job)]
    world.end(34, first)
    world.end(50, second)
    world.finish(50, job)
    const { overall } = times.result()
    expect([overall.wait.mean, overall.response.mean, overall.makespan]).toEqual([4, 40, 40])
    expect(overall.slowdown.mean).toBe(40 / 36)
  })

  it('bound the slowdown below by runs of 10 s and by 1 (Feitelson et al. 1997)', () => {
    const times = jobTimes()
    const world = new World([times])
    run(world, 0, 30, 31) // waited 30 s for 1 s: 31 / 10, not 31
    run(world, 100, 100, 101) // 1 / 10 counts as 1
    const { slowdown } = times.result().overall
    expect([slowdown.max, slowdown.min]).toEqual([3.1, 1])
  })

  it('keep classes apart, in natural order, and count jobs without a label overall alone', () => {
    const times = jobTimes()
    const world = new World([times])
    run(world, 0, 1, 10, 'bin 10')
    run(world, 0, 2, 20, 'bin 9')
    run(world, 5, 9, 30, 'bin 10')
    run(world, 6, 6, 7)
    const { overall, classes } = times.result()
    expect(overall.jobs).toBe(4)
    expect(classes.map(({ label, jobs, wait, makespan }) => [label, jobs, wait.mean, makespan])).toEqual([['bin 9', 1, 2, 20], ['bin 10', 2, 2.5, 30]])
  })

  it('leave out what has not happened when the run ends: waits of unstarted jobs, responses of unfinished ones', () => {
    const times = jobTimes()
    const world = new World([times])
    world.submit(0)
    world.start(7, world.submit(1))
    world.close(9)
    const { jobs, started, finished, wait, response, makespan } = times.result().overall
    expect([jobs, started, finished, wait.max]).toEqual([2, 1, 0, 6])
    expect([response.mean, response.min, response.p99, makespan]).toEqual([NaN, NaN, NaN, NaN])
  })

  it('count abandoned jobs, but no response of theirs', () => {
    const times = jobTimes()
    const world = new World([times])
    const job = world.submit(0)
    world.abandon(5, job)
    world.finish(5, job)
    run(world, 6, 7, 8) // takes over the job's id
    expect(times.result().overall).toMatchObject({ jobs: 2, started: 1, finished: 1, abandoned: 1, response: { count: 1, max: 2 } })
  })

  it('has a class of which all jobs were rejected, and counts those in the period', () => {
    const times = jobTimes({ period: { from: 2, to: 10 } })
    const world = new World([times])
    for (const [now, label] of [[1, 'early'], [2, 'some'], [3, 'none'], [4, 'none'], [5, undefined]] as const) world.reject(now, label === undefined ? {} : { label })
    world.finish(8, world.submit(6, { label: 'some' }))
    const { overall, classes } = times.result()
    expect([overall, ...classes].map(({ jobs, rejected }) => [jobs, rejected])).toEqual([[1, 4], [0, 2], [1, 1]])
    expect(classes.map(({ label }) => label)).toEqual(['none', 'some'])
    expect(classes[0]).toMatchObject({ started: 0, finished: 0, wait: { count: 0, mean: NaN }, makespan: NaN })
  })

  it('has the locality of the same class, also where all jobs of another are rejected or outside the period', () => {
    const metrics = standardMetrics({ period: { from: 2, to: 10 } })
    const world = new World([metrics])
    const ran = (now: number, label: string, level: number) => {
      const job = world.submit(now, { label })
      world.end(now + 1, world.start(now, job, { level }))
      world.finish(now + 1, job)
    }
    ran(0, 'before', 1)
    ran(2, 'near', 0)
    world.reject(3, { label: 'a' })
    world.close(10)
    expect(metrics.result().classes.map(({ label, times, locality }) => [label, times.jobs, locality.launches])).toEqual([['a', 0, [0, 0, 0]], ['near', 1, [1, 0, 0]]])
  })

  it('can class jobs by size: 1, 3-20 and above the last limit', () => {
    const classOf = bySize([1, 2, 20])
    const label = (tasks: number) => classOf({ id: '', submit: 0, stages: [{ name: '', tasks, demand: {}, duration: 1 }] })
    expect([1, 2, 3, 20, 21].map(label)).toEqual(['1', '2', '3-20', '3-20', '>20'])
  })
})

describe('job rows', () => {
  it('give every job to the sink when it ends', () => {
    const rows: JobRow[] = []
    const world = new World([jobRows((row) => rows.push(row))])
    const slow = world.submit(0, { id: 'slow', tasks: 3, queue: 'ads', user: 'ann', label: 'bin 2' })
    const task = world.start(2, slow)
    const quick = world.submit(3, { id: 'quick' })
    world.end(5, world.start(4, quick))
    world.finish(5, quick)
    world.end(9, task)
    world.finish(9, slow)
    expect(rows).toEqual([
      { id: 'quick', label: '', user: 'user', queue: 'default', submit: 3, start: 4, end: 5, wait: 1, response: 2, tasks: 1, held: { map: 1 }, abandoned: false },
      { id: 'slow', label: 'bin 2', user: 'ann', queue: 'ads', submit: 0, start: 2, end: 9, wait: 2, response: 9, tasks: 3, held: { map: 7 }, abandoned: false },
    ])
  })

  it('tell an abandoned job from a finished one', () => {
    const rows: JobRow[] = []
    const world = new World([jobRows((row) => rows.push(row))])
    const job = world.submit(1)
    world.abandon(4, job)
    world.finish(4, job)
    expect(rows[0]).toMatchObject({ start: NaN, wait: NaN, response: 3, abandoned: true })
  })
})

describe('distribution', () => {
  const collected = (values: readonly number[], exact?: number) => {
    const all = new Values(exact)
    values.forEach((value) => all.add(value))
    return all.result()
  }

  it('is exact up to the limit and says so', () => {
    expect(collected([4, 1, 3, 2], 4)).toEqual({ count: 4, mean: 2.5, min: 1, median: 2.5, p90: 3.7, p95: 3.8499999999999996, p99: 3.9699999999999998, max: 4, percentiles: 'exact', relativeError: 0 })
  })

  it('has no figures without values', () => {
    expect(collected([])).toMatchObject({ count: 0, mean: NaN, min: NaN, median: NaN, p99: NaN, max: NaN })
  })

  it('uses a sketch above the limit, whose percentiles are within half a percent; count, mean and extremes stay exact', () => {
    const times = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 30, maxLength: 300 })
    fc.assert(
      fc.property(times, (values) => {
        const [exact, sketch] = [collected(values), collected(values, 10)]
        expect(sketch).toMatchObject({ percentiles: 'sketch', relativeError: 0.005, count: exact.count, mean: exact.mean, min: exact.min, max: exact.max })
        const sorted = [...values].sort((a, b) => a - b)
        for (const [q, found] of [[0.5, sketch.median], [0.9, sketch.p90], [0.99, sketch.p99]] as const) {
          // the sketch does not interpolate: it answers for the value at or below the position
          const below = sorted[Math.floor(q * (sorted.length - 1))] as number
          expect(Math.abs(found - below) / below).toBeLessThanOrEqual(0.005 + 1e-9)
        }
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('keeps zeros in a sketch', () => {
    expect(collected([0, 0, 0, 5], 2)).toMatchObject({ median: 0, max: 5, percentiles: 'sketch' })
  })

  it('does not depend on the order of values', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), (values) => {
        const { median: middle, p95 } = collected(values)
        expect(middle).toBe(median([...values].reverse()))
        expect(p95).toBe(quantile([...values].sort((a, b) => a - b), 0.95))
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})
