import { hashUnit, streamKey, type NodeId, type Observer } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { FailureOptions, Outage } from '../src/index.js'
import { job, oneNode, policyOf, prepare, run, stage, startAll, twoNodes } from './world.js'

const away = (node: number, from: number, to: number): Outage => ({ node: node as NodeId, from, to })

/** What is drawn for a task of a job's first stage that has failed so often. */
const drawn = (seed: number, id: string, task: number, failures: number) => hashUnit(streamKey(seed, `failures/${failures + 1}`) ^ streamKey(0, id), task, 0)

/** A seed with which the tasks 0, 1, ... of a job fail so often before they are done, each attempt with probability a half, and the first of all before 8 of 10 s. */
function seedOf(id: string, ...failures: number[]): number {
  for (let seed = 1; ; seed++) if (drawn(seed, id, 0, 0) < 0.4 && failures.every((count, task) => Array.from({ length: count + 1 }, (_, i) => drawn(seed, id, task, i) < 0.5).join() === [...Array<boolean>(count).fill(true), false].join())) return seed
}
/** When an attempt of 10 s fails. */
const failsAt = (seed: number, id: string, task: number, failures: number) => 20 * drawn(seed, id, task, failures)

const often: FailureOptions = { probability: 0.5, maxAttempts: 100 }
const gangs = policyOf((round, jobs) => { for (const each of jobs) if (round.nodes.filter((node) => round.room(node)).length >= round.work.unplaced(each, round.lane)) startAll(round, each) })

/** Failures and seconds run, added up over a run. */
class Count implements Observer {
  failures = 0
  ran = 0
  readonly positions: number[] = []
  onTaskEnd(...[, , , , how, started, stopped]: Parameters<NonNullable<Observer['onTaskEnd']>>): void {
    this.ran += stopped - started
    if (how !== 'failed') return
    this.failures++
    this.positions.push((stopped - started) / 10)
  }
}

describe('a task that fails', () => {
  it('frees its slot then, and starts anew', () => {
    const seed = seedOf('a', 2)
    const [first, second] = [failsAt(seed, 'a', 0, 0), failsAt(seed, 'a', 0, 1)]
    const { lines } = run([job('a')], { cluster: oneNode, seed, failures: { probability: 0.5 } })
    expect(lines).toEqual(['0 submit a', '0 start a on 0', `${first} failed a on 0`, `${first} start a on 0`, `${first + second} failed a on 0`, `${first + second} start a on 0`, `${first + second + 10} done a on 0`])
  })

  it('fails its job when it has failed as often as it may: nothing of it runs on', () => {
    const seed = seedOf('a', 2, 0, 0)
    const end = failsAt(seed, 'a', 0, 0) + failsAt(seed, 'a', 0, 1)
    const given: string[] = []
    const observer: Observer = { onAbandon: (_job, spec, unplaced, now) => void given.push(`${spec.id} at ${now}, ${unplaced} tasks left`) }
    const { lines, ends } = run([job('a', { tasks: 3 }), job('b', { submit: 1 })], { seed, policy: policyOf((round, jobs) => { for (const each of jobs) startAll(round, each) }), failures: { probability: 0.5, maxAttempts: 2 }, observers: [observer] })
    expect(given).toEqual([`a at ${end}, ${lines.filter((line) => line.includes('done a')).length === 0 ? 3 : 2} tasks left`])
    expect(ends['a']).toBe(end)
    expect(lines.filter((line) => line.startsWith(`${end} failed a`))).toHaveLength(2)
    expect(lines.filter((line) => line.includes(' a on ') && Number(line.split(' ')[0]) > end)).toEqual([])
    expect(ends['b']).toBeGreaterThan(end)
  })

  it('takes nobody with it of a gang that replaces single tasks', () => {
    const seed = seedOf('g', 1, 0)
    const at = failsAt(seed, 'g', 0, 0)
    const gang = { id: 'g', submit: 0, replacesLost: true, stages: [stage({ tasks: 2, gang: true })] }
    const { lines } = run([gang], { seed, policy: policyOf((round, jobs) => { for (const each of jobs) startAll(round, each) }), failures: often })
    expect(lines.filter((line) => line.includes('failed') || line.startsWith(`${at} start`))).toEqual([`${at} failed g on 0`, `${at} start g on 0`])
  })

  it('takes its gang with it, which starts again together', () => {
    const seed = seedOf('g', 1, 0)
    const at = failsAt(seed, 'g', 0, 0)
    const gang = { id: 'g', submit: 0, stages: [stage({ tasks: 2, gang: true })] }
    expect(run([gang], { seed, policy: gangs, failures: often }).lines).toEqual(['0 submit g', '0 start g on 0', '0 start g on 1', `${at} failed g on 0`, `${at} failed g on 1`, `${at} start g on 0`, `${at} start g on 1`, `${at + 10} done g on 0`, `${at + 10} done g on 1`])
  })

  it('is reported by the next heartbeat of its node', () => {
    const seed = seedOf('g', 1, 0)
    const at = failsAt(seed, 'g', 0, 0)
    const beat = 3 * Math.ceil(at / 3)
    expect(beat).toBeLessThan(12)
    expect(run([job('g', { tasks: 2 })], { seed, cluster: { ...twoNodes, heartbeat: { interval: 3, stagger: false } }, failures: often }).lines).toEqual(['0 submit g', '0 start g on 0', '0 start g on 1', `${beat} failed g on 0, stopped at ${at}`, `${beat} start g on 0`, '12 done g on 1, stopped at 10', `${3 * Math.ceil((beat + 10) / 3)} done g on 0, stopped at ${beat + 10}`])
  })

  it('goes on from what it has saved', () => {
    const seed = seedOf('a', 1)
    const at = failsAt(seed, 'a', 0, 0)
    expect(run([job('a')], { cluster: oneNode, seed, failures: often, checkpoint: { interval: 1 } }).ends['a']).toBeCloseTo(at + 10 - Math.floor(at), 12)
  })

  it('fails in its own time where what else runs slows it down', () => {
    const seed = seedOf('a', 1)
    const at = failsAt(seed, 'a', 0, 0)
    const cluster = { nodes: [{ count: 1, slots: { slot: 2 }, hardware: { disk: 1 } }] }
    const jobs = [{ id: 'a', submit: 0, stages: [stage({ use: { disk: 1 } })] }, { id: 'b', submit: 0, stages: [stage({ use: { disk: 1 }, duration: 1000 })] }]
    const { lines } = run(jobs, { cluster, seed, failures: often })
    const failed = Number(lines.find((line) => line.includes('failed a'))?.split(' ')[0])
    expect(failed).toBeGreaterThan(at)
    expect(lines).toContain(`${failed} start a on 0`)
  })

  it('fails as often whatever its policy is, and whatever becomes of its nodes', () => {
    const jobs = Array.from({ length: 40 }, (_, i) => job(`j${i}`, { tasks: 3, submit: i }))
    const backwards = policyOf((round, all) => { for (const each of [...all].reverse()) startAll(round, each) })
    const outages = Array.from({ length: 60 }, (_, i) => away(i % 2, 5 + 7 * i, 9 + 7 * i))
    const failed = [{}, { policy: backwards }, { outages }].map((change) => {
      const lines = run(jobs, { failures: { probability: 0.3, maxAttempts: 1000 }, ...change }).lines
      return jobs.map(({ id }) => lines.filter((line) => line.includes(` failed ${id} `)).length)
    })
    expect(failed[0]?.reduce((sum, each) => sum + each)).toBeGreaterThan(30)
    expect(failed[1]).toEqual(failed[0])
    expect(failed[2]).toEqual(failed[0])
  })

  it('fails with its probability, anywhere in its run', () => {
    const count = new Count()
    run([job('a', { tasks: 20_000 })], { cluster: { nodes: [{ count: 10, slots: { slot: 100 } }] }, failures: { probability: 0.2, maxAttempts: 1000 }, observers: [count], validate: false })
    expect(Math.abs(count.failures / 20_000 - 0.25)).toBeLessThan(4 * Math.sqrt((0.2 / 0.64) / 20_000)) // geometric: mean p / (1 - p), variance p / (1 - p)^2
    const mean = count.positions.reduce((sum, each) => sum + each, 0) / count.failures
    expect(Math.abs(mean - 0.5)).toBeLessThan(4 / Math.sqrt(12 * count.failures))
  })

  it('fails every mtbf seconds that it runs, those in vain included', { tags: 'long' }, () => {
    for (const outages of [[], Array.from({ length: 200 }, (_, i) => away(i % 10, 3 * i, 3 * i + 1))]) {
      const count = new Count()
      run([job('a', { tasks: 20_000 })], { cluster: { nodes: [{ count: 10, slots: { slot: 100 } }] }, failures: { mtbf: 40, maxAttempts: 1000 }, observers: [count], outages, validate: false })
      expect(Math.abs((count.failures * 40) / count.ran - 1)).toBeLessThan(4 / Math.sqrt(count.failures))
    }
  })

  it('has not failed for the master where its node is gone before it tells', () => {
    const seed = seedOf('a', 1)
    const at = failsAt(seed, 'a', 0, 0)
    const heartbeats = { ...oneNode, heartbeat: { interval: 12 } }
    const { lines } = run([job('a')], { cluster: heartbeats, seed, failures: { probability: 0.5, maxAttempts: 2 }, outages: [away(0, 11, 12)] })
    expect(lines.slice(0, 5)).toEqual(['0 submit a', '0 start a on 0', '11 lost a on 0', '12 start a on 0', `24 failed a on 0, stopped at ${12 + at}`])
  })

  it('leaves nothing behind for the next job of its number', () => {
    const seed = seedOf('a', 1)
    const { simulation, log } = prepare([job('a'), job('b', { submit: 500 })], { cluster: oneNode, seed, failures: { probability: 0.5, maxAttempts: 1 } })
    simulation.run()
    expect([log.ends['a'], simulation.work.failed.size]).toEqual([failsAt(seed, 'a', 0, 0), 0])
    expect(log.lines.filter((line) => line.includes('start b'))).toHaveLength(1)
  })

  it('has options', () => {
    const message = (failures: FailureOptions) => () => prepare([], { failures })
    expect(message({})).toThrow('failures: found neither probability nor mtbf. Give one of them.')
    expect(message({ probability: 0.1, mtbf: 5 })).toThrow('failures: found both probability and mtbf. Give one of them.')
    expect(message({ probability: 1 })).toThrow('failures: found a probability of 1. It is from 0 up to 1, which is out.')
    expect(message({ mtbf: 0 })).toThrow('failures: found an mtbf of 0 s. It is more than 0 s.')
    expect(message({ mtbf: 1, maxAttempts: 0 })).toThrow('failures: found 0 attempts. It is a whole number, 1 or more.')
  })
})
