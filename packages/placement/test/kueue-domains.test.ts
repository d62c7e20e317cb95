import { dispatcher } from '@sched/cluster'
import type { Demand, StageSpec, Topology } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { topologyAware, type TopologyAwareOptions } from '../src/index.js'

// Cases of one pod set of Kueue's TestFindTopologyAssignments (tas_cache_test.go) beside those of topology-aware.test.ts: nodes that are in use, that do not suit,
// or that are taken by the least room. Racks without hosts there are racks with their hosts here.

type Amounts = number | Demand
interface Node {
  readonly has: Amounts
  /** CPUs in use by others. */
  readonly used?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly isTainted?: boolean
}
/** Nodes by block, rack and name; CPUs where it is a number. */
type Nodes = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number | Node>>>>>>

const [HOST, RACK, BLOCK] = [0, 1, 2]
const taint = { key: 'example.com/gpu', value: 'present', effect: 'NoSchedule' as const }
const amounts = (asks: Amounts): Demand => (typeof asks === 'number' ? { cpu: asks } : asks)
const nodeOf = (node: number | Node): Node => (typeof node === 'number' ? { has: node } : node)

/** Where so many pods go: `node:pods`, in order of names; or why they are refused. */
function placed(nodes: Nodes, pods: number, asks: Amounts, topology?: Topology, profile: TopologyAwareOptions['profile'] = 'mixed', constraints?: NonNullable<StageSpec['constraints']>): string {
  const all = Object.entries(nodes).flatMap(([block, racks]) => Object.entries(racks).flatMap(([rack, each]) => Object.entries(each).map(([name, node]) => ({ name, block, rack, ...nodeOf(node) }))))
  const cluster = { nodes: all.map(({ name, block, rack, has, labels = {}, isTainted }) => ({ names: [name], count: 1, racks: [rack, block], labels: { host: name, ...labels }, resources: { mem: 1, ...amounts(has) }, ...(isTainted && { taints: [taint] }) })) }
  const control = dispatcher({ cluster, policy: greedy(fifo(), topologyAware({ profile })) })
  const stage = (tasks: number, demand: Demand, where?: StageSpec['constraints']): StageSpec => ({ name: 'pods', tasks, gang: true, demand, duration: 1, ...(where && { constraints: where }) })
  for (const { name, used } of all) if (used !== undefined) control.submit({ id: `on ${name}`, submit: 0, stages: [stage(1, { cpu: used }, { require: { host: name } })] })
  control.pass(0)
  try {
    control.submit({ id: 'job', submit: 0, stages: [stage(pods, amounts(asks), constraints)], ...(topology && { topology }) })
  } catch (error) {
    return (error as Error).message
  }
  const counts = new Map<string, number>()
  for (const { node } of control.pass(0).start) counts.set(node, (counts.get(node) ?? 0) + 1)
  return [...counts].sort().map(([node, tasks]) => `${node}:${tasks}`).join(' ')
}

describe('topology-aware on usual nodes (TestFindTopologyAssignments)', () => {
  const roomy = { cpu: 1, mem: 10 }
  const usual: Nodes = { b1: { r1: { x3: { has: roomy } }, r2: { x5: { has: { cpu: 1, mem: 11 } }, x1: { has: roomy }, x6: { has: roomy } } }, b2: { r1: { x2: { has: { cpu: 1, mem: 12 } } }, r2: { x4: { has: { cpu: 2, mem: 40 } } } } }
  const scattered: Nodes = { b1: { r1: { x3: 4, x5: 1, x1: 1 } }, b2: { r1: { x6: 2, x2: 1 } } }
  const least = 'least-free-capacity'
  it.each<[string, string, Nodes, number, Amounts, Topology | undefined, TopologyAwareOptions['profile']?]>([
    ['unconstrained; 2 pods fit into hosts; LeastFreeCapacity', 'x6:2', scattered, 2, 1, undefined, least],
    ['unconstrained; a single pod; LeastFreeCapacity', 'x3:1', usual, 1, 1, undefined, least],
    ['host required; single Pod; LeastFreeCapacity', 'x3:1', usual, 1, 1, { required: HOST }, least],
    ['host required; the largest host; LeastFreeCapacity', 'x4:2', usual, 2, 1, { required: HOST }, least],
    ['host preferred; the largest host; LeastFreeCapacity', 'x4:2', usual, 2, 1, { preferred: HOST }, least],
    ['host required; no single host fits all pods; LeastFreeCapacity', 'its 3 tasks at once are more than any node has room for', usual, 3, 1, { required: HOST }, least],
    ['host preferred; single Pod; BestFit', 'x3:1', usual, 1, 1, { preferred: HOST }],
    ['rack required; single Pod; LeastFreeCapacity', 'x3:1', usual, 1, 1, { required: RACK }, least],
    ['rack preferred; multiple Pods; LeastFreeCapacity', 'x4:2', usual, 2, 1, { preferred: RACK }, least],
    ['rack required; Pods requiring memory; BestFit', 'x3:4', usual, 4, { mem: 1 }, { required: RACK }],
    ['block required; single Pod; LeastFreeCapacity', 'x2:1', usual, 1, 1, { required: BLOCK }, least],
    ['block required; two Pods; LeastFreeCapacity', 'x2:1 x4:1', usual, 2, 1, { required: BLOCK }, least],
    ['block required; single Pod which cannot be split; BestFit', 'more than any node of cluster has', usual, 1, 4, { required: BLOCK }],
    ['block preferred; the workload cannot be accommodated in the entire topology; BestFit', 'have room for 7', usual, 10, 1, { preferred: BLOCK }],
  ])('%s', (_, expected, nodes, pods, asks, topology, profile) => {
    const found = placed(nodes, pods, asks, topology, profile)
    if (/^x\d/.test(expected)) expect(found).toBe(expected)
    else expect(found).toContain(expected)
  })
})

describe('topology-aware on nodes that are in use or do not suit (TestFindTopologyAssignments)', () => {
  const on = (nodes: Readonly<Record<string, number | Node>>): Nodes => ({ b: { r: nodes } })
  const host = { required: HOST }
  it.each<[string, string, Nodes, number, NonNullable<StageSpec['constraints']>?]>([
    ['usage of others, blocked assignment', '', on({ x3: { has: 10, used: 6 } }), 6],
    ['usage of others, free capacity on another node', 'x5:1', on({ x3: { has: 10, used: 6 }, x5: 10 }), 6],
    ['a taint that is tolerated', 'x3:1', on({ x3: { has: 1, isTainted: true } }), 1, { tolerations: [{ key: 'example.com/gpu', value: 'present', operator: 'Equal' }] }],
    ['a node with a taint passed over', 'x5:1', on({ x3: { has: 1, isTainted: true }, x5: 1 }), 1],
    ['the node that a selector matches', 'x5:1', on({ x3: { has: 1, labels: { custom: 'value-1' } }, x5: { has: 1, labels: { custom: 'value-2' } } }), 1, { require: { custom: 'value-2' } }],
  ])('%s', (_, expected, nodes, asks, constraints) => {
    expect(placed(nodes, 1, asks, host, 'mixed', constraints)).toBe(expected)
  })

  it.each<[string, Nodes, number, RegExp, NonNullable<StageSpec['constraints']>?]>([
    ['an untolerated taint', on({ x3: { has: 1, isTainted: true } }), 1, /does not tolerate taint/],
    ['a selector that no node matches', on({ x3: { has: 1, labels: { custom: 'value-1' } } }), 1, /requires custom = value-2, which no node/, { require: { custom: 'value-2' } }],
  ])('refuses for %s', (_, nodes, asks, expected, constraints) => {
    expect(placed(nodes, 1, asks, host, 'mixed', constraints)).toMatch(expected)
  })
})
