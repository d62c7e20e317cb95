import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of the KAI Scheduler's own tests of whole cycles, one after the other (TestAllocateIntegrationTest, TestReclaimIntegrationTest, TestPreemptIntegrationTest,
// TestReclaimLargeJobsTest, TestPreemptGangIntegrationTest, TestReclaimCrossHierarchyRootLeafVictim), and of gangs (TestHandleGangAllocation,
// TestHandleGangReclaim, TestHandleGangPreempt): what runs when nothing happens any more. Queues have no bounds of CPUs and memory unless they are `bare`, and nodes have plenty where only their GPUs are given.

/** GPUs where it is a number. */
type Asks = number | Readonly<Record<string, number>>
type Load = readonly [id: string, asks: Asks, priority?: number, tasks?: number]
type Queues = NonNullable<KaiOptions['queues']>

const [train, build] = [50, 100]
const all = { quota: -1 }
const deserves = (quota: number, overQuotaWeight = 1, limit = -1, priority = 100): Queues[string] => ({ priority, resources: { gpu: { quota, overQuotaWeight, limit }, cpu: all, mem: all } })
const bare = (quota: number, overQuotaWeight: number): Queues[string] => ({ resources: { gpu: { quota, overQuotaWeight }, cpu: { quota: 0 }, mem: { quota: 0 } } })
const two = (q0: readonly [number, number], q1: readonly [number, number]): Queues => ({ q0: deserves(...q0), q1: deserves(...q1) })
const teams = (d: Queues[string], e: Queues[string], queues: Queues): Queues => ({ d, e, ...queues })
const asks = (cpu: number, mem: number, gpu = 0) => ({ cpu, mem, gpu })
const node = (gpu: number, mem: number) => ({ gpu, mem, cpu: 100 })
const ones = (queue: string, count: number): Load[] => Array.from({ length: count }, (_, i): Load => [`${queue}_${i}`, 1])

/** What runs in the end of those that started one after the other and those that came then. */
function settled(nodes: readonly Asks[], queues: Queues, held: readonly Load[], come: readonly Load[]): string {
  const cluster = instantCluster({ nodes: nodes.map((each) => ({ count: 1, resources: typeof each === 'number' ? { gpu: each, cpu: 1000, mem: 1000 } : each })) })
  const master = dispatcher({ cluster, policy: kaiPreempting({ ties: 'submission', nonPreemptiblePriority: build, queues }, firstNode()) })
  const running = new Set<string>()
  let now = 0
  const cycle = () => {
    const { start, kill } = master.pass(now++)
    for (const each of kill) running.delete(each.job)
    for (const each of start) running.add(each.job)
  }
  const submit = ([id, amounts, priority = train, tasks = 1]: Load): void =>
    master.submit(job({ id, queue: id.split('_')[0] as string, tasks, gang: tasks > 1, priority, demand: typeof amounts === 'number' ? { gpu: amounts } : amounts }), now)
  for (const load of held) {
    submit(load)
    cycle()
  }
  expect([...running]).toEqual(held.map(([id]) => id))
  for (const load of come) submit(load)
  for (let i = 0; i < 8; i++) cycle()
  return [...running].sort().join(' ')
}

type Case = readonly [name: string, nodes: readonly Asks[], queues: Queues, held: readonly Load[], come: readonly Load[], expected: string]
const check = (cases: readonly Case[]) =>
  it.each(cases.map((each) => ({ name: each[0], each })))('$name', ({ each: [, nodes, queues, held, come, expected] }) => {
    expect(settled(nodes, queues, held, come)).toBe(expected)
  })

describe('allocate', () => {
  check([
    ['keeps the limit of a queue', [4], { d: deserves(2), 'd.q': deserves(2, 2, 2) }, [], [['d.q_0', 2], ['d.q_1', 2]], 'd.q_0'],
    ['keeps the limit of a team', [4], { d: deserves(2, 0, 2), 'd.q': deserves(2, 0) }, [], [['d.q_0', 2], ['d.q_1', 2]], 'd.q_0'],
    ['keeps the limit of CPUs', [{ gpu: 4, cpu: 5000, mem: 1 }], { q: { resources: { gpu: { quota: 2, limit: 2 }, cpu: { quota: -1, limit: 2500 }, mem: all } } }, [], [['q_0', asks(2000, 0, 1)], ['q_1', asks(2000, 0, 1)]], 'q_0'],
    ['starts beyond the quota what may be preempted', [2], two([1, 0], [1, 0]), [], [['q0_0', 1, build], ['q0_1', 1]], 'q0_0 q0_1'],
    ['serves the first of equal queues', [1], two([1, 0], [1, 0]), [], [['q0_0', 1, build], ['q1_0', 1, build]], 'q0_0'],
    ['serves the higher priority', [1], { q0: deserves(1, 0), q1: deserves(1, 0, -1, 101) }, [], [['q0_0', 1, build], ['q1_0', 1, build]], 'q1_0'],
    ['serves who deserves more, though the cluster has less than that', [1], two([1, 0], [2, 0]), [], [['q0_0', 1, build], ['q1_0', 1, build]], 'q1_0'],
    ['serves the team that deserves more', [1], teams(deserves(1, 0), deserves(2, 0), { 'd.q0': deserves(3, 0), 'd.q1': deserves(2, 0), 'e.q2': deserves(1, 0) }), [], [['d.q0_0', 1], ['d.q1_0', 1], ['e.q2_0', 1]], 'e.q2_0'],
    ['counts what it has started', [4], two([1, 0], [1, 0]), [], [...ones('q0', 3), ...ones('q1', 3)], 'q0_0 q0_1 q1_0 q1_1'],
    ['of a queue at its limit takes the lower priority for the higher', [2], { q: deserves(1, 1, 1) }, [['q_0', 1]], [['q_in', 1, build]], 'q_in'],
    ['of a queue at its limit takes nothing for the lower priority', [2], { q: deserves(1, 1, 1) }, [['q_0', 1, build]], [['q_in', 1]], 'q_0'],
    ['starts a gang beyond the quota that may be preempted', [2], { q: deserves(1) }, [], [['q_0', 1, train, 2]], 'q_0'],
    ['starts a gang on two nodes', [1, 1], { q: deserves(2) }, [], [['q_0', 1, build, 2]], 'q_0'],
    ['starts no gang of which one task has no room', [2, 2], two([2, 2], [2, 2]), [['q1_0', 2]], [['q0_0', 2, train, 2]], 'q1_0'],
  ])
})

describe('reclaim', () => {
  const three = (q2: Queues[string]): Queues => ({ ...two([1, 1], [1, 1]), q2 })
  check([
    ['takes a large job for a small one', [2], two([1, 1], [1, 1]), [['q0_0', 2]], [['q1_in', 1]], 'q1_in'],
    ['takes the later job of a queue above its quota', [2, 2], two([2, 2], [2, 2]), [['q1_0', 2], ['q0_0', 1], ['q1_1', 1]], [['q0_in', 1]], 'q0_0 q0_in q1_0'],
    ['takes the later job though it is large', [2, 2], two([2, 2], [2, 2]), [['q0_0', 1], ['q1_0', 1], ['q0_1', 2]], [['q1_in', 1]], 'q0_0 q1_0 q1_in'],
    ['takes nothing for a queue that has what it deserves', [2, 2], two([2, 2], [1, 1]), [['q0_0', 2], ['q0_1', 1], ['q1_0', 1]], [['q1_in', 1]], 'q0_0 q0_1 q1_0'],
    ['takes what another deserves, which has more', [8], two([6, 6], [5, 5]), [['q0_0', 8]], [['q1_in', 5]], 'q1_in'],
    ['goes on to the job that stays within the quota', [4], two([2, 2], [2, 2]), [['q0_0', 2], ['q0_1', 1], ['q1_0', 1]], [['q1_a', 3], ['q1_b', 1], ['q0_2', 1]], 'q0_0 q1_0 q1_b'],
    ['takes whole nodes for a very large job, and no more (TestReclaimLargeJobsTest)', [8, 8, 8, 8, 8], { q0: deserves(0, 0), q1: deserves(3000, 0) }, ones('q0', 40), [['q1_in', 8, train, 3]], [...ones('q0', 16).map(([id]) => id), 'q1_in'].sort().join(' ')],
    ['takes first of a queue that deserves nothing', [4], three(deserves(0, 0)), [['q0_0', 2], ['q0_1', 1], ['q2_0', 1]], [['q1_in', 1]], 'q0_0 q0_1 q1_in'],
    ['takes no more than a fair share', [8], two([1, 1], [1, 1]), [['q0_0', 1], ['q0_1', 3], ['q0_2', 4]], [['q1_a', 4], ['q1_b', 4]], 'q0_0 q0_1 q1_a'],
    ['counts the rest that goes to who lost most by rounding', [7], two([2, 2], [1, 1]), [['q0_0', 4], ['q1_0', 3]], [['q0_in', 1]], 'q0_0 q0_in'],
    ['takes small jobs for what is due', [8], two([4, 4], [2, 2]), [['q0_0', 5], ['q0_1', 1], ['q0_2', 1]], [['q1_in', 3]], 'q0_0 q1_in'],
    ['divides more than the cluster has', [9], { ...two([4, 4], [4, 4]), q2: deserves(10, 10) }, [['q0_0', 5], ['q0_1', 2], ['q0_2', 1]], [['q2_in', 1], ['q1_in', 3]], 'q0_0 q1_in q2_in'],
    ['takes nothing where a fair share is rounded down', [4], two([2, 2], [1, 1]), [['q0_0', 3]], [['q1_in', 2]], 'q0_0'],
    [
      'takes of two queues for one of higher priority',
      [8],
      { d: deserves(1), 'd.q0': deserves(1, 2), 'd.q1': deserves(1), 'd.r': deserves(0, 1, -1, 101) },
      [...ones('d.q0', 5), ...ones('d.q1', 3)],
      [['d.r_in', 3]],
      'd.q0_0 d.q0_1 d.q0_2 d.q1_0 d.q1_1 d.r_in',
    ],
    ['takes of a team above its quota, though within its fair share', [3, 3], teams(deserves(2), deserves(2), { 'd.q0': deserves(2, 3), 'e.q1': deserves(2, 0) }), [['d.q0_0', 2], ['d.q0_1', 2, build]], [['e.q1_in', 2]], 'd.q0_1 e.q1_in'],
    [
      'takes in its own team where both teams have what they deserve',
      [3, 3],
      teams(deserves(3), deserves(3), { 'd.q0': deserves(3, 0), 'e.q1': deserves(2, 0), 'e.q2': deserves(1, 0) }),
      [['d.q0_0', 2], ['d.q0_1', 1, build], ['e.q1_0', 2], ['e.q1_1', 1]],
      [['e.q2_in', 1]],
      'd.q0_0 d.q0_1 e.q1_0 e.q2_in',
    ],
    ['takes nothing for a team below its quota of one that is, too', [1, 1], teams(deserves(2), deserves(2), { 'd.q0': deserves(1, 0), 'e.q1': deserves(1, 0) }), [['d.q0_0', 1], ['e.q1_0', 1, build]], [['e.q1_in', 1]], 'd.q0_0 e.q1_0'],
    ['takes one job for a gang', [2], two([0, 0], [2, 2]), [['q0_0', 1]], [['q1_in', 1, build, 2]], 'q1_in'],
    ['takes a gang for one job', [2], two([0, 0], [2, 2]), [['q0_0', 1, train, 2]], [['q1_in', 2, build]], 'q1_in'],
    ['takes of a queue that lies in no team', [1], { d: deserves(1), 'd.q': deserves(1), n: deserves(0) }, [['n_0', 1]], [['d.q_in', 1]], 'd.q_in'],
    [
      'takes nothing where all are due what they ask, though what is free lies on several nodes',
      [5, 5, 5],
      { a: deserves(0), b: deserves(0), c: deserves(0) },
      [['a_0', 2, train - 10], ['a_1', 2], ['a_2', 2], ['c_0', 2], ['a_3', 2], ['a_4', 2]],
      [['c_in', 2]],
      'a_0 a_1 a_2 a_3 a_4 c_0',
    ],
    ['takes a whole gang of two nodes', [1, 1], two([1, 1], [1, 1]), [['q0_0', 1, train, 2]], [['q1_in', 1]], 'q1_in'],
  ])
})

describe('preempt', () => {
  check([
    ['takes the one that is large enough', [4], { q: deserves(4) }, [['q_0', 1], ['q_1', 2], ['q_2', 1]], [['q_in', 2, build]], 'q_0 q_2 q_in'],
    ['takes a large job for a small one', [2], { q: deserves(1) }, [['q_0', 2]], [['q_in', 1, build]], 'q_in'],
    ['takes all that stand in the way', [4], { q: deserves(4) }, [['q_0', 1], ['q_1', 2], ['q_2', 1]], [['q_in', 4, build]], 'q_in'],
    ['takes one job for a gang', [2], { q: deserves(2) }, [['q_0', 2]], [['q_in', 1, build, 2]], 'q_in'],
    ['takes a whole gang for one job', [2], { q: deserves(1) }, [['q_0', 1, train, 2]], [['q_in', 1, build]], 'q_in'],
    ['takes a whole gang of which one task would be enough', [4], { q: deserves(3) }, [['q_0', 2, train, 2]], [['q_in', 2, build]], 'q_in'],
    ['takes nothing for a gang where that makes no room for all of it', [1, 1], { q: deserves(2) }, [['q_0', 1], ['q_1', 1, train + 25]], [['q_in', 1, train + 25, 2]], 'q_0 q_1'],
    ['takes what lacks for a gang', [2], { q: deserves(2) }, [['q_0', 1]], [['q_in', 1, build, 2]], 'q_in'],
  ])
})

describe('reclaim of CPUs and memory', () => {
  const plain = two([0, 0], [1, 1])
  const none: Queues = { q0: bare(0, 0), q1: deserves(1, 1) }
  const five = (gpus: number, weight: number): Queues => ({ q0: deserves(5, 5), q1: bare(gpus, weight), q2: deserves(5, 5) })
  const held: Load[] = [['q0_0', asks(2, 4, 2), build], ['q0_1', asks(3, 4, 3), build], ['q1_0', asks(1, 4, 1)], ['q1_1', asks(4, 4)]]
  const come: Load[] = [['q2_0', asks(1, 4, 3), build], ['q2_1', asks(3, 4), build], ['q2_2', asks(1, 4, 2), build]]
  const pair = (queue: string, gpus = 0, priority = train): Load[] => [[`${queue}_0`, asks(2, 5), priority], [`${queue}_1`, asks(2, 5, gpus), priority]]
  check([
    ['takes nothing of a queue without bound', [node(1, 10)], plain, pair('q0'), pair('q1'), 'q0_0 q0_1'],
    ['takes the job with a GPU, of which its queue deserves none; the memory goes to who came first', [node(1, 10)], plain, pair('q0', 1), pair('q1', 1), 'q0_0 q1_0'],
    ['takes all of a queue that deserves none', [node(1, 10)], none, pair('q0'), pair('q1'), 'q1_0 q1_1'],
    ['takes all of a queue that deserves none, with and without GPUs', [node(1, 10)], none, pair('q0', 1), pair('q1', 1), 'q1_0 q1_1'],
    ['takes nothing where there is enough', [node(1, 20)], none, pair('q0'), pair('q1', 0, build), 'q0_0 q0_1 q1_0 q1_1'],
    ['takes what stands in the way of three jobs', [node(10, 20)], five(0, 0), held, come, 'q0_0 q0_1 q2_0 q2_1 q2_2'],
    ['takes that of a queue within its quota of GPUs, too', [node(10, 20)], five(1, 1), held, come, 'q0_0 q0_1 q2_0 q2_1 q2_2'],
  ])
})

it('takes all of a queue that is due nothing, for as many small jobs of one that is due all (TestManySingleGPUJobsReclaimTopology)', () => {
  const nodes = Array.from({ length: 10 }, () => 8)
  expect(settled(nodes, two([0, 0], [80, 0]), ones('q0', 80), ones('q1', 80)).split(' ').every((id) => id.startsWith('q1'))).toBe(true)
})

it('counts whole GPUs also where nodes have them in thousandths: the rest goes to who lost most by rounding', () => {
  const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1000 }, devices: { gpu: { count: 7, milli: 1000 } } }] })
  const queue = (quota: number, overQuotaWeight: number) => ({ resources: { gpu: { quota: quota * 1000, overQuotaWeight }, cpu: all } })
  const master = dispatcher({ cluster, policy: kaiPreempting({ ties: 'submission', queues: { q0: queue(2, 2), q1: queue(1, 1) } }, firstNode()) })
  const come = (id: string, gpus: number, now: number) => {
    master.submit(job({ id, queue: id.split('_')[0] as string, demand: { gpu: gpus * 1000 } }), now)
    return master.pass(now)
  }
  expect([come('q0_0', 4, 0), come('q1_0', 3, 1)].map(({ start }) => start.length)).toEqual([1, 1])
  // 2 + 2 and 1 + 1, of 8/3 and 4/3, and the last one to q0: 5 and 2
  expect(come('q0_in', 1, 2).kill.map((each) => each.job)).toEqual(['q1_0'])
})
