import type { JobSpec, NodeId, StageSpec } from '@sched/core'
import { capacityScheduler, fifo, greedy, kaiPreempting, kueue, volcano } from '@sched/policies'
import type { Recorder } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'
import { forGangs, play, putOn, unlessStuck } from './world.js'

// Jobs that are one gang of several stages start and stop whole, however decisions become real.

const common = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
const architectures: typeof forGangs = {
  ...forGangs,
  'two-level of two frameworks': () => twoLevel({ ...common, frameworks: 2, hoard: 6 }),
  'shared state, all or nothing': () => sharedState({ ...common, schedulers: 3, commit: 'all-or-nothing' }),
}
const nodes = [{ name: 'n', count: 3, resources: { cpu: 2, mem: 2 } }]
const stage = (tasks: number, change: Partial<StageSpec> = {}): StageSpec => ({ name: 's', tasks, demand: { cpu: 1 }, duration: 5, gang: true, ...change })
const job = (id: string, stages: readonly StageSpec[], change: Partial<JobSpec> = {}): JobSpec => ({ id, submit: 0, gang: true, stages, ...change })

/** What is wrong with a job of which so many tasks of each stage must run or have ended at the end of each instant, unless none runs. */
function inPart({ events }: Recorder, { id, stages }: JobSpec): string | undefined {
  const running = stages.map(() => 0)
  const ended = stages.map(() => 0)
  let now = 0
  for (const event of events) {
    const lacks = stages.findIndex(({ gang, tasks, minTasks = tasks, optionalGroup }, i) => gang === true && optionalGroup === undefined && (running[i] as number) + (ended[i] as number) < minTasks)
    if (event.time > now && running.some((count) => count > 0) && lacks >= 0) return `${id} at ${now} s: ${running.join()} run, ${ended.join()} have ended`
    now = event.time
    if ((event.kind !== 'launch' && event.kind !== 'end') || event.job !== id) continue
    running[event.stage]! += event.kind === 'launch' ? 1 : -1
    if (event.kind === 'end' && event.how === 'done') ended[event.stage]!++
  }
  return undefined
}

const drafts = () => {
  const part = fc.record({ tasks: fc.integer({ min: 1, max: 2 }), minTasks: fc.constantFrom(undefined, 1), mem: fc.nat({ max: 1 }), duration: fc.constantFrom(1, 4, 9), gang: fc.constantFrom(true, true, true, false) })
  return fc.array(fc.record({ gap: fc.constantFrom(0, 0.25, 1, 5), isHigh: fc.boolean(), isOne: fc.constantFrom(true, true, false), parts: fc.array(part, { minLength: 1, maxLength: 2 }) }), { minLength: 1, maxLength: 8 }).map((all) => {
    let submit = 0
    return all.map(({ gap, isHigh, isOne, parts }, i) => {
      const stages = parts.map(({ tasks, minTasks, mem, duration, gang }, k) => stage(tasks, { duration, demand: { cpu: 1, ...(mem > 0 && { mem }) }, gang: gang || k === 0, ...((gang || k === 0) && minTasks !== undefined && { minTasks }) }))
      return job(`j${i}`, stages, { gang: isOne, submit: (submit += gap), queue: isHigh ? 'high' : 'low', ...(isHigh && { class: 'high' }) })
    })
  })
}

describe.each(Object.entries(architectures))('%s', (_, architecture) => {
  it('starts and stops jobs that are one gang whole, and all jobs end, with nodes and tasks that fail, too', { tags: 'long' }, () => {
    const outages = fc.array(fc.record({ node: fc.integer({ min: 0, max: 2 }), from: fc.constantFrom(1, 3, 8.5) }), { maxLength: 2 })
    let launches = 0
    const policies = fc.constantFrom(() => greedy(fifo()), () => kueue(), () => volcano({ tiers: [{ plugins: ['priority', 'gang', 'conformance'] }] }), () => kaiPreempting())
    fc.assert(
      fc.property(drafts(), outages, fc.constantFrom(undefined, undefined, { probability: 0.1, maxAttempts: 50 }), policies, (jobs, away, failures, policy) => {
        const list = away.map(({ node, from }) => ({ node: node as NodeId, from, to: from + 2, drain: false }))
        const { recorder } = unlessStuck(() => play(architecture(), jobs, { policy: policy(), cluster: { nodes }, outages: list, ...(failures !== undefined && { failures }) }))
        expect(Object.keys(recorder.finishes()).length).toBe(jobs.length)
        launches += recorder.launches.length
        for (const each of jobs) if (each.gang === true && each.stages.length > 1) expect(inPart(recorder, each)).toBe(undefined)
      }),
      { seed: 7, numRuns: 80 },
    )
    expect(launches).toBeGreaterThan(500)
  })
})

describe('a decision for what is beyond the gang', () => {
  it.each([
    ['a job of two stages', job('j', [stage(1, { duration: 30 }), stage(1, { duration: 30, gang: false })])],
    ['a group of stages that it can do without', job('j', [stage(1, { duration: 30 }), stage(1, { duration: 30, optionalGroup: 'more' })])],
    ['an elastic gang', job('j', [stage(3, { duration: 30, minTasks: 2 })], { gang: false })],
  ])('conflicts where the gang has stopped meanwhile, though its node is back: %s', (_, given) => {
    // every decision takes 3 s; `first` keeps a node until 13 s, so the last task of the job is decided about while the others run
    const jobs = [job('first', [stage(1, { duration: 10 })]), given]
    const least = given.stages[0]?.minTasks ?? 1
    const cluster = { nodes: [{ count: least + 1, resources: { cpu: 1 } }] }
    for (let from = 4; from < 24; from += 0.5) {
      const outages = [{ node: 1 as NodeId, from, to: from + 0.25, drain: false }]
      const { recorder } = play(twoLevel({ frameworks: 1, decision: { job: 3, task: 0 } }), jobs, { cluster, outages })
      expect({ from, wrong: inPart(recorder, given) }).toEqual({ from, wrong: undefined })
      expect(Object.keys(recorder.finishes())).toHaveLength(2)
    }
  })
})

describe('a conflict with one task of a job that is one gang', () => {
  it('rejects all of it', () => {
    // `first` is done deciding at 1 s and takes node 1; at 3 s the other finds it taken, on which its second stage counted
    const jobs = [job('first', [stage(1)], { class: 'a' }), job('job', [stage(1), stage(1)], { class: 'b' })]
    const architecture = sharedState({ schedulers: { a: { decision: { job: 1, task: 0 } }, b: { decision: { job: 3, task: 0 } } } })
    const { decided } = play(architecture, jobs, { cluster: { nodes: [{ count: 3, resources: { cpu: 1 } }] }, policies: { a: putOn(1), b: { ...putOn(0, 1), create: (env) => Object.assign(putOn(0, 1).create(env), { startsGangJobs: true }) } } })
    expect(decided.lines().slice(0, 2)).toEqual(['a first#1 0-1: 1 claimed, 1 accepted, 0 conflicted, 0 left', 'b job#1 0-3: 2 claimed, 0 accepted, 2 conflicted, 2 left'])
  })
})

describe('a job that is one gang', () => {
  const two = job('j', [stage(2), stage(3, { demand: { cpu: 1, mem: 1 } })])

  it('is refused where a round is about one node, or virtual clusters are sized', () => {
    expect(() => play(monolithic(), [two], { cluster: { nodes, heartbeat: { interval: 1 } } })).toThrow(/job j is one gang of several stages, which do not start at one node's heartbeat/)
    expect(() => play(monolithic({ tasksPerHeartbeat: 4 }), [two], { cluster: { nodes } })).toThrow('job j starts 5 tasks together, and a round may start 4')
    expect(() => play(onDemand(greedy(fifo()), { nodes: 'tasks' }), [two], { cluster: { nodes } })).toThrow('job j can have no virtual cluster: it is one gang of several stages')
  })

  it('is refused where it may never hold so much together', () => {
    expect(() => play(partitioned({ partitions: { a: { nodes: { names: ['n-0', 'n-1'] }, classes: ['*'] }, b: { nodes: 'rest', classes: ['b'] } } }), [two], { cluster: { nodes } })).toThrow(/one gang and asks 5 cpu at once, partition "a" has 4/)
    expect(() => play(sharedState({ schedulers: { a: { classes: ['*'], limits: { resources: { cpu: 4 } } } } }), [two], { cluster: { nodes } })).toThrow('job j asks 5 of cpu at once, and scheduler "a" may hold 4')
  })

  it('is refused under a policy that has not said that it starts such jobs', () => {
    expect(() => play(monolithic(), [two], { cluster: { nodes }, policy: capacityScheduler() })).toThrow('which its policy does not start together')
  })
})

it('that never find room are told of the schedulers beside theirs, where there are any', () => {
  const nodes = [{ name: 'gpu', count: 2, resources: { cpu: 4, gpu: 2 } }, { name: 'plain', count: 2, resources: { cpu: 4, gpu: 0 } }]
  const both = job('a', [stage(1), stage(2, { demand: { cpu: 4, gpu: 2 } })]) // the first takes a place that the second needs
  const never = { decision: { job: 0, task: 0 }, requeue: 3600, abandonAfter: false, abandonUnplacedAfter: false } as const
  const waits = (schedulers: number) => () => play(sharedState({ ...never, schedulers }), [both], { cluster: { nodes } })
  expect(waits(1)).toThrow('job a waits although nothing runs: placed task by task in the order of the stages')
  expect(waits(2)).toThrow('job a waits although nothing runs: not all that starts together found room in what its scheduler has at once beside 1 other. Let fewer schedulers share the nodes')
})
