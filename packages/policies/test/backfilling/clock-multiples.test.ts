import type { JobSpec } from '@sched/core'
import { fifo, replan } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { ClockMultiples } from '../../src/backfilling/clock-multiples.js'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, tasks: number, minutes: number, submit = 0, duration = minutes * MINUTE): JobSpec =>
  ({ id, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration }] })

describe('multiples of a length', () => {
  it('are those of the clock, and of the time of the run where the clock is not known', () => {
    // the clock says 08:00:20, of which the next full minute is at 40 s
    const known = new ClockMultiples(60, { start: 8 * 3600 + 20 })
    expect([known.down(39), known.up(39), known.down(40), known.up(41), known.down(0)]).toEqual([-20, 40, 40, 100, -20])
    const unknown = new ClockMultiples(60, {})
    expect([unknown.down(59), unknown.up(59), unknown.down(60), unknown.up(60)]).toEqual([0, 60, 60, 60])
  })

  it('of the first look at ends decide which of them cons_tres takes together (_will_run_test of Slurm)', () => {
    // 3 nodes: A ends at 60 and B at 120, and W (2) comes to nodes 0 and 1 once both have. D (1, 2 min) may have node 2 until W needs it.
    // the first window ends at 60 - 60 % 30 + 60 = 120: W is planned at 120. With a clock 31 s on it ends at 60 - 91 % 30 + 60 = 119: W is planned at 60, on node 2, too
    const specs = [spec('A', 1, 1), spec('B', 1, 2), spec('W', 2, 1, 1), spec('D', 1, 2, 2)]
    const starts = (start?: number) => Object.fromEntries(startsOf(specs, [1], replan(fifo(), { nodes: 'named', select: 'cons_tres', bf_resolution: 1 }), { nodes: 3, ...(start !== undefined && { start }) }))
    expect(starts()).toEqual({ A: 0, B: 0, W: 120, D: 2 })
    expect(starts(300)).toEqual(starts())
    expect(starts(331)).toEqual({ A: 0, B: 0, W: 60, D: 120 })
  })
})
