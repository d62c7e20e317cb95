import type { JobId, JobSpec, TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { backfilled } from '../src/rigid/backfilled.js'
import { jobGroups } from '../src/rigid/job-groups.js'
import { queueLength } from '../src/rigid/queue-length.js'
import { recorded } from '../src/rigid/recorded.js'
import { standardMetrics } from '../src/standard.js'
import { World } from './world.js'

/** A rigid job on so many processors. */
const rigid = (procs: number, duration: number, rest: Partial<JobSpec> = {}): Partial<JobSpec> => ({ stages: [{ name: 'job', tasks: 1, demand: { procs }, duration }], ...rest })

/** Ends the task and its job. */
function end(world: World, now: number, job: JobId, task: TaskId): void {
  world.end(now, task)
  world.finish(now, job)
}

/**
 * 4 processors. A (3 processors) runs from 0 to 10; B (4) comes at 2 and runs from 10 to 20; C (1) comes at 4 and runs from
 * 6 to 8, past B.
 */
function overtaking(observers: ConstructorParameters<typeof World>[0]): void {
  const world = new World(observers, { procs: 4 })
  const a = world.submit(0, rigid(3, 10, { user: 'ann', recorded: { wait: 5 } }))
  const ofA = world.start(0, a)
  const b = world.submit(2, rigid(4, 10, { user: 'bob', recorded: { wait: 2, runtime: 20 } }))
  const c = world.submit(4, rigid(1, 2, { user: 'ann' }))
  const ofC = world.start(6, c)
  end(world, 8, c, ofC)
  end(world, 10, a, ofA)
  const ofB = world.start(10, b)
  end(world, 20, b, ofB)
  world.close(20)
}

describe('queueLength', () => {
  it('weighs waiting jobs and what they ask for by time', () => {
    const queue = queueLength()
    overtaking([queue])
    // B waits 2 to 10, C 4 to 6: (8 + 2) / 20 jobs; (8 x 4 + 2 x 1) / 20 processors
    expect(queue.result()).toMatchObject({ mean: 0.5, max: 2, meanAmount: 1.7, maxAmount: 5 })
  })

  it('counts idle processors while a job waits as lost (Zhang et al., IPDPS 2000)', () => {
    const queue = queueLength()
    overtaking([queue])
    // from 2 to 10 somebody waits, and one processor idles but for C's two seconds: 8 - 2 = 6 of 4 x 20
    expect(queue.result().lossOfCapacity).toBeCloseTo(6 / 80, 12)
  })

  it('counts no more as lost than is asked for, in its other measure', () => {
    const queue = queueLength()
    const world = new World([queue], { procs: 10 })
    const job = world.submit(0, rigid(2, 1)) // held back on an empty machine
    const task = world.start(5, job)
    end(world, 10, job, task)
    world.close(10)
    expect(queue.result()).toMatchObject({ lossOfCapacity: (10 * 5) / 100, lossUpToDemand: (2 * 5) / 100 })
  })

  it('is of what jobs ask for, where nodes have more than that', () => {
    const queue = queueLength()
    const world = new World([queue], { mem: 999, procs: 4 })
    const job = world.submit(0, rigid(2, 1))
    const task = world.start(5, job)
    end(world, 10, job, task)
    world.close(10)
    expect(queue.result()).toMatchObject({ meanAmount: 1, lossOfCapacity: (4 * 5) / 40 })
  })

  it('takes no master for what its job asks for', () => {
    const queue = queueLength()
    const world = new World([queue], { procs: 4 })
    const job = world.submit(0, { stages: [{ name: 'master', tasks: 1, demand: { procs: 1 }, duration: 0, master: true }, { name: 'job', tasks: 3, demand: { procs: 1 }, duration: 5 }] })
    end(world, 10, job, world.start(5, job))
    world.close(10)
    expect(queue.result()).toMatchObject({ meanAmount: (3 * 5) / 10, lossUpToDemand: (3 * 5) / 40 })
  })

  it('counts no other resource than that of the first job', () => {
    const queue = queueLength()
    const world = new World([queue], { procs: 4, mem: 999 })
    const [first, other] = [world.submit(0, rigid(2, 1)), world.submit(0, { ...rigid(1, 1), id: 'other', stages: [{ name: 'work', tasks: 1, demand: { mem: 500 }, duration: 9 }] })]
    const [one, two] = [world.start(5, first), world.start(5, other)]
    world.submit(6, { ...rigid(2, 1), id: 'late' })
    end(world, 10, first, one)
    end(world, 10, other, two)
    world.close(10)
    // 4 idle for 5 s, then 2 for 4 s: the memory in use is not taken for processors
    expect(queue.result()).toMatchObject({ meanAmount: (2 * 5 + 2 * 4) / 10, lossOfCapacity: (4 * 5 + 2 * 4) / 40, lossUpToDemand: (2 * 5 + 2 * 4) / 40 })
  })

  it('looks at its period only', () => {
    const queue = queueLength({ from: 5, to: 10 })
    overtaking([queue])
    // B waits all 5 seconds, C one; idle 5 - 2 processor seconds of 4 x 5
    expect(queue.result()).toMatchObject({ mean: 6 / 5, max: 2, lossOfCapacity: 3 / 20 })
  })

  it('does not see jobs that start in the instant of their submission', () => {
    const queue = queueLength()
    const world = new World([queue], { procs: 1 })
    const job = world.submit(3, rigid(1, 1))
    end(world, 4, job, world.start(3, job))
    world.close(4)
    expect(queue.result()).toMatchObject({ mean: 0, max: 0, lossOfCapacity: 0 })
  })
})

describe('backfilled', () => {
  it('counts jobs that start while one submitted earlier goes on waiting', () => {
    const jobs = backfilled()
    overtaking([jobs])
    expect(jobs.result()).toEqual({ jobs: 1, share: 1 / 3 })
  })

  it('does not count two that start in one instant in whatever order', () => {
    const jobs = backfilled()
    const world = new World([jobs], { procs: 4 })
    const [first, second, third] = [world.submit(0, rigid(1, 9)), world.submit(0, rigid(1, 9)), world.submit(0, rigid(1, 9))]
    world.start(5, second)
    world.start(5, first)
    world.start(6, third)
    world.close(9)
    expect(jobs.result()).toEqual({ jobs: 0, share: 0 })
  })

  it('forgets jobs that were given up', () => {
    const jobs = backfilled()
    const world = new World([jobs], { procs: 4 })
    const [given, other] = [world.submit(0, rigid(1, 9)), world.submit(1, rigid(1, 9))]
    world.abandon(2, given)
    world.finish(2, given)
    world.start(3, other)
    world.close(9)
    expect(jobs.result().jobs).toBe(0)
  })
})

describe('jobGroups', () => {
  it('weighs every job by its area: processors x run time', () => {
    const groups = jobGroups()
    overtaking([groups])
    const { overall } = groups.result()
    // waits 0, 8, 2 s; areas 30, 40, 2; bounded slowdowns 1, 18/10, max(1, 4/10)
    expect(overall).toMatchObject({ finished: 3, area: 72, wait: 10 / 3 })
    expect(overall.weighted.wait).toBeCloseTo((8 * 40 + 2 * 2) / 72, 12)
    expect(overall.weighted.response).toBeCloseTo((10 * 30 + 18 * 40 + 4 * 2) / 72, 12)
    expect(overall.weighted.slowdown).toBeCloseTo((30 + 1.8 * 40 + 2) / 72, 12)
  })

  it('leaves out of the area what a suspended task had done when it is killed later', () => {
    const groups = jobGroups()
    const world = new World([groups])
    const job = world.submit(0)
    world.end(4, world.start(0, job), { how: 'evicted', saved: 4 })
    world.end(7, world.start(6, job), { how: 'lost', saved: -4 })
    world.end(18, world.start(8, job))
    world.finish(18, job)
    expect(groups.result().overall.area).toBe(10)
  })

  it('tells sizes, lengths and users apart', () => {
    const groups = jobGroups({ sizes: [1, 3], lengths: [2] })
    overtaking([groups])
    const { bySize, byLength, byUser } = groups.result()
    const waits = (those: typeof bySize) => those.map(({ label, finished, wait }) => [label, finished, wait])
    expect(waits(bySize)).toEqual([['1', 1, 2], ['2-3', 1, 0], ['>3', 1, 8]])
    expect(waits(byLength)).toEqual([['0-2 s', 1, 2], ['>2 s', 2, 4]])
    expect(waits(byUser)).toEqual([['ann', 2, 1], ['bob', 1, 8]])
  })

  it('takes another bound of the slowdown', () => {
    const groups = jobGroups({ tau: 1 })
    overtaking([groups])
    expect(groups.result().overall.slowdown).toBeCloseTo((1 + 1.8 + 4 / 2) / 3, 12)
  })
})

describe('recorded', () => {
  it('holds the run against the waits of the log, of jobs that have one', () => {
    const log = recorded()
    overtaking([log])
    // A waited 5 s and not 0, B 2 s and not 8; A ran 10 s, B 20 s
    const { jobs, wait, response, makespan, meanAbsoluteError, meanDifference } = log.result()
    expect({ jobs, wait: wait.mean, response: response.mean, makespan }).toEqual({ jobs: 2, wait: 3.5, response: (15 + 22) / 2, makespan: 24 })
    expect({ meanAbsoluteError, meanDifference }).toEqual({ meanAbsoluteError: (5 + 6) / 2, meanDifference: (-5 + 6) / 2 })
  })

  it('has no figures for a log without waits', () => {
    const log = recorded()
    const world = new World([log], { procs: 1 })
    world.start(0, world.submit(0, rigid(1, 1)))
    world.close(1)
    expect(log.result()).toMatchObject({ jobs: 0, meanAbsoluteError: NaN, makespan: NaN })
  })
})

describe('a job that is one gang of several stages', () => {
  it('is as large as all of them, and was as long as the longest', () => {
    const part = (procs: number, duration: number) => ({ name: `${procs}`, tasks: 1, gang: true, demand: { procs }, duration })
    const [queue, log, groups] = [queueLength(), recorded(), jobGroups({ sizes: [3] })]
    const world = new World([queue, log, groups], { procs: 4 })
    const job = world.submit(0, { gang: true, recorded: { wait: 2 }, stages: [part(3, 10), part(1, 4)] })
    const [long, short] = [world.start(5, job, { stage: 0 }), world.start(5, job, { stage: 1 })]
    world.end(9, short)
    end(world, 15, job, long)
    world.close(15)
    expect([queue.result().meanAmount, log.result().response.mean]).toEqual([(4 * 5) / 15, 12])
    expect(groups.result().bySize.map(({ label, finished }) => [label, finished])).toEqual([['1-3', 0], ['>3', 1]])
  })
})

describe('a period', () => {
  it('leaves jobs out by their submission, and the machine by its time', () => {
    const metrics = standardMetrics({ period: { from: 2, to: 4 }, rigid: true })
    overtaking([metrics])
    const { times, utilisation, rigid, counts } = metrics.result()
    expect({ jobs: times.jobs, wait: times.wait.mean, finished: rigid?.jobs.overall.finished }).toEqual({ jobs: 1, wait: 8, finished: 1 })
    expect(utilisation).toMatchObject({ span: 2, resources: [{ utilisation: 3 / 4 }] })
    expect(counts.jobs).toBe(3)
  })
})
