import { randomStream, type NodeId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { runtimeModel, type CheckpointOptions, type Outage } from '../src/index.js'
import { job, oneNode, prepare, run, stage, twoNodes } from './world.js'

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

  it('ends when one that is followed second by second does', () => {
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

  it('has an interval, and a time of its own', () => {
    expect(() => prepare([], { checkpoint: { interval: 0 } })).toThrow('checkpoint: found an interval of 0 s. It is more than 0 s.')
    expect(() => prepare([], { checkpoint: { interval: 1, cost: -1 } })).toThrow('checkpoint: found a cost of -1 s.')
    expect(() => prepare([], { checkpoint: { interval: 1 }, runtime: { network: true } })).toThrow('checkpoint: is for tasks that take their own time')
    expect(run([job('a')], { checkpoint: { interval: 4, cost: 1 }, runtime: runtimeModel(1, { jitter: 0 }) }).ends).toEqual({ a: 12 })
  })
})

/** The end of a task on one node, all times whole: every second it works, saves, or is away. */
function endOf(duration: number, { interval, cost = 0 }: CheckpointOptions, outages: readonly Outage[]): number {
  let kept = 0, worked = 0, saving = 0
  for (let now = 0; ; now++) {
    if (worked === duration) return now
    if (saving === 0 && worked > kept && worked - kept === interval) {
      if (cost === 0) kept = worked
      else saving = cost
    }
    if (outages.some(({ from, to }) => from <= now && now < to)) {
      worked = kept
      saving = 0
    } else if (saving > 0) {
      saving--
      if (saving === 0) kept = worked
    } else worked++
  }
}
