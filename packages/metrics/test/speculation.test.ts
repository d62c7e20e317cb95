import type { NodeId } from '@sched/core'
import { simulate, type SimulationOptions } from '@sched/sim'
import { describe, expect, it } from 'vitest'
import { standardMetrics } from '../src/index.js'
import { inOrder, serial } from './plain-plugs.js'

/** Three nodes of 2 cpu and one that takes five times as long; tasks of 2 cpu with these durations, at time 0. */
function summaryOf(duration: readonly number[], change: Partial<SimulationOptions> = {}) {
  const metrics = standardMetrics()
  const spec = { id: 'a', submit: 0, stages: [{ name: 'work', tasks: duration.length, demand: { cpu: 2 }, duration }] }
  let given = false
  simulate({
    cluster: { nodes: [{ count: 3, resources: { cpu: 2 } }, { count: 1, resources: { cpu: 2 }, speed: 0.2 }] },
    workload: { name: 'one job', open: () => ({ next: () => (given ? undefined : ((given = true), spec)) }) },
    policy: inOrder,
    architecture: serial,
    runtime: { jitter: 0 },
    observers: [metrics],
    speculation: true,
    validate: true,
    ...change,
  })
  return metrics.result()
}

describe('speculation', () => {
  it('is counted: copies, those that were done first, and the work that was in vain', () => {
    // the task on the slow node runs from 0 to 21 s, when its copy is done that started at 11 s
    const { counts, speculation, utilisation, failures, preemption, outages } = summaryOf([10, 10, 10, 10])
    expect(speculation).toEqual({ copies: 1, won: 1, superseded: { tasks: 1, taskSeconds: 21, lost: { cpu: 42 } } })
    expect(counts).toMatchObject({ tasks: 4, tasksDone: 4, launches: 5, evicted: 0, lost: 0, failed: 0 })
    expect(utilisation.resources[0]).toMatchObject({ busy: 2 * (4 * 10 + 21), useful: 2 * 40, lost: 42 })
    expect([failures, outages, preemption.tasks]).toEqual([undefined, undefined, 0])
  })

  it('is in vain where the task is done first', () => {
    // the copy of the third task, which has 30 s to do, runs from 11 to 30 s
    expect(summaryOf([10, 10, 30]).speculation).toEqual({ copies: 1, won: 0, superseded: { tasks: 1, taskSeconds: 19, lost: { cpu: 38 } } })
  })

  it('loses what a task has saved and what it does anew, when its copy is done', () => {
    // The slow node fails at 16 s, after the task has saved twice 7 s there, 14 s of 50 s: in work, 2.8 s of 10 s. From 16 s on it runs anew on
    // node 1, and would need 10 - 2.8 s. The copy on node 0 is done at 21 s, 5 s later.
    const { speculation, utilisation, outages } = summaryOf([10, 10, 10, 10], { checkpoint: { interval: 7 }, outages: [{ node: 3 as NodeId, from: 16, to: 17 }] })
    expect(outages?.lost).toMatchObject({ tasks: 1, taskSeconds: 2 })
    expect(speculation?.superseded).toMatchObject({ tasks: 1 })
    expect(speculation?.superseded.taskSeconds).toBeCloseTo(5 + 2.8, 12)
    expect(utilisation.resources[0]?.busy).toBeCloseTo(2 * (30 + 16 + 5 + 10), 12)
  })

  it('is not told of where nothing is copied', () => {
    expect(summaryOf([10, 10, 10]).speculation).toBeUndefined()
  })
})
