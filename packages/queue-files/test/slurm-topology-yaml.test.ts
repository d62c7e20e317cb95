import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues, slurmNodes } from '../src/index.js'
import { messageOf } from './message-of.js'

const NODES = 'NodeName=n[1-6] CPUs=2\n'
const TREE = '- topology: fabric\n  cluster_default: true\n  tree:\n    switches:\n      - { switch: top, children: "s[1-2]" }\n      - { switch: s1, nodes: "n[1-4]" }\n      - { switch: s2, nodes: "n[5-6]" }\n'
const SMALL = '- topology: small\n  tree: { switches: [{ switch: a, nodes: n1 }, { switch: b, nodes: [n2, n3] }, { switch: c, children: [a, b] }, { switch: d, nodes: "n[4-6]" }, { switch: top, children: [c, d] }] }\n'
const FLAT = '- topology: none\n  flat: true\n'

/** A slurm.conf with a topology.yaml beside it, and a topology.conf that counts for nothing then. */
const site = (yaml: string, text = '') => ({
  file: 'slurm.conf',
  text: `ClusterName=c\n${NODES}${text}`,
  include: (path: string) => ({ file: path, text: path === 'topology.yaml' ? yaml : 'SwitchName=x Nodes=n[1-6]' }),
})
const racksOf = (yaml: string, text?: string) => slurmNodes(site(yaml, text)).nodes.map(({ names, racks }) => `${names.join()}: ${racks?.join() ?? ''}`)
const read = (yaml: string, text = '', facts = {}) => {
  const { policy, findings } = queuePolicy(readQueues(site(yaml, text)), { resources: ['procs'], nodes: 6, racks: 2, heartbeat: false, ...facts })
  return { ...(policy as { replan?: object }).replan, told: findings.filter(({ setting }) => /topology/i.test(setting)).map(({ verdict, setting, note, file, line }) => [verdict, `${file}:${line}`, setting, note]) }
}

describe('a topology.yaml', () => {
  it('has the racks of the nodes in that of the cluster, the first that says so or else the first', () => {
    expect(racksOf(`${SMALL}${TREE}`)).toEqual(['n1,n2,n3,n4: s1', 'n5,n6: s2'])
    expect(racksOf(`${SMALL}${TREE.replace('  cluster_default: true\n', '')}`)).toEqual(['n1: a,c', 'n2,n3: b,c', 'n4,n5,n6: d,d'])
    expect(racksOf(FLAT, 'TopologyPlugin=topology/tree\n')).toEqual(['n1,n2,n3,n4,n5,n6: '])
  })

  it('says how nodes are chosen, whatever TopologyPlugin says', () => {
    expect(read(`${TREE}${SMALL}`, 'TopologyPlugin=topology/flat\n')).toMatchObject({
      topology: 'tree',
      told: [['ignored', 'slurm.conf:3', 'TopologyPlugin', 'a topology.yaml stands beside the file'], ['honoured', 'topology.yaml:1', 'topology fabric', ''], ['ignored', 'topology.yaml:8', 'topology small', 'no partition names it']],
    })
    expect(read(FLAT)).not.toHaveProperty('topology')
  })

  it('gives jobs of a partition the topology that it names, another one than that of the cluster', () => {
    const partitions = 'PartitionName=p Nodes=ALL\nPartitionName=q Nodes=n[1-3] Topology=small\nPartitionName=r Nodes=ALL Topology=none\nPartitionName=s Nodes=ALL Topology=fabric\n'
    const { told, ...options } = read(`${TREE}${SMALL}${FLAT}`, partitions)
    expect(options).toMatchObject({
      topology: 'tree',
      topologies: { q: { switches: [{ nodes: ['n1'], racks: ['a', 'c'] }, { nodes: ['n2', 'n3'], racks: ['b', 'c'] }, { nodes: ['n4', 'n5', 'n6'], racks: ['d', 'd'] }] }, r: 'flat' },
    })
    expect(told.map(([verdict, , setting, note]) => [verdict, setting, note])).toEqual([
      ['honoured', 'q Topology', ''], ['honoured', 'r Topology', ''], ['honoured', 's Topology', ''],
      ['honoured', 'topology fabric', ''], ['honoured', 'topology small', 'of partitions that name it'], ['honoured', 'topology none', 'of partitions that name it'],
    ])
    expect(read(`${TREE}${FLAT}`, `TopologyParam=TopoOptional\nPartitionName=DEFAULT Topology=none\nPartitionName=p Nodes=ALL\n`)).toMatchObject({ topology: 'asked', topologies: { p: 'flat' } })
    expect(read(`${FLAT}${SMALL}`, 'TopologyParam=TopoOptional\nPartitionName=p Nodes=ALL Topology=small\n')).toMatchObject({ topologies: { p: { asked: true } } })
  })

  it('may have blocks, of the cluster or of a partition', () => {
    const blocks = '- topology: nv\n  block: { block_sizes: [2, 4], blocks: [{ block: a, nodes: "n[1-2]" }, { block: b, nodes: "n[3-4]" }] }\n'
    const option = { blocks: [['n1', 'n2'], ['n3', 'n4']], sizes: [2, 4] }
    expect(read(blocks)).toMatchObject({ topology: option, told: [['honoured', 'topology.yaml:1', 'topology nv', '']] })
    expect(read(`${FLAT}${blocks}`, 'PartitionName=q Nodes=n[1-4] Topology=nv\n')).toMatchObject({ topologies: { q: option } })
    expect(racksOf(blocks)).toEqual(['n1,n2: a', 'n3,n4: b', 'n5,n6: '])
  })

  it('tells what is not as in Slurm', () => {
    const lacking = '- topology: part\n  tree: { switches: [{ switch: a, nodes: "n[1-2]" }] }\n'
    const note = (text: string, facts = {}) => read(`${FLAT}${lacking}`, `${text}\n`, facts).told.filter(([, , setting]) => setting === 'q Topology').map(([verdict, , , why]) => [verdict, why])
    expect(note('PartitionName=q Nodes=n[1-2] Topology=part')).toEqual([['honoured', '']])
    expect(note('PartitionName=q Nodes=n[1-3] Topology=part')).toEqual([['approximated', 'n3 has no switch, so that no job gets it in Slurm: here below one of its own']])
    expect(note('PartitionName=q Nodes=ALL Topology=part', { nodes: 1 })).toEqual([['ignored', 'there is one node, of which amounts are reserved: give the nodes of this file (--nodes)']])
    expect(note('PartitionName=q Nodes=n[1-2] Topology=part', { nodeNames: ['m1', 'n1'] })).toEqual([['honoured', '']])
    expect(note('PartitionName=q Nodes=n[1-2] Topology=part', { nodeNames: ['m1', 'm2'] })).toEqual([['ignored', 'the cluster has no node of it']])
    expect(read(`${FLAT}${lacking}`, 'PartitionName=q Nodes=n[1-2] Topology=part\n', { nodeNames: ['m1', 'm2'] })).not.toHaveProperty('topologies')
    expect(note('PartitionName=q Nodes=n[1-2] Topology=part OverSubscribe=FORCE:2\nPreemptMode=GANG')).toEqual([['ignored', 'jobs that take turns get nodes by the topology of the cluster']])
    const without = { ...site(''), text: `${NODES}PartitionName=q Nodes=ALL Topology=part\nPartitionName=r Nodes=ALL Topology=default\n`, include: () => undefined }
    expect(queuePolicy(readQueues(without), { resources: ['procs'], nodes: 6, heartbeat: false }).findings.flatMap(({ setting, verdict, note: why }) => (setting.endsWith('Topology') ? [[verdict, why]] : [])))
      .toEqual([['ignored', 'no topology.yaml stands beside the file'], ['honoured', '']])
  })

  it.each([
    ['[]', 'line 1: has no topology. Name one, with a tree, with blocks or flat, or take the file away.'],
    ['tree: 1', 'line 1: found {"tree":1}, expected a list. A topology is written as topology.yaml(5) says.'],
    ['- topology: a\n  tre: {}', 'line 2 tre: is not known. Did you mean tree?'],
    ['- topology: a', 'line 1 topology: topology "a" is of no kind. Give it one of tree, block and flat.'],
    ['- topology: a\n  flat: true\n  tree: { switches: [] }', 'line 1 topology: topology "a" is tree and flat. Give it one of tree, block and flat.'],
    ['- topology: a\n  flat: false', 'line 2 flat: found false, of a topology that is of no other kind. Write flat: true, or give it a tree or blocks.'],
    ['- flat: true', 'line 1 topology: is missing. Give it a name.'],
    ['- { topology: a, flat: true }\n- { topology: a, flat: true }', 'line 2 topology: topology "a" was declared before. Give every topology another name.'],
    ['- topology: a\n  cluster_default: often\n  flat: true', 'line 2 cluster_default: found often, expected true or false. A topology is written as topology.yaml(5) says.'],
    ['- topology: a\n  tree:\n    switches:\n      - switch: s', 'line 4 switch: switch "s" has no nodes. Give it nodes, or children, which are switches.'],
    ['- topology: a\n  tree:\n    switches:\n      - { switch: s, children: t }', 'line 4 switch: switch "s" has the switch "t", which no switch declares. Declare it, or take it from the list.'],
    ['- topology: a\n  block:\n    block_sizes: [2, 3]\n    blocks: [{ block: b, nodes: "n[1-6]" }]', 'line 3 block_sizes: found "2,3". Write the nodes of a block, and that number times 2, 4, 8, ...: 18,72.'],
    ['- topology: a\n  block:\n    blocks:\n      - { block: b, nodes: "n[1" }', 'line 4 nodes: has a bracket without its other in "n[1". Write hosts as node[1-4,6].'],
  ])('is refused with the line where it is none: %j', (yaml, message) => {
    expect(messageOf(() => racksOf(yaml))).toBe(`"topology.yaml" ${message.replace(/^(line \d+):/, '$1:')}`)
  })

  it('has the topology that a partition names', () => {
    expect(messageOf(() => read(`${TREE}${SMALL}`, 'PartitionName=q Nodes=ALL Topology=smal\n'))).toBe('"slurm.conf" line 3 Topology: found "smal", which the topology.yaml beside it does not have; did you mean small?. It has fabric, small.')
  })
})
