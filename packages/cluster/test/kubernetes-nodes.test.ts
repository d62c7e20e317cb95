import { SchedError } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { buildCluster, isKubernetesNodes, kubernetesNodes, readCluster } from '../src/index.js'

const node = (name: string, change: object = {}, allocatable: object = {}) => ({
  apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name, pool: 'a' } },
  status: { capacity: { cpu: '8', memory: '32Gi' }, allocatable: { cpu: '7910m', memory: '16393244Ki', pods: '110', ...allocatable } }, ...change,
})
const list = (...items: object[]) => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } })
const json = (...items: object[]) => JSON.stringify(list(...items), undefined, 4)
const messageOf = (text: string): string => {
  try {
    kubernetesNodes(text, 'nodes.yaml')
  } catch (error) {
    if (error instanceof SchedError) return error.message
    throw error
  }
  return 'nothing was thrown'
}

/** Nodes one after another, as manifests are written. */
const manifests = `apiVersion: v1
kind: Node
metadata:
  labels:
    alibabacloud.com/gpu-card-model: P100
    beta.kubernetes.io/os: linux
    kubernetes.io/hostname: n0
  name: n0
status:
  allocatable:
    alibabacloud.com/gpu-count: '2'
    alibabacloud.com/gpu-milli: '2000'
    cpu: 64000m
    memory: 262144Mi
---

apiVersion: v1
kind: Node
metadata:
  name: n1
status:
  allocatable:
    cpu: 4
    memory: 8e9
`

describe('nodes of Kubernetes', () => {
  it('have what is allocatable in millicores and MiB; neighbours that are alike are one group', () => {
    // 16,393,244 KiB are 16,009.03 MiB
    expect(kubernetesNodes(json(node('n1'), node('n2'), node('n3', {}, { 'nvidia.com/gpu': '4' }))).nodes).toEqual([
      { names: ['n1', 'n2'], count: 2, resources: { cpu: 7910, mem: 16_009 }, labels: { pool: 'a' } },
      { names: ['n3'], count: 1, resources: { cpu: 7910, mem: 16_009 }, devices: { gpu: { count: 4, milli: 1000 } }, labels: { pool: 'a' } },
    ])
  })

  it('have further resources that are named, in MiB or by number', () => {
    const text = json(node('n1', {}, { 'google.com/tpu': '4', 'ephemeral-storage': '95Gi', 'hugepages-1Gi': '0', 'nvidia.com/gpu': '2' }), node('n2'))
    expect(kubernetesNodes(text, 'nodes.yaml', ['google.com/tpu', 'ephemeral-storage', 'hugepages-1Gi', 'pods', 'nvidia.com/gpu', 'memory']).nodes.map(({ resources, devices }) => [resources, devices])).toEqual([
      [{ cpu: 7910, mem: 16_009, 'google.com/tpu': 4, 'ephemeral-storage': 97_280, pods: 110 }, { gpu: { count: 2, milli: 1000 } }],
      [{ cpu: 7910, mem: 16_009, pods: 110 }, undefined],
    ])
  })

  it('stand in the racks that the labels of a Topology name, or in one of their own', () => {
    const labelled = (name: string, labels: object) => node(name, { metadata: { name, labels } })
    const topology = (...labels: readonly string[]) => ({ apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'Topology', metadata: { name: 't' }, spec: { levels: labels.map((nodeLabel) => ({ nodeLabel })) } })
    const nodes = [labelled('n1', { block: 'b1', rack: 'r1' }), labelled('n2', { block: 'b2', rack: 'r1' }), labelled('n3', { block: 'b2', rack: 'r1' }), labelled('n4', { block: 'b2' })]
    const racksOf = (...items: object[]) => kubernetesNodes(json(...items, ...nodes)).nodes.map(({ names, racks }) => [names, racks])
    expect(racksOf(topology('block', 'rack', 'kubernetes.io/hostname'))).toEqual([[['n1'], ['r1', 'b1']], [['n2', 'n3'], ['r1', 'b2']], [['n4'], ['n4']]])
    expect(racksOf(topology('block'), topology('block', 'rack'))).toEqual([[['n1'], ['r1', 'b1']], [['n2', 'n3'], ['r1', 'b2']], [['n4'], ['b2']]])
    expect(racksOf(topology('kubernetes.io/hostname')).every(([, racks]) => racks === undefined)).toBe(true)
    expect(messageOf(json(topology(), ...nodes))).toContain('spec.levels')
    expect(messageOf(json({ ...topology(), spec: { levels: [{}] } }, ...nodes))).toContain('Give the label of nodes that names their group of this level.')
    // TestTopologyValidator of KAI
    const aliased = (...aliases: readonly string[]) => json({ ...topology(), spec: { levels: ['rack', 'kubernetes.io/hostname'].map((nodeLabel, i) => ({ nodeLabel, alias: aliases[i] })) } }, ...nodes)
    expect(kubernetesNodes(aliased('r', 'node')).nodes.map(({ racks }) => racks)).toEqual([['r1'], ['r1'], ['n4']])
    expect(messageOf(aliased('r', 'r'))).toContain('spec.levels[1].alias: "r" is another level. Give each level a name of its own.')
    expect(messageOf(aliased('kubernetes.io/hostname', 'node'))).toContain('spec.levels[0].alias: "kubernetes.io/hostname" is another level.')
  })

  it('stand in the HyperNodes of Volcano, from the lowest tier up', () => {
    const hyperNode = (name: string, tier: number, ...members: readonly object[]) => ({ apiVersion: 'topology.volcano.sh/v1alpha1', kind: 'HyperNode', metadata: { name }, spec: { tier, members } })
    const member = (type: string, selector: object) => ({ type, selector })
    const groups = [
      hyperNode('s2', 3, member('HyperNode', { exactMatch: { name: 's0' } }), member('Node', { labelMatch: { matchLabels: { pool: 'c' } } })),
      hyperNode('s1', 1, member('Node', { regexMatch: { pattern: '^b' } })), hyperNode('s0', 1, member('Node', { exactMatch: { name: 'a1' } }), member('Node', { exactMatch: { name: 'a2' } })),
    ]
    const nodes = [node('a1'), node('a2'), node('b1'), node('c1', { metadata: { name: 'c1', labels: { pool: 'c' } } }), node('d1')]
    expect(kubernetesNodes(json(...groups, ...nodes)).nodes.map(({ names, racks }) => [names, racks])).toEqual([[['a1', 'a2'], ['s0', 's2']], [['b1'], ['s1', 's1']], [['c1'], ['s2', 's2']], [['d1'], ['d1']]])
    expect(messageOf(json(hyperNode('bad', 1, member('Node', { regexMatch: { pattern: '(' } })), ...nodes))).toContain('found "(", expected a regular expression. Write for example regexMatch: { pattern: "^node-[0-9]+$" }, with a backslash before a bracket that is meant as such.')
    expect(messageOf(json({ ...hyperNode('bad', 1), spec: {} }, ...nodes))).toContain('Give HyperNodes a name and a tier.')
  })

  it.each<[unknown, object, string]>([
    ['Node', {}, 'spec.members[0].selector: selects nothing. Give one of exactMatch, regexMatch, labelMatch.'],
    ['Node', { exactMatch: { name: 'a1' }, regexMatch: { pattern: '^a' } }, 'spec.members[0].selector: has exactMatch and regexMatch. Give one of exactMatch, regexMatch, labelMatch.'],
    ['Node', { exactMatch: { name: '' } }, 'spec.members[0].selector: found "", expected the name of a member. Write the name of the node or HyperNode: exactMatch: { name: ... }.'],
    ['Node', { exactMatch: { name: 'not a name' } }, 'spec.members[0].selector: found "not a name", expected the name of a member. Write the name of the node or HyperNode: exactMatch: { name: ... }.'],
    ['HyperNode', { exactMatch: {} }, 'spec.members[0].selector: found null, expected the name of a member. Write the name of the node or HyperNode: exactMatch: { name: ... }.'],
    ['Node', { regexMatch: { pattern: '' } }, 'spec.members[0].selector: found "", expected a regular expression. Write for example regexMatch: { pattern: "^node-[0-9]+$" }, with a backslash before a bracket that is meant as such.'],
    ['Rack', { exactMatch: { name: 'a1' } }, 'spec.members[0].type: found "Rack", expected Node or HyperNode. Write one of these.'],
    [undefined, { exactMatch: { name: 'a1' } }, 'spec.members[0].type: found null, expected Node or HyperNode. Write one of these.'],
  ])('are not read beside HyperNodes that Volcano refuses: %s %j (TestValidateHyperNode)', (type, selector, message) => {
    const group = { apiVersion: 'topology.volcano.sh/v1alpha1', kind: 'HyperNode', metadata: { name: 'bad' }, spec: { tier: 1, members: [{ type, selector }] } }
    expect(messageOf(json(group, node('a1')))).toContain(message)
  })

  it('may be manifests one after another, with GPUs and their type', () => {
    expect(isKubernetesNodes(manifests)).toBe(true)
    expect(kubernetesNodes(manifests).nodes).toEqual([
      { names: ['n0'], count: 1, resources: { cpu: 64_000, mem: 262_144 }, devices: { gpu: { count: 2, milli: 1000 } }, labels: { 'alibabacloud.com/gpu-card-model': 'P100', 'beta.kubernetes.io/os': 'linux', model: 'P100' } },
      { names: ['n1'], count: 1, resources: { cpu: 4000, mem: 7629 } }, // 8e9 / 2^20 = 7629.39
    ])
  })

  it.each<[string, object]>([
    ['cordoned', { spec: { unschedulable: true } }],
    ['of the control plane', { spec: { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] } }],
    ['unreachable', { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } }],
    ['not ready', { status: { allocatable: { cpu: '1' }, conditions: [{ type: 'MemoryPressure', status: 'False' }, { type: 'Ready', status: 'Unknown' }] } }],
  ])('are left out when they are %s', (_, change) => {
    expect(kubernetesNodes(json(node('away', change), node('n1', { spec: { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] } }))).nodes.map(({ names }) => names)).toEqual([['n1']])
  })

  it('have their taints, and a hostname of their own only where it is not their name', () => {
    const taints = [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }, { key: 'busy', effect: 'PreferNoSchedule' }, { key: 'spot', value: '', effect: 'NoExecute' }]
    const { nodes } = kubernetesNodes(json(node('n1', { spec: { taints } }), node('n2', { metadata: { name: 'n2', labels: { 'kubernetes.io/hostname': 'host2' } } })))
    expect(nodes.map(({ labels, taints: kept }) => [labels, kept])).toEqual([
      [{ pool: 'a' }, [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }, { key: 'busy', effect: 'PreferNoSchedule' }, { key: 'spot', effect: 'NoExecute' }]],
      [{ 'kubernetes.io/hostname': 'host2' }, undefined],
    ])
    expect(readCluster(kubernetesNodes(json(node('n1', { spec: { taints } }))) as never).nodes[0]?.taints).toHaveLength(3)
  })

  it('are a list without kinds, or among other objects', () => {
    expect(kubernetesNodes(JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', items: [{ ...node('n1'), kind: undefined }] })).nodes).toHaveLength(1)
    expect(kubernetesNodes(json({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }, node('n1'))).nodes).toHaveLength(1)
  })

  it('may stand on one line each', () => {
    const flow = 'apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: Node, metadata: { name: a }, status: { capacity: { cpu: 1.5, memory: 1Gi } } }\n'
    expect(isKubernetesNodes(flow)).toBe(true)
    expect(kubernetesNodes(flow).nodes).toEqual([{ names: ['a'], count: 1, resources: { cpu: 1500, mem: 1024 } }])
  })

  it('make a cluster', () => {
    expect(buildCluster(readCluster(kubernetesNodes(manifests)))).toMatchObject({ nodes: 2, resources: ['cpu', 'mem', 'gpu'] })
  })

  it.each([
    ['{ nodes: [{ count: 1, resources: { kind: 3 } }] }'], ['apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\n'], ['apiVersion: v1\nkind: NodePool\n'],
  ])('are not %j', (text) => {
    expect(isKubernetesNodes(text)).toBe(false)
  })

  it.each<[string, string, string]>([
    ['a quantity that is none', manifests.replace('64000m', 'many'), '"nodes.yaml" line 13 status.allocatable.cpu: found "many", expected a quantity such as 8, 7910m or 16Gi. Write digits, then one of the units n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or none.'],
    ['no status', manifests.replace('cpu: 4', 'pods: 4'), '"nodes.yaml" line 23 status.allocatable.cpu: is missing. Print nodes with their status: kubectl get nodes -o yaml.'],
    ['no name', json(node('')), '"nodes.yaml" line 8 items[0].metadata.name: is missing. Name the node, or give the list as kubectl get nodes -o yaml prints it.'],
    ['one name twice', json(node('a'), node('a')), '"nodes.yaml" line 30 items[1].metadata.name: node "a" was listed before. Give every node once.'],
    ['no node', json(), '"nodes.yaml": lists no node.'],
    ['no node for pods', json(node('a', { spec: { unschedulable: true } })), '"nodes.yaml": lists no node that takes pods.'],
    ['a taint without a key', json(node('a', { spec: { taints: [{ effect: 'NoSchedule' }] } })), '"nodes.yaml" line 27 items[0].spec.taints[0].key: is missing. Name the taint, as in key: gpu.'],
    ['a taint that no node may have', json(node('a', { spec: { taints: [{ key: 'a=b', effect: 'NoSchedule' }] } })), '"nodes.yaml" line 28 items[0].spec.taints[0].key: no taint can be called "a=b". Names have'],
    ['a value that no taint may have', json(node('a', { spec: { taints: [{ key: 'a', value: 'b:c', effect: 'NoSchedule' }] } })), '"nodes.yaml" line 29 items[0].spec.taints[0].value: no taint can have the value "b:c". Values have'],
    ['a taint of another effect', json(node('a', { spec: { taints: [{ key: 'k', effect: 'NoExecutes' }] } })), '"nodes.yaml" line 29 items[0].spec.taints[0].effect: found "NoExecutes", expected NoSchedule, NoExecute, PreferNoSchedule. Did you mean "NoExecute"?'],
    ['taints that are no list', json(node('a', { spec: { taints: { key: 'k' } } })), '"nodes.yaml" line 26 items[0].spec.taints: found {"key":"k"}, expected a list. Write - before each.'],
    ['a mistake of YAML', manifests.replace('  name: n1', '  name: [n1'), '"nodes.yaml" line 2'],
    ['an alias without an anchor', 'apiVersion: v1\nkind: Node\nmetadata: { name: *nobody }\n', '"nodes.yaml" line 1: Unresolved alias (the anchor must be set before the alias): nobody. Write &name before the value that *name stands for.'],
    ['an anchor that holds itself', 'apiVersion: v1\nkind: Node\nmetadata: { name: a }\nstatus: { allocatable: { cpu: &a [*a] } }\n', '"nodes.yaml" line 1: an anchor holds itself. Write the value out.'],
    ['aliases without end', `apiVersion: v1\nkind: Node\na: &a [${'x, '.repeat(10)}x]\nb: &b [${'*a, '.repeat(10)}*a]\nc: [${'*b, '.repeat(10)}*b]\n`, '"nodes.yaml" line 1: Excessive alias count'],
  ])('answer %s', (_, text, message) => {
    expect(messageOf(text).slice(0, message.length)).toBe(message)
  })
})
