import type { JobId, NodeId, TaskId, WorkView } from '@sched/core'
import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placedBySpan } from '../../src/kai/by-span.js'
import type { Victim } from '../../src/kai/victim.js'
import { Victims } from '../../src/kai/victims.js'
import { firstNode } from '../first-node.js'

// Cases of gangcascadeorder_test.go of the KAI Scheduler.

/** A running job: the nodes of its tasks, how many must run at once (default all), priority. Those before have come before. */
type Row = readonly [id: string, nodes: readonly number[], least?: number, priority?: number]

/** Of which jobs tasks go when a more important one comes that asks for one GPU, and all are in use: by default, and with the plug-in. */
const gone = (rows: readonly Row[], more: KaiOptions = {}) =>
  [false, true].map((gangCascadeOrder) => {
    const used = rows.flatMap(([, nodes]) => nodes)
    const nodes = Array.from({ length: Math.max(...used) + 1 }, (_, node) => ({ name: `n${node}`, count: 1, resources: { gpu: used.filter((each) => each === node).length } }))
    const options: KaiOptions = { ties: 'submission', queues: { q: { resources: { gpu: { quota: used.length } } } }, gangCascadeOrder, ...more }
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kaiPreempting(options, firstNode()) })
    for (const [now, [id, on, minTasks = on.length, priority = 10]] of rows.entries()) {
      master.submit(job({ id, queue: 'q', priority, tasks: on.length, gang: true, minTasks, demand: { gpu: 1 } }), now)
      for (const [task, node] of on.entries()) master.adopt({ job: id, stage: 0, task, node: `n${node}-0` }, now)
    }
    master.submit(job({ id: 'in', queue: 'q', priority: 90, demand: { gpu: 1 } }), 20)
    return master.pass(20).kill.map((each) => each.job).join(' ')
  })

describe('of equally important jobs of a queue', () => {
  it('the latest goes first, or that on fewer nodes (TestVictimOrderFn_PrefersSmallerNodeSpan)', () => {
    expect(gone([['narrow', [0]], ['wide', [0, 1, 2, 3]]])).toEqual(['wide wide wide wide', 'narrow'])
  })

  it('a large one on one node before a small one on two (TestVictimOrderFn_LargeSingleNodeBeatsSmallCrossNode)', () => {
    expect(gone([['local', [0, 0, 0]], ['wide', [1, 2]]])).toEqual(['wide wide', 'local local local'])
  })

  it('that with fewer tasks on as many nodes (TestVictimOrderFn_EqualSpan_PrefersFewerPods)', () => {
    expect(gone([['fewer', [0]], ['more', [0, 0, 0]]])).toEqual(['more more more', 'fewer'])
  })

  it('the latest of those that are alike (TestVictimOrderFn_Identical_Zero)', () => {
    expect(gone([['a', [0, 1]], ['b', [2, 3]]])).toEqual(['b b', 'b b'])
  })

  it('a less important one before all (TestVictimOrderFn_PriorityDiffers_Defers)', () => {
    expect(gone([['wide', [0, 1, 2, 3], 4, 5], ['narrow', [4]]])).toEqual(['wide wide wide wide', 'wide wide wide wide'])
  })

  it('what a job can do without before all that others have (TestVictimOrderFn_SurplusAwareElasticIsCheaper)', () => {
    expect(gone([['elastic', [0, 1, 2, 3], 1], ['minimum', [4, 5, 6]]])).toEqual(['elastic', 'elastic'])
  })

  it('nodes count before GPUs, which come where nodes and tasks are as many', () => {
    expect(gone([['narrow', [0]], ['wide', [0, 1, 2]]], { gpuJobOrder: 'evict-larger-first' })).toEqual(['wide wide wide', 'narrow'])
    const two: Row[] = [['a', [0]], ['b', [1]]]
    expect(gone(two, { gpuJobOrder: 'evict-smaller-first' })).toEqual(['b', 'b'])
  })

  it('one task is lost and not eight where eight gangs span eight nodes (whole node reclaim, measurement 2)', () => {
    const eight = Array.from({ length: 8 }, (_, i) => i)
    const rows: Row[] = [...eight.map((i): Row => [`local${i}`, [8]]), ...eight.map((i): Row => [`wide${i}`, eight])]
    expect(gone(rows).map((each) => each.split(' ').length)).toEqual([8, 1])
  })

  it('go one after another as from a queue to which the rest of a job comes back', () => {
    const piece = fc.record({ on: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }), isGroup: fc.boolean() })
    const jobs = fc.array(fc.record({ core: fc.option(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }), { nil: undefined }), more: fc.array(piece, { maxLength: 4 }) }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(jobs, (rows) => {
        const nodes: number[] = []
        const tasks = (on: readonly number[]): TaskId[] => on.map((node) => (nodes.push(node) - 1) as TaskId)
        const victims = rows.map(({ core, more }, i) => {
          const own = (on: readonly number[], isCore: boolean, isGroup: boolean): Victim => ({ job: i as JobId, tasks: tasks(on), isCore, isGroup, since: 0 })
          return [...(core === undefined ? [] : [own(core, true, false)]), ...more.map(({ on, isGroup }) => own(isGroup ? on : on.slice(0, 1), false, isGroup))]
        })
        const work = { priority: () => 0, rank: (id: JobId) => id, nodeOf: (id: TaskId) => nodes[id] as NodeId } as unknown as WorkView
        const found = new Victims(rows.map((_, i) => i as JobId), () => 1, work, (id) => placedBySpan(victims[id] as Victim[], work))
        expect([...found.of(1)].reverse().map((victim) => victim.tasks)).toEqual(popped(victims, nodes))
      }),
    )
  })
})

/** The tasks in the order in which they are popped: each time the first of the job that the comparisons of KAI put first, which comes back without it. */
function popped(victims: readonly (readonly Victim[])[], nodes: readonly number[]): (readonly TaskId[])[] {
  const kindOf = ({ isCore, isGroup }: Victim): number => (isCore ? 2 : isGroup === true ? 1 : 0)
  const left = victims.map((own) => [...own].sort((a, b) => kindOf(a) - kindOf(b) || (b.tasks[0] as number) - (a.tasks[0] as number)))
  const first = (i: number): Victim => left[i]?.[0] as Victim
  const span = (i: number): number => new Set(first(i).tasks.map((task) => nodes[task])).size
  const found: (readonly TaskId[])[] = []
  for (;;) {
    const able = [...left.keys()].filter((i) => (left[i] as Victim[]).length > 0)
    if (able.length === 0) return found
    const goesFirst = (a: number, b: number): number => Number(first(a).isCore) - Number(first(b).isCore) || span(a) - span(b) || first(a).tasks.length - first(b).tasks.length || b - a
    found.push((left[able.sort(goesFirst)[0] as number]?.shift() as Victim).tasks)
  }
}
