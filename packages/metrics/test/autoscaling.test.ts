import type { JobId, JobSpec, NodeId, ScaledGroup, TaskEnd } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { autoscaling } from '../src/index.js'

const [job, spec] = [0 as JobId, { id: 'a', submit: 0, stages: [] } satisfies JobSpec]
const group = (first: number, count: number, more: Partial<ScaledGroup> = {}): ScaledGroup => ({ first: first as NodeId, count, min: 0, initial: 0, provision: 10, priority: 0, ...more })
const onNodes = (...nodes: number[]) => ({ nodes: nodes as NodeId[], count: nodes.length })
const ending = (how: TaskEnd, started: number, stopped: number, saved: number, ...nodes: number[]) => ({ ...onNodes(...nodes), how, started, stopped, saved })

function measured(groups: readonly ScaledGroup[] | undefined, period?: Parameters<typeof autoscaling>[0]) {
  const metrics = autoscaling(period)
  metrics.onRunStart({ cluster: { autoscale: groups } })
  metrics.onSubmit(job, spec, 100) // from here on
  metrics.onScale(0, 3, 110)
  metrics.onTasksStart(onNodes(0, 4, 4), 120) // node 0 belongs to no group
  metrics.onTasksEnd(ending('done', 120, 130, 0, 4), 130)
  metrics.onTasksEnd(ending('evicted', 120, 150, 0, 4), 150) // for another job
  metrics.onScale(1, 2, 160)
  metrics.onTasksStart(onNodes(0, 2), 180)
  metrics.onScaleDown()
  metrics.onTasksEnd(ending('evicted', 170, 180, 4, 0, 2), 180)
  metrics.onNode()
  metrics.onScale(0, 1, 180)
  metrics.onRunEnd(200)
  return metrics.result()
}

describe('what nodes by demand were there', () => {
  it('is counted from when they are asked for to when they are removed, from the first submission on', () => {
    // group 0: 3 nodes for 70 s, 1 for 20 s; group 1: 1 node for 60 s, 2 for 40 s; node 4 runs something for 30 s
    const groups = [group(2, 4, { price: 36 }), group(6, 4, { initial: 1, price: 3.6 })]
    expect(measured(groups)).toEqual({ added: 4, removed: 2, nodeSeconds: 370, mean: 3.7, most: 5, busy: 30 / 370, evicted: { tasks: 2, taskSeconds: 12 }, cost: 2.3 + 0.14 })
  })

  it('has a cost only where every group has a price', () => {
    expect(measured([group(2, 4), group(6, 4, { price: 1 })])?.cost).toBeNaN()
  })

  it('is cut to a period', () => {
    expect(measured([group(2, 4), group(6, 4)], { from: 150, to: 170 })).toMatchObject({ added: 2, removed: 0, nodeSeconds: 3 * 20 + 2 * 10, most: 5 })
    expect(measured([group(2, 4), group(6, 4)], { from: 180, to: 200 })).toMatchObject({ added: 0, removed: 2, most: 3 })
    expect(measured([group(2, 4), group(6, 4)], { from: 120, to: 150 })).toMatchObject({ added: 0, most: 3 })
  })

  it('is nothing where all nodes are always there', () => {
    expect(autoscaling().result()).toBeUndefined()
  })
})
