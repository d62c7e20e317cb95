import { Reason, type JobSpec, type Observer } from '@sched/core'
import { fifo, replan, slurmPreempting, type ReplanOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const job = (id: string, procs: number, minutes: number, submit: number, change: Partial<JobSpec> = {}): JobSpec => ({
  id, submit, estimate: minutes * 60, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: minutes * 60 }], ...change,
})
const tasks = (count: number, arrayThrottle?: number): JobSpec[] =>
  Array.from({ length: count }, (_, i) => job(`7_${i}`, 1, 10, 0, { array: '7', ...(arrayThrottle !== undefined && { arrayThrottle }) }))
const starts = (jobs: readonly JobSpec[], options: ReplanOptions = {}) => Object.fromEntries(startsOf(jobs, [4], replan(fifo(), { bf_resolution: 1, ...options })))
const ways: [string, ReplanOptions][] = [['in plans', {}], ['at events', { twoPass: true, bf_interval: 100_000 }]]

describe.each(ways)('arrays of which so many tasks may run at once, %s', (_name, options) => {
  it('run no more, and leave what they do not take to those behind them', () => {
    // 4 processors: two tasks at a time, every 10 minutes; the job behind them of two processors runs beside them
    expect(starts([...tasks(5, 2), job('behind', 2, 30, 1)], options)).toEqual({ '7_0': 0, '7_1': 0, behind: 1, '7_2': 600, '7_3': 600, '7_4': 1200 })
    expect(starts([...tasks(5), job('behind', 2, 30, 1)], options)).toMatchObject({ '7_3': 0, '7_4': 600, behind: 600 })
  })

  it('count all that run, also tasks that say nothing themselves, and no other array', () => {
    const [first, ...others] = tasks(3, 2) as [JobSpec, ...JobSpec[]]
    const { arrayThrottle: _, ...open } = first
    expect(starts([open, ...others, job('8_0', 1, 10, 1, { array: '8', arrayThrottle: 2 })], options)).toEqual({ '7_0': 0, '7_1': 0, '8_0': 1, '7_2': 600 })
  })
})

describe('arrays of which so many tasks may run at once', () => {
  it('get no reservation while so many run', () => {
    // one of 7 runs to 600 s on 1 of 4, the others would need 4 each: a job of 900 s behind them is not kept back
    const wide = [job('7_0', 1, 10, 0, { array: '7', arrayThrottle: 1 }), job('7_1', 4, 10, 0, { array: '7', arrayThrottle: 1 })]
    expect(starts([...wide, job('behind', 2, 15, 1)])).toEqual({ '7_0': 0, behind: 1, '7_1': 901 })
    const free = wide.map(({ arrayThrottle: _, ...rest }) => rest)
    expect(starts([...free, job('behind', 2, 15, 1)])).toEqual({ '7_0': 0, '7_1': 600, behind: 1200 })
  })

  it('are not looked at, and do not end the looking at events', () => {
    const looked: number[] = []
    const observer: Observer = { onPass: ({ kind, looked: number }, now) => void (kind === 'first' && now === 1 && looked.push(number)) }
    const options = { twoPass: true, bf_interval: 100_000, default_queue_depth: 1 }
    const found = Object.fromEntries(startsOf([...tasks(9, 1), job('a', 1, 10, 1), job('b', 1, 10, 1)], [4], replan(fifo(), options), { observers: [observer] }))
    expect([found['a'], found['b'], looked]).toEqual([1, 1, [2]])
  })

  it('wait with the reason JobArrayTaskLimit', () => {
    const reasons: unknown[] = []
    const watch: Observer = { onDefer: (_job, _lane, reason, now, limit) => void (now === 10 && reasons.push([reason, limit])) }
    startsOf([...tasks(2, 1), job('late', 1, 1, 10)], [4], replan(), { observers: [watch] })
    expect(reasons).toEqual([[Reason.Limit, 'JobArrayTaskLimit']])
  })

  it('preempt nobody for a task that may not run yet', () => {
    const tiers = { high: 2 }
    const high = (id: string, submit: number) => job(id, 2, 10, submit, { queue: 'high', array: '7', arrayThrottle: 1 })
    const jobs = [job('low', 2, 60, 0, { queue: 'low' }), high('7_0', 1), high('7_1', 2)]
    const begun: string[] = []
    const names: string[] = []
    const observer: Observer = { onSubmit: (id, { id: name }) => void (names[id] = name), onTaskStart: (_task, id) => void begun.push(names[id] as string) }
    startsOf(jobs, [4], slurmPreempting(replan(), { tiers }), { observers: [observer] })
    expect(begun).toEqual(['low', '7_0', '7_1']) // without it `low` would have to start anew
    begun.length = 0
    startsOf(jobs.map(({ arrayThrottle: _, ...rest }) => rest), [4], slurmPreempting(replan(), { tiers }), { observers: [observer] })
    expect(begun).toEqual(['low', '7_0', '7_1', 'low'])
  })

  it('of as many as there are tasks are as without, and at every moment no more run', { tags: 'long' }, () => {
    const world = fc.array(fc.record({ procs: fc.integer({ min: 1, max: 4 }), minutes: fc.integer({ min: 1, max: 9 }), wait: fc.integer({ min: 0, max: 200 }), count: fc.integer({ min: 1, max: 5 }), throttle: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 6 })
    fc.assert(fc.property(world, fc.boolean(), (drawn, twoPass) => {
      let submit = 0
      const jobs = drawn.flatMap(({ procs, minutes, wait, count, throttle }, i) => {
        submit += wait
        return Array.from({ length: count }, (_, k) => job(`${i}_${k}`, procs, minutes, submit, { array: `${i}`, arrayThrottle: throttle }))
      })
      expect(starts(jobs.map((each) => ({ ...each, arrayThrottle: 5 })), { twoPass })).toEqual(starts(jobs.map(({ arrayThrottle: _, ...rest }) => rest), { twoPass }))
      const found = starts(jobs, { twoPass })
      for (const { id, array, arrayThrottle } of jobs) {
        const at = found[id] as number
        const beside = jobs.filter((other) => other.array === array && (found[other.id] as number) <= at && at < (found[other.id] as number) + (other.estimate as number))
        expect(beside.length).toBeLessThanOrEqual(arrayThrottle as number)
      }
    }), { seed: 22, numRuns: 200 })
  })
})
