import type { Decision, JobId, LaneId, NodeId, Scheduler, Seconds, TaskId, WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { counts, decisions, type DecisionsOptions } from '../src/index.js'

const scheduler = (name: string, id = 0, group = name): Scheduler => ({ id, name, group, policy: { schedule: () => undefined }, pending: () => 0 })
const plain: Decision = { scheduler: scheduler('s'), job: 0 as JobId, attempt: 1, opened: 0, closed: 1, claimed: 1, accepted: 1, conflicted: 0, unplaced: 0 }
const success = plain
const failure: Decision = { ...plain, accepted: 0, conflicted: 1, unplaced: 1 }

/** What decisions of a run that ended at `end` come to; each job was submitted at 0 with one task. */
function of(told: readonly Partial<Decision>[], end: Seconds, options: DecisionsOptions = {}) {
  const metric = decisions(options)
  const jobs = new Set(told.map(({ job = 0 as JobId }) => job))
  metric.onRunStart({ work: { jobs: () => [...jobs], tasks: () => 1 } as unknown as WorkView })
  for (const job of jobs) metric.onSubmit(job, { id: `j${job}`, submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1 }] }, 0)
  for (const each of told) {
    const decision = { ...plain, ...each }
    metric.onDecision(decision)
    if (decision.accepted > 0) metric.onTasksStart({ job: decision.job, lane: 0 as LaneId, count: 1, tasks: [0 as TaskId], nodes: [0 as NodeId], level: -1 }, decision.closed)
  }
  metric.onRunEnd(end)
  return metric.result()
}
const one = (...args: Parameters<typeof of>) => of(...args).schedulers[0]!
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** A decision of a day of 10 s. */
const at = (day: number, each: Decision): Decision => ({ ...each, opened: 10 * day + 1, closed: 10 * day + 2 })

// acceptance facts 2 and 7 of the Omega sheet
describe('conflict fraction', () => {
  it('is 3 after three failed transactions and a successful one, 0.25 after 3 failed and 12 successful', () => {
    expect(one([failure, failure, failure, success], 10).conflictFraction.overall).toBe(3)
    expect(one([...times(12, () => success), ...times(3, () => failure)], 10).conflictFraction.overall).toBe(0.25)
  })

  it('counts a transaction with a part of its claims rejected as failed, and one without claims not at all', () => {
    const part = { claimed: 3, accepted: 2, conflicted: 1, unplaced: 1 }
    const noRoom = { claimed: 0, accepted: 0, unplaced: 1 }
    const figures = one([part, noRoom, success, success], 10)
    expect([figures.conflictFraction.overall, figures.useful, figures.wasted, figures.noRoom]).toEqual([0.5, 2, 1, 1])
  })

  it('is the median of daily values, with its absolute deviation: 1, 0 and 3 on three days', () => {
    const { conflictFraction } = one([at(0, failure), at(0, success), at(1, success), at(2, success), ...times(3, () => at(2, failure))], 30, { day: 10 })
    expect(conflictFraction).toEqual({ overall: 4 / 3, median: 1, mad: 1, days: 3 })
  })

  it('has a median where on some days nothing went without a conflict: 0, 0 and infinitely many', () => {
    const { conflictFraction } = one([at(0, success), at(1, success), at(2, failure)], 30, { day: 10 })
    expect(conflictFraction).toEqual({ overall: 0.5, median: 0, mad: 0, days: 3 })
  })

  it('is no figure where nothing went without a conflict, in the run or on most of its days', () => {
    expect(one([failure], 10).conflictFraction).toEqual({ overall: NaN, median: NaN, mad: NaN, days: 1 })
    expect(one([at(0, success), at(1, failure), at(2, failure)], 30, { day: 10 }).conflictFraction).toEqual({ overall: 2, median: NaN, mad: NaN, days: 3 })
  })
})

describe('a run of more than a million days', () => {
  it('has no value by day, and those of the whole', { tags: 'long' }, () => {
    const { conflictFraction, busyness } = one([at(0, failure), { ...success, opened: 5, closed: 9e14 }], 1e15)
    expect([conflictFraction, busyness]).toEqual([{ overall: 1, median: NaN, mad: NaN, days: 0 }, { overall: expect.closeTo(0.9, 9) as number, median: NaN, mad: NaN, days: 0 }])
  })
})

describe('busyness', () => {
  const every = (gap: Seconds, decision: Seconds, count: number) => times(count, (i) => ({ job: i as JobId, opened: i * gap, closed: i * gap + decision }))

  it('is 0.03 at 0.2 jobs/s of 10 tasks, 0.1 + 10 x 0.005 s each, and 1 at 1 / 0.15 = 6.667 jobs/s', () => {
    expect(one(every(5, 0.15, 200), 1000).busyness.overall).toBeCloseTo(0.03, 9)
    expect(one(every(0.15, 0.15, 2000), 300).busyness.overall).toBeCloseTo(1, 9)
    expect(1 / 0.15).toBeCloseTo(6.667, 3)
  })

  it('without conflicts leaves out attempts that follow a conflict on the same job', () => {
    const told = [{ ...failure, opened: 0, closed: 2 }, { ...success, attempt: 2, opened: 3, closed: 5 }, { ...success, job: 1 as JobId, opened: 5, closed: 6 }]
    const figures = one(told, 10)
    expect([figures.busyness.overall, figures.noConflictBusyness.overall, figures.retries]).toEqual([0.5, 0.3, 1])
    expect([figures.usefulTime, figures.wastedTime]).toEqual([3, 2])
  })

  it('tells time spent in vain for want of room apart, and divides a decision that crosses midnight', () => {
    const figures = one([{ claimed: 0, accepted: 0, unplaced: 1, opened: 0, closed: 1 }, { opened: 8, closed: 14, job: 1 as JobId }], 20, { day: 10 })
    expect([figures.noRoomTime, figures.noRoomBusyness.overall, figures.busyness]).toEqual([1, 0.05, { overall: 0.3, median: expect.closeTo(0.3, 9), mad: expect.closeTo(0.1, 9), days: 2 }])
  })

  it('of a kind is that of the time of all its schedulers', () => {
    const [a, b] = [scheduler('batch-0', 0, 'batch'), scheduler('batch-1', 1, 'batch')]
    const { groups, schedulers } = of([{ scheduler: a, opened: 0, closed: 4 }, { scheduler: b, job: 1 as JobId, opened: 0, closed: 2 }], 10)
    expect(schedulers.map((each) => [each.scheduler, each.busyness.overall])).toEqual([['batch-0', 0.4], ['batch-1', 0.2]])
    expect(groups.map((each) => [each.group, each.schedulers, each.attempts])).toEqual([['batch', 2, 2]])
    expect(groups[0]!.busyness.overall).toBeCloseTo(0.3, 12)
  })

  it('is the sum of useful and wasted time over the whole, for any decisions (law)', () => {
    const drawn = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 30 }), time: fc.integer({ min: 0, max: 40 }), kind: fc.constantFrom(success, failure, { ...plain, claimed: 0, accepted: 0 }) }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(drawn, (steps) => {
        let now = 0
        const told = steps.map(({ gap, time, kind }, i) => {
          const opened = now + gap
          now = opened + time
          return { ...kind, job: i as JobId, opened, closed: now }
        })
        const figures = one(told, now + 1, { day: 25 })
        expect(figures.busyness.overall).toBeCloseTo((figures.usefulTime + figures.wastedTime) / (now + 1), 9)
        expect(figures.useful + figures.wasted + figures.noRoom).toBe(steps.length)
      }),
      { seed: 21, numRuns: 100 },
    )
  })
})

describe('waits', () => {
  it('are those until the first attempt and until the last task is placed; 30 s are in time', () => {
    const told = [{ opened: 20, closed: 21 }, { job: 1 as JobId, opened: 40, closed: 41, accepted: 0, conflicted: 1 }, { job: 1 as JobId, attempt: 2, opened: 42, closed: 50 }]
    const { overall } = of(told, 60)
    expect([overall.tried, overall.placed, overall.inTime, overall.firstAttempt.mean, overall.fullyPlaced.mean]).toEqual([2, 2, 0.5, 30, (21 + 50) / 2])
    expect(of(told, 60, { slo: 40 }).overall.inTime).toBe(1)
  })
})

describe('a mouldable job of one task that its scheduler gives three', () => {
  const job = 0 as JobId
  const spec = { id: 'm', submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 3, phases: [{ activities: 3, time: 1 }] }] }
  const run = { work: { jobs: () => [job], tasks: () => 3 } as unknown as WorkView }
  const row = { job, lane: 0 as LaneId, tasks: [0 as TaskId], nodes: [0 as NodeId], level: -1 }

  it('is fully placed when all three have started, and counts for three tasks', () => {
    const [metric, counted] = [decisions(), counts()]
    metric.onRunStart(run)
    counted.onRunStart(run)
    metric.onSubmit(job, spec, 0)
    counted.onSubmit(job, spec, 0)
    metric.onTasksStart({ ...row, count: 2 }, 1)
    expect(metric.result().overall.placed).toBe(0)
    metric.onTasksStart({ ...row, count: 1 }, 4)
    expect([metric.result().overall.placed, metric.result().overall.fullyPlaced.mean]).toEqual([1, 4])
    counted.onJobEnd(job)
    counted.onRunEnd(5)
    expect(counted.result().tasks).toBe(3)
  })
})
