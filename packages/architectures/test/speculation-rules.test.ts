// @module-tag long
import type { Work } from '@sched/cluster'
import type { JobSpec, Observer, Plug, TaskId } from '@sched/core'
import { delay, fair, fifo, greedy } from '@sched/policies'
import type { SpeculationOptions } from '@sched/sim'
import { digest, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic } from '../src/index.js'
import { architectures, outagesOf, policies, tasksOf } from './rule-worlds.js'
import { cpuJob, play } from './world.js'

// Laws that hold for every rule of speculation under every architecture, on small random worlds.

const rules: readonly SpeculationOptions[] = [
  { rule: 'late', minRunTime: 0.5, interval: 0.5, slowTask: 0.75, cap: 0.5 },
  { rule: 'late', minRunTime: 0, interval: 0.75, slowTask: 1, slowNode: 0.5, cap: 1 },
  { rule: 'hadoop1', minAge: 0, interval: 0.5, gap: 0.1 },
  { rule: 'spark', quantile: 0.25, multiplier: 1.2, interval: 0.25 },
  { rule: 'spark', quantile: 0, multiplier: 0, longerThan: 1, interval: 0.25 },
]

const played = (architecture: () => Plug<'architecture'>, world: World, policy: () => Plug<'policy'>, speculation: SpeculationOptions | undefined, observers: readonly Observer[] = []) => {
  const { cluster, seed, runtime, failures } = world
  return play(architecture(), world.jobs, { cluster, seed, runtime, ...(speculation && { speculation }), ...(failures && { failures }), outages: outagesOf(world), policy: policy(), infeasible: 'reject', observers }).recorder
}

/** What is wrong with copies as they start, and how many ran at once. */
class Copies implements Observer {
  readonly wrong: string[] = []
  count = 0
  most = 0
  #running = new Set<TaskId>()
  #work!: Work

  onRunStart({ work }: Parameters<NonNullable<Observer['onRunStart']>>[0]): void {
    this.#work = work as Work
  }
  onTaskStart(...[task, , , node]: Parameters<NonNullable<Observer['onTaskStart']>>): void {
    if (!this.#work.isCopy(task)) return
    this.count++
    this.most = Math.max(this.most, this.#running.add(task).size)
    const original = this.#work.originalOf(task)
    if (this.#work.otherAttempt(task) !== original || !(this.#work.started(original) >= 0)) this.wrong.push(`copy of ${original} without it`)
    if (this.#work.nodeOf(original) === node) this.wrong.push(`copy of ${original} on its node ${node}`)
  }
  onTaskEnd(...[task]: Parameters<NonNullable<Observer['onTaskEnd']>>): void {
    this.#running.delete(task)
  }
}

describe.each(Object.entries(architectures))('%s', (_, architecture) => {
  it.each(rules)('copies slow tasks by %o: each task is done once, and every job ends, the same in every run', (rule) => {
    let superseded = 0
    fc.assert(
      fc.property(worlds({ speculation: [rule], failures: true, outages: true, heartbeats: false }), fc.constantFrom(...policies), (world, policy) => {
        const once = () => played(architecture, world, policy, rule)
        const recorder = once()
        const left = new Set(recorder.events.flatMap((event) => (event.kind === 'reject' || event.kind === 'abandon' ? [event.job] : [])))
        const done = recorder.ends.filter(({ how, job }) => how === 'done' && !left.has(job)).map(({ job, stage, task }) => `${job}.${stage}.${task}`)
        expect(done.sort()).toEqual(tasksOf(world.jobs.filter(({ id }) => !left.has(id))).sort())
        expect(digest(once())).toBe(digest(recorder))
        superseded += recorder.ends.filter(({ how }) => how === 'superseded').length
      }),
      { seed: 31, numRuns: 25 },
    )
    expect(superseded).toBeGreaterThan(5)
  })

  it('starts copies only of running tasks and on other nodes, where no task is lost', () => {
    let count = 0
    fc.assert(
      fc.property(worlds({ speculation: rules, heartbeats: false }), fc.constantFrom(...rules), fc.constantFrom(...policies), (world, rule, policy) => {
        const copies = new Copies()
        played(architecture, world, policy, rule, [copies])
        expect(copies.wrong).toEqual([])
        count += copies.count
      }),
      { seed: 37, numRuns: 80 },
    )
    expect(count).toBeGreaterThan(30)
  })

  it('runs at most as many copies as the cap of late allows', () => {
    let count = 0
    fc.assert(
      fc.property(worlds({ speculation: rules, heartbeats: false, outages: true }), fc.constantFrom(...policies), (world, policy) => {
        const copies = new Copies()
        played(architecture, world, policy, { rule: 'late', minRunTime: 0, slowTask: 1, slowNode: 0, interval: 0.5, cap: 0.01 }, [copies])
        expect(copies.most).toBeLessThanOrEqual(1)
        count += copies.count
      }),
      { seed: 41, numRuns: 40 },
    )
    expect(count).toBeGreaterThan(10)
  })

  it('decides as without speculation where no copy is ever made', () => {
    const none: readonly SpeculationOptions[] = [{ rule: 'late', cap: 0 }, { rule: 'hadoop1', stages: ['none'] }, { rule: 'spark', quantile: 1 }]
    fc.assert(
      fc.property(worlds({ heartbeats: false, outages: true }), fc.constantFrom(...policies), (world, policy) => {
        const without = digest(played(architecture, world, policy, undefined))
        for (const rule of none) expect(digest(played(architecture, world, policy, rule))).toBe(without)
      }),
      { seed: 43, numRuns: 25 },
    )
  })
})

describe('a node that is slow', () => {
  it('runs no copy of late, with heartbeats and without', () => {
    // By this option all nodes are slow on which tasks of the job are done. A copy waits for at most half a second.
    const all: SpeculationOptions = { rule: 'late', minRunTime: 0, slowTask: 1, slowNode: 1, interval: 0.5, cap: 1 }
    let count = 0
    fc.assert(
      fc.property(worlds({ speculation: rules }), fc.constantFrom(() => greedy(fifo()), () => delay(fair(), { node: 2, rack: 5 })), (world, policy) => {
        const since = new Map<string, number>()
        const started = new Set<string>()
        for (const event of played(() => monolithic(), world, policy, all).events) {
          if (event.kind !== 'launch' && event.kind !== 'end') continue
          const [task, place] = [`${event.job}.${event.stage}.${event.task}`, `${event.job} on ${event.node}`]
          if (event.kind === 'end' && event.how === 'done' && !since.has(place)) since.set(place, event.time)
          if (event.kind === 'end') continue
          if (started.has(task) && ++count > 0) expect(since.get(place) ?? Infinity).toBeGreaterThanOrEqual(event.time - 0.5)
          started.add(task)
        }
      }),
      { seed: 47, numRuns: 150 },
    )
    expect(count).toBeGreaterThan(5)
  })
})

describe('on nodes of unequal speed', () => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const fast = { count: 36, resources: { cpu: 2 } }
  const cluster = (speed: number) => ({ nodes: [fast, { ...fast, count: 4, speed }] })
  /** Mean response time and number of copies over five seeds. */
  const runOf = (jobs: readonly JobSpec[], speed: number, speculation?: SpeculationOptions) => {
    const runs = [1, 2, 3, 4, 5].map((seed) => play(monolithic(), jobs, { cluster: cluster(speed), seed, policy: greedy(fair()), runtime: { jitter: 0 }, ...(speculation && { speculation }) }).recorder)
    return {
      response: mean(runs.flatMap((each) => jobs.map(({ id, submit }) => (each.finishes()[id] as number) - submit))),
      copies: mean(runs.map(({ ends }) => ends.filter(({ how }) => how === 'superseded').length)),
    }
  }
  const jobs = (count: number, tasks: number) => Array.from({ length: count }, (_, i) => cpuJob(`j${i}`, { submit: 45 * i, tasks, duration: { kind: 'uniform', min: 50, max: 90 } }))

  it('a job is twice as fast with LATE, and faster than with the rule of Hadoop 1 by a third of its copies (as Zaharia et al. 2008 found)', () => {
    const [none, hadoop1, late] = [undefined, { rule: 'hadoop1' }, { rule: 'late' }].map((rule) => runOf(jobs(1, 150), 0.2, rule as SpeculationOptions | undefined)) as [Run, Run, Run]
    expect(late.response).toBeLessThan(none.response / 2)
    expect(late.response).toBeLessThan(hadoop1.response)
    expect(late.copies).toBeLessThan(hadoop1.copies / 3)
  })

  it('copies of Hadoop 1 make jobs slower where no node is', () => {
    expect(runOf(jobs(12, 50), 1, { rule: 'hadoop1' }).response).toBeGreaterThan(runOf(jobs(12, 50), 1).response)
  })
})
interface Run {
  readonly response: number
  readonly copies: number
}
