import { dispatcher } from '@sched/cluster'
import { kubeScheduler } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { topologyAware, topologyTree } from '../src/index.js'

type Held = readonly [node: number, priority: number]
const [low, high] = [10, 200]
const placements = { 'topology-tree': topologyTree(), 'topology-aware': topologyAware() }

/** On which nodes of one CPU, in these racks, a gang of two starts that must be in one rack, and on which nodes somebody goes for it. */
function preempt(placement: keyof typeof placements, racks: readonly string[], held: readonly Held[], workloadAwarePreemption = true) {
  const nodes = racks.map((rack, i) => ({ names: [`${i + 1}`], count: 1, racks: [rack], resources: { cpu: 1 } }))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kubeScheduler({ workloadAwarePreemption }, placements[placement]) })
  for (const [now, [node, priority]] of held.entries()) {
    master.submit(job({ id: `${node}`, priority, demand: { cpu: 1 } }), now)
    master.adopt({ job: `${node}`, stage: 0, task: 0, node: `${node}` }, now)
  }
  master.submit(job({ id: 'gang', priority: 100, tasks: 2, gang: true, demand: { cpu: 1 }, topology: { required: 1 } }), 10)
  const { start, kill } = master.pass(10)
  return [start.map((each) => each.node).sort().join(' '), kill.map((each) => each.job).sort().join(' ')]
}

describe.each(['topology-tree', 'topology-aware'] as const)('a gang preempts in one rack (TestPodGroupPreemption, Topology-Aware Preemption), %s', (placement) => {
  it.each<[string, readonly string[], readonly Held[], string]>([
    ['the only one', ['a', 'a'], [[1, low], [2, low]], '1 2'],
    ['the one where all are of lower priority', ['a', 'a', 'b', 'b'], [[1, high], [2, high], [3, low], [4, low]], '3 4'],
    ['the one where enough are', ['a', 'a', 'b', 'b'], [[1, high], [2, low], [3, low], [4, low]], '3 4'],
    ['none where no rack would hold it', ['a', 'a', 'b', 'b'], [[1, low], [2, high], [3, low], [4, high]], ''],
  ])('%s', (_, racks, held, nodes) => {
    expect(preempt(placement, racks, held)).toEqual([nodes, nodes])
  })
  it('and none if its tasks preempt one by one', () => {
    expect(preempt(placement, ['a', 'a'], [[1, low], [2, low]], false)).toEqual(['', ''])
  })
})
