import { dispatcher } from '@sched/cluster'
import type { StageSpec } from '@sched/core'
import { kubeScheduler } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { topologyAware, topologyTree, weighted } from '../src/index.js'

// Cases of kube-scheduler's own tests of gangs with a topology (TestTopologyAwareSchedulingWithGangPolicy): nodes of two CPUs in racks in zones.

/** Nodes by their rack and zone. */
type Racks = readonly (readonly [rack: string, zone: string, nodes: number])[]
/** Pods of a gang that must be in one rack (1) or zone (2), by their CPUs. */
type Gang = readonly [level: number, ...pods: readonly number[]]
/** What runs already: the node in its rack, and its CPUs. */
type Held = readonly [rack: string, node: number, cpu: number]

const placements = { 'topology-tree': topologyTree(), 'topology-aware': topologyAware(), 'most-allocated': topologyAware({ profile: 'most-allocated' }) }

function world(placement: keyof typeof placements, racks: Racks, held: readonly Held[]) {
  const nodes = racks.flatMap(([rack, zone, count]) => Array.from({ length: count }, (_, i) => ({ names: [`${rack}-${i + 1}`], count: 1, racks: [rack, zone], resources: { cpu: 2 } })))
  const master = dispatcher({ cluster: { nodes }, policy: kubeScheduler({}, placements[placement]) })
  const running = held.map(([rack, node, cpu], i) => {
    master.submit(job({ id: `held${i}`, demand: { cpu } }), 0)
    return master.adopt({ job: `held${i}`, stage: 0, task: 0, node: `${rack}-${node}` }, 0)
  })
  let now = 0
  /** The racks in which pods start. */
  const pass = () => [...new Set(master.pass(++now).start.map(({ node }) => node.split('-')[0]))].join(' ')
  return {
    come: ([level, ...pods]: Gang) => {
      const stages = [1, 2].flatMap((cpu): StageSpec[] => {
        const tasks = pods.filter((each) => each === cpu).length
        return tasks === 0 ? [] : [{ name: `of ${cpu}`, tasks, gang: true, demand: { cpu }, duration: 9 }]
      })
      master.submit({ ...job({ id: `gang${now}` }), ...(stages.length > 1 && { gang: true }), topology: { required: level }, stages }, now)
      return pass()
    },
    end: (i: number) => {
      master.taskEnded(running[i]!, now)
      return pass()
    },
  }
}

describe.each(['topology-tree', 'topology-aware', 'most-allocated'] as const)('gangs of kube-scheduler with a topology, %s', (placement) => {
  it.each<[string, Racks, readonly Held[], readonly Gang[], readonly string[]]>([
    ['only one feasible rack is available', [['r1', 'z1', 3], ['r2', 'z1', 2], ['r3', 'z2', 1]], [['r2', 1, 2]], [[1, 1, 1, 1]], ['r1']],
    ['the placement with the highest score', [['r1', 'z1', 2], ['r2', 'z2', 3], ['r3', 'z2', 1]], [], [[1, 1, 1, 1]], ['r1']],
    ['two gangs, each on a separate rack', [['r1', 'z1', 3], ['r2', 'z1', 2]], [], [[1, 2, 2, 2], [1, 1, 1]], ['r1', 'r2']],
    ['two gangs, both on the same rack', [['r1', 'z1', 3], ['r2', 'z1', 1]], [], [[1, 2, 1], [1, 1, 1, 1]], ['r1', 'r1']],
    ['two gangs, different topology keys', [['r1', 'z1', 2], ['r2', 'z1', 1], ['r3', 'z2', 3]], [], [[1, 2, 2, 2], [2, 2, 2, 2]], ['r3', 'r1 r2']],
    ['two gangs, only one fits in the cluster', [['r1', 'z1', 2]], [], [[1, 1, 1, 1], [1, 1, 1]], ['r1', '']],
  ])('%s', (_, racks, held, gangs, expected) => {
    const { come } = world(placement, racks, held)
    expect(gangs.map(come)).toEqual(expected)
  })
  it('wait while resources are consumed by existing pods', () => {
    const { come, end } = world(placement, [['r1', 'z1', 3]], [['r1', 1, 2], ['r1', 3, 2]])
    expect([come([1, 1, 1, 1]), end(0)]).toEqual(['', 'r1'])
  })
})

describe('racks of which several hold the gang', () => {
  const racks: Racks = [['r1', 'z1', 2], ['r2', 'z2', 3], ['r3', 'z2', 3], ['r4', 'z2', 1]]
  const held: readonly Held[] = [['r2', 1, 2], ['r3', 3, 1]]

  it('are taken by the part of them that is allocated with the gang: of 4, 6 and 6 CPUs 3, 5 and 4', () => {
    expect(world('most-allocated', racks, held).come([1, 1, 1, 1])).toBe('r2')
    expect(world('topology-aware', racks, held).come([1, 1, 1, 1])).toBe('r1')
  })
  it('are taken by name if equal, and never where too little is free', () => {
    expect(world('most-allocated', [['r2', 'z1', 2], ['r1', 'z1', 2]], []).come([1, 1, 1])).toBe('r1')
    expect(world('most-allocated', [['r1', 'z1', 2], ['r2', 'z1', 3]], [['r1', 1, 2]]).come([1, 1, 1, 1])).toBe('r2')
  })
})

it.each([[2, '0@n1 1@n2'], [1, '']])('rules of the pods of a gang count among them, on %d nodes (TestPodGroupSchedulingWithPodAntiAffinity)', (count, expected) => {
  const nodes = Array.from({ length: count }, (_, i) => ({ names: [`n${i + 1}`], count: 1, resources: { cpu: 2 }, labels: { host: `n${i + 1}` } }))
  const master = dispatcher({ cluster: { nodes }, policy: kubeScheduler({ workloadAwarePreemption: true }, weighted({ scores: { 'least-allocated': 1 } })) })
  const stage: StageSpec = { name: 'plain', tasks: 1, gang: true, demand: { cpu: 1 }, duration: 9, tags: { app: 'foo' } }
  const apart: StageSpec = { ...stage, name: 'apart', constraints: { require: { host: 'n1' } }, placementRules: [{ kind: 'antiAffinity', of: { tags: { app: 'foo' } }, over: 'host' }] }
  master.submit({ ...job({ id: 'gang', priority: 200 }), gang: true, stages: [apart, stage] }, 0)
  expect(master.pass(0).start.map((each) => `${each.stage}@${each.node}`).join(' ')).toBe(expected)
})
