import { dispatcher } from '@sched/cluster'
import type { Plug } from '@sched/core'
import { kueue, volcano, type KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { firstFit, topologyAware, topologyTree } from '../src/index.js'

type Rack = Readonly<Record<string, readonly string[]>>
/** Nodes of one processor by rack, each with its pool. */
const clusterOf = (racks: Rack) => ({ nodes: Object.entries(racks).flatMap(([rack, pools]) => pools.map((pool, i) => ({ count: 1, names: [`${rack}.${i}`], racks: [rack], labels: { pool }, resources: { procs: 1 } }))) })
const FOURS = { r0: ['a', 'a', 'a', 'a'], r1: ['a', 'a', 'a', 'a'] }

interface Job {
  readonly id: string
  readonly tasks: number
  readonly required?: number
}

/** Where tasks of jobs in queue `q` start that are submitted one after the other, in rounds of their own; the jobs that are named end before the round of the one behind them. */
function play(jobs: readonly (Job | { readonly ends: string })[], options: KueueOptions, racks: Rack = FOURS): Record<string, string[]> {
  const control = dispatcher({ cluster: clusterOf(racks), policy: kueue(options, topologyAware()) })
  const placed: Record<string, string[]> = {}
  const running = new Map<string, number[]>()
  for (const [now, step] of jobs.entries()) {
    if ('ends' in step) for (const id of running.get(step.ends) ?? []) control.taskEnded({ id }, now)
    else control.submit({ id: step.id, submit: now, queue: 'q', ...(step.required !== undefined && { topology: { required: step.required } }), stages: [{ name: 'pods', tasks: step.tasks, gang: true, demand: { procs: 1 }, duration: 1 }] }, now)
    for (const { id, job, node } of control.pass(now).start) {
      placed[job] = [...(placed[job] ?? []), node]
      running.set(job, [...(running.get(job) ?? []), id])
    }
  }
  return placed
}

describe('kueue with a topology', () => {
  const queues = (queueingStrategy: 'BestEffortFIFO' | 'StrictFIFO') => ({ queues: { q: { queueingStrategy, nominalQuota: { procs: 8 } } } })
  const jobs = [{ id: 'a', tasks: 2, required: 1 }, { id: 'b', tasks: 3, required: 1 }, { id: 'c', tasks: 3, required: 1 }, { id: 'd', tasks: 2, required: 1 }]

  it('admits nobody for whom there is no rack, and those behind it have the quota', () => {
    const placed = play(jobs, queues('BestEffortFIFO'))
    expect(placed).toEqual({ a: ['r0.0', 'r0.1'], b: ['r1.0', 'r1.1', 'r1.2'], d: ['r0.2', 'r0.3'] })
    expect(play([...jobs, { ends: 'b' }], queues('BestEffortFIFO'))['c']).toEqual(['r1.0', 'r1.1', 'r1.2'])
  })

  it('keeps those behind it waiting where a queue is strict', () => {
    expect(Object.keys(play(jobs, queues('StrictFIFO')))).toEqual(['a', 'b'])
    expect(play([...jobs, { ends: 'b' }], queues('StrictFIFO'))).toMatchObject({ c: ['r1.0', 'r1.1', 'r1.2'], d: ['r0.2', 'r0.3'] })
  })

  it('looks for a rack among the nodes of the flavor', () => {
    const racks = { r0: ['a', 'a', 'b', 'b'], r1: ['b', 'a', 'b', 'b'] }
    const options: KueueOptions = { flavors: { a: { pool: 'a' }, b: { pool: 'b' } }, queues: { q: { nominalQuota: { b: { procs: 9 }, a: { procs: 0 } } } } }
    expect(play([{ id: 'three', tasks: 3, required: 1 }], options, racks)).toEqual({ three: ['r1.0', 'r1.2', 'r1.3'] })
    expect(play([{ id: 'two', tasks: 2, required: 1 }], options, racks)).toEqual({ two: ['r0.2', 'r0.3'] })
  })
})

describe('policies that refuse jobs themselves', () => {
  it.each([
    ['kueue', (placement: Plug<'placement'>) => kueue({ queues: { q: { nominalQuota: { procs: 2 } } } }, placement)],
    ['volcano', (placement: Plug<'placement'>) => volcano({ queues: { q: { state: 'Closed' } } }, placement)],
  ])('do so beside a placement that does, too: %s', (_, policy) => {
    const submit = (placement: Plug<'placement'>) => () => { dispatcher({ cluster: clusterOf(FOURS), policy: policy(placement) }).submit({ id: 'job', submit: 0, queue: 'q', stages: [{ name: 'pods', tasks: 3, gang: true, demand: { procs: 1 }, duration: 1 }] }) }
    expect(submit(topologyTree({ within: 1 }))).toThrow(/queue q/)
    expect(submit(firstFit())).toThrow(/queue q/)
  })
})
