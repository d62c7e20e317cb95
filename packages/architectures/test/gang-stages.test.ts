import type { JobSpec, NodeId, StageSpec } from '@sched/core'
import { delay, fifo, greedy, kueue, strict } from '@sched/policies'
import type { Recorder } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharedState, twoLevel, type TwoLevelOptions } from '../src/index.js'
import { cpus, forGangs, play, putOn, unlessStuck } from './world.js'

const gang = (tasks: number, change: Partial<StageSpec> = {}): StageSpec => ({ name: 'gang', tasks, demand: { cpu: 1 }, duration: 5, gang: true, ...change })
const job = (id: string, stages: readonly StageSpec[], change: Partial<JobSpec> = {}): JobSpec => ({ id, submit: 0, stages, ...change })

describe.each(Object.entries(forGangs))('%s', (_, architecture) => {
  it.each([['greedy', () => greedy(fifo())], ['strict', () => strict()], ['delay', () => delay(fifo(), { node: 0 })], ['kueue', () => kueue()]] as const)('starts one gang of a job where there is no room for all, under %s', (_policy, policy) => {
    // 2 + 3 tasks on 4 processors: the second gang follows when the first has ended
    const { recorder } = play(architecture(), [job('ps and workers', [gang(2), gang(3)])], { policy: policy(), cluster: cpus(1, 4) })
    expect(recorder.launches.map(({ stage }) => stage)).toEqual([0, 0, 1, 1, 1])
  })

  it('starts every stage that is a gang at one instant, whatever else the job has, and all jobs end', () => {
    const stages = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 4 }), gang: fc.boolean(), duration: fc.constantFrom(1, 4, 9) }), { minLength: 1, maxLength: 3 })
    const jobs = fc.array(fc.record({ gap: fc.constantFrom(0, 0.25, 1, 5), isHigh: fc.boolean(), stages }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(jobs, fc.constantFrom(() => greedy(fifo()), () => strict()), (drafts, policy) => {
        let submit = 0
        const all = drafts.map(({ gap, isHigh, stages }, i) => job(`j${i}`, stages.map((stage) => gang(stage.tasks, stage)), { submit: (submit += gap), ...(isHigh && { class: 'high' }) }))
        const { recorder } = unlessStuck(() => play(architecture(), all, { policy: policy(), cluster: cpus(2, 2) }))
        expect(Object.keys(recorder.finishes()).length).toBe(all.length)
        for (const { id, stages } of all)
          for (const [index, stage] of stages.entries()) {
            const killed = recorder.evictions.some((each) => each.job === id && each.stage === index)
            const times = recorder.launches.filter((each) => each.job === id && each.stage === index).map(({ time }) => time)
            if (stage.gang === true && !killed) expect(new Set(times).size).toBe(1)
          }
      }),
      { seed: 5, numRuns: 40 },
    )
  })
})

/** What is wrong with a stage of which so many tasks must run or have ended at the end of each instant, unless none runs. */
function short({ events }: Recorder, id: string, stage: number, least: number): string | undefined {
  let [now, running, ended] = [0, 0, 0]
  for (const event of events) {
    if (event.time > now && running > 0 && running + ended < least) return `${id}.${stage} at ${now} s: ${running} run, ${ended} have ended`
    now = event.time
    if ((event.kind !== 'launch' && event.kind !== 'end') || event.job !== id || event.stage !== stage) continue
    running += event.kind === 'launch' ? 1 : -1
    if (event.kind === 'end' && event.how === 'done') ended++
  }
  return undefined
}

describe.each(Object.entries(forGangs))('%s', (_, architecture) => {
  it('starts as many tasks of a gang together as must, lets the others follow, and all jobs end, with nodes that fail, too', { tags: 'long' }, () => {
    const stages = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 6 }), less: fc.integer({ min: 0, max: 4 }), duration: fc.constantFrom(1, 4, 9) }), { minLength: 1, maxLength: 3 })
    const jobs = fc.array(fc.record({ gap: fc.constantFrom(0, 0.25, 1, 5), isHigh: fc.boolean(), stages }), { minLength: 1, maxLength: 8 })
    const outages = fc.array(fc.record({ node: fc.integer({ min: 0, max: 1 }), from: fc.constantFrom(1, 3, 8.5) }), { maxLength: 2 })
    fc.assert(
      fc.property(jobs, outages, fc.constantFrom(() => greedy(fifo()), () => strict()), (drafts, away, policy) => {
        let submit = 0
        const of = ({ less, ...stage }: { less: number; tasks: number; duration: number }) => gang(stage.tasks, { ...stage, minTasks: Math.min(4, Math.max(1, stage.tasks - less)) })
        const all = drafts.map(({ gap, isHigh, stages }, i) => job(`j${i}`, stages.map(of), { submit: (submit += gap), ...(isHigh && { class: 'high' }) }))
        const { recorder } = unlessStuck(() => play(architecture(), all, { policy: policy(), cluster: cpus(2, 2), outages: away.map(({ node, from }) => ({ node: node as NodeId, from, to: from + 2, drain: false })) }))
        expect(Object.keys(recorder.finishes()).length).toBe(all.length)
        for (const { id, stages } of all) for (const [index, { minTasks = 1 }] of stages.entries()) expect(short(recorder, id, index, minTasks)).toBe(undefined)
      }),
      { seed: 6, numRuns: 60 },
    )
  })
})

describe('a framework that hoards for a gang', () => {
  it('starts no part of it when another stage of its job has opened meanwhile and been placed', () => {
    // two nodes are kept for the gang until 33 s, when there is room on the third; `second` has had a place there since 11 s
    const stage = (name: string, change: Partial<StageSpec>): StageSpec => ({ name, tasks: 1, demand: { cpu: 1 }, duration: 1, ...change })
    const stages = [stage('first', { duration: 8 }), stage('second', { after: [{ stage: 0, fraction: 1 }] }), stage('gang', { tasks: 3, demand: { mem: 3 }, gang: true })]
    const jobs = [job('long', [stage('work', { demand: { mem: 1 }, duration: 30 })]), job('job', stages)]
    const { recorder } = play(twoLevel({ frameworks: 1, decision: { job: 0.5, task: 0 }, hoard: 60 }), jobs, { cluster: { nodes: [{ count: 3, resources: { cpu: 1, mem: 3 } }] } })
    const starts = recorder.launches.filter((launch) => launch.job === 'job').map(({ stage: at, time }) => `${at} at ${Math.round(time)}`)
    expect(starts).toEqual(['0 at 2', '2 at 34', '2 at 34', '1 at 34', '2 at 34'])
  })

  it('keeps from another for ever what both need, until jobs are given up', () => {
    // one collects the processor that is free, then the other the three that come: each gives them back in vain, since it collects anew for its second gang
    const of = (id: string, framework: string, submit: number) => job(id, [gang(4)], { class: framework, submit })
    const jobs = [job('filler', [gang(3, { gang: false, duration: 20 })], { class: 'filler' }), of('a1', 'a', 4), of('b1', 'b', 9), of('a2', 'a', 12), of('b2', 'b', 19)]
    const run = (change: TwoLevelOptions) => play(twoLevel({ frameworks: { a: {}, b: {}, filler: {} }, decision: { job: 1, task: 0 }, hoard: 10, ...change }), jobs, { cluster: cpus(4, 1) })
    expect(() => run({ abandonAfter: false, abandonUnplacedAfter: false })).toThrow(/frameworks a, b keep from each other what they collect for gangs \(hoard\), and try for ever/)
    expect(run({}).recorder.events.map(({ kind }) => kind)).toContain('abandon')
  })
})

describe('a framework that declines nodes at different times', () => {
  it('never has all at once that a gang needs, which is told, until the job is given up', { tags: 'long' }, () => {
    // node 0 is declined at 1.5 s and node 1, which the other framework has first, when that is done: 5 s later each is offered and declined by itself
    const jobs = [job('gang', [gang(2)], { class: 'a' }), job('one', [gang(1, { gang: false, duration: 1.75 })], { class: 'b' })]
    const options: TwoLevelOptions = { frameworks: { a: {}, b: {} }, decision: { job: 0.5, task: 0 }, offers: 'by-node', refuseSeconds: 5 }
    const run = (change: TwoLevelOptions) => play(twoLevel({ ...options, ...change }), jobs, { cluster: cpus(2, 1) })
    expect(() => run({ abandonAfter: false, abandonUnplacedAfter: false })).toThrow(/offers never have all at once that a gang needs: .* collect for gangs \(hoard, .*\. Let them be given up/)
    expect(run({}).recorder.events.map(({ kind }) => kind)).toContain('abandon')
    expect(run({ abandonAfter: false, abandonUnplacedAfter: false, refuseSeconds: 0 }).recorder.finishes()).toHaveProperty('gang')
    expect(run({ abandonAfter: false, abandonUnplacedAfter: false, hoard: 10 }).recorder.finishes()).toHaveProperty('gang')
  })
})

describe('a conflict with one task of a gang', () => {
  it.each([['before', [0, 1, 2]], ['after', [2, 0, 1]]] as const)('rejects the gang and no other task of its job, %s the others', (where, nodes) => {
    // `first` is done deciding at 1 s and takes node 1; at 3 s the other finds it taken, on which its gang counted
    const one: StageSpec = { name: 'one', tasks: 1, demand: { cpu: 1 }, duration: 5 }
    const jobs = [job('first', [one], { class: 'a' }), job('job', where === 'before' ? [gang(2), one] : [one, gang(2)], { class: 'b' })]
    const architecture = sharedState({ schedulers: { a: { decision: { job: 1, task: 0 } }, b: { decision: { job: 3, task: 0 } } } })
    const { decided } = play(architecture, jobs, { cluster: cpus(3, 1), policies: { a: putOn(1), b: putOn(...nodes) } })
    expect(decided.lines().slice(0, 2)).toEqual(['a first#1 0-1: 1 claimed, 1 accepted, 0 conflicted, 0 left', 'b job#1 0-3: 3 claimed, 1 accepted, 2 conflicted, 2 left'])
  })
})
