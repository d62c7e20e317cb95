import type { JobSpec, SchedError } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobsOf, resample, workloadOf, type Resampling } from '../src/index.js'
import { swf } from '../src/node/index.js'
import { realTrace } from './traces.js'

const stages = [{ name: 's', tasks: 1, demand: { procs: 1 }, duration: 1 }]
const job = (id: string, submit: number, user?: string, rest: Partial<JobSpec> = {}): JobSpec => ({ id, submit, stages, ...(user !== undefined && { user }), ...rest })
const drawn = (jobs: readonly JobSpec[], options: Resampling) => [...jobsOf(resample(workloadOf('log', jobs), options))]
const seen = (jobs: readonly JobSpec[]) => jobs.map(({ id, submit, user }) => `${id} ${submit} ${user}`)

/** Four periods of 10 s: anna is there in the first and the last one, ben and cleo in one each. */
const log = [job('a1', 1, 'anna'), job('b1', 12, 'ben'), job('b2', 13, 'ben'), job('c1', 27, 'cleo'), job('a2', 38, 'anna')]
const tens: Resampling = { seed: 1, period: 10, longTerm: 3 }

describe('resample', () => {
  it('moves who stays around the log, and lets as many of the others come as there were', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const jobs = drawn(log, { ...tens, seed })
      // a1 and a2 are neighbours now: the last period of the log is followed by its first
      const [a1, a2] = ['a1', 'a2'].map((id) => Math.floor((jobs.find((each) => each.id === id)?.submit ?? NaN) / 10)) as [number, number]
      expect((a2 + 1) % 4).toBe(a1)
      const users = new Set(jobs.map(({ user }) => user))
      expect(users.size).toBe(3) // anna and two more, who may be one of the log twice
      expect(jobs.every(({ id, submit }) => submit % 10 === { a1: 1, a2: 8, b1: 2, b2: 3, c1: 7 }[id.slice(0, 2)])).toBe(true)
    }
  })

  it('calls a user who is there twice two, and what they submit likewise', () => {
    const twice = Array.from({ length: 40 }, (_, seed) => drawn(log, { ...tens, seed })).find((jobs) => jobs.some(({ user }) => user === 'ben~2'))
    expect(seen(twice ?? []).filter((line) => line.startsWith('b')).sort()).toEqual(['b1 32 ben', 'b1~2 2 ben~2', 'b2 33 ben', 'b2~2 3 ben~2'])
  })

  it('lets jobs wait for those of the same user that come before them', () => {
    // b2 waits for b1; a2 for a1, which comes later unless nothing moved; c1 waits for ben's
    const chain = log.map((each) => ({ ...each, ...{ b2: { after: 'b1', think: 5 }, a2: { after: 'a1' }, c1: { afterAll: [{ job: 'b1' }] } }[each.id] }))
    for (let seed = 1; seed <= 40; seed++) {
      const jobs = drawn(chain, { ...tens, seed })
      for (const { id, after, think, afterAll, user } of jobs) {
        expect(afterAll).toBeUndefined()
        if (id.startsWith('b2')) expect([after, think]).toEqual([`b1${user?.slice(3)}`, 5])
        const isInOrder = jobs.findIndex((each) => each.id === 'a1') < jobs.findIndex((each) => each.id === id)
        if (id === 'a2') expect(after).toBe(isInOrder ? 'a1' : undefined)
      }
    }
  })

  it('leaves out recorded waits, moves deadlines, and names the arrays of each copy', () => {
    const given = [job('a', 2, 'u', { deadline: 9, recorded: { wait: 3, status: 'completed' }, array: 'x', arrayThrottle: 1 }), job('b', 19, 'v')]
    const jobs = drawn(given, { seed: 3, period: 10, users: 6 })
    const copies = jobs.filter(({ id }) => id.startsWith('a'))
    expect(copies.length).toBeGreaterThan(1)
    expect(copies.map(({ submit, deadline, recorded, array }) => [(deadline ?? 0) - submit, recorded, array]).sort())
      .toEqual(copies.map((_, i) => [7, { status: 'completed' }, i === 0 ? 'x' : `x~${i + 1}`]).sort())
  })

  it('has so many periods, and so many times the users, as are asked for', () => {
    const count = (options: Partial<Resampling>, user = '') => new Set(drawn(log, { ...tens, ...options }).map((each) => each.user).filter((name) => name?.startsWith(user))).size
    expect([count({ users: 2 }, 'anna'), count({ users: 2 }), count({ users: 1.5 }, 'anna'), count({ users: 1.5 }), count({ users: 0.5 }, 'anna'), count({ users: 0.4 }, 'anna')])
      .toEqual([2, 6, 2, 5, 1, 0]) // 1.5 x 1 and 0.5 x 1 are rounded up
    const long = drawn(log, { ...tens, periods: 8 })
    expect(long.filter(({ user }) => user === 'anna').map(({ id }) => id).sort()).toEqual(['a1', 'a1~2', 'a2', 'a2~2'])
    expect(new Set(long.map(({ user }) => user)).size).toBe(5) // four come in twice the time
    expect(drawn(log, { ...tens, periods: 1, users: 4 }).every(({ submit }) => submit < 10)).toBe(true)
  })

  it('refuses what has no users, is too short or has a wrong option', () => {
    const message = (jobs: readonly JobSpec[], options: Resampling) => {
      try {
        drawn(jobs, options)
      } catch (error) {
        return (error as SchedError).message
      }
      return undefined
    }
    expect(message([job('a', 0), job('b', 99)], tens)).toBe('resample: no job names its user. Logs are drawn anew from what each user submitted.')
    expect(message(log, { seed: 1 })).toBe('resample: the log lasts 38 s, which is less than two periods of 604800 s. Give a shorter `period`, at most 19.')
    expect(message([job('a', 0, 'ann'), job('b', 6 * 86_400, 'ann')], { seed: 1 })).toMatch(/ Give a shorter `period`, such as a day: 86400\.$/)
    expect(message([job('a', 0, 'ann')], { seed: 1 })).toMatch(/ There is too little of it to be drawn from\.$/)
    expect(message(log, { ...tens, users: 0 })).toBe('resample.users: found 0, expected a number above 0. Leave it out for 1, as many as in the log.')
    expect(message(log, { ...tens, longTerm: 1.5 })).toBe('resample.longTerm: found 1.5, expected a whole number of at least 0. Leave it out for 12.')
    expect(message(log, { ...tens, period: NaN })).toBe('resample.period: found NaN, expected seconds above 0. Leave it out for 604800, a week.')
    expect(message(log, { ...tens, periods: 0 })).toBe('resample.periods: found 0, expected a whole number of at least 1. Leave it out for as many as in the log.')
  })

  const anyLog = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 9 }), user: fc.integer({ min: 0, max: 6 }) }), { minLength: 10, maxLength: 60 }).map((rows) => {
    let submit = 0
    return [...rows.map(({ gap, user }, i) => job(`j${i}`, (submit += gap), `u${user}`, i > 0 && user > 3 ? { after: `j${i - 1}` } : {})), job('last', submit + 40, 'u0')]
  })

  it('keeps the time in the period, the order, the names and the number of users (law)', { tags: 'long' }, () => {
    fc.assert(fc.property(anyLog, fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 4 }), (jobs, seed, longTerm) => {
      const options = { seed, period: 10, longTerm }
      const result = drawn(jobs, options)
      expect(seen(drawn(jobs, options))).toEqual(seen(result))
      expect(new Set(result.map(({ id }) => id)).size).toBe(result.length)
      expect(result.every(({ submit }, i) => i === 0 || submit >= (result[i - 1] as JobSpec).submit)).toBe(true)
      const periods = Math.round((jobs.at(-1) as JobSpec).submit / 10)
      const inside = jobs.filter(({ submit }) => submit < periods * 10)
      const original = new Map(inside.map((each) => [each.id, each]))
      const of = ({ id }: JobSpec) => original.get(id.replace(/~.*/, '')) as JobSpec
      for (const each of result) {
        expect([each.submit % 10, each.submit < periods * 10, each.user?.replace(/~.*/, '')]).toEqual([of(each).submit % 10, true, of(each).user])
        const before = result.find(({ id }) => id === each.after)
        if (each.after !== undefined) expect([before?.user, (before?.submit ?? Infinity) <= each.submit]).toEqual([each.user, true])
      }
      expect(new Set(result.map(({ user }) => user)).size).toBe(new Set(inside.map(({ user }) => user)).size)
      for (const user of new Set(result.map(({ user: name }) => name))) { // each copy is the whole of a user
        const own = inside.filter((each) => each.user === user?.replace(/~.*/, '')).map(({ id }) => id)
        expect(result.filter((each) => each.user === user).map((each) => of(each).id).sort()).toEqual(own.sort())
      }
    }), { numRuns: 300 })
  })

  it('has the load of the log in the mean of many draws', () => {
    const draws = Array.from({ length: 2000 }, (_, seed) => drawn(log, { ...tens, seed }).length)
    const mean = draws.reduce((sum, jobs) => sum + jobs, 0) / draws.length
    // two jobs of anna, and twice one of ben (two jobs) or cleo (one): 2 + 2 x 1.5 = 5 in the mean, with a standard deviation of sqrt(2 x 0.25)
    expect(Math.abs(mean - 5)).toBeLessThan((3 * Math.SQRT1_2) / Math.sqrt(draws.length))
  })

  const kth = realTrace('swf/KTH-SP2-1996-2.swf.gz')
  it.skipIf(!kth.there)(`keeps the hours of the day of a real log: ${kth.title}`, { tags: 'long' }, () => {
    const trace = swf(kth.path)
    const day = 86_400
    const nightly = (jobs: readonly JobSpec[]) => jobs.filter(({ submit }) => submit % day < day / 4).length / jobs.length
    const real = nightly([...jobsOf(trace)])
    for (const seed of [1, 2, 3]) expect(Math.abs(nightly([...jobsOf(resample(trace, { seed }))]) - real)).toBeLessThan(0.02)
  })
})
