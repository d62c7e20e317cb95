import type { ClusterDescription } from '@sched/cluster'
import { describe, expect, it } from 'vitest'
import { job, run } from './world.js'

/** Three nodes and a slow one, with one slot each. */
const slowLast: ClusterDescription = { nodes: [{ count: 3, slots: { slot: 1 } }, { count: 1, slots: { slot: 1 }, speed: 0.2 }] }

describe('speculation', () => {
  it('copies the task of a slow node, and the copy that is done first ends it', () => {
    // The task on node 3 takes 10 / 0.2 = 50 s. At 11 s, a second after the others are done, a new attempt is expected to end at 11 + 10 = 21 s.
    const { lines } = run([job('a', { tasks: 4 })], { cluster: slowLast, speculation: true })
    expect(lines).toEqual([
      '0 submit a', '0 start a on 0', '0 start a on 1', '0 start a on 2', '0 start a on 3',
      '10 done a on 0', '10 done a on 1', '10 done a on 2', '11 start a on 0', '21 superseded a on 3', '21 done a on 0',
    ])
  })
})
