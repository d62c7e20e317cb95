import type { JobId, JobSpec, LaneId, Observer, Round } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlanTimes } from '../../src/backfilling/plan-times.js'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, submit: number, procs: number, minutes: number, seconds = minutes * MINUTE): JobSpec =>
  ({ id, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: seconds }] })
const start = (specs: readonly JobSpec[], options: ReplanOptions = {}) => Object.fromEntries(startsOf(specs, [16], replan(fifo(), { twoPass: true, bf_interval: 20, ...options })))

/** When plans were made for somebody until 10 min, on nodes of so many processors. */
function plansOf(specs: readonly JobSpec[], options: ReplanOptions = {}, [procs, nodes]: readonly [number, number] = [16, 1]): number[] {
  const times: number[] = []
  const watch: Observer = { onPass: ({ kind }, now) => void (kind === 'plan' && now < 10 * MINUTE && times.push(now)) }
  startsOf(specs, [procs], replan(fifo(), { twoPass: true, bf_interval: 20, ...options }), { nodes, observers: [watch] })
  return times
}

describe('a plan with two passes (bf_interval 20)', () => {
  it('comes at once after a quiet time, and otherwise bf_interval after the last one', () => {
    const all = (submit: number) => ['a', 'b'].map((id) => spec(id, submit, 1, 5))
    const one = { sched_max_job_start: 1 } // the second one starts in the plan
    expect(start(all(7), one)).toEqual({ a: 7, b: 7 })
    expect(start([spec('first', 0, 1, 1, 3), ...all(7)], one)).toMatchObject({ a: 7, b: 20 }) // plans at 0 and 20
    expect(start([spec('first', 0, 1, 1, 3), ...all(33)], one)).toMatchObject({ a: 33, b: 40 }) // the end at 3 is seen at 20
    expect(start([spec('first', 0, 1, 1, 3), ...all(47)], one)).toMatchObject({ a: 47, b: 47 })
  })

  it.each(['counted', 'named'] as const)('comes at events where one waits for all that run on a full machine, as in a run of Slurm 22.05.8 (%s)', (nodes) => {
    // Slurm: A starts at 18.3 s, B and C come at 18.9 and 65.9 s, and there are plans at 18.3, 38.3, 66.3, 86.3 and 106.3 s
    const full = [spec('A', 18, 16, 10), spec('B', 19, 16, 5), spec('C', 66, 1, 5)]
    expect(plansOf(full, { nodes })).toEqual([38, 66])
    // C waits behind B, so that Slurm plans at 86 and 106, and not when D comes
    expect(plansOf([...full, spec('D', 95, 1, 5)], { nodes })).toEqual([38, 66, 106])
  })

  it('comes every bf_interval where nodes that are not full are reserved', () => {
    // Slurm: 8 of 16 processors from 19.4 s on, all asked for at 20.2 s, plans at 29.4, 49.4, 69.4 s and so on
    expect(plansOf([spec('A', 9, 8, 10), spec('B', 10, 16, 5), spec('C', 50, 16, 5)])).toEqual([29, 69])
    expect(plansOf([spec('A', 9, 16, 10), spec('B', 10, 16, 5), spec('C', 50, 16, 5)])).toEqual([29, 50])
    // of two nodes C is to have that of A, which is full; amounts know no nodes
    const beside = [spec('A', 9, 4, 10), spec('B', 9, 3, 60), spec('C', 10, 4, 5), spec('D', 50, 2, 60)]
    expect(plansOf(beside, { nodes: 'named' }, [4, 2])).toEqual([29, 50])
    expect(plansOf(beside, {}, [4, 2])).toEqual([29, 69])
  })

  it('comes again bf_interval later where a limit has ended it', () => {
    const specs = [spec('A', 0, 1, 1, 3), ...['a', 'b', 'c', 'd', 'e'].map((id) => spec(id, 7, 1, 5))]
    expect(start(specs, { bf_max_job_start: 1, default_queue_depth: 0 })).toEqual({ A: 0, a: 7, b: 20, c: 20, d: 40, e: 40 }) // one in order, and one in the plan
  })
})

it('goes on after a restart where it was', () => {
  const step = fc.record({ after: fc.integer({ min: 0, max: 70 }), isRound: fc.boolean(), recurs: fc.boolean(), isEmpty: fc.boolean() })
  fc.assert(fc.property(fc.array(step), fc.boolean(), (steps, isRegular) => {
    let now = 0
    const times = () => new PlanTimes(30, isRegular, 1, () => now)
    const kept = times()
    let restarted = times()
    for (const { after, isRound, recurs, isEmpty } of steps) {
      now += after
      const next = times()
      next.recall(JSON.parse(JSON.stringify(restarted.memory())))
      restarted = next
      const round = { lane: 0, now, claimsLeft: Infinity, jobsLeft: Infinity } as unknown as Round
      const plans = [kept, restarted].map((each) => {
        if (!isRound) return each.onRelease(0 as JobId, 0 as LaneId)
        const due = each.next(round)
        if (due === now) each.note(round, { isEmpty, recurs })
        return due
      })
      expect(plans[1]).toBe(plans[0])
    }
  }))
})
