import { conservative, easy, fattened, fifo, replan, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import type { RigidJob } from './reference/machine.js'

const DAY = 86_400
const disciplines = { strict, easy, conservative, fattened, replan }
type Windows = NonNullable<NonNullable<Parameters<typeof easy>[1]>['windows']>

const job = (size: number, length: number, submit = 0): RigidJob => ({ submit, runtime: length, estimate: length, size: [size] })
const startsWith = (windows: Windows, jobs: readonly RigidJob[], slots: number, start?: number) =>
  Object.fromEntries(Object.entries(disciplines).map(([name, policy]) => [name, simulated(jobs, [slots], policy(fifo(), { windows }), start === undefined ? {} : { start })]))

describe('windows that come again', () => {
  it('are as many windows of their own, under every discipline', { tags: 'long' }, () => {
    const shapes = fc.record({ from: fc.integer({ min: 0, max: 600 }), lasts: fc.integer({ min: 1, max: 300 }), pause: fc.integer({ min: 0, max: 600 }), times: fc.integer({ min: 1, max: 4 }), demand: fc.oneof(fc.constant('all' as const), fc.record({ procs: fc.integer({ min: 1, max: 4 }) })) })
    const jobs = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 900 })), { minLength: 1, maxLength: 8 })
    let later = 0
    fc.assert(
      fc.property(shapes, jobs, ({ from, lasts, pause, times, demand }, all) => {
        const every = lasts + pause
        const specs = all.map(([size, length, submit]) => job(size, length, submit)).sort((a, b) => a.submit - b.submit)
        const single = Array.from({ length: times }, (_, i) => ({ from: from + i * every, to: from + lasts + i * every, demand }))
        const expected = startsWith(single, specs, 4)
        expect(startsWith([{ from, to: from + lasts, every, times, demand }], specs, 4)).toEqual(expected)
        if (JSON.stringify(startsWith(single.slice(0, 1), specs, 4)) !== JSON.stringify(expected)) later++
      }),
      { seed: 20_261_201, numRuns: 200 },
    )
    expect(later).toBeGreaterThan(20) // worlds in which the later ones decide
  })

  it('let a job run between two of them, and none over one: 100 s kept free every 1,000 s, four times', () => {
    const windows: Windows = [{ from: 1000, to: 1100, every: 1000, times: 4, demand: 'all' }]
    // 1,020 s fit only behind the last, which ends at 4,100; 840 s between the first and the second
    const starts = startsWith(windows, [job(2, 900), job(2, 840), job(2, 1020)], 2)
    expect(starts).toEqual({ strict: [0, 1100, 4100], easy: [0, 1100, 4100], conservative: [0, 1100, 4100], fattened: [0, 1100, 4100], replan: [0, 1100, 4100] })
  })
})

describe('windows at local times', () => {
  it('begin at that time of the log: 06:00 on the second day of one that begins at 18:00', () => {
    const start = Date.UTC(2026, 2, 1, 18) / 1000
    const windows: Windows = [{ from: '2026-03-02T06:00:00', to: '2026-03-02T08:00', demand: 'all' }]
    const hour = 3600
    const starts = startsWith(windows, [job(1, 12 * hour), job(1, 12 * hour + 60)], 2, start)
    for (const each of Object.values(starts)) expect(each).toEqual([0, 14 * hour])
  })

  it('and in seconds may be mixed, and come again', () => {
    const start = Date.UTC(2026, 2, 1) / 1000
    const windows: Windows = [{ from: DAY, to: '2026-03-02T00:10:00', every: DAY, times: 2, demand: 'all' }]
    for (const each of Object.values(startsWith(windows, [job(1, DAY), job(1, DAY)], 1, start))) expect(each).toEqual([0, 2 * DAY + 600])
  })
})

describe('windows that cannot be', () => {
  const open = (window: Windows[number], start?: number) => () => startsWith([window], [job(1, 1)], 1, start)
  it('are refused with what is wrong', () => {
    expect(open({ from: 5, to: 9, every: 10, demand: 'all' })).toThrow('windows[0].every: the window comes every 10 s, for ever. Say how often in all (times).')
    expect(open({ from: 5, to: 9, times: 2, demand: 'all' })).toThrow('windows[0].times: the window comes 2 times. Say after how many seconds it comes again (every).')
    expect(open({ from: 5, to: 9, times: 2, every: 3, demand: 'all' })).toThrow('windows[0].every: the window lasts 4 s and comes every 3 s. Let it end before it comes again.')
    expect(open({ from: 5, to: 9, times: 1e9, every: 10, demand: 'all' })).toThrow(/windows\[0\]\.times: .*100,?000/)
    expect(open({ from: '2026-03-01T08:00:00', to: '2026-03-01T09:00', demand: 'all' })).toThrow('windows[0].from: it is 2026-03-01T08:00:00, and the workload does not say when it began.')
    expect(open({ from: '2026-03-02T08:00:00', to: '2026-03-01T09:00', demand: 'all' }, 0)).toThrow('windows[0].to: the window ends at 2026-03-01T09:00 and begins at 2026-03-02T08:00:00.')
    expect(open({ from: '2026-13-02T08:00:00', to: '2026-13-02T09:00', demand: 'all' }, 0)).toThrow('there is no time 2026-13-02T08:00:00.')
  })
})
