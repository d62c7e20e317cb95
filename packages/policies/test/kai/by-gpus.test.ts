import type { JobId, LaneId, ResourceId, ShapeId, TaskId, WorkView } from '@sched/core'
import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job, type JobChange } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placedByGpus, type GpuJobOrder } from '../../src/kai/by-gpus.js'
import type { Victim } from '../../src/kai/victim.js'
import { Victims } from '../../src/kai/victims.js'
import { firstNode } from '../first-node.js'

// Cases of gpujoborder_test.go of the KAI Scheduler, on one node.

type Row = readonly [id: string, gpus: number, change?: JobChange]
const orders: readonly GpuJobOrder[] = ['evict-larger-first', 'evict-smaller-first']

/** Of which jobs tasks go when a more important one comes that asks for so many GPUs: by default, the larger first, and the smaller first. */
const gone = (gpus: number, rows: readonly Row[], asked = 1) =>
  [undefined, ...orders].map((gpuJobOrder) => {
    const options: KaiOptions = { ties: 'submission', queues: { q: { resources: { gpu: { quota: gpus } } } }, ...(gpuJobOrder !== undefined && { gpuJobOrder }) }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: gpus } }] }), policy: kaiPreempting(options, firstNode()) })
    for (const [now, [id, gpu, change]] of rows.entries()) {
      master.submit(job({ id, queue: 'q', priority: 10, demand: { gpu }, ...change }), now)
      master.pass(now)
    }
    master.submit(job({ id: 'in', queue: 'q', priority: 90, demand: { gpu: asked } }), 20)
    return master.pass(20).kill.map((each) => each.job).join(' ')
  })

describe('of equally important jobs of a queue', () => {
  it('the latest goes first, or that with more GPUs, or with fewer (TestVictimOrderFn_SamePriority_EvictLargerFirst_Default, ..._EvictSmallerFirstMode)', () => {
    expect(gone(5, [['early', 1], ['large', 3], ['late', 1]])).toEqual(['late', 'large', 'late'])
    expect(gone(5, [['small', 1], ['large', 2], ['late', 2]])).toEqual(['late', 'late', 'small'])
  })

  it('the latest goes where the GPUs are as many (TestVictimOrderFn_SamePriority_SameGPU_FallsThrough)', () => {
    expect(gone(4, [['first', 2], ['second', 2]])).toEqual(['second', 'second', 'second'])
  })

  it('and a less important one before all (TestVictimOrderFn_PriorityDiffers_Defers)', () => {
    expect(gone(4, [['large', 3], ['low', 1, { priority: 5 }]])).toEqual(['low', 'low', 'low'])
    expect(gone(4, [['small', 1], ['low', 3, { priority: 5 }]])).toEqual(['low', 'low', 'low'])
  })

  it('what a job can do without goes before what others cannot (TestElasticProtection_OutranksGpujoborder)', () => {
    expect(gone(6, [['above', 1, { tasks: 2, minTasks: 1, gang: true }], ['at', 2, { tasks: 2, gang: true }]])).toEqual(['above', 'above', 'above'])
  })

  it('tasks that wait count, too', () => {
    // of `wide` two tasks run and four wait
    expect(gone(5, [['three', 3], ['wide', 1, { tasks: 6, minTasks: 2, gang: true }]])).toEqual(['wide wide', 'wide wide', 'three'])
  })

  it('go one after another as from a queue to which the rest of a job comes back', () => {
    const piece = fc.record({ gpus: fc.integer({ min: 0, max: 3 }), isGroup: fc.boolean() })
    const jobs = fc.array(fc.record({ priority: fc.integer({ min: 0, max: 1 }), waits: fc.integer({ min: 0, max: 3 }), core: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }), more: fc.array(piece, { maxLength: 4 }) }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(jobs, fc.constantFrom(...orders), (rows, order) => {
        const gpusOf: number[] = []
        const task = (gpus: number): TaskId => (gpusOf.push(gpus) - 1) as TaskId
        const victims = rows.map(({ core, more }, i) => {
          const own = (gpus: number, isCore: boolean, isGroup: boolean): Victim => ({ job: i as JobId, tasks: [task(gpus)], isCore, isGroup, since: 0 })
          return [...(core === undefined ? [] : [own(core, true, false)]), ...more.map(({ gpus, isGroup }) => own(gpus, false, isGroup))]
        })
        const work = {
          priority: (id: JobId) => rows[id]?.priority, rank: (id: JobId) => id, waiting: (id: JobId) => rows[id]?.waits,
          shapeOf: (id: TaskId) => id as number as ShapeId, demand: (shape: ShapeId) => gpusOf[shape],
        } as unknown as WorkView
        const place = { order, gpu: 0 as ResourceId, lane: 0 as LaneId, work }
        const found = new Victims(rows.map((_, i) => i as JobId), () => 1, work, (id) => placedByGpus(victims[id] as Victim[], id, { ...place, running: (victims[id] as Victim[]).flatMap(({ tasks }) => tasks) }))
        expect([...found.of(1)].reverse().map(({ tasks }) => tasks)).toEqual(popped(rows, victims, gpusOf, order))
      }),
    )
  })
})

/** The tasks in the order in which they are popped: each time the first of the job that the comparisons of KAI put first, which comes back without it. */
function popped(rows: readonly { priority: number; waits: number }[], victims: readonly (readonly Victim[])[], gpusOf: readonly number[], order: GpuJobOrder): (readonly TaskId[])[] {
  const kindOf = ({ isCore, isGroup }: Victim): number => (isCore ? 2 : isGroup === true ? 1 : 0)
  const left = victims.map((own) => [...own].sort((a, b) => kindOf(a) - kindOf(b) || (b.tasks[0] as number) - (a.tasks[0] as number)))
  const gpus = (i: number): number => (rows[i]?.waits as number) + (left[i] as Victim[]).reduce((sum, { tasks }) => sum + (gpusOf[tasks[0] as number] as number), 0)
  const found: (readonly TaskId[])[] = []
  for (;;) {
    const able = [...left.keys()].filter((i) => (left[i] as Victim[]).length > 0)
    if (able.length === 0) return found
    const goesFirst = (a: number, b: number): number =>
      (rows[a]?.priority as number) - (rows[b]?.priority as number) || Number(left[a]?.[0]?.isCore) - Number(left[b]?.[0]?.isCore) || (order === 'evict-larger-first' ? gpus(b) - gpus(a) : gpus(a) - gpus(b)) || b - a
    found.push((left[able.sort(goesFirst)[0] as number]?.shift() as Victim).tasks)
  }
}
