import type { JobId, NodeId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { avoidance } from '../src/index.js'

const [a, b] = [0 as JobId, 1 as JobId]
const nodes = [0, 1, 2] as NodeId[] as [NodeId, NodeId, NodeId]

describe('avoidance', () => {
  it('counts jobs, nodes and times, once for a node that a job and a stage of it avoid, until the job ends', () => {
    const metrics = avoidance()
    metrics.onAvoid(nodes[0], a, 1, -1, true, 10)
    metrics.onAvoid(nodes[0], a, -1, -1, true, 20)
    metrics.onAvoid(nodes[0], a, 1, -1, false, 30) // the job avoids it still
    metrics.onAvoid(nodes[0], a, -1, -1, false, 40) // for 30 s in all
    metrics.onAvoid(nodes[1], a, -1, -1, true, 50)
    metrics.onAvoid(nodes[0], b, -1, -1, true, 55)
    metrics.onJobEnd(a, { id: 'a', submit: 0, stages: [] }, 60) // 10 s
    metrics.onRunEnd(100) // 45 s
    expect(metrics.result()).toEqual({ times: 3, jobs: 2, nodes: 2, seconds: 85, ofTasks: 0, drains: 0, drainedSeconds: 0 })
  })

  it('counts single tasks and drains apart', () => {
    const metrics = avoidance()
    metrics.onAvoid(nodes[0], a, 0, 7, true, 10)
    metrics.onAvoid(nodes[0], a, 0, 7, false, 20)
    metrics.onAvoid(nodes[2], -1, -1, -1, true, 30)
    metrics.onAvoid(nodes[2], -1, -1, -1, false, 70)
    metrics.onAvoid(nodes[2], -1, -1, -1, true, 80)
    metrics.onRunEnd(90)
    expect(metrics.result()).toEqual({ times: 0, jobs: 0, nodes: 0, seconds: 0, ofTasks: 1, drains: 2, drainedSeconds: 50 })
  })

  it('is absent where nothing was avoided', () => {
    expect(avoidance().result()).toBeUndefined()
  })
})
