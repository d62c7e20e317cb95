import type { JobId, JobSpec, Observer, TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rigidMetrics, standardMetrics, type JobMeans, type RigidResult } from '../src/index.js'
import { World } from './world.js'

/** A rigid job of a schedule that somebody made: whole seconds, any start. */
interface Run {
  readonly submit: number
  readonly start: number
  readonly end: number
  readonly procs: number
  readonly user: string
  readonly recorded: { readonly wait?: number; readonly runtime?: number } | undefined
}
interface Case {
  readonly runs: readonly Run[]
  readonly capacity: number
  readonly period: { readonly from: number; readonly to: number }
  readonly tau: number
}

const run = fc.record({
  gap: fc.constantFrom(0, 0, 1, 4),
  wait: fc.oneof(fc.constant(0), fc.nat(12)),
  runtime: fc.oneof(fc.constant(0), fc.nat(9)),
  procs: fc.integer({ min: 1, max: 6 }),
  user: fc.constantFrom('ann', 'bob', 'u2', 'u10'),
  recorded: fc.constantFrom(undefined, {}, { wait: 0 }, { wait: 7 }, { wait: 3, runtime: 5 }),
})

const cases: fc.Arbitrary<Case> = fc
  .record({ drawn: fc.array(run, { minLength: 1, maxLength: 14 }), idle: fc.nat(3), from: fc.constantFrom(-Infinity, 0, 3), to: fc.constantFrom(Infinity, 9, 20), tau: fc.constantFrom(1, 10) })
  .map(({ drawn, idle, from, to, tau }) => {
    let submit = 2
    const runs = drawn.map(({ gap, wait, runtime, ...rest }): Run => ({ submit: (submit += gap), start: submit + wait, end: submit + wait + runtime, ...rest }))
    return { runs, capacity: Math.max(1, ...seconds(runs).map((t) => usedAt(runs, t))) + idle, period: { from, to }, tau }
  })

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => sum(values) / values.length
const last = (runs: readonly Run[]) => Math.max(...runs.map(({ end }) => end))
/** The seconds from the first submission to the last end, each by its beginning. */
const seconds = (runs: readonly Run[]) => Array.from({ length: last(runs) - (runs[0] as Run).submit + 1 }, (_, i) => (runs[0] as Run).submit + i)
const usedAt = (runs: readonly Run[], t: number) => sum(runs.filter(({ start, end }) => start <= t && t < end).map(({ procs }) => procs))
const waitingAt = (runs: readonly Run[], t: number) => runs.filter(({ submit, start }) => submit <= t && t < start)
const within = ({ from, to }: Case['period'], t: number) => from <= t && t < to

/** Tells the observers the schedule: at an instant ends, then submissions, then starts, as an engine does. */
function tell({ runs, capacity }: Case, observers: readonly Observer[]): void {
  const world = new World(observers, { procs: capacity })
  const jobs: JobId[] = []
  const tasks: TaskId[] = []
  const at = <T extends 'submit' | 'start' | 'end'>(key: T, t: number) => runs.flatMap((each, i) => (each[key] === t ? [i] : []))
  for (const t of seconds(runs)) {
    const end = (i: number) => {
      world.end(t, tasks[i] as TaskId)
      world.finish(t, jobs[i] as JobId)
    }
    for (const i of at('end', t)) if ((runs[i] as Run).start < t) end(i)
    for (const i of at('submit', t)) jobs[i] = world.submit(t, specOf(runs[i] as Run))
    for (const i of at('start', t)) tasks[i] = world.start(t, jobs[i] as JobId)
    for (const i of at('end', t)) if ((runs[i] as Run).start === t) end(i)
  }
  world.close(last(runs))
}

const options = ({ period, tau }: Case) => ({ period, tau, sizes: [1, 3], lengths: [0, 4] })

function figures(given: Case): RigidResult {
  const metrics = rigidMetrics(options(given))
  tell(given, [metrics])
  return metrics.result()
}

const specOf = ({ procs, user, recorded, start, end }: Run): Partial<JobSpec> => ({ user, ...(recorded && { recorded }), stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: end - start }] })

/** Wait, response and bounded slowdown as they are defined. */
function means(runs: readonly Run[], tau: number): JobMeans {
  const area = ({ procs, start, end }: Run) => procs * (end - start)
  const of = {
    wait: ({ submit, start }: Run) => start - submit,
    response: ({ submit, end }: Run) => end - submit,
    slowdown: ({ submit, start, end }: Run) => Math.max(1, (end - submit) / Math.max(end - start, tau)),
  }
  const total = sum(runs.map(area))
  const weighted = (value: (each: Run) => number) => sum(runs.map((each) => area(each) * value(each))) / total
  return {
    finished: runs.length, area: total, wait: mean(runs.map(of.wait)), response: mean(runs.map(of.response)), slowdown: mean(runs.map(of.slowdown)),
    weighted: { wait: weighted(of.wait), response: weighted(of.response), slowdown: weighted(of.slowdown) },
  }
}

/** Equal but for the last bits of sums in another order; NaN only where NaN is due. */
function alike(found: unknown, expected: unknown): void {
  const rounded = (value: unknown) => JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'number' ? Number(each.toPrecision(10)) : each))) as unknown
  expect(rounded(found)).toEqual(rounded(expected))
}

const holds = (law: (found: RigidResult, given: Case) => void) => fc.assert(fc.property(cases, (given) => law(figures(given), given)), { seed: 61, numRuns: 150 })

describe('figures of rigid jobs, second by second', () => {
  it('queue length and loss of capacity are sums over the seconds of the period', () => {
    holds(({ queue }, { runs, capacity, period }) => {
      const those = seconds(runs).slice(0, -1).filter((t) => within(period, t))
      const jobs = those.map((t) => waitingAt(runs, t).length)
      const amounts = those.map((t) => sum(waitingAt(runs, t).map(({ procs }) => procs)))
      const lost = (t: number, most: number) => (waitingAt(runs, t).length === 0 ? 0 : Math.min(most, capacity - usedAt(runs, t)))
      alike(queue, {
        mean: mean(jobs), max: Math.max(0, ...jobs), meanAmount: mean(amounts), maxAmount: Math.max(0, ...amounts),
        lossOfCapacity: mean(those.map((t) => lost(t, Infinity))) / capacity,
        lossUpToDemand: mean(those.map((t, i) => lost(t, amounts[i] as number))) / capacity,
      })
    })
  })

  it('a job has passed another when one submitted before it still waits after its start', () => {
    holds(({ backfilled }, { runs, period }) => {
      const counted = runs.filter(({ submit }) => within(period, submit))
      const passed = counted.filter((each) => runs.slice(0, runs.indexOf(each)).some(({ start }) => start > each.start))
      alike(backfilled, { jobs: passed.length, share: passed.length / counted.length })
    })
  })

  it('means by size, length and user, plain and by area, are those of the jobs of the kind', () => {
    holds(({ jobs }, { runs, period, tau }) => {
      const counted = runs.filter(({ submit }) => within(period, submit))
      alike(jobs.overall, means(counted, tau))
      const kinds = (limits: readonly number[], value: (each: Run) => number) =>
        [...limits, Infinity].map((limit, i) => means(counted.filter((each) => value(each) <= limit && value(each) > (limits[i - 1] ?? -Infinity)), tau))
      const unlabelled = (groups: typeof jobs.bySize) => groups.map(({ label: _, ...rest }) => rest)
      alike(unlabelled(jobs.bySize), kinds([1, 3], ({ procs }) => procs))
      alike(unlabelled(jobs.byLength), kinds([0, 4], ({ start, end }) => end - start))
      const users = ['ann', 'bob', 'u2', 'u10'].filter((user) => counted.some((each) => each.user === user))
      alike(jobs.byUser, users.map((label) => ({ label, ...means(counted.filter(({ user }) => user === label), tau) })))
    })
  })

  it('what the log recorded is held against what happened, job by job', () => {
    holds(({ recorded }, { runs, period, tau }) => {
      const known = runs.filter(({ submit, recorded: log }) => within(period, submit) && log?.wait !== undefined)
      const logged = known.map((each): Run => {
        const start = each.submit + (each.recorded?.wait ?? NaN)
        return { ...each, start, end: start + (each.recorded?.runtime ?? each.end - each.start) }
      })
      const errors = known.map(({ start }, i) => start - (logged[i] as Run).start)
      const { wait, response, slowdown } = means(logged, tau)
      alike(
        { ...recorded, wait: recorded.wait.mean, response: recorded.response.mean, slowdown: recorded.slowdown.mean },
        {
          jobs: known.length, wait, response, slowdown, makespan: Math.max(...logged.map(({ end }) => end)) - Math.min(...logged.map(({ submit }) => submit)),
          meanAbsoluteError: mean(errors.map(Math.abs)), meanDifference: mean(errors),
        },
      )
    })
  })

  it('are the same among the standard metrics', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { sizes, lengths, ...rest } = options(given)
        const standard = standardMetrics({ ...rest, rigid: { sizes, lengths } })
        tell(given, [standard])
        expect(standard.result().rigid).toEqual(figures(given))
      }),
      { seed: 62, numRuns: 40 },
    )
  })
})
