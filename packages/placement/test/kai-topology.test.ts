import { dispatcher } from '@sched/cluster'
import type { JobSpec, Plug, StageSpec, Topology } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { kaiScores, topologyAware } from '../src/index.js'

// Cases of KAI's own tests of topologies (allocateTopology_test.go: TestHandleTopologyAllocation; allocate_multi_topology_test.go;
// allocate_topology_test.go: TestAllocateTopologyIntegrationTest). Where KAI takes any of several equals, ours are the lowest. The parts of a job that
// are each in a group of their own are slices, which topology-aware heeds alone.

/** A node: its GPUs, those of them in use, and the groups around it from the innermost. */
type Node = readonly [gpus: number, used: number, ...groups: string[]]

const [RACK, ABOVE] = [1, 2]
const nearRack = { topology: { preferred: RACK } } as const
const stage = (tasks: number, gpu = 1, change: Partial<StageSpec> = {}): StageSpec => ({ name: 'pods', tasks, gang: true, demand: { gpu }, duration: 1, ...change })

function clusterOf(nodes: readonly Node[], placement: Plug<'placement'>) {
  const master = dispatcher({
    cluster: { nodes: nodes.map(([gpu, , ...racks], i) => ({ names: [`${i}`], count: 1, racks, labels: { name: `${i}` }, resources: { gpu } })) },
    policy: kaiPreempting({}, placement),
  })
  let now = 0
  /** The nodes where tasks start, in order of their stages. */
  const submit = (id: string, change: Pick<JobSpec, 'stages'> & Partial<JobSpec>) => {
    master.submit({ id, submit: ++now, queue: 'q', ...change }, now)
    return master.pass(now).start
  }
  const use = (node: number, gpu: number) => submit(`on ${node}`, { stages: [stage(1, gpu, { constraints: { require: { name: `${node}` } } })] })
  for (const [node, [, used]] of nodes.entries()) if (used > 0) use(node, used)
  return { submit, end: (id: number) => { master.taskEnded({ id }, ++now); return master.pass(now).start } }
}

/** Where the tasks of a job that comes last start. */
const placesBy = (placement: Plug<'placement'>, nodes: readonly Node[], topology: Topology | undefined, ...stages: readonly StageSpec[]) =>
  clusterOf(nodes, placement).submit('job', { ...(topology !== undefined && { topology }), gang: stages.length > 1, stages }).map(({ node }) => Number(node))
const both = [['kai-scores', kaiScores()], ['topology-aware', topologyAware()]] as const

/** Two racks of two nodes, of which so many GPUs are in use. */
const racks = (gpus: number, ...used: readonly [number, number, number, number]): Node[] => used.map((each, i) => [gpus, each, `rack${i >> 1}`])
/** Two zones of so many racks, of one node each. */
const zones = (perZone: number, gpus: number, used: number): Node[] => Array.from({ length: 2 * perZone }, (_, i) => [gpus, i === 0 ? used : 0, `rack${i}`, `zone${Math.floor(i / perZone)}`])
/** Two spines of two racks of two nodes of one GPU. */
const spines = (...used: readonly number[]): Node[] => Array.from({ length: 8 }, (_, i) => [1, used[i] ?? 0, `rack${i >> 1}`, `spine${i >> 2}`])

describe.each(both)('a job with a topology in KAI, by %s', (name, placement) => {
  const places = (nodes: readonly Node[], topology: Topology | undefined, ...stages: readonly StageSpec[]) => placesBy(placement, nodes, topology, ...stages)
  it.each<[string, readonly Node[], Topology, readonly StageSpec[], readonly number[]]>([
    ['goes to the rack that has room', racks(1, 1, 0, 0, 0), { required: RACK }, [stage(2)], [2, 3]],
    ['goes below one spine', [[2, 1, 'spine0', 'rack'], [2, 0, 'spine1', 'rack']], { required: RACK }, [stage(2)], [1, 1]],
    ['goes to one rack, above the spines', racks(2, 1, 0, 0, 0), { required: RACK }, [stage(4)], [2, 2, 3, 3]],
    ['waits where no rack has room', racks(2, 1, 0, 1, 0), { required: RACK }, [stage(4)], []],
    ['goes to the rack that is preferred', [[2, 1, 'rack0'], [2, 0, 'rack1']], { preferred: RACK }, [stage(2)], [1, 1]],
    ['goes to two racks where one is preferred and none has room', [[2, 1, 'rack0'], [2, 1, 'rack1']], { preferred: RACK }, [stage(2)], [0, 1]],
    ['goes to one rack where one spine is preferred and none has room', ['s0 r0', 's1 r0', 's2 r1', 's3 r1'].map((path, i) => [2, i === 0 ? 2 : 1, ...path.split(' ')] as Node), { preferred: RACK, required: ABOVE }, [stage(2)], [2, 3]],
    ['goes to the rack with least room', [[10, 0, 'rack0'], [10, 1, 'rack1']], { required: RACK }, [stage(2)], [1, 1]],
    ['goes below as few spines as can be', Array.from({ length: 8 }, (_, i) => [1, 0, `spine${i >> 1}`, 'rack']), { preferred: RACK, required: ABOVE }, [stage(3)], [0, 1, 2]],
    ['fills one spine, and one rack of the other', spines(), { preferred: ABOVE }, [stage(6)], [0, 1, 2, 3, 4, 5]],
    ['goes below the spine with least room', spines(1, 1, 1), { preferred: ABOVE }, [stage(1)], [3]],
    ['goes to one zone where no rack has room', ['r0 z0', 'r1 z0', 'r2 z1'].map((path) => [2, 0, ...path.split(' ')] as Node), { preferred: RACK, required: ABOVE }, [stage(3)], [0, 0, 1]],
    ['goes to one zone of the region that is required', ['r0 z0 west', 'r1 z0 west', 'r2 z1 west', 'r3 z2 east'].map((path) => [2, 0, ...path.split(' ')] as Node), { preferred: RACK, required: 3 }, [stage(4)], [0, 0, 1, 1]],
    ['goes where tasks are, if there is room', [[3, 1, 'rack0'], [3, 0, 'rack1']], { required: RACK }, [stage(2)], [0, 0]],
    ['goes past a rack that is full', [[1, 1, 'rack0'], [1, 1, 'rack0'], [2, 0, 'rack1']], { required: RACK }, [stage(2)], [2, 2]],
  ])('%s', (_, nodes, topology, stages, expected) => {
    expect(places(nodes, topology, ...stages)).toEqual(expected)
  })

  it('goes to the rack that has nodes for each of it', () => {
    const found = places(racks(1, 0, 0, 0, 0), { required: RACK }, stage(1, 1, { constraints: { require: { name: ['2', '3'] } } }), stage(1, 1, { name: 'more' }))
    expect(found).toEqual(name === 'topology-aware' ? [3, 2] : [2, 3]) // of two tasks the second leads there, as in Kueue, and goes first
  })

  it('goes stage by stage to the nearest racks, where each prefers one', () => {
    expect(places(spines(), undefined, stage(3, 1, nearRack), stage(3, 1, { name: 'more', ...nearRack }))).toEqual([0, 1, 2, 4, 5, 6])
  })

  it('goes with what each stage must have to one rack, and then task by task to the next', () => {
    const elastic = { minTasks: 1, ...nearRack }
    const started = clusterOf([[2, 0, 'rack0'], [2, 0, 'rack1']], placement).submit('job', { gang: true, stages: [stage(2, 1, elastic), stage(2, 1, { name: 'more', ...elastic })] })
    expect([0, 1].map((of) => started.filter((each) => each.stage === of).map(({ node }) => Number(node)))).toEqual([[0, 1], [0, 1]])
  })

  it('goes to the rack that has CPUs for it, too', () => {
    const nodes = [5, 1].map((cpu, i) => ({ names: [`${i}`], count: 1, racks: [`rack${i}`], resources: { gpu: 2, cpu } }))
    const master = dispatcher({ cluster: { nodes }, policy: kaiPreempting({}, placement) })
    master.submit({ id: 'job', submit: 0, topology: { required: RACK }, stages: [stage(2, 1, { demand: { gpu: 1, cpu: 2 } })] }, 0)
    expect(master.pass(0).start.map(({ node }) => node)).toEqual(['0', '0'])
  })

  it.each<[readonly Node[], StageSpec]>([
    [[[1, 0, 'rack0'], [1, 0, 'rack0'], [2, 0, 'rack1']], stage(2, 2)],
    [[[2, 0, 'rack0'], [2, 0, 'rack1'], [2, 0, 'rack2'], [2, 0, 'rack3']], stage(4)],
  ])('is refused where no rack could ever hold it, in KAI pending', (nodes, tasks) => {
    expect(() => places(nodes, { required: RACK }, tasks)).toThrow(/job job.* at once/)
  })

  it('goes on in the rack where it is, or waits (LostSubgroupStaysInRootRequiredTopologyDomain)', () => {
    const { submit, end } = clusterOf([[8, 0, 'rack0'], [8, 8, 'rack0'], [8, 0, 'rack1'], [8, 0, 'rack1']], placement)
    const [other] = submit('other', { stages: [stage(1, 8, { constraints: { require: { name: '2' } } })] })
    submit('beside', { stages: [stage(1, 8, { constraints: { require: { name: '3' } } })] })
    expect(submit('job', { topology: { required: RACK }, stages: [stage(2, 8, { minTasks: 1 })] }).map(({ node }) => node)).toEqual(['0'])
    expect(end(other?.id as number)).toEqual([])
  })
})

describe('a job in KAI with parts that are each in a group of their own', () => {
  const places = (nodes: readonly Node[], topology: Topology | undefined, ...stages: readonly StageSpec[]) => placesBy(topologyAware(), nodes, topology, ...stages)
  it.each<[string, readonly Node[], Topology, readonly StageSpec[], readonly number[]]>([
    ['goes to one zone, its parts each to one rack', zones(2, 2, 2), { required: ABOVE, slices: [{ level: RACK, size: 1 }] }, [stage(2, 2)], [2, 3]],
    ['goes to one zone, its parts each below one spine, and of these each to one rack', Array.from({ length: 8 }, (_, i) => [2, i === 0 ? 2 : 0, `rack${i}`, `spine${i >> 1}`, `zone${i >> 2}`]), { required: 3, slices: [{ level: 2, size: 2 }, { level: 1, size: 1 }] }, [stage(4, 2)], [4, 5, 6, 7]],
    ['goes to one zone that is preferred, its parts each below one spine', Array.from({ length: 8 }, (_, i) => [2, i === 0 ? 2 : 0, `rack${i}`, `spine${i >> 1}`, `zone${i >> 2}`]), { preferred: 3, slices: [{ level: 2, size: 2 }] }, [stage(4, 2)], [4, 5, 6, 7]],
    ['goes to one zone that is preferred, its parts each to one rack', zones(2, 4, 1), { preferred: ABOVE, slices: [{ level: RACK, size: 2 }] }, [stage(4, 2)], [2, 2, 3, 3]],
  ])('%s', (_, nodes, topology, stages, expected) => {
    expect(places(nodes, topology, ...stages)).toEqual(expected)
  })

  it('goes to one zone, each of its parts to the rack there with least room (HierarchicalMultiTopologiesAcrossSubgroups)', () => {
    const nodes = Array.from({ length: 12 }, (_, i): Node => [8, i === 0 || i === 2 ? 4 : 0, `rack${i >> 1}`, `zone${Math.floor(i / 6)}`])
    expect(places(nodes, { required: ABOVE, slices: [{ level: RACK, size: 3 }] }, stage(6, 4))).toEqual([0, 1, 1, 2, 3, 3])
  })
})

describe('where Kueue and KAI choose otherwise', () => {
  const places = (nodes: readonly Node[], topology: Topology | undefined, ...stages: readonly StageSpec[]) => both.map(([, placement]) => placesBy(placement, nodes, topology, ...stages))

  it('nodes are those with fewest GPUs free, in Kueue as few as can be', () => {
    expect(places([[2, 1, 'spine0', 'rack'], [2, 0, 'spine1', 'rack']], { required: ABOVE }, stage(2))).toEqual([[0, 1], [1, 1]])
  })

  it('the rack is one below the spine with least room, in Kueue that with least room', () => {
    expect(places(['r0 s0', 'r1 s0', 'r2 s0', 'r3 s1', 'r3 s1'].map((path) => [1, 0, ...path.split(' ')] as Node), { preferred: RACK }, stage(1))).toEqual([[3], [0]])
  })
})

describe('tasks that KAI takes for a job with a topology', () => {
  const [low, high] = [50, 75]
  const alone = (id: string, node: number, priority: number): JobSpec => ({ id, submit: 0, queue: 'q', priority, stages: [stage(1, 1, { constraints: { require: { name: `${node}` } } })] })
  /** Jobs of one GPU on each node, of which those in the list have the lower priority; then a gang of two in one rack comes. */
  const takes = (lower: readonly number[], options: KaiOptions = {}, priority = high) => {
    const nodes = racks(1, 0, 0, 0, 0).map(([gpu, , ...groups], i) => ({ names: [`${i}`], count: 1, racks: groups, labels: { name: `${i}` }, resources: { gpu } }))
    const master = dispatcher({ cluster: { nodes }, policy: kaiPreempting({ queues: { q: { resources: { gpu: { quota: 4 } } } }, ...options }, kaiScores()) })
    for (const node of lower) master.submit(alone(`j${node}`, node, low), 0)
    for (const node of [0, 1, 2, 3]) if (!lower.includes(node) && options.maxConsolidationPreemptees === undefined) master.submit(alone(`j${node}`, node, high), 0)
    master.pass(0)
    master.submit({ id: 'gang', submit: 1, queue: 'q', priority, topology: { required: RACK }, stages: [stage(2)] }, 1)
    const { start, kill } = master.pass(1)
    return { started: start.map(({ node }) => Number(node)), killed: kill.map(({ job }) => job).sort() }
  }
  it('are those of one rack', () => {
    expect(takes([1, 2, 3])).toEqual({ started: [2, 3], killed: ['j2', 'j3'] })
    expect(takes([1, 2])).toEqual({ started: [], killed: [] })
  })
  it('are not moved for it, since that would not look at its racks', () => {
    expect(takes([0, 2], { maxConsolidationPreemptees: 16 }, low)).toEqual({ started: [], killed: [] })
  })
})
