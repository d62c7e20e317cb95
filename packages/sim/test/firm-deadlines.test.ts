import { defineArchitecture, runningTasks, type JobSpec, type NodeId, type Observer, type StageSpec, type TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { job, oneNode, policyOf, prepare, run, startAll } from './world.js'

/** What became of jobs: those that were given up, each with the time and the number of tasks, and the ends of all. */
function fates(jobs: readonly JobSpec[], change: Parameters<typeof run>[1] = {}) {
  const given: string[] = []
  const watch: Observer = { onAbandon: (_job, { id }, unplaced, now) => void given.push(`${now} ${id} ${unplaced}`) }
  const log = run(jobs, { cluster: oneNode, ...change, observers: [watch] })
  return { given, ends: log.ends, starts: log.starts() }
}
const late = (id: string, deadline: number, change: Parameters<typeof job>[1] = {}): JobSpec => job(id, { submit: 1, estimate: 10, deadline, firmDeadline: true, ...change })

describe('a firm deadline', () => {
  it('gives a job up a moment after it could last start to end by then', () => {
    // A runs to 10: B could end at 20 if it started then
    expect(fates([job('A'), late('B', 20)])).toEqual({ given: [], ends: { A: 10, B: 20 }, starts: ['0 start A on 0', '10 start B on 0'] })
    expect(fates([job('A'), late('B', 19.5)])).toMatchObject({ given: ['9.501 B 1'], ends: { A: 10, B: 9.501 } })
    expect(fates([job('A'), job('B', { submit: 1, estimate: 10, deadline: 5 })]).given).toEqual([]) // it is not firm
  })

  it('lets those behind it start at once', () => {
    // B needs both slots and waits for A; C is behind it until it is given up at 5
    const two = { cluster: { nodes: [{ count: 2, slots: { slot: 1 } }] }, policy: policyOf((round, jobs) => {
      const first = jobs.find((each) => round.work.unplaced(each, round.lane) > 0)
      if (first !== undefined && (round.work.tasks(first) === 1 || round.cluster.free(0 as NodeId, 0 as never) + round.cluster.free(1 as NodeId, 0 as never) === 2)) startAll(round, first)
    }) }
    expect(fates([job('A'), late('B', 15, { tasks: 2 }), job('C', { submit: 2 })], two)).toMatchObject({ given: ['5.001 B 2'], starts: ['0 start A on 0', '5.001 start C on 1'] })
  })

  it('counts from the submission where it has passed by then, and without an estimate is itself the last time', () => {
    expect(fates([job('A', { duration: 3 }), late('B', 8)])).toMatchObject({ given: ['1 B 1'], ends: { A: 3, B: 1 }, starts: ['0 start A on 0'] })
    expect(fates([job('A'), { ...job('B', { submit: 1 }), deadline: 8, firmDeadline: true }])).toMatchObject({ given: ['8.001 B 1'] })
    expect(fates([late('B', 8)])).toMatchObject({ given: ['1 B 1'], starts: [] }) // though the node is idle
    expect(fates([late('B', 100, { startup: 95 })])).toMatchObject({ given: ['90.001 B 0'], starts: [] })
  })

  it('counts for the whole estimate where no policy lowers estimates, and for the least one where one does', () => {
    const least = late('B', 15, { minEstimate: 3 })
    expect(fates([job('A'), least]).given).toEqual(['5.001 B 1'])
    const lowers = policyOf((round, jobs) => {
      for (const each of jobs) {
        if (round.work.unplaced(each, round.lane) > 0 && round.work.minEstimate(each) < Infinity) round.limitTo?.(each, round.work.deadline(each) - round.now)
        startAll(round, each)
      }
    })
    const heeding = { ...lowers, create: (env: Parameters<typeof lowers.create>[0]) => (env.heedsMinEstimate?.(), lowers.create(env)) }
    expect(fates([job('A'), least], { policy: heeding })).toMatchObject({ given: [], ends: { A: 10, B: 15 } })
    // nobody lowers the estimate of a job of which not all tasks start together
    const [stage] = least.stages as [StageSpec]
    const waiting = policyOf((round, jobs) => { if (round.now < 1) for (const each of jobs) startAll(round, each) })
    const deaf = { ...waiting, create: (env: Parameters<typeof waiting.create>[0]) => (env.heedsMinEstimate?.(), waiting.create(env)) }
    const time = (stages: readonly StageSpec[], change: Partial<JobSpec> = {}) => fates([{ ...least, ...change, stages }], { policy: deaf, cluster: { nodes: [{ count: 2, slots: { slot: 1 } }] } }).given[0]
    expect([time([stage]), time([{ ...stage, tasks: 2, gang: true }])]).toEqual(['12.001 B 1', '12.001 B 2'])
    expect([time([{ ...stage, gang: true }], { gang: true }), time([{ ...stage, tasks: 2 }])]).toEqual(['5.001 B 1', '5.001 B 2'])
    expect(time([stage, { ...stage, name: 'then', after: [{ stage: 0, fraction: 1 }] }])).toBe('5.001 B 1')
  })

  it('does not end what runs, but what waits again since its node has failed', () => {
    const outages = [{ node: 0 as NodeId, from: 9, to: 12 }]
    expect(fates([late('B', 12, { submit: 0 })], { outages })).toMatchObject({ given: ['9 B 1'], ends: { B: 9 } })
    expect(fates([late('B', 22, { submit: 0 })], { outages })).toMatchObject({ given: [], ends: { B: 22 } })
    // a job of two tasks of which one runs on is not given up
    const two = { cluster: { nodes: [{ count: 2, slots: { slot: 1 } }] }, outages: [{ node: 0 as NodeId, from: 5, to: 7 }] }
    expect(fates([late('B', 12, { submit: 0, tasks: 2 })], two)).toMatchObject({ given: [], ends: { B: 17 } })
  })

  describe('of a job that is suspended', () => {
    // B runs from 0, is suspended from 4 to 30, and has 6 s to go then; it could last have started at 2
    const isAway = (now: number) => now >= 4 && now < 30
    const suspending = policyOf((round, jobs) => {
      const first = jobs[0]
      if (first === undefined) return
      for (const time of [4, 30]) if (round.now < time) round.wakeAt(time)
      const running = runningTasks(first, round.lane, round.work)
      if (!isAway(round.now)) startAll(round, first)
      else if (running[0] !== undefined) round.suspendTask(running[0], round.cluster.lanes[round.lane]?.resources ?? [])
    })
    const nodes = { cluster: { nodes: [{ count: 2, slots: { slot: 1 } }] }, policy: suspending }

    it('lets it go on: it has started in time', () => {
      for (const deadline of [12, 25]) expect(fates([late('B', deadline, { submit: 0 })], nodes)).toMatchObject({ given: [], ends: { B: 36 } })
    })

    it('counts again once what is suspended is lost with its node', () => {
      const outages = [{ node: 0 as NodeId, from: 20, to: 90 }]
      expect(fates([late('B', 25, { submit: 0 })], { ...nodes, outages })).toMatchObject({ given: ['20 B 1'], ends: { B: 20 } })
      expect(fates([late('B', 60, { submit: 0 })], { ...nodes, outages })).toMatchObject({ given: [], ends: { B: 40 } })
    })
  })

  it('waits for a decision under way about the job', () => {
    const slow = defineArchitecture({
      name: 'slow', summary: 'decides for 8 s', options: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
      create: (_, { cell, addScheduler }) => {
        const scheduler = addScheduler('only')
        let round: ReturnType<typeof cell.draft> | undefined
        return {
          trigger: () => {
            if (round !== undefined || scheduler.pending(0 as never) === 0) return
            round = cell.draft(scheduler, 0 as never, cell.nodes)
            scheduler.policy.schedule(round)
            round.suspend()
            cell.after(8, 1)
          },
          wake: () => {
            round?.commit({ conflict: 'fit', atomic: false })
            round = undefined
          },
        }
      },
    }).plug({})
    // decided from 1 to 9, started at 9; B could have started until 5
    expect(fates([late('B', 15)], { architecture: slow })).toMatchObject({ given: [], ends: { B: 19 } })
    // A and B are decided about one after the other: B has no claim when its time has come
    expect(fates([job('A', { submit: 1 }), late('B', 15)], { architecture: slow, cluster: oneNode })).toMatchObject({ given: ['5.001 B 1'] })
  })

  it('is forgotten when the job has ended, whose number another one may get', () => {
    const { log, simulation } = prepare([late('A', 30, { submit: 0 }), job('B', { submit: 15, duration: 30 }), job('C', { submit: 16, duration: 30 })], { cluster: oneNode })
    simulation.run()
    expect(log.ends).toEqual({ A: 10, B: 45, C: 75 })
  })
})

describe('a lowered estimate', () => {
  const limiting = (seconds: number) => policyOf((round, jobs) => {
    for (const each of jobs) {
      if (round.work.unplaced(each, round.lane) === round.work.tasks(each)) round.limitTo?.(each, seconds)
      startAll(round, each)
    }
  })

  it('ends a job after so much time, and is told by its estimate until then', () => {
    const seen: number[] = []
    const policy = policyOf((round, jobs) => {
      for (const each of jobs) {
        if (round.work.unplaced(each, round.lane) > 0) round.limitTo?.(each, 4)
        startAll(round, each)
        seen.push(round.work.estimate(each), round.work.taskEstimate(round.work.taskAt(each, 0, 0) as TaskId))
      }
    })
    expect(fates([job('A', { estimate: 12 })], { policy }).ends).toEqual({ A: 4 })
    expect(seen).toEqual([4, 4])
    expect(fates([job('A', { estimate: 12, duration: 3 })], { policy }).ends).toEqual({ A: 3 })
    expect(fates([job('A', { estimate: 4 })], { policy }).ends).toEqual({ A: 10 }) // it was not lowered
  })

  it('holds for gangs, slow nodes and checkpoints, and for the work of tasks that slow each other down', () => {
    expect(fates([job('A', { estimate: 12, tasks: 2 })], { policy: limiting(4), cluster: { nodes: [{ count: 2, slots: { slot: 1 }, speed: 0.5 }] } }).ends).toEqual({ A: 4 })
    expect(fates([job('A', { estimate: 12 })], { policy: limiting(4), checkpoint: { interval: 3, cost: 0.5 } }).ends).toEqual({ A: 4 })
    expect(fates([job('A', { estimate: 12 })], { policy: limiting(4), failures: { probability: 0 } }).ends).toEqual({ A: 4 })
    // two tasks on one core, of 4 s of work each: twice as long
    expect(run([job('A', { estimate: 12, tasks: 2 })], { policy: limiting(4), cluster: { nodes: [{ count: 1, slots: { slot: 2 }, hardware: { cores: 1 } }] } }).ends).toEqual({ A: 8 })
  })

  describe('of a job that is suspended', () => {
    /** Starts A with 8 s in place of 12, suspends it from 4 to 30, and tells the estimate that it has while it is away; at 10 its going on is tried, and taken back. */
    const suspending = (told: number[]) => policyOf((round, jobs) => {
      const first = jobs[0]
      if (first === undefined) return
      for (const time of [4, 10, 25, 30]) if (round.now < time) round.wakeAt(time)
      const running = runningTasks(first, round.lane, round.work)
      if (round.now === 0) round.limitTo?.(first, 8)
      if (round.now < 4 || round.now >= 30) startAll(round, first)
      else if (running.length > 0) for (const task of running) round.suspendTask(task, round.cluster.lanes[round.lane]?.resources ?? [])
      else {
        const before = round.savepoint()
        if (round.now === 10) startAll(round, first)
        round.rollback(before)
        told.push(round.work.estimate(first))
      }
    })
    const two = { nodes: [{ count: 3, slots: { slot: 1 } }] }

    it('holds when it goes on, also after a try that was taken back', () => {
      const told: number[] = []
      expect(fates([job('A', { estimate: 12, tasks: 2 })], { policy: suspending(told), cluster: two }).ends).toEqual({ A: 34 })
      expect(new Set(told)).toEqual(new Set([8]))
    })

    it('is over when what is suspended is lost with its node', () => {
      const told: number[] = []
      expect(fates([job('A', { estimate: 12 })], { policy: suspending(told), cluster: two, outages: [{ node: 0 as NodeId, from: 20, to: 90 }] }).ends).toEqual({ A: 40 })
      expect(told.at(-1)).toBe(12)
    })
  })

  it('is refused while some of the job runs, and below a moment', () => {
    const again = policyOf((round, jobs) => {
      for (const each of jobs) {
        startAll(round, each)
        round.limitTo?.(each, 4)
      }
    })
    expect(() => fates([job('A', { estimate: 12 })], { policy: again })).toThrow('job A is limited to 4 s while some of it runs')
    expect(() => fates([job('A', { estimate: 12 })], { policy: limiting(0) })).toThrow('job A is limited to 0 s.')
  })

  it('goes with the claims of a round', () => {
    const told: number[] = []
    const policy = policyOf((round, jobs) => {
      const [first] = jobs
      if (first === undefined || round.work.unplaced(first, round.lane) === 0) return
      const before = round.savepoint()
      round.limitTo?.(first, 4)
      startAll(round, first)
      told.push(round.work.estimate(first))
      round.rollback(before)
      told.push(round.work.estimate(first))
      startAll(round, first)
    })
    expect(fates([job('A', { estimate: 12 })], { policy }).ends).toEqual({ A: 10 })
    expect(told).toEqual([4, 12])
  })
})
