import { dispatcher } from '@sched/cluster'
import { greedy, yunikorn } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import type { QueueOptions } from '../../src/yunikorn/options.js'
import { firstNode } from '../first-node.js'

// Cases of YuniKorn's own tests of whole turns (queue_starvation_test.go), in gigabytes as thousands.

/** One node, on which jobs are called after their queue; each pass starts all that has room, in the order of their turns. */
function turns(mem: number, queues: Readonly<Record<string, QueueOptions>>) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem } }] }), policy: greedy(yunikorn({ root: { queues } }), firstNode()) })
  let now = 0
  return (...wanted: readonly (readonly [id: string, mem: number, tasks: number])[]): string[] => {
    for (const [id, amount, tasks] of wanted) master.submit(job({ id, queue: id.split(' ')[0] as string, tasks, demand: { mem: amount } }), ++now)
    return master.pass(now).start.map((each) => each.job)
  }
}

describe('a queue that has something waits', () => {
  const small = { guaranteed: { mem: 100 }, max: { mem: 100 } }
  const large = (mem: number, more: QueueOptions = {}): QueueOptions => ({ guaranteed: { mem }, ...more })
  it.each<[string, QueueOptions, QueueOptions, number, readonly [mem: number, tasks: number], number]>([
    ['while one with 3600 times its guarantee has less of that, and as much while it asks more', large(360_000), small, 10, [1000, 40], 37], // TestQueueStarvationWithPriorAllocation: 36 of 360 are 10 of 100
    ['one turn where nobody has anything', large(360_000), small, 0, [1000, 20], 1], // TestQueueStarvationNoStarvationAtZero
    ['until one with 10 times its guarantee has more of it', large(1000), small, 10, [100, 20], 2], // TestQueueStarvationTiebreakerRecovery
    ['one turn where that is more than as much at once', large(1000), small, 10, [1000, 20], 1], // TestStarvationSeverityByRatio
    ['until one with 100 times its guarantee has more of it', large(10_000), small, 10, [1000, 10], 2],
    ['until the other asks nothing any more', large(360_000), small, 10, [1000, 5], 5], // TestStarvationRecoveryAfterDemandExhaustion
    ['until one with the same guarantee has more', large(100), { guaranteed: { mem: 100 } }, 10, [10, 10], 2], // TestStarvationWithEqualGuarantees
    ['not at all with an offset of its priority', large(360_000), { ...small, priorityOffset: 1000 }, 10, [1000, 20], 0], // TestPriorityOffsetPreventsStarvation
  ])('%s', (_, large, small, prior, [mem, tasks], expected) => {
    const come = turns(500_000, { large, small })
    if (prior > 0) expect(come(['small prior', prior, 1])).toEqual(['small prior'])
    expect(come(['large', mem, tasks], ['small', 1, 1]).indexOf('small')).toBe(expected)
  })

  it('as long as ever more comes to that one, and never with an offset of its priority (TestQueueStarvationContinuousDemand, TestPriorityOffsetWithContinuousDemand)', () => {
    const waves = (offset: number) => {
      const come = turns(500_000, { large: large(360_000), small: { ...small, priorityOffset: offset } })
      come(['small prior', 10, 1])
      return [0, 1, 2].map((wave) => come([`large ${wave}`, 1000, 10], [`small ${wave}`, 1, 1]).indexOf(`small ${wave}`))
    }
    expect([waves(0), waves(1000)]).toEqual([[10, 10, 10], [0, 0, 0]])
  })
})
