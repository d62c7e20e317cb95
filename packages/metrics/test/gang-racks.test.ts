import type { ClusterView, EndRow, JobId, JobSpec, NodeId, StartRow } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { gangRacks } from '../src/index.js'

const spec = (tasks: number, gang = true): JobSpec => ({ id: 'job', submit: 0, stages: [{ name: 'work', tasks, gang, demand: { cpu: 1 }, duration: 1 }] })
const row = (job: number, ...nodes: number[]) => ({ job: job as JobId, nodes: nodes as unknown as NodeId[], count: nodes.length }) as unknown as StartRow & EndRow

/** Nodes 0 and 1 are in rack 0, 2 and 3 in rack 1, and so on. */
function watching(racks = 3) {
  const watch = gangRacks()
  watch.onRunStart({ cluster: { levels: 2, groups: () => racks, group: (_: number, node: number) => node >> 1 } as unknown as ClusterView })
  return watch
}

describe('racks of gangs', () => {
  it('are those that its tasks were on at once, at most; jobs of one task and such as are no gang do not count', () => {
    const watch = watching()
    for (const [job, each] of [spec(3), spec(2), spec(1), spec(5, false), spec(2)].entries()) watch.onSubmit(job as JobId, each)
    watch.onTasksStart(row(0, 0, 2, 4))
    watch.onTasksStart(row(1, 0, 1))
    watch.onTasksStart(row(2, 0))
    watch.onTasksStart(row(3, 0, 2, 4))
    for (const job of [0, 1, 2, 3]) watch.onJobEnd(job as JobId)
    watch.onRunEnd() // job 4 has not started
    expect(watch.result()).toEqual({ jobs: 2, mean: 2, onOne: 0.5 })
  })

  it('count where the stages of a job are one gang, each of one task', () => {
    const watch = watching()
    const { stages, ...whole } = { ...spec(1), gang: true }
    watch.onSubmit(0 as JobId, { ...whole, stages: [...stages, ...stages] })
    watch.onTasksStart(row(0, 0, 2))
    watch.onRunEnd()
    expect(watch.result()).toEqual({ jobs: 1, mean: 2, onOne: 0 })
  })

  it('count anew what starts again elsewhere', () => {
    const watch = watching()
    watch.onSubmit(0 as JobId, spec(2))
    watch.onTasksStart(row(0, 0, 1))
    watch.onTasksEnd(row(0, 0, 1))
    watch.onTasksStart(row(0, 4, 5))
    watch.onRunEnd()
    expect(watch.result()).toEqual({ jobs: 1, mean: 1, onOne: 1 })
  })

  it('are not there where there is one rack, and without gangs', () => {
    const watch = watching(1)
    watch.onSubmit(0 as JobId, spec(2))
    watch.onTasksStart(row(0, 0, 1))
    watch.onRunEnd()
    expect([watch.result(), watching().result()]).toEqual([undefined, undefined])
  })
})
