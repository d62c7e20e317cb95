import fc from 'fast-check'
import { Reason, reasonNames } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { counts, promises, waitParts, waitReasons, type WaitRow } from '../src/index.js'
import { World } from './world.js'

function explained(): { rows: WaitRow[]; reasons: ReturnType<typeof waitReasons>; world: World } {
  const rows: WaitRow[] = []
  const reasons = waitReasons({ onRow: (row) => rows.push(row) })
  return { rows, reasons, world: new World([reasons]) }
}

/** The parts of a wait that are not 0, by name. */
const partsOf = (row: WaitRow | undefined): Record<string, number> => Object.fromEntries(waitParts.map((name, i) => [name, row?.parts[i] ?? NaN] as const).filter(([, seconds]) => seconds !== 0))

describe('wait reasons', () => {
  it('give every second to the reason in force', () => {
    const { rows, world } = explained()
    const job = world.submit(100)
    world.defer(103, job, Reason.NoRoom) // 3 s behind others until somebody looks
    world.defer(105, job, Reason.NoRoom) // no change
    world.defer(110, job, Reason.Locality) // 7 s no room
    world.defer(112, job, Reason.NoRoom) // 2 s locality delay
    world.start(115, job) // 3 s no room
    expect(rows).toMatchObject([{ id: 'job at 100', wait: 15, started: true }])
    expect(partsOf(rows[0])).toEqual({ 'no room': 10, 'locality delay': 2, 'behind others': 3 })
  })

  it('say behind others for a job that nobody looked at, and nothing for one that started at once', () => {
    const { rows, world } = explained()
    world.start(9, world.submit(4))
    world.start(9, world.submit(9))
    expect(rows.map(partsOf)).toEqual([{ 'behind others': 5 }, {}])
  })

  it('give set-up time to the job itself', () => {
    const { rows, world } = explained()
    const job = world.submit(0, { startup: 10 })
    world.defer(14, job, Reason.Limit)
    world.start(20, job)
    expect(partsOf(rows[0])).toEqual({ 'start-up': 10, 'behind others': 4, 'queue limit': 6 })
  })

  it('end with the first task: later deferrals do not count', () => {
    const { rows, world } = explained()
    const job = world.submit(0, { tasks: 2 })
    world.start(2, job)
    world.defer(5, job, Reason.NoRoom)
    world.start(9, job)
    expect(rows.map(({ wait }) => wait)).toEqual([2])
  })

  it('tell of jobs that wait when the run ends or are abandoned', () => {
    const { rows, reasons, world } = explained()
    const given = world.submit(0, { id: 'given up' })
    world.submit(1, { id: 'waiting', startup: 100 })
    world.defer(2, given, Reason.NoRoom)
    world.abandon(6, given)
    world.finish(6, given)
    world.close(8)
    expect(rows.map(({ id, started, wait }) => [id, started, wait])).toEqual([['given up', false, 6], ['waiting', false, 7]])
    expect(partsOf(rows[1])).toEqual({ 'start-up': 7 })
    expect(reasons.result().overall).toMatchObject({ jobs: 2, wait: 13, parts: { 'no room': 4, 'behind others': 2, 'start-up': 7 } })
  })

  it('add up by class', () => {
    const { reasons, world } = explained()
    world.start(3, world.submit(0, { label: 'bin 2' }))
    world.start(9, world.submit(4, { label: 'bin 2' }))
    world.start(9, world.submit(8, { label: 'bin 1' }))
    expect(reasons.result().classes.map(({ label, jobs, wait, parts }) => [label, jobs, wait, parts['behind others']])).toEqual([['bin 1', 1, 1, 1], ['bin 2', 2, 8, 8]])
  })

  it('add up exactly to the wait, however times are rounded', () => {
    const gap = fc.double({ min: 0, max: 1e5, noNaN: true })
    const looks = fc.array(fc.record({ gap, reason: fc.constantFrom(...reasonNames.keys()) }), { maxLength: 12 })
    fc.assert(
      fc.property(gap, gap, looks, gap, (submit, startup, deferrals, rest) => {
        const { rows, reasons, world } = explained()
        const job = world.submit(submit, { startup })
        let now = submit
        for (const { gap, reason } of deferrals) world.defer((now += gap), job, reason as Reason)
        world.start(now + rest, job)
        expect(rows[0]?.wait).toBe(now + rest - submit)
        expect(rows[0]?.parts.reduce((sum, part) => sum + part, 0)).toBe(rows[0]?.wait)
        expect(rows[0]?.parts.every((part) => part >= 0)).toBe(true)
        const { wait, parts } = reasons.result().overall
        expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(wait)
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

describe('promises', () => {
  it('hold a job to the earliest start it was promised', () => {
    const kept = promises()
    const world = new World([kept])
    const [early, late] = [world.submit(0), world.submit(0)]
    for (const job of [early, late]) {
      world.reserve(0, job, 100)
      world.reserve(5, job, 40)
      world.reserve(9, job, 60)
    }
    world.start(40, early)
    world.start(47, late)
    // ahead of the first promise, 100 s: by 60 and by 53 s
    expect(kept.result()).toEqual({ promises: 6, jobs: 2, broken: 1, meanLateness: 7, maxLateness: 7, early: 2, meanAhead: 56.5 })
  })

  it('are broken by a job that has not started by then when the run ends, and by an abandoned one', () => {
    const kept = promises()
    const world = new World([kept])
    const [overdue, inTime, given] = [world.submit(0), world.submit(0), world.submit(0)]
    world.reserve(0, overdue, 10)
    world.reserve(0, inTime, 90)
    world.reserve(0, given, 20)
    world.abandon(23, given)
    world.finish(23, given)
    world.close(50)
    expect(kept.result()).toEqual({ promises: 3, jobs: 3, broken: 2, meanLateness: 21.5, maxLateness: 40, early: 0, meanAhead: 0 })
  })

  it('say nothing about later tasks of a started job', () => {
    const kept = promises()
    const world = new World([kept])
    const job = world.submit(0, { tasks: 2 })
    world.start(1, job)
    world.reserve(2, job, 5)
    world.start(9, job)
    expect(kept.result()).toMatchObject({ promises: 1, jobs: 0, broken: 0 })
  })
})

describe('counts', () => {
  it('count jobs, tasks, launches and how they ended, and launches per simulated second', () => {
    const all = counts()
    const world = new World([all])
    const job = world.submit(10, { tasks: 2 })
    world.end(12, world.start(10, job), { how: 'evicted' })
    world.end(14, world.start(12, job))
    world.end(15, world.start(13, job))
    world.finish(15, job)
    const given = world.submit(16)
    world.abandon(16, given)
    world.finish(16, given)
    world.end(18, world.start(17, world.submit(16)), { how: 'failed' })
    world.reject(18)
    world.close(18)
    expect(all.result()).toEqual({
      jobs: 3, finished: 1, abandoned: 1, rejected: 1, tasks: 4, tasksDone: 2, launches: 4, evicted: 1, lost: 0, failed: 1, firstSubmit: 10, end: 18, launchesPerSecond: 0.5,
    })
  })
})
