import { easy, fifo, greedy, queueDepth, strict } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, run, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from './first-node.js'
import { naiveGreedy } from './reference/disciplines.js'
import { JobsInSystem, type MakeOrder } from './reference/naive.js'
import { recorded } from './reference/recorded.js'

/** The first so many jobs by priority and submission at the beginning of a round. */
const naiveQueueDepth = (depth: number): MakeOrder => ({ work }) => {
  const all = new JobsInSystem()
  let [serial, seen] = [-1, new Set<number>()]
  return {
    onSubmit: all.add,
    onFinish: all.remove,
    list(round) {
      const waiting = [...all.runnable(round)].sort((a, b) => work.priority(b) - work.priority(a) || work.rank(a) - work.rank(b))
      if (round.serial !== serial) [serial, seen] = [round.serial, new Set(waiting.slice(0, depth))]
      return waiting.filter((each) => seen.has(each))
    },
  }
}

describe('queue-depth', () => {
  it('keeps all from starting that are not among the first so many, those that start counted', () => {
    // `first` leaves one slot until 10; `small` is the third that waits, and the second once `a` has started
    const rigid = (id: string, slots: number) => job({ id, tasks: 1, demand: { slots }, duration: 10 })
    const jobs = [rigid('first', 3), rigid('a', 4), rigid('b', 4), rigid('small', 1), rigid('last', 4)]
    const starts = (depth: number) => run({ policy: greedy(queueDepth(fifo(), { depth })), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { slots: 4 } }] }) }).recorder.launches.map(({ job: id, time }) => `${id} ${time}`)
    expect(starts(4)).toEqual(['first 0', 'small 0', 'a 10', 'b 20', 'last 30'])
    expect(starts(3)).toEqual(['first 0', 'a 10', 'b 20', 'small 30', 'last 40'])
  })

  it('lists what its definition lists', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), fc.integer({ min: 1, max: 4 }), (world, depth) => {
        const recorder = recorded(world, greedy(queueDepth(fifo(), { depth }), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveQueueDepth(depth))), 'the reference')).toBeUndefined()
      }),
      { seed: 19, numRuns: 150 },
    )
    expect(launches).toBeGreaterThan(1000)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const skip = { reservations: 'jobs outlive their estimates' }
    for (const make of [() => greedy(queueDepth(fifo(), { depth: 2 }), firstNode()), () => strict(queueDepth(fifo(), { depth: 1 })), () => easy(queueDepth(fifo(), { depth: 3 }))])
      expect(checkPolicyLaws(make, { runs: 60, seed: 3, skip, worlds: { gangs: true, outages: true, failures: true } }).launches).toBeGreaterThan(200)
  })
})
