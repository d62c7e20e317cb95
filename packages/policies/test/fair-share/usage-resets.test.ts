import type { Env } from '@sched/core'
import { fairShare, multifactor, strict } from '@sched/policies'
import { instantCluster, job, run, workloadOf, type JobChange } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resetsOf } from '../../src/fair-share/usage-resets.js'

const periods = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const
const at = (text: string) => Date.parse(`${text}Z`) / 1000
const silent: Env['warn'] = () => undefined

describe('times at which usage is forgotten', () => {
  it('are those of the calendar, by UTC, from when the workload began on (_next_reset of Slurm)', () => {
    const start = at('2023-11-15T13:30:00') // a Wednesday
    const next = (period: (typeof periods)[number], now = start) => new Date((resetsOf(period, { start, warn: silent }).after(now - start) + start) * 1000).toISOString().slice(0, 16)
    expect(periods.map((period) => next(period))).toEqual(['2023-11-16T00:00', '2023-11-19T00:00', '2023-12-01T00:00', '2024-01-01T00:00', '2024-01-01T00:00'])
    expect(periods.map((period) => next(period, at('2024-02-29T00:00:00')))).toEqual(['2024-03-01T00:00', '2024-03-03T00:00', '2024-03-01T00:00', '2024-04-01T00:00', '2025-01-01T00:00'])
    expect(next('weekly', at('2023-11-19T00:00:00'))).toBe('2023-11-26T00:00') // a Sunday at midnight
  })

  it('are those of the time zone of the workload, where it is known, also when clocks are changed', () => {
    const after = (period: (typeof periods)[number], time: string, timeZone: string) => {
      const start = at('2023-11-15T13:30:00')
      return new Date((resetsOf(period, { start, timeZone, warn: silent }).after(at(time) - start) + start) * 1000).toISOString().slice(0, 16)
    }
    expect(periods.map((period) => after(period, '2023-12-31T02:00:00', 'America/Chicago'))).toEqual(['2023-12-31T06:00', '2023-12-31T06:00', '2024-01-01T06:00', '2024-01-01T06:00', '2024-01-01T06:00'])
    // 2024-03-31 has 23 hours in Berlin
    expect([after('daily', '2024-03-30T22:59:59', 'Europe/Berlin'), after('daily', '2024-03-30T23:00:00', 'Europe/Berlin'), after('weekly', '2024-03-30T23:00:00', 'Europe/Berlin')]).toEqual(['2024-03-30T23:00', '2024-03-31T22:00', '2024-04-06T22:00'])
    expect(resetsOf('daily', { timeZone: 'America/Chicago', warn: silent }).after(0)).toBe(86_400) // nobody knows when it began
  })

  it('begin together, on a Sunday, where nobody knows when that was, which is told', () => {
    const told: string[] = []
    const after = (start?: number) => periods.map((period) => resetsOf(period, { ...(start !== undefined && { start }), warn: (message) => told.push(message) }).after(0) / 86_400)
    expect([after(), after(600)]).toEqual([[1, 7, 31, 90, 365], [1, 7, 31, 90, 365]]) // clocks that count from a window are no calendar
    expect(told).toHaveLength(10)
    expect(told[0]).toMatch(/^usageReset is daily, and the workload does not say when it began/)
  })

  it('are the last before and the first after any time', () => {
    fc.assert(fc.property(fc.constantFrom(...periods, 1000), fc.integer({ min: 4e8, max: 2e9 }), fc.integer({ min: 0, max: 3e8 }), fc.constantFrom(undefined, 'America/Havana', 'Europe/Berlin'), (reset, start, now, timeZone) => {
      const resets = resetsOf(reset, { start, ...(timeZone !== undefined && { timeZone }), warn: silent })
      const [last, next] = [resets.last(now), resets.after(now)]
      expect([last <= now, now < next, resets.last(next), resets.after(last), resets.last(next - 1)]).toEqual([true, true, next, next, last])
    }), { seed: 3 })
  })
})

describe('usage of a fair share', () => {
  const cpu = (change: JobChange) => job({ demand: { cpu: 1 }, ...change })
  // ann has used more than bob when the block ends at 172,900, unless what was used before some midnight is forgotten
  const jobs = [
    cpu({ id: 'past', user: 'ann', submit: 0, duration: 1000 }), cpu({ id: 'later', user: 'bob', submit: 100_000, duration: 500 }), cpu({ id: 'block', user: 'eve', submit: 172_000, duration: 900 }),
    cpu({ id: 'a', user: 'ann', submit: 172_001 }), cpu({ id: 'b', user: 'bob', submit: 172_001 }),
  ]
  const first = (options: object, start?: number) => {
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1, mem: 100 } }] })
    return run({ policy: strict(multifactor({ fairShare: 1000, halfLife: 0, ...options })), jobs: { ...workloadOf(jobs), ...(start !== undefined && { start }) }, cluster }).recorder.launches[3]?.job
  }

  it('is forgotten at midnight of the log, under both names', () => {
    expect([first({}), first({ usageReset: 'yearly' }, at('2024-03-05T12:00:00'))]).toEqual(['b', 'b'])
    expect(first({ usageReset: 'daily' }, at('2024-03-05T12:00:00'))).toBe('a') // at 43,200 and 129,600: bob's 500 s, too
    expect(first({ usageReset: 'daily' }, at('2024-03-05T23:00:00'))).toBe('a') // at 3,600 and 90,000: bob's 500 s come after
    expect(first({ PriorityUsageResetPeriod: 'MONTHLY' }, at('2024-02-29T12:00:00'))).toBe('a')
    expect(first({ PriorityUsageResetPeriod: 'MONTHLY' }, at('2024-02-26T12:00:00'))).toBe('b')
    expect(first({ PriorityUsageResetPeriod: 'NOW' }, at('2024-02-29T12:00:00'))).toBe('b')
  })

  it('refuses a period that there is not', () => {
    expect(() => fairShare({ usageReset: 'hourly' as 'daily' })).toThrow('usageReset')
  })
})
