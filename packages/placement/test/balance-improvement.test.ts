import type { ClusterView, Demand, LaneId, NodeId, ShapeId, WorkView } from '@sched/core'
import { expect, it } from 'vitest'
import { balancedAllocation, balanceImprovement } from '../src/scored/allocated.js'

// Kubernetes, balanced_allocation_test.go: TestNodeResourcesBalancedAllocation of 1.36, without resources of device claims.

const RESOURCES = ['cpu', 'memory', 'gpu']
const of = (amounts: Demand): number[] => RESOURCES.map((name) => amounts[name] ?? 0)

/** The score of a task on a node, of which so much is in use. */
function scored(score: typeof balanceImprovement, asked: Demand, total: Demand, used: Demand, counted: readonly string[]): number {
  const [ask, all, use] = [asked, total, used].map(of) as [number[], number[], number[]]
  const cluster = {
    lanes: [{ resources: RESOURCES.map((_, r) => r) }], total: (_: NodeId, r: number) => all[r], free: (_: NodeId, r: number) => (all[r] as number) - (use[r] as number), deviceSize: (r: number) => (r === 2 ? 1 : 0),
  } as unknown as ClusterView
  const work = { demand: (_: ShapeId, r: number) => ask[r] } as unknown as WorkView
  return score(RESOURCES.map((name) => (counted.includes(name) ? 1 : 0)))(0 as NodeId, 0 as ShapeId, 0 as LaneId, cluster, work)
}

const both = { cpu: 3000, memory: 5000 }
const cpu = { cpu: 3000 }
const large = { cpu: 10_000, memory: 20_000 }
const full = { cpu: 3000, memory: 5000 }
const gpus = { cpu: 3500, memory: 40_000, gpu: 8 }
/** What it has, what of that is in use, its score, and before 1.36. */
type Node = readonly [total: Demand, used: Demand, score: number, outcome: number]
const usual = ['cpu', 'memory']
it.each<[string, Demand, readonly string[], Node, Node]>([
  ['nothing scheduled, resources requested, differently sized nodes', both, usual, [{ cpu: 4000, memory: 10_000 }, {}, 68, 87], [{ cpu: 6000, memory: 10_000 }, {}, 75, 100]],
  ['resources requested, pods scheduled with resources', both, usual, [large, cpu, 73, 82], [large, both, 74, 95]],
  ['resources requested, pods scheduled with resources, differently sized nodes', both, usual, [large, cpu, 73, 82], [{ cpu: 10_000, memory: 50_000 }, both, 70, 80]],
  ['resources requested, pods scheduled with resources, nodes to reach min/max score', { memory: 5000 }, usual, [full, cpu, 100, 100], [full, {}, 50, 50]],
  ['requested resources at node capacity', cpu, usual, [{ cpu: 6000, memory: 10_000 }, cpu, 62, 50], [{ cpu: 6000, memory: 10_000 }, both, 62, 75]],
  ['scalar resource is included in the score computation if pod requests the scalar resource', { gpu: 1 }, RESOURCES, [gpus, { ...both, gpu: 3 }, 75, 70], [gpus, both, 76, 65]],
  ["scalar resource is not included in the score computation if pod doesn't request the scalar resource", both, RESOURCES, [gpus, {}, 56, 63], [{ ...gpus, gpu: 0 }, {}, 56, 63]],
])('nodes are scored as in TestNodeResourcesBalancedAllocation: %s', (_, asked, counted, ...nodes) => {
  expect(nodes.map(([total, used]) => scored(balanceImprovement, asked, total, used, counted))).toEqual(nodes.map(([, , score]) => score))
  expect(nodes.map(([total, used]) => scored(balancedAllocation, asked, total, used, counted))).toEqual(nodes.map(([, , , outcome]) => outcome))
})

it('a pod that asks for nothing is skipped: it scores the same everywhere', () => {
  expect(new Set([{}, cpu, both].map((used) => scored(balanceImprovement, {}, large, used, usual))).size).toBe(1)
})
