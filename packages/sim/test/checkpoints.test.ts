import { randomStream, type LaneId, type NodeId, type TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { runtimeModel, type CheckpointOptions, type Outage } from '../src/index.js'
import { job, oneNode, policyOf, prepare, run, stage, startAll, twoNodes } from './world.js'

/** A time in which everything that runs is preempted, and nothing starts. */
interface Hold {
  readonly from: number
  readonly to: number
}

/** Jobs by submission, but for some times. */
const holding = (holds: readonly Hold[]) =>
  policyOf((round, jobs) => {
    const { now, work } = round
    const hold = holds.find(({ from, to }) => from <= now && now < to)
    for (const each of jobs)
      if (hold === undefined) startAll(round, each)
      else {
        const running: TaskId[] = []
        work.runningTasks(each, 0 as LaneId, running)
        for (const task of running) round.evict(task)
        if (running.length === 0) round.defer(each, 3)
      }
    const next = hold?.to ?? holds.find(({ from }) => from > now)?.from
    if (next !== undefined) round.wakeAt(next)
  })

const away = (node: number, from: number, to: number): Outage => ({ node: node as NodeId, from, to })

describe('a task that saves its work', () => {
  it('goes on from what it saved last where it was lost', () => {
    const outages = [away(0, 7, 20), away(0, 23, 30)]
    expect(run([job('a', { duration: 10 })], { cluster: oneNode, outages, checkpoint: { interval: 3 } }).ends).toEqual({ a: 31 }) // 6 s saved by 7, 3 of the 4 left by 23
    expect(run([job('a', { duration: 10 })], { cluster: oneNode, outages }).ends).toEqual({ a: 40 })
  })

  it('takes the time that saving takes, and does not save at its end', () => {
    expect(run([job('a', { duration: 9 }), job('b', { duration: 10 }), job('c', { duration: 3 })], { cluster: oneNode, checkpoint: { interval: 3, cost: 0.5 } }).ends).toEqual({ a: 10, b: 21.5, c: 24.5 })
  })

  it('has not saved what a node takes with it while it saves', () => {
    const checkpoint = { interval: 4, cost: 2 }
    expect(run([job('a', { duration: 8 })], { cluster: oneNode, outages: [away(0, 5.5, 6)], checkpoint }).ends).toEqual({ a: 16 })
    expect(run([job('a', { duration: 8 })], { cluster: oneNode, outages: [away(0, 6, 7)], checkpoint }).ends).toEqual({ a: 11 })
  })

  it('goes on at the speed of its next node', () => {
    const cluster = { nodes: [{ count: 1, slots: { slot: 1 } }, { count: 1, slots: { slot: 1 }, speed: 0.5 }] }
    const { ends } = run([job('a', { duration: 10 })], { cluster, outages: [away(0, 5, 100)], checkpoint: { interval: 1 } })
    expect(ends).toEqual({ a: 15 }) // half of the work, at half the speed
  })

  it('of a gang keeps what all of it saved', () => {
    const gang = { id: 'g', submit: 0, stages: [stage({ tasks: 2, gang: true, duration: 10 })] }
    expect(run([gang], { cluster: twoNodes, outages: [away(1, 8, 9)], checkpoint: { interval: 5 } }).ends).toEqual({ g: 14 })
  })

  it('has lost what its node had not told of', () => {
    const heartbeats = { ...oneNode, heartbeat: { interval: 6 } }
    expect(run([job('a', { duration: 4 })], { cluster: heartbeats, outages: [away(0, 5, 10)], checkpoint: { interval: 3 } }).lines.at(-1)).toBe('18 done a on 0, stopped at 13') // 1 s was left
  })

  it('is another one in the next job of the same number', () => {
    const jobs = [job('a', { duration: 10 }), job('b', { submit: 50, duration: 10 })]
    expect(run(jobs, { cluster: oneNode, outages: [away(0, 8, 9), away(0, 58, 59)], checkpoint: { interval: 5 } }).ends).toEqual({ a: 14, b: 64 })
  })

  it('ends when one that is followed second by second does', { tags: 'long' }, () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomStream(seed, 'checkpoints')
      const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
      const checkpoint = { interval: whole(1, 8), cost: whole(0, 3) }
      const duration = whole(1, 40)
      const outages: Outage[] = []
      for (let from = whole(0, 10); outages.length < 12; from = outages.at(-1)!.to + whole(1, 15)) outages.push(away(0, from, from + whole(1, 4)))
      expect([seed, run([job('a', { duration })], { cluster: oneNode, outages, checkpoint, validate: true }).ends['a']]).toEqual([seed, endOf(duration, checkpoint, outages)])
    }
  })

  it('has saved all it did where it is preempted, but not where its node goes', () => {
    const of = (checkpoint: CheckpointOptions | undefined, outages: readonly Outage[] = []) =>
      run([job('a', { duration: 10 })], { cluster: oneNode, outages, policy: holding([{ from: 7, to: 20 }]), ...(checkpoint && { checkpoint }) }).ends['a']
    expect([of(undefined), of({ interval: 4 }), of({ whenPreempted: true }), of({ interval: 4, whenPreempted: true })]).toEqual([30, 26, 23, 23])
    expect(of({ whenPreempted: true }, [away(0, 22, 30)])).toBe(33) // 7 s were saved, and 2 are lost
  })

  it('begins a run that goes on from what it saved with restoring it', () => {
    const of = (checkpoint: CheckpointOptions, holds: readonly Hold[]) => run([job('a', { duration: 10 })], { cluster: oneNode, policy: holding(holds), checkpoint }).ends['a']
    expect(of({ interval: 4, restore: 2 }, [{ from: 3, to: 20 }])).toBe(30) // it had saved nothing
    expect(of({ interval: 4, restore: 2 }, [{ from: 5, to: 20 }])).toBe(28)
    expect(of({ whenPreempted: true, restore: 2 }, [{ from: 5, to: 20 }, { from: 21, to: 30 }])).toBe(37) // preempted once more before it went on
  })

  it('ends when one that is preempted and followed second by second does', { tags: 'long' }, () => {
    let held = 0
    for (let seed = 1; seed <= 500; seed++) {
      const random = randomStream(seed, 'preempted')
      const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
      const whenPreempted = random() < 0.7
      const checkpoint = { ...((!whenPreempted || random() < 0.5) && { interval: whole(1, 8), cost: whole(0, 3) }), whenPreempted, restore: whole(0, 3) }
      const duration = whole(1, 40)
      const times: Hold[] = []
      for (let from = whole(0, 10); times.length < 12; from = (times.at(-1) as Hold).to + whole(1, 15)) times.push({ from, to: from + whole(1, 4) })
      const outages = times.filter(() => random() < 0.4).map(({ from, to }) => away(0, from, to))
      const holds = times.filter(({ from }) => outages.every((each) => each.from !== from))
      const { ends, lines } = run([job('a', { duration })], { cluster: oneNode, outages, policy: holding(holds), checkpoint, validate: true })
      held += lines.filter((line) => line.includes('evicted')).length
      expect([seed, ends['a']]).toEqual([seed, endOf(duration, checkpoint, outages, holds)])
    }
    expect(held).toBeGreaterThan(500)
  })

  it('has an interval, and a time of its own', () => {
    expect(() => prepare([], { checkpoint: { interval: 0 } })).toThrow('checkpoint: found an interval of 0 s. It is more than 0 s.')
    expect(() => prepare([], { checkpoint: { interval: 1, cost: -1 } })).toThrow('checkpoint: found a cost of -1 s.')
    expect(() => prepare([], { checkpoint: {} })).toThrow('checkpoint: found no interval. Give the seconds of work after which tasks save it, or set whenPreempted.')
    expect(() => prepare([], { checkpoint: { interval: 1, restore: Infinity } })).toThrow('checkpoint: found Infinity s to restore.')
    expect(() => prepare([], { checkpoint: { interval: 1 }, runtime: { network: true } })).toThrow('checkpoint: is for tasks that take their own time')
    expect(run([job('a')], { checkpoint: { interval: 4, cost: 1 }, runtime: runtimeModel(1, { jitter: 0 }) }).ends).toEqual({ a: 12 })
  })
})

/** The end of a task on one node, all times whole: every second it restores, works, saves, or does not run. */
function endOf(duration: number, { interval = Infinity, cost = 0, whenPreempted = false, restore = 0 }: CheckpointOptions, outages: readonly Hold[], holds: readonly Hold[] = []): number {
  let kept = 0, worked = 0, saving = 0, restoring = 0
  let runs = false
  for (let now = 0; ; now++) {
    if (worked === duration) return now
    if (saving === 0 && worked > kept && worked - kept === interval) {
      if (cost === 0) kept = worked
      else saving = cost
    }
    const within = ({ from, to }: Hold) => from <= now && now < to
    if (outages.some(within) || holds.some(within)) {
      if (runs && whenPreempted && !outages.some(within)) kept = worked
      worked = kept
      saving = 0
      runs = false
      continue
    }
    if (!runs) restoring = kept > 0 ? restore : 0
    runs = true
    if (restoring > 0) restoring--
    else if (saving > 0) {
      saving--
      if (saving === 0) kept = worked
    } else worked++
  }
}
