import { dispatcher, type Dispatcher } from '@sched/cluster'
import { cluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { fifo, greedy } from '../src/index.js'

// TestFifoScheduler of Hadoop 3 in numbers of our own: `greedy(fifo())` with heartbeats is YARN's FifoScheduler.

const standing = (...sizes: readonly number[]) =>
  dispatcher({ cluster: cluster({ nodes: sizes.map((mem, i) => ({ name: `n${i}`, count: 1, resources: { mem } })), heartbeat: { interval: 1 } }), policy: greedy(fifo()) })
/** Tasks whose data are on these nodes, or that may run anywhere. */
const asking = (id: string, mem: number, tasks: number, ...nodes: number[]) => {
  const spec = job({ id, tasks, demand: { mem } })
  const data = { hosts: Array.from({ length: tasks }, (_, i) => [`n${nodes[i % nodes.length]}-0`]) }
  return nodes.length === 0 ? spec : { ...spec, stages: spec.stages.map((stage) => ({ ...stage, data })) }
}
const beat = (master: Dispatcher, node: number, now: number) => master.heartbeat(`n${node}-0`, now).start.map((task) => task.job).join(' ')

describe("YARN's FIFO scheduler", () => {
  it('starts all that fits at one heartbeat, near its data first (testNodeLocalAssignment)', () => {
    const master = standing(64, 64)
    master.submit(asking('far', 16, 2, 1), 0)
    master.submit(asking('near', 16, 3, 0), 0)
    expect(beat(master, 0, 1)).toBe('far far near near') // no task waits for its own node
  })

  it('serves jobs by submission on whichever node beats, and leaves what is too small for the rest (testFifoScheduling)', () => {
    const master = standing(6, 4)
    master.submit(asking('a', 2, 1), 0)
    expect(beat(master, 0, 1)).toBe('a')
    master.submit(asking('b', 2, 1), 2)
    expect(beat(master, 1, 3)).toBe('b')
    master.submit(asking('a1', 1, 1), 4)
    master.submit(asking('b1', 3, 2), 4)
    expect([beat(master, 0, 5), beat(master, 1, 6)]).toEqual(['a1 b1', ''])
  })

  it('passes over a job whose next task does not fit, and reserves nothing for it (testFifoScheduler)', () => {
    const master = standing(4, 2)
    master.submit(asking('a', 1, 1), 0)
    master.submit(asking('b', 3, 2), 0)
    master.submit(asking('c', 2, 1), 0)
    expect([beat(master, 0, 1), beat(master, 1, 2)]).toEqual(['a b', 'c'])
  })
})
