import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues, slurmNodes } from '../src/index.js'
import { messageOf } from './message-of.js'

const NODES = 'NodeName=n[1-6] CPUs=2\n'
const TREE = 'TopologyPlugin=topology/tree\n'
/** A slurm.conf with a topology.conf beside it. */
const site = (topology: string, text = TREE) => ({
  file: 'slurm.conf',
  text: `ClusterName=c\n${text}${NODES}`,
  include: (path: string) => (path === 'topology.conf' ? { file: path, text: topology } : undefined),
})
const racksOf = (topology: string, text = TREE) => Object.fromEntries(slurmNodes(site(topology, text)).nodes.flatMap(({ names, racks }) => names.map((name) => [name, racks?.join()])))

describe('the switches of topology/tree', () => {
  it('are racks, up to the one above all nodes, which is left out', () => {
    const text = 'SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3\nSwitchName=c Nodes=n[4-6] LinkSpeed=7\nSwitchName=low Switches=a,b\nSwitchName=high Switches=c\nSwitchName=top Switches=low,high\n'
    expect(racksOf(text)).toEqual({ n1: 'a,low', n2: 'a,low', n3: 'b,low', n4: 'c,high', n5: 'c,high', n6: 'c,high' })
    expect(racksOf('SwitchName=a Nodes=n[1-6]')).toMatchObject({ n1: 'a', n6: 'a' })
  })

  it('are below themselves where they stand higher than others of nodes', () => {
    expect(racksOf('SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=low Switches=a\nSwitchName=top Switches=low,b')).toEqual({ n1: 'a,low', n2: 'a,low', n3: 'b,b', n4: 'b,b', n5: undefined, n6: undefined })
  })

  it('are read as scontrol shows them, with all nodes below each', () => {
    expect(racksOf('SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1-3]\nSwitchName=b Level=0 LinkSpeed=1 Nodes=n[4-6]\nSwitchName=t Level=1 LinkSpeed=1 Nodes=n[1-6] Switches=a,b')).toMatchObject({ n3: 'a', n4: 'b' })
  })

  it('may have all nodes of the file, or those of a NodeSet', () => {
    expect(racksOf('SwitchName=a Nodes=ALL')).toMatchObject({ n1: 'a', n6: 'a' })
    expect(racksOf('SwitchName=a Nodes=fast\nSwitchName=b Nodes=n[3-6]', `${TREE}NodeSet=fast Nodes=n[1-2]\n`)).toMatchObject({ n1: 'a', n2: 'a', n3: 'b' })
  })

  it('may stand in the file itself, and are nothing without the plugin', () => {
    expect(racksOf('SwitchName=x Nodes=n[1-6]', `${TREE}SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]\n`)).toMatchObject({ n1: 'a', n6: 'b' })
    expect(racksOf('SwitchName=a Nodes=n[1-6]', '')).toMatchObject({ n1: undefined })
  })

  it.each([
    ['SwitchName=a Switches=b', '"topology.conf" line 1 SwitchName: switch "a" has the switch "b", which no SwitchName declares. Declare it, or take it from the list.'],
    ['SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a', '"topology.conf" line 3 SwitchName: switch "c" has the switch "a", which is below "b". Put it below one of the two.'],
    ['SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b', '"topology.conf" line 2 SwitchName: switch "b" is above itself. Switches are a tree: take it from the list of one of those below it.'],
    ['SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2', '"topology.conf" line 2 SwitchName: switch "a" was declared before. Give every switch once, with all that is below it.'],
    ['SwitchName=a Nodes=n[1', '"topology.conf" line 1 Nodes: has a bracket without its other in "n[1". Write hosts as node[1-4,6].'],
  ])('are refused where they are no tree: %j', (text, message) => {
    expect(messageOf(() => racksOf(text))).toBe(message)
  })
})

describe('the blocks of topology/block', () => {
  const BLOCK = 'TopologyPlugin=topology/block\n'
  const blocks = 'BlockName=a Nodes=n1\nBlockName=b Nodes=n2\nBlockName=c Nodes=n[3-4]\nBlockName=d Nodes=n5\nBlockName=e Nodes=n6\n'

  it('are racks, in those that BlockSizes puts together, beside switches that are none then', () => {
    expect(racksOf(`SwitchName=s Nodes=n[1-6]\n${blocks}`, BLOCK)).toEqual({ n1: 'a', n2: 'b', n3: 'c', n4: 'c', n5: 'd', n6: 'e' })
    expect(racksOf(`${blocks}BlockSizes=1,2`, BLOCK)).toEqual({ n1: 'a,2#1', n2: 'b,2#1', n3: 'c,2#2', n4: 'c,2#2', n5: 'd,2#2', n6: 'e,2#3' })
    expect(racksOf(`${blocks}BlockSizes=1,2,8`, BLOCK)).toMatchObject({ n1: 'a,2#1', n6: 'e,2#3' }) // the last holds all
    expect(racksOf('SwitchName=x Nodes=n1', `${BLOCK}BlockSizes=1,4\n${blocks}`)).toMatchObject({ n1: 'a,4#1', n6: 'e,4#2' })
  })

  it.each(['1,3', '4,2', 'x', '0,2'])('have sizes that are each a power of 2 times the first: not %s', (sizes) => {
    expect(messageOf(() => racksOf(`${blocks}BlockSizes=${sizes}`, BLOCK))).toBe(`"topology.conf" line 6 BlockSizes: found ${JSON.stringify(sizes)}. Write the nodes of a block, and that number times 2, 4, 8, ...: 18,72.`)
  })

  it('are those that jobs are kept in', () => {
    const read = (conf: string, { topology = '', ...facts } = {}) => {
      const { policy, findings } = queuePolicy(readQueues(site(topology, `${BLOCK}${conf}`)), { resources: ['procs'], nodes: 6, heartbeat: false, ...facts })
      const told = findings.filter(({ setting, value }) => /Topo|Block/.test(`${setting} ${value}`)).map(({ verdict, setting, note }) => [verdict, setting, note])
      return [(policy as { replan?: { topology?: unknown } }).replan?.topology, ...told]
    }
    const named = [['n1'], ['n2'], ['n3', 'n4'], ['n5'], ['n6']]
    const honoured = ['honoured', 'TopologyPlugin', '']
    expect(read('', { topology: `${blocks}BlockSizes=1,2` })).toEqual([{ blocks: named, sizes: [1, 2] }, honoured])
    expect(read(blocks)).toEqual([{ blocks: named }, honoured])
    expect(read(`${blocks}PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n`).slice(1)).toEqual([['approximated', 'TopologyPlugin', 'but for the nodes of jobs that preempt others']])
    expect(read('')).toEqual([undefined, ['ignored', 'TopologyPlugin', 'there are no blocks: they stand in a topology.conf beside the file (BlockName)']])
    expect(read(blocks, { nodeNames: ['m1', 'n1'] } as object)).toEqual([{ blocks: named }, honoured])
    expect(read(blocks, { nodeNames: ['m1'] } as object)).toEqual([undefined, ['ignored', 'TopologyPlugin', 'the cluster has no node of a block']])
  })

  it('are as few as can be for jobs that take turns', () => {
    const { policy, findings } = queuePolicy(readQueues(site(blocks, `${BLOCK}PreemptMode=GANG\nPartitionName=p Nodes=ALL OverSubscribe=FORCE:2\n`)), { resources: ['procs'], nodes: 6, racks: 5, heartbeat: false })
    expect(policy).toMatchObject({ 'gang-scheduling': { placement: { 'topology-tree': { wait: 300 } } } })
    expect(findings.find(({ setting }) => setting === 'TopologyPlugin')).toMatchObject({ verdict: 'approximated', note: 'jobs that take turns are in as few blocks as can be, and wait for none' })
  })
})

describe('TopologyPlugin', () => {
  const SWITCHES = 'SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]\nSwitchName=t Switches=a,b'
  const read = (text: string, { racks = 2, nodes = 6, topology = SWITCHES } = {}) => {
    const { policy, findings } = queuePolicy(readQueues(site(topology, text)), { resources: ['procs'], nodes, racks, heartbeat: false })
    const told = findings.filter(({ setting }) => setting.startsWith('Topology')).map(({ verdict, note }) => [verdict, note])
    return [(policy as { replan?: { topology?: string } }).replan?.topology, ...told]
  }

  it('says how nodes are chosen, and what is not as in Slurm', () => {
    expect(read(TREE)).toEqual(['tree', ['honoured', '']])
    expect(read('TopologyPlugin=topology/flat\n')).toEqual([undefined, ['honoured', '']])
    expect(read('TopologyPlugin=topology/torus\n')).toEqual([undefined, ['ignored', 'not simulated: topology/tree and topology/block are']])
    expect(read(TREE, { nodes: 1 })).toEqual([undefined, ['ignored', 'there is one node, of which amounts are reserved: give the nodes of this file (--nodes)']])
    expect(read(TREE, { racks: 0 })).toEqual([undefined, ['ignored', 'the cluster has no racks: give its nodes some, or let this file, with a topology.conf beside it, be the cluster, too (--nodes)']])
    expect(read(TREE, { topology: 'SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]' })).toEqual(['tree', ['approximated', 'switches that nothing connects are one network']])
    expect(read(TREE, { topology: 'SwitchName=a Nodes=n[1-4]' })).toEqual(['tree', ['approximated', '2 nodes have no switch, so that no job gets them in Slurm: here below one of their own']])
    expect(read(`${TREE}PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n`).slice(-1)).toEqual([['approximated', 'but for the nodes of jobs that preempt others']])
  })

  it('has parameters', () => {
    expect(read(`${TREE}TopologyParam=TopoOptional\n`)).toEqual(['asked', ['honoured', 'TopoOptional: jobs that ask for no number of switches get nodes without it'], ['honoured', '']])
    expect(read(`${TREE}TopologyParam=TopoOptional\nPreemptMode=GANG\nPartitionName=p Nodes=ALL OverSubscribe=FORCE:2\n`)[1]).toEqual(['approximated', expect.stringContaining('; jobs that take turns get nodes without it')])
    expect(read(`${TREE}TopologyParam=TopoOptional\n`, { racks: 0 })[1]).toEqual(['ignored', expect.stringContaining('the cluster has no racks')])
    expect(read(`${TREE}TopologyParam=Dragonfly\n`)).toEqual(['tree', ['honoured', ''], ['approximated', 'as in a tree']])
    expect(read(`${TREE}TopologyParam=RoutePart\n`)).toEqual(['tree', ['honoured', ''], ['ignored', 'not simulated']])
  })

  it('lets jobs wait for few switches as long as max_switch_wait says', () => {
    const { policy, findings } = queuePolicy(readQueues(site(SWITCHES, `${TREE}SchedulerParameters=max_switch_wait=600\n`)), { resources: ['procs'], nodes: 6, racks: 2, heartbeat: false })
    expect(policy).toMatchObject({ replan: { topology: 'tree', max_switch_wait: 600 } })
    expect(findings.filter(({ setting }) => setting.includes('max_switch_wait')).map(({ verdict }) => verdict)).toEqual(['honoured'])
  })

  it('is that of time slices, too', () => {
    const turns = `${TREE}PreemptMode=GANG\nPartitionName=p Nodes=ALL OverSubscribe=FORCE:2\n`
    expect(queuePolicy(readQueues(site(SWITCHES, turns)), { resources: ['procs'], nodes: 6, racks: 2, heartbeat: false }).policy).toMatchObject({ 'gang-scheduling': { placement: { 'topology-tree': { wait: 300 } } } })
  })
})
