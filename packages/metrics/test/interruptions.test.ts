import type { JobId, LaneId, NodeId, WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { Interruptions } from '../src/explain/interruptions.js'

const work = { name: (job: number) => `job ${job}`, user: () => 0, userName: () => 'ann', queue: (job: number) => job % 2, queueName: (queue: number) => ['even', 'odd'][queue] } as unknown as WorkView

/** Interruptions of job 0, with what is told of them: ends of its tasks, and starts of any. */
function followed() {
  const all = new Interruptions()
  return {
    all,
    end: (at: number, node = 0, how: Parameters<Interruptions['ended']>[0] = 'evicted', lane = 0) => all.ended(how, lane as LaneId, node as NodeId, at),
    start: (at: number, job: number, node = 0, lane = 0) => all.started(job as JobId, lane as LaneId, node as NodeId, at, work),
    next: () => all.inOrder().map(({ next }) => next.map(({ id, at, tasks }) => `${id} at ${at}: ${tasks}`)),
  }
}

describe('interruptions', () => {
  it('are followed to the first instant at which anything starts on the nodes that the tasks have left', () => {
    const { all, end, start, next } = followed()
    start(10, 1) // before the eviction
    end(10)
    end(10, 1)
    start(10, 2, 2) // elsewhere
    start(10, 3, 0, 1) // in another lane
    start(12, 3)
    start(12, 3)
    start(12, 4)
    start(13, 5) // when the place is taken
    start(14, 5, 1)
    expect(all.inOrder()).toMatchObject([{ at: 10, how: 'evicted', tasks: 2, next: [{ id: 'job 3', user: 'ann', queue: 'odd', at: 12, tasks: 2 }, { id: 'job 4', queue: 'even' }, { id: 'job 5', at: 14 }] }])
    expect(next()).toEqual([['job 3 at 12: 2', 'job 4 at 12: 1', 'job 5 at 14: 1']])
  })

  it('have nobody in their place where tasks were lost or failed, or nothing started', () => {
    const { end, start, next } = followed()
    end(5, 0, 'lost')
    end(6, 1, 'failed')
    end(7, 2)
    for (const node of [0, 1]) start(8, 1, node)
    expect(next()).toEqual([[], [], []])
  })

  it('share a start where a node was left twice before it', () => {
    const { end, start, next } = followed()
    end(5)
    end(6)
    start(7, 1)
    expect(next()).toEqual([['job 1 at 7: 1'], ['job 1 at 7: 1']])
  })

  it('are followed after the end of the job only where the job ended with them, until that instant is over', () => {
    const { all, end, start, next } = followed()
    end(5)
    end(9, 1)
    all.over(9)
    expect(all.areOpen).toBe(true)
    start(9, 2) // where it was evicted before
    start(9, 1, 1)
    expect(all.areOpen).toBe(true)
    all.passed(9.5)
    expect([all.areOpen, next()]).toEqual([false, [[], ['job 1 at 9: 1']]])
  })
})
