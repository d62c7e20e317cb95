import type { NodeId, StageSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { oneNode, policyOf, prepare, run, stage, startAll, twoNodes } from './world.js'

const master = (duration = 0): StageSpec => stage({ name: 'master', demand: { slot: 1 }, duration, master: true })
const mastered = (id: string, tasks: number, startup = 0, more: Partial<StageSpec> = {}) => ({ id, submit: 0, stages: [master(startup), stage({ tasks, ...more })] })
const threeSlots = { nodes: [{ count: 1, slots: { slot: 3 } }] }
const down = (from: number, to: number, node = 0) => ({ node: node as NodeId, from, to })

describe('the master of a job', () => {
  it('runs from before the other tasks start until the last of them has ended', () => {
    expect(run([mastered('a', 3)], { cluster: threeSlots }).lines).toEqual([
      '0 submit a', '0 start a on 0', '0 start a on 0', '0 start a on 0', '10 done a on 0', '10 done a on 0', '10 start a on 0', '20 done a on 0', '20 done a on 0',
    ])
  })

  it('opens the other stages when it is up', () => {
    expect(run([mastered('a', 1, 4)], { cluster: threeSlots }).lines).toEqual(['0 submit a', '0 start a on 0', '4 start a on 0', '14 done a on 0', '14 done a on 0'])
  })

  it('is slower to be up on a slow node', () => {
    const slow = { nodes: [{ count: 1, slots: { slot: 3 }, speed: 0.5 }] }
    expect(run([mastered('a', 1, 4)], { cluster: slow }).starts()).toEqual(['0 start a on 0', '8 start a on 0'])
  })

  it('keeps what waits for other stages waiting for these', () => {
    const job = { id: 'a', submit: 0, stages: [master(), stage(), stage({ after: [{ stage: 1, fraction: 1 }] })] }
    expect(run([job], { cluster: threeSlots }).ends).toEqual({ a: 20 })
  })

  it('ends at a heartbeat of its own node', () => {
    const heartbeats = { ...twoNodes, heartbeat: { interval: 3, stagger: true } }
    // node 0 beats at 0, 3, ..., node 1 at 1.5, 4.5, ...; the task on node 1 stops at 11.5, which is known at 13.5; the master on node 0 at 15
    expect(run([mastered('a', 1)], { cluster: heartbeats }).lines.slice(1)).toEqual([
      '0 start a on 0', '1.5 start a on 1', '13.5 done a on 1, stopped at 11.5', '15 done a on 0, stopped at 13.5',
    ])
  })

  it('takes what runs of its job with it when its node fails, and is needed again before that can start', () => {
    const lines = run([mastered('a', 2, 1)], { cluster: { nodes: [{ count: 1, slots: { slot: 1 } }, { count: 1, slots: { slot: 2 } }] }, outages: [down(5, 7)] }).lines
    expect(lines).toEqual([
      '0 submit a', '0 start a on 0', '1 start a on 1', '1 start a on 1', '5 lost a on 0', '5 lost a on 1', '5 lost a on 1',
      '5 start a on 1', '6 start a on 1', '7 start a on 0', '16 done a on 1', '17 done a on 0', '17 done a on 1',
    ])
  })

  it('leaves what had ended before it was lost as it is', () => {
    const log = run([mastered('a', 2, 0, { duration: [2, 10] })], { cluster: { nodes: [{ count: 1, slots: { slot: 1 } }, { count: 1, slots: { slot: 2 } }] }, outages: [down(5, 30)] })
    expect([log.lines.filter((line) => line.includes('start')).length, log.ends]).toEqual([5, { a: 15 }])
  })

  it('is lost before it is up', () => {
    expect(run([mastered('a', 1, 6)], { cluster: threeSlots, outages: [down(4, 5)] }).lines).toEqual([
      '0 submit a', '0 start a on 0', '4 lost a on 0', '5 start a on 0', '11 start a on 0', '21 done a on 0', '21 done a on 0',
    ])
  })

  it('is lost when all others have ended, before its node has told of it', () => {
    const heartbeats = { nodes: [{ count: 2, slots: { slot: 1 } }], heartbeat: { interval: 3, stagger: true } }
    const log = run([mastered('a', 1)], { cluster: heartbeats, outages: [down(14, 16)] })
    expect(log.lines.slice(3)).toEqual(['13.5 done a on 1, stopped at 11.5', '14 lost a on 0', '16.5 start a on 1', '19.5 done a on 1, stopped at 16.5'])
  })

  it('goes with all else of its job when it is evicted, and nothing of that starts in the same round', () => {
    let evicted = false
    const evicting = policyOf((round, jobs) => {
      if (round.now === 4 && !evicted) {
        const [task] = (() => { const out: number[] = []; round.work.runningTasks(jobs[0]!, round.lane, out as never); return out })()
        expect(round.work.isMaster(task as never)).toBe(true)
        round.evict(task as never)
        evicted = true
        expect([round.work.running(jobs[0]!, round.lane), round.work.unplaced(jobs[0]!, round.lane)]).toEqual([0, 0])
        return
      }
      round.wakeAt(4)
      for (const job of jobs) startAll(round, job)
    })
    expect(run([mastered('a', 2)], { cluster: threeSlots, policy: evicting }).lines).toEqual([
      '0 submit a', '0 start a on 0', '0 start a on 0', '0 start a on 0', '4 evicted a on 0', '4 evicted a on 0', '4 evicted a on 0',
      '4 start a on 0', '4 start a on 0', '4 start a on 0', '14 done a on 0', '14 done a on 0', '14 done a on 0',
    ])
  })

  it('and all else runs on when the eviction is taken back', () => {
    const wavering = policyOf((round, jobs) => {
      const running: never[] = []
      for (const job of jobs) round.work.runningTasks(job, round.lane, running)
      const before = round.savepoint()
      if (running.length === 3) round.evict(running[0]!)
      round.rollback(before)
      for (const job of jobs) startAll(round, job)
      if (round.now < 8) round.wakeAt(8)
    })
    expect(run([mastered('a', 3)], { cluster: threeSlots, policy: wavering }).ends).toEqual({ a: 20 })
  })

  it('ends when what waits of its job is given up', () => {
    const cancelling = policyOf((round, jobs) => {
      if (round.now === 0) for (const job of jobs) startAll(round, job)
      else for (const job of [...jobs]) round.cancelJob(job)
    })
    expect(run([mastered('a', 9)], { cluster: threeSlots, policy: cancelling }).ends).toEqual({ a: 10 })
  })

  it.each([
    [[stage(), master()], 'a master that is not its first stage'],
    [[master()], 'a master and nothing else'],
    [[stage({ master: true, tasks: 2 }), stage()], 'a master of 2 tasks'],
    [[master(), stage({ after: [{ stage: 0, fraction: 1 }] })], 'a stage that waits for its master'],
  ])('is the first of several stages, and nothing waits for its end', (stages, fact) => {
    expect(() => run([{ id: 'a', submit: 0, stages }])).toThrow(`job a has ${fact}`)
  })

  it('of two jobs that hold all there is keep each other from running, and the error says so', () => {
    expect(() => run([mastered('a', 1), mastered('b', 1)])).toThrow(/^at 0 s 2 jobs wait, and all that runs is 2 masters/)
  })

  it('of two that keep each other from running for a day are told of, however often nodes report or the policy looks', () => {
    const cluster = { nodes: [{ count: 1, slots: { slot: 2 } }], heartbeat: { interval: 3 } }
    expect(() => run([mastered('a', 1), mastered('b', 1)], { cluster })).toThrow(/^at 86400 s 2 jobs wait, and all that runs is 2 masters/)
    const looking = policyOf((round, jobs) => {
      for (const job of jobs) startAll(round, job)
      round.wakeAt(round.now + 10)
    })
    expect(() => run([mastered('a', 1), mastered('b', 1)], { policy: looking })).toThrow(/^at 87400 s 2 jobs wait/) // 100 looks later
  })

  it('that leaves no room for its tasks on the cluster is refused with its job', () => {
    expect(() => run([mastered('a', 1)], { cluster: oneNode })).toThrow('the master of job a asks {"slot":1} and leaves no room for a task of {"slot":1} on the nodes of cluster')
  })

  it('of two that keep each other from running are told where nodes fail, too: a master that starts again in vain is no progress', () => {
    const warnings: string[] = []
    const { simulation, log } = prepare([mastered('a', 1), mastered('b', 1)], { cluster: { nodes: [{ count: 1, slots: { slot: 2 } }] }, outages: { mtbf: 1000, mttr: 1000 }, infeasible: 'reject', warn: (text) => void warnings.push(text) })
    simulation.run()
    expect(warnings).toEqual([expect.stringMatching(/^at [\d.]+ s jobs a, b wait although their masters came up again and again: nothing else found room before their masters went/)])
    expect(simulation.now).toBeGreaterThan(7 * 86_400)
    expect(log.starts().length).toBeLessThan(2000)
  })
})
