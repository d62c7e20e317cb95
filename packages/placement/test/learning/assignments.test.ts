import type { NodeId, TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { Assignments } from '../../src/learning/assignments.js'

describe('assignments that wait to be judged', () => {
  const node = 0 as NodeId
  const judged = (assignments: Assignments, now: number) => {
    const pairs: number[] = []
    return { waits: assignments.judge(node, now, (pair) => void pairs.push(pair)), pairs }
  }

  it('are looked at again by their own time, so that those of one instant keep their order over all nodes', () => {
    const assignments = new Assignments(3, () => true)
    assignments.add(1 as TaskId, node, 11, 0)
    assignments.add(2 as TaskId, node, 12, 2)
    expect(judged(assignments, 3)).toEqual({ waits: false, pairs: [11] })
    expect(judged(assignments, 5)).toEqual({ waits: false, pairs: [12] })
  })

  it('wait on where their time has come before they were started', () => {
    const started = new Set<TaskId>()
    const assignments = new Assignments(3, (task) => started.has(task))
    assignments.add(1 as TaskId, node, 11, 0)
    expect(judged(assignments, 3)).toEqual({ waits: true, pairs: [] })
    started.add(1 as TaskId)
    expect(judged(assignments, 6)).toEqual({ waits: false, pairs: [11] })
  })
})
