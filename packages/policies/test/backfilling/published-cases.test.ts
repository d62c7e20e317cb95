import type { JobSpec } from '@sched/core'
import { conservative, easy, fifo, replan, sjf, strict, type EasyOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { simulated, startsOf } from './machine.js'
import type { RigidJob } from './reference/machine.js'

/** Submitted, expected end, estimate, processors of 100, run time. */
type Row = readonly [submit: number, end: number, estimate: number, procs: number, runtime: number]
const jobsOf = (rows: readonly Row[]): RigidJob[] => rows.map(([submit, , estimate, procs, runtime]) => ({ submit, runtime, estimate, size: [procs] }))
const ends = (rows: readonly Row[], policy: Parameters<typeof simulated>[2]) => simulated(jobsOf(rows), [100], policy).map((start, i) => start + (rows[i]?.[4] ?? 0))
const six = (procs: number): Row[] => Array.from({ length: 6 }, () => [0, 100, 100, procs, 100])

const all = { strict: strict(), easy: easy(), conservative: conservative(), 'conservative, all ends': conservative(fifo(), { compress: 'all-ends' }) }
type Name = keyof typeof all
const backfilling: Name[] = ['easy', 'conservative', 'conservative, all ends']

/** Instances of pyss with the ends that it expects of each of its schedulers (src/schedulers/Input_test_files). */
const cases: readonly (readonly [name: string, policies: readonly Name[], rows: readonly Row[]])[] = [
  ['jobs of half a machine go in order of arrival, whatever their estimates', ['strict', 'easy', 'conservative'], [[0, 100, 100, 100, 100], [1, 200, 50000, 50, 100], [2, 200, 30000, 50, 100], [3, 400, 200, 50, 200], [4, 300, 100, 50, 100], [5, 400, 100, 50, 100]]],
  ['a short job passes a wide one', backfilling, [[0, 100, 100, 50, 100], [1, 200, 200, 100, 100], [2, 300, 100, 60, 100], [20, 30, 10, 10, 10]]],
  ['one that ends long before the wide one starts', backfilling, [[0, 600, 600, 50, 600], [1, 800, 200, 100, 200], [2, 900, 100, 60, 100], [10, 110, 100, 10, 100]]],
  ['one that by its estimate would end just in time', backfilling, [[0, 600, 800, 50, 600], [1, 800, 200, 60, 200], [2, 900, 400, 60, 100], [10, 610, 700, 10, 600]]],
  ['several at a time', backfilling, [...six(15), [5, 200, 100, 60, 100], [6, 16, 11, 1, 10], [6, 16, 12, 1, 10], [6, 300, 1000, 99, 100], [7, 301, 1, 100, 1], [8, 10, 20, 1, 2], [8, 10, 21, 1, 2]]],
  ['many, but not the last, which would hold up the second in the queue', backfilling, [[0, 100, 100, 50, 100], [1, 200, 1000, 95, 100], [2, 300, 1000, 95, 100], [5, 15, 11, 1, 10], [6, 17, 12, 1, 11], [6, 18, 12, 1, 12], [6, 16, 12, 2, 10], [6, 400, 1000, 95, 100], [7, 500, 100, 100, 100], [8, 10, 20, 1, 2], [8, 10, 21, 1, 2], [10, 1500, 1200, 6, 1000]]],
  ['none that is too long', backfilling, [[0, 600, 600, 50, 600], [10, 800, 400, 100, 200], [20, 1800, 1000, 10, 1000]]],
  ['none that is too wide', backfilling, [[0, 600, 700, 50, 600], [10, 800, 400, 100, 200], [20, 810, 10, 60, 10]]],
  ['one that holds the first up after all, since another ends early', backfilling, [[100, 200, 600, 50, 100], [101, 214, 600, 60, 10], [104, 204, 100, 50, 100]]],
  ['none of jobs that are alike', backfilling, [[100, 200, 600, 60, 100], [101, 210, 600, 60, 10], [102, 220, 700, 60, 10], [103, 230, 600, 60, 10], [104, 240, 900, 60, 10]]],
  ['one that delays the third in the queue alone', ['easy'], [[0, 100, 100, 70, 100], [1, 200, 100, 80, 100], [2, 400, 100, 90, 100], [50, 300, 250, 20, 250]]],
  ['and not where that is promised a start', ['conservative', 'conservative, all ends'], [[0, 100, 100, 70, 100], [1, 200, 100, 80, 100], [2, 300, 100, 90, 100], [50, 550, 250, 20, 250]]],
  ['what a job leaves that ends early goes to a later one', ['conservative', 'conservative, all ends'], [[0, 600, 800, 50, 600], [1, 800, 400, 100, 200], [2, 102, 200, 10, 100], [99, 109, 10, 10, 10], [100, 132, 31, 40, 30]]],
  ['three small ones in the order of the queue, then those that fit no more', ['easy'], [[0, 100, 100, 80, 100], [0, 50, 50, 20, 50], [1, 2100, 2000, 100, 2000], [2, 52, 2, 6, 2], [3, 52, 2, 6, 2], [4, 52, 2, 6, 2], [5, 53, 1, 10, 1], [6, 53, 1, 10, 1]]],
  ['one in the second in which another ends', ['easy'], [[0, 600, 600, 90, 600], [0, 10, 10, 10, 10], [1, 610, 10, 100, 10], [10, 20, 10, 10, 10]]],
  ['two that fill what one has left', ['easy'], [[0, 600, 600, 90, 600], [0, 10, 10, 10, 10], [1, 610, 10, 100, 10], [2, 20, 10, 6, 10], [3, 20, 10, 4, 10]]],
  ['first come first served passes nobody', ['strict'], [...six(15), [5, 200, 100, 50, 100], [6, 200, 100, 10, 100], [7, 300, 1000, 99, 100], [8, 302, 2, 10, 2]]],
  ['and starts all that fit behind one', ['strict'], [[0, 20, 20, 50, 20], [1, 40, 20, 60, 20], [2, 320, 300, 20, 300], [3, 420, 400, 10, 400], [4, 520, 500, 10, 500], [5, 60, 20, 10, 20]]],
]

describe('instances with known schedules (pyss)', () => {
  for (const [name, policies, rows] of cases)
    it.each(policies)(`${name}: %s`, (policy) => {
      expect(ends(rows, all[policy])).toEqual(rows.map(([, end]) => end))
    })
})

describe('policies of a queue manager (t1008-qmanager-policies of Flux)', () => {
  // 16 processors, times in minutes; whoever is named ends early and gives back what it holds
  const sizes = { a: [8, 60], b: [10, 60], c: [12, 60], d: [14, 60], e: [16, 60], f: [6, 121], g: [4, 179], h: [4, 239], i: [2, 239], j: [2, 299], k: [2, 59] } as const
  type Id = keyof typeof sizes
  const started = (order: string, ended: Id, policy: Parameters<typeof simulated>[2]) => {
    const ids = [...order] as Id[]
    const jobs = ids.map((id): RigidJob => ({ submit: 0, size: [sizes[id][0]], estimate: 60 * sizes[id][1], runtime: id === ended ? 10 : 60 * sizes[id][1] }))
    const starts = simulated(jobs, [16], policy)
    return [0, 10].map((time) => ids.filter((_, i) => starts[i] === time).join(''))
  }

  it('EASY reserves for the first: what needs no more than is left beside it passes, and two others where one of these ends', () => {
    expect(started('abcdefghijk', 'f', easy())).toEqual(['afk', 'gi'])
  })

  it('with three reservations less passes, and one job where that ends', () => {
    expect(started('abcdefghijk', 'g', easy(fifo(), { reservations: 3 }))).toEqual(['agk', 'i'])
    expect(started('abcdefghijk', 'g', replan(fifo(), { bf_job_part_count_reserve: 3, bf_resolution: 1 }))).toEqual(['agk', 'i'])
  })

  it('conservative reserves for all: the same passes, and nobody where it ends', () => {
    expect(started('abcedfghijk', 'g', conservative())).toEqual(['agk', ''])
    expect(started('abcedfghijk', 'g', replan(fifo(), { bf_resolution: 1 }))).toEqual(['agk', ''])
  })
})

describe('strict ordering with and without backfilling (pbs_strict_ordering and pbs_calendaring of OpenPBS)', () => {
  const job = (procs: number, seconds: number): RigidJob => ({ submit: 0, size: [procs], estimate: seconds, runtime: seconds })
  const promised = (jobs: readonly RigidJob[], procs: number, policy: Parameters<typeof simulated>[2]) => {
    const first = new Map<number, number>()
    simulated(jobs, [procs], policy, { observers: [{ onReserve: (id, start) => void (first.has(id) || first.set(id, start)) }] })
    return [...first]
  }

  it('lets nobody pass where nothing is backfilled', () => {
    const jobs = [job(2, 9999), job(3, 9999), job(2, 9999)] // 4 processors: the third would fit beside the first
    expect(simulated(jobs, [4], strict())).toEqual([0, 9999, 19_998])
    expect(simulated(jobs, [4], easy())).toEqual([0, 9999, 0]) // which ends when the second can start
  })

  it('tells as many of the first jobs when they will start as have reservations', () => {
    const jobs = [job(1, 30), job(1, 30), job(1, 30), job(1, 30)]
    expect(promised(jobs, 1, easy(fifo(), { reservations: 2 })).slice(0, 2)).toEqual([[1, 30], [2, 60]])
    expect(promised(jobs, 1, easy())).toEqual([[1, 30], [2, 60], [3, 90]]) // each when it is the first
    expect(promised(jobs, 1, conservative())).toEqual([[0, 0], [1, 30], [2, 60], [3, 90]])
  })

  it('expects a job that wants all of a node when the last job there ends (test_topjob_bucket)', () => {
    expect(promised([job(1, 30), job(1, 45), job(2, 10)], 2, easy())).toEqual([[2, 45]])
  })

  it('tells it of one job of an array with perArray: 1 (test_topjob_start_time)', () => {
    // one processor: of six jobs of an array one runs, the next has a reservation, and then the job behind them all
    const specs = [...Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, array: 'a' })), { id: 'last' }].map((each): JobSpec => ({ ...each, submit: 0, estimate: 30, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 30 }] }))
    const reserved = (options: EasyOptions) => {
      const first: [number, number][] = []
      startsOf(specs, [1], easy(fifo(), options), { observers: [{ onReserve: (id, start, now) => void (now === 0 && first.push([id, start])) }] })
      return first
    }
    expect(reserved({ reservations: 2, perArray: 1 })).toEqual([[1, 30], [6, 60]])
    expect(reserved({ reservations: 'all', perArray: 2 })).toEqual([[1, 30], [2, 60], [6, 90]])
    expect(reserved({ reservations: 2 })).toEqual([[1, 30], [2, 60]])
  })

  it('gives queues with a backfill_depth of their own their own reservations, and lets nobody of one with 0 pass (should_backfill_with_job of fifo.cpp)', () => {
    // 4 processors: the first job leaves one free for 100 s, the others want 4, but for the last of each queue, which wants that one for 10 s
    const specs = [['run', 'a', 3, 100], ['a1', 'a', 4, 10], ['a2', 'a', 4, 10], ['b1', 'b', 4, 10], ['b2', 'b', 4, 10], ['b3', 'b', 4, 10], ['c1', 'c', 4, 10], ['a4', 'a', 1, 10], ['c2', 'c', 1, 10]] as const
    const jobs = specs.map(([id, queue, procs, duration]): JobSpec => ({ id, queue, submit: 0, estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration }] }))
    const passed = (options: EasyOptions) => {
      const reserved: [string | undefined, number][] = []
      const starts = startsOf(jobs, [4], easy(fifo(), options), { observers: [{ onReserve: (id, start, now) => void (now === 0 && reserved.push([jobs[id]?.id, start])) }] })
      return { reserved, a4: starts.get('a4'), c2: starts.get('c2') }
    }
    expect(passed({ depths: { b: 2, c: 0 } })).toEqual({ reserved: [['a1', 100], ['b1', 110], ['b2', 120]], a4: 0, c2: 160 })
    expect(passed({ reservations: 2, depths: { b: 0 } }).reserved).toEqual([['a1', 100], ['a2', 110]])
    expect(passed({ reservations: 0, depths: { b: 1 } })).toEqual({ reserved: [['b1', 100]], a4: 0, c2: 10 })
    expect(passed({ reservations: 'all', depths: { a: 1, b: 1 } }).reserved).toEqual([['a1', 100], ['b1', 110], ['c1', 120], ['c2', 10]]) // a4 has the one left
    expect(passed({ reservations: 3 }).reserved).toEqual([['a1', 100], ['a2', 110], ['b1', 120]])
    expect(() => passed({ depths: { a: 1 }, backfillOrder: sjf() })).toThrow('Leave out depths or backfillOrder.') // the order would change nothing
  })

  it('backfills by the depths of queues alone where the server has none (test_t2 of pbs_strict_ordering)', () => {
    // 5 processors, no walltimes: of three jobs of 2 the last waits, and one of 1 passes it; in wq3 nobody would wait in front, but nothing is free
    const specs = [['j1', 'workq', 2], ['j2', 'workq', 2], ['j3', 'workq', 2], ['j4', 'wq2', 1], ['j5', 'wq3', 1]] as const
    const jobs = specs.map(([id, queue, procs]): JobSpec => ({ id, queue, submit: 0, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: 100 }] }))
    const starts = startsOf(jobs, [5], easy(fifo(), { reservations: 0, depths: { workq: 2, wq2: 1, wq3: 0 } }))
    expect([...starts].filter(([, start]) => start === 0).map(([id]) => id)).toEqual(['j1', 'j2', 'j4'])
  })

  const hour = 3600
  const day = (...size: number[]): RigidJob => ({ submit: 0, size, estimate: 24 * hour + 1, runtime: 24 * hour + 1 })

  it('lets a job that asks for none of a resource be in the way of the first as any other (test_zero_resource_pushes_topjob)', () => {
    // 5 nodes of 4 processors, and GPUs of which the last job asks for none: two jobs hold 4 nodes for an hour, then comes one for all
    const jobs = [job(8, hour), job(8, hour), job(20, hour), day(4), day(4, 0)]
    expect(simulated(jobs.map((each) => ({ ...each, size: [each.size[0] ?? 0, each.size[1] ?? 0] })), [20, 1], easy())).toEqual([0, 0, hour, 2 * hour, 2 * hour])
  })

  it('nor in the way of a reservation in advance (test_zero_resource_job_conflict_resv), after which others start at once (test_sched_cycle_starts_on_resv_end)', () => {
    const windows = [{ from: hour + 10, to: hour + 3010, demand: 'all' as const }]
    const jobs = [job(8, hour), job(8, hour), day(4), day(4, 0), job(4, hour)] // of the 4 processors left the last takes what ends in time
    const sized = jobs.map((each) => ({ ...each, size: [each.size[0] ?? 0, each.size[1] ?? 0] }))
    expect(simulated(sized, [20, 1], easy(fifo(), { windows }))).toEqual([0, 0, hour + 3010, hour + 3010, 0])
    expect(simulated([{ ...job(1, 20), submit: 1 }], [2], strict(fifo(), { windows: [{ from: 10, to: 30, demand: { procs: 2 } }] }))).toEqual([30])
  })
})
