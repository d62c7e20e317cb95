import { dispatcher, type Placed } from '@sched/cluster'
import { kubeScheduler } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** Of a node of 5 CPUs and 5 of memory, and the priorities, as kube-scheduler's own tests have them. */
const [small, medium, large, veryLarge] = [1, 2, 3, 5]
const [negative, low, mid, high, veryHigh] = [-100, 0, 100, 1000, 10_000]
/** `[node, priority, size, start]`: a pod that runs there; start default 0. */
type Running = readonly [node: number, priority: number, size: number, start?: number]

/** Pods that run are named by node and number, from 1 on: p1.2 is the second on node 1. */
function preempt(nodes: number, running: readonly Running[], [priority, size]: readonly [number, number]) {
  const cluster = instantCluster({ nodes: Array.from({ length: nodes }, (_, i) => ({ name: `n${i + 1}`, count: 1, resources: { cpu: 5, memory: 5 }, labels: { host: `node${i + 1}` } })) })
  const master = dispatcher({ cluster, policy: kubeScheduler() })
  const counts = new Map<number, number>()
  const pods = running.map(([node, own, size, start = 0]) => {
    const count = (counts.get(node) ?? 0) + 1
    counts.set(node, count)
    return { id: `p${node}.${count}`, node, own, size, start }
  })
  for (const { id, node, own, size: each, start } of pods.sort((a, b) => a.start - b.start)) {
    master.submit({ ...job({ id, demand: { cpu: each, memory: each } }), priority: own, stages: [{ name: 's', tasks: 1, demand: { cpu: each, memory: each }, duration: 99, constraints: { require: { host: `node${node}` } } }] }, start)
    expect(master.pass(start).start).toHaveLength(1)
  }
  master.submit(job({ id: 'p', priority, demand: { cpu: size, memory: size } }), 10)
  const { start, kill } = master.pass(10)
  const placed = start.find((each: Placed) => each.job === 'p')
  return [placed?.node.replace('-0', ''), kill.map((each) => each.job).sort()]
}

describe('whom kube-scheduler preempts, by cases of its TestDryRunPreemption', () => {
  it('nobody of the same or a higher priority', () => {
    expect(preempt(2, [[1, mid, large], [2, mid, large]], [low, large])).toEqual([undefined, []])
    expect(preempt(1, [[1, mid, large]], [mid, large])).toEqual([undefined, []])
  })
  it('the one of medium priority, where the smaller one of low priority has room beside it', () => {
    expect(preempt(1, [[1, low, small], [1, mid, large]], [high, large])).toEqual(['n1', ['p1.2']])
  })
  it('of several priorities those that must go', () => {
    const there: Running[] = [[1, mid, small], [1, low, small], [1, mid, medium], [1, high, small]]
    expect(preempt(2, [...there, [2, high, large]], [high, large])).toEqual(['n1', ['p1.2', 'p1.3']])
  })
  it('of equal priorities who started last', () => {
    const there: Running[] = [[1, low, small, 5], [1, low, small, 4], [1, mid, medium, 3], [1, high, small, 2]]
    expect(preempt(2, [...there, [2, high, large, 1]], [high, large])).toEqual(['n1', ['p1.1', 'p1.3']])
  })
})

describe('the node that kube-scheduler chooses, by cases of its TestSelectBestCandidate', () => {
  it.each<[string, readonly Running[], readonly [number, number], string]>([
    ['the lowest highest priority', [[1, mid, medium], [1, mid, large], [2, mid, medium], [2, low, medium], [3, low, medium], [3, low, medium]], [high, veryLarge], 'n3'],
    ['the smallest sum of priorities', [[1, mid, medium], [1, mid, large], [2, mid, large], [2, low, medium], [3, mid, medium], [3, mid, medium]], [high, veryLarge], 'n2'],
    [
      'the fewest',
      [
        [1, mid, small], [1, negative, small], [1, mid, small], [1, negative, small], [2, mid, large], [2, negative, medium],
        [3, mid, medium], [3, negative, small], [3, low, small],
      ],
      [high, veryLarge],
      'n2',
    ],
    [
      'priorities below 0 do not make a sum smaller',
      [[1, mid, small], [1, negative, small], [1, negative, small], [2, mid, large], [2, negative, medium], [3, mid, medium], [3, negative, small], [3, low, small]],
      [high, veryLarge],
      'n2',
    ],
    [
      'the highest priority before the sum, and the sum before the number',
      [
        [1, mid, small], [1, low, small], [1, low, small], [2, high, large], [3, mid, medium], [3, low, small], [3, low, small], [3, low, small],
        [4, mid, medium], [4, mid, small], [4, mid, small], [4, negative, small],
      ],
      [veryHigh, veryLarge],
      'n1',
    ],
    ['who started last', [[1, mid, medium, 2], [1, mid, medium, 2], [2, mid, medium, 3], [2, mid, medium, 3], [3, mid, medium, 1], [3, mid, medium, 1]], [high, veryLarge], 'n2'],
    ['of each node the first start counts', [[1, mid, medium, 4], [1, mid, medium, 2], [2, mid, medium, 5], [2, mid, medium, 1], [3, mid, medium, 3], [3, mid, medium, 6]], [high, veryLarge], 'n3'],
    ['and that of the highest priority', [[1, low, medium, 4], [1, mid, medium, 2], [2, mid, medium, 6], [2, low, medium, 1], [3, low, medium, 3], [3, mid, medium, 5]], [high, veryLarge], 'n2'],
    ['of equal nodes the lowest', [[1, mid, large], [2, mid, large]], [high, large], 'n1'],
  ])('%s', (_, running, pod, node) => {
    expect(preempt(4, [...running, ...[1, 2, 3, 4].filter((each) => !running.some(([of]) => of === each)).map((each): Running => [each, veryHigh, veryLarge])], pod)[0]).toBe(node)
  })
})
