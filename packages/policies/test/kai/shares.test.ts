import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Cases of the KAI Scheduler's own tests of fractions of GPUs (TestHandleFractionalGPUAllocation, TestAllocateFractionalGpuIntegrationTest, TestReclaimFractionalIntegrationTest,
// TestReclaimIntegrationTest, TestPreemptFractionalIntegrationTest) and of memory of GPUs (TestHandleMemoryGPUAllocation, TestHandleReclaimGpuMemory,
// TestHandlePreemptGpuMemory), which is a part of one: nodes have so many GPUs of 1000.

type Load = readonly [id: string, gpus: number, priority?: number, tasks?: number]
type Queues = NonNullable<KaiOptions['queues']>

const [train, build] = [50, 100]
const deserves = (quota: number, overQuotaWeight = 1): Queues[string] => ({ resources: { gpu: { quota: quota * 1000, overQuotaWeight } } })
const two = (q0: number, q1: number): Queues => ({ q0: deserves(q0), q1: deserves(q1) })

/** What runs in the end of those that started one after the other and those that came then, with the devices of all nodes. */
function settled(nodes: readonly number[], queues: Queues, held: readonly Load[], come: readonly Load[]): string {
  const cluster = instantCluster({ nodes: nodes.map((count) => ({ count: 1, resources: {}, devices: { gpu: { count, milli: 1000 } } })) })
  const master = dispatcher({ cluster, policy: kaiPreempting({ ties: 'submission', nonPreemptiblePriority: build, maxConsolidationPreemptees: 16, queues }) })
  const running = new Set<string>()
  let now = 0
  const cycle = () => {
    const { start, kill } = master.pass(now++)
    for (const each of kill) running.delete(each.job)
    for (const each of start) running.add(each.job)
  }
  const submit = ([id, gpus, priority = train, tasks = 1]: Load): void => master.submit(job({ id, queue: id.split('_')[0] as string, priority, tasks, gang: tasks > 1, demand: { gpu: gpus * 1000 } }), now)
  for (const load of held) {
    submit(load)
    cycle()
  }
  expect([...running]).toEqual(held.map(([id]) => id))
  for (const load of come) submit(load)
  for (let i = 0; i < 8; i++) cycle()
  return [...running].sort().join(' ')
}

describe('shares of GPUs', () => {
  const [q, halves] = [{ q0: deserves(2) }, [['q0_0', 0.5], ['q0_1', 0.5]] as const]
  it.each<[string, readonly number[], Queues, readonly Load[], readonly Load[], string]>([
    ['start where one GPU has room, whatever the node has (allocate 3 of the shared GPUs jobs)', [2], q, [['q0_0', 0.5, build]], [['q0_1', 0.6, build], ['q0_2', 0.5, build], ['q0_3', 0.5, build], ['q0_4', 0.3, build]], 'q0_0 q0_1 q0_2 q0_4'],
    ['keep jobs that are never preempted within the quota (queue will be overused)', [2], { q0: deserves(1) }, [['q0_0', 0.6, build]], [['q0_1', 0.5, build]], 'q0_0'],
    ['go beyond it where they may be preempted (over quota with fractional jobs)', [2], { q0: deserves(1) }, [['q0_0', 0.5, build], ['q0_1', 0.5, build]], [['q0_2', 0.5]], 'q0_0 q0_1 q0_2'],
    ['give way to a whole one (reclaim fractional train by whole GPU job)', [2], two(1, 1), [['q0_0', 1], ['q0_1', 0.5]], [['q1_in', 1]], 'q0_0 q1_in'],
    ['give way as far as must be (reclaim only part of fractional jobs)', [2], two(1, 1), [['q0_0', 1], ['q0_1', 0.5], ['q0_2', 0.5]], [['q1_in', 0.4]], 'q0_0 q0_1 q1_in'],
    ['give way together (reclaim all fractional jobs of 1 GPU)', [2], two(1, 1), [['q0_0', 1], ['q0_1', 0.5], ['q0_2', 0.5]], [['q1_in', 0.8]], 'q0_0 q1_in'],
    ['give nothing for more than is due (will go over quota)', [2], two(1, 1), [['q0_0', 1], ['q0_1', 0.5], ['q1_2', 0.5]], [['q1_in', 0.8]], 'q0_0 q0_1 q1_2'],
    ['beyond a quota are due by weight (queue0 is under fair share)', [4], { q0: deserves(1, 3), q1: deserves(2, 1) }, [['q0_0', 1], ['q0_1', 0.5], ['q1_0', 2], ['q1_1', 0.5]], [['q0_2', 0.5]], 'q0_0 q0_1 q0_2 q1_0'],
    ['give back what is beyond half a GPU (fair share reclaim for pending gpu memory job)', [1], two(0.5, 0.5), [['q0_0', 0.9]], [['q1_in', 0.4]], 'q1_in'],
    ['give way where they are less important (minimal lower priority victims)', [1, 1], two(1, 1), [['q0_a', 0.6], ['q1_0', 0.3], ['q0_b', 0.8, train - 1]], [['q1_in', 0.5]], 'q0_a q1_0 q1_in'],
    ['and two of three (multiple victims reclaimed by priority)', [1], two(0.2, 0.8), [['q0_a', 0.2], ['q0_b', 0.3, train - 1], ['q0_c', 0.4, train - 2]], [['q1_in', 0.8]], 'q0_a q1_in'],
    ['give nothing of what is deserved (no reclaim when queue at deserved)', [1], two(0.5, 0.5), [['q0_0', 0.5]], [['q1_in', 0.6]], 'q0_0'],
    ['take a whole one (reclaim whole gpu for fractional request)', [1], two(0.5, 0.5), [['q0_0', 1]], [['q1_in', 0.5]], 'q1_in'],
    ['preempt one that stands in the way (Preempt fractional train by fractional interactive GPU job)', [2], q, [['q0_0', 1], ['q0_1', 0.5]], [['q0_in', 0.6, build]], 'q0_0 q0_in'],
    ['are preempted by a whole one', [2], q, [['q0_0', 1], ['q0_1', 0.5]], [['q0_in', 1, build]], 'q0_0 q0_in'],
    ['preempt another one (build preempts train based on gpu memory)', [1], { q0: deserves(1) }, [['q0_0', 0.6]], [['q0_in', 0.55, build]], 'q0_in'],
    ['preempt the least important (minimal victim preemption by priority)', [1], { q0: deserves(1) }, [['q0_a', 0.3], ['q0_b', 0.5, train - 1]], [['q0_in', 0.55, build]], 'q0_a q0_in'],
    ['preempt a whole one', [1], { q0: deserves(1) }, [['q0_0', 1]], [['q0_in', 0.5, build]], 'q0_in'],
    ['preempt on two GPUs (multi task build preempts across gpus)', [2], q, [['q0_0', 0.7], ['q0_1', 0.8]], [['q0_in', 0.8, build, 2]], 'q0_in'],
    ['preempt none of the same priority', [1], { q0: deserves(1) }, [['q0_0', 0.6]], [['q0_in', 0.5]], 'q0_0'],
    ['of one GPU leave the other free for a whole one', [2], q, halves, [['q0_in', 1]], 'q0_0 q0_1 q0_in'],
  ])('%s', (_, nodes, queues, held, come, expected) => {
    expect(settled(nodes, queues, held, come)).toBe(expected)
  })
})
