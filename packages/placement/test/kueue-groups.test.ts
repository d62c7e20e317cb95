import { dispatcher } from '@sched/cluster'
import type { Demand, JobSpec, StageSpec, Topology } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { topologyAware, type TopologyAwareOptions } from '../src/index.js'

// The cases with several pod sets of Kueue's TestFindTopologyAssignments (tas_cache_test.go). Pod sets of one group, a leader and its workers, are a job that is
// one gang with a `topology` of all of it; others have one each. Nodes are the lowest level here, so racks without hosts there are racks of one host.

type Amounts = number | Demand
/** Nodes by block, rack and name; CPUs where it is a number. */
type Nodes = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Amounts>>>>>>
/** A stage: its tasks, what each asks, and where it is to be, if it is in no group. */
type PodSet = readonly [tasks: number, asks: Amounts, topology?: Topology]

const [RACK, BLOCK] = [1, 2]
const cpu = (asks: Amounts): Demand => (typeof asks === 'number' ? { cpu: asks } : asks)
const clusterOf = (nodes: Nodes) => ({
  nodes: Object.entries(nodes).flatMap(([block, racks]) => Object.entries(racks).flatMap(([rack, each]) => Object.entries(each).map(([name, has]) => ({ names: [name], count: 1, racks: [rack, block], resources: { mem: 1000, gpu: 0, ...cpu(has) } })))),
})

function jobOf(sets: readonly PodSet[], topology?: Topology): JobSpec {
  const stages = sets.map(([tasks, asks, own], i): StageSpec => ({ name: `s${i}`, tasks, gang: true, demand: cpu(asks), duration: 1, ...(own && { topology: own }) }))
  return { id: 'job', submit: 0, gang: true, stages, ...(topology && { topology }) }
}

/** Where the tasks of each pod set go: `node:tasks`, in order of names. */
function placed(nodes: Nodes, sets: readonly PodSet[], topology?: Topology, profile: TopologyAwareOptions['profile'] = 'mixed'): readonly string[] {
  const control = dispatcher({ cluster: clusterOf(nodes), policy: greedy(fifo(), topologyAware({ profile })) })
  control.submit(jobOf(sets, topology))
  const counts = sets.map(() => new Map<string, number>())
  for (const { stage, node } of control.pass(0).start) counts[stage]?.set(node, (counts[stage]?.get(node) ?? 0) + 1)
  return counts.map((each) => [...each].sort().map(([node, tasks]) => `${node}:${tasks}`).join(' '))
}
/** Blocks of one node. */
const blocks = (nodes: Readonly<Record<string, Amounts>>): Nodes => Object.fromEntries(Object.entries(nodes).map(([name, has]) => [name, { [`r-${name}`]: { [name]: has } }]))

describe('a leader with its workers (TestFindTopologyAssignments)', () => {
  const worker = { cpu: 1, gpu: 1 }
  const hosts: Nodes = {
    b1: { r1: { x1: { cpu: 2, gpu: 1 }, x3: { cpu: 2, gpu: 1 }, x5: { cpu: 2, gpu: 1 } } },
    b2: { r4: { x6: { cpu: 1, gpu: 1 } }, r5: { x2: { cpu: 2, gpu: 1 } }, r6: { x4: { cpu: 2, gpu: 1 } } },
  }
  const one = { cpu: 1, gpu: 1 }
  const binary: Nodes = { b1: { r1: { x3: one, x5: one }, r2: { x1: one, x6: one } }, b2: { r3: { x2: one, x4: one }, r4: { x7: one, x8: one } } }

  it.each<[string, Nodes, readonly PodSet[], readonly string[]]>([
    ['the same group', blocks({ b1: { cpu: 2, gpu: 2 }, b2: { cpu: 5, gpu: 4 }, b3: { cpu: 2, gpu: 2 } }), [[1, 1], [4, worker]], ['b2:1', 'b2:4']],
    ['domains that can tightly fit leader and workers', blocks({ b1: { cpu: 2, gpu: 2 }, b2: { cpu: 8, gpu: 8 }, b3: { cpu: 2, gpu: 2 } }), [[1, 1], [4, { cpu: 1, gpu: 2 }]], ['b2:1', 'b2:4']],
    ['optimizes domain for both leader and workers', blocks({ b1: { cpu: 11, gpu: 8 }, b2: { cpu: 4, gpu: 4 } }), [[1, 1], [4, worker]], ['b1:1', 'b1:4']],
    ['multiple hosts', hosts, [[1, 2], [2, worker]], ['x1:1', 'x3:1 x5:1']],
    ['requesting same resources and nodes in the same rack', binary, [[1, one], [2, one]], ['x3:1', 'x1:1 x5:1']],
  ])('two podsets with the same group: %s', (_, nodes, sets, expected) => {
    expect(placed(nodes, sets, { required: BLOCK })).toEqual(expected)
    expect(placed(nodes, [...sets].reverse(), { required: BLOCK })).toEqual([...expected].reverse()) // whichever comes first
  })

  it('should not prune domain (balanced placement)', () => {
    expect(placed({ b1: { r1: { x1: { gpu: 6 }, x2: { gpu: 5 } } } }, [[1, { gpu: 1 }], [10, { gpu: 1 }]], { preferred: RACK }, 'balanced')).toEqual(['x1:1', 'x1:5 x2:5'])
  })

  it.each<[string, Nodes, readonly PodSet[]]>([
    ['no fit', blocks({ b1: { cpu: 1, gpu: 0 }, b2: { cpu: 4, gpu: 4 } }), [[1, 1], [4, worker]]],
    ['leader does not fit anywhere', blocks({ b1: { cpu: 4, gpu: 4 }, b2: { cpu: 4, gpu: 4 } }), [[1, 10], [4, worker]]],
  ])('two podsets with the same group: %s', (_, nodes, sets) => {
    expect(() => placed(nodes, sets, { required: BLOCK })).toThrow(/at once are more than any group of level 2 has room for|more than any node of cluster has/)
  })
})

describe('several pod sets, each near by itself (TestFindTopologyAssignments)', () => {
  const wide: Nodes = { b1: { r1: { x3: 10 }, r2: { x5: 10, x1: 10, x6: 10 } }, b2: { r1b: { x2: 10 }, r2b: { x4: { cpu: 20, mem: 4000 } } } }
  it.each<[string, Nodes, readonly PodSet[], readonly string[], TopologyAwareOptions['profile']?]>([
    ['two podsets with overlapping domain', blocks({ b1: 2, b2: 2, b3: 2 }), [[3, 1, { preferred: BLOCK }], [3, 1, { preferred: BLOCK }]], ['b1:2 b2:1', 'b2:1 b3:2']],
    ['rack required for both, different resource requests; BestFit', wide, [[2, 1, { required: RACK }], [1, { mem: 1 }, { required: RACK }]], ['x3:2', 'x3:1']],
    ['block required for one, unconstrained for another; LeastFreeCapacity', wide, [[9, 1, { required: BLOCK }], [2, 1]], ['x2:9', 'x3:2'], 'least-free-capacity'],
    ['rack required for both, different resource requests; LeastFreeCapacity', wide, [[1, 1, { required: RACK }], [1, { cpu: 1, mem: 1 }, { required: RACK }]], ['x3:1', 'x3:1'], 'least-free-capacity'],
    ['the first takes all of a rack; LeastFreeCapacity', wide, [[10, 1, { required: RACK }], [2, 1, { required: RACK }]], ['x3:10', 'x2:2'], 'least-free-capacity'],
    ['block required for one, unconstrained for another; TASProfileMixed', wide, [[8, 1, { required: BLOCK }], [2, 1]], ['x2:8', 'x2:2']],
  ])('%s', (_, nodes, sets, expected, profile) => {
    expect(placed(nodes, sets, undefined, profile)).toEqual(expected)
  })
})
