import type { HardwareView, JobId, LaneId, NodeId, WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { isOverloaded } from '../../src/learning/overload.js'
import { PairFeatures } from '../../src/learning/pair-features.js'

/** A node with one core, of which this much is used. */
const using = (used: number): HardwareView => ({ isMeasured: true, kinds: ['cores'], amount: () => 1, speed: () => 1, use: () => used, runnable: () => 1 })

describe('limits of the use of nodes', () => {
  const node = 0 as NodeId

  it('are exceeded, or not, in whatever order the uses of tasks were added up', () => {
    const overloaded = (used: number) => isOverloaded(node, using(used), { cpu: 0.9, load: 1 })
    expect([0.2 + 0.4 + 0.3, 0.4 + 0.3 + 0.2]).toEqual([0.9000000000000001, 0.8999999999999999])
    expect([0.2 + 0.4 + 0.3, 0.4 + 0.3 + 0.2, 0.91].map(overloaded)).toEqual([false, false, true])
  })

  it('are reached, or not, in whatever order the uses of tasks were added up', () => {
    const part = (used: number, task = 0) => {
      const work = { use: () => ({ cores: task }) } as unknown as WorkView
      const features = new PairFeatures(using(used), 1, work, { job: [0.8], node: [0.8] })
      return [features.nodePart(node, undefined), features.jobPart(0 as JobId, 0 as LaneId)]
    }
    expect(part(0.1 + 0.6 + 0.1)).toEqual(part(0.8)) // 0.7999999999999999
    expect(part(0.79)).not.toEqual(part(0.8))
    expect(part(0, 0.1 + 0.6 + 0.1)).toEqual(part(0, 0.8))
  })
})
