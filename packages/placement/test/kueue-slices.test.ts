import { dispatcher } from '@sched/cluster'
import type { JobSpec, Slice, Topology } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { topologyAware, topologyTree, type TopologyAwareOptions } from '../src/index.js'

/** Nodes by block, rack and name, with so many processors. */
type Nodes = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>

const [HOST, RACK, BLOCK] = [0, 1, 2]
const clusterOf = (nodes: Nodes) => ({
  nodes: Object.entries(nodes).flatMap(([block, racks]) => Object.entries(racks).flatMap(([rack, each]) => Object.entries(each).map(([name, procs]) => ({ names: [name], count: 1, racks: [rack, block], resources: { procs } })))),
})

interface World {
  readonly nodes: Nodes
  readonly tasks: number
  readonly topology: Topology
  readonly profile?: TopologyAwareOptions['profile']
}

const jobOf = (tasks: number, topology: Topology, change: Partial<JobSpec['stages'][number]> = {}): JobSpec => ({ id: 'job', submit: 0, topology, stages: [{ name: 'pods', tasks, gang: true, demand: { procs: 1 }, duration: 1, ...change }] })

/** How many tasks each node gets. */
function placed({ nodes, tasks, topology, profile }: World, change: Partial<JobSpec['stages'][number]> = {}): Record<string, number> {
  const control = dispatcher({ cluster: clusterOf(nodes), policy: greedy(fifo(), topologyAware(profile === undefined ? {} : { profile })) })
  control.submit(jobOf(tasks, topology, change))
  return countsOf(control.pass(0).start)
}
function countsOf(started: readonly { readonly node: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { node } of started) counts[node] = (counts[node] ?? 0) + 1
  return counts
}
type Layer = readonly [level: number, size: number]
const slices = (...layers: readonly Layer[]): { readonly slices: readonly Slice[] } => ({ slices: layers.map(([level, size]) => ({ level, size })) })
/** One rack in one block. */
const inRack = (rack: Readonly<Record<string, number>>): Nodes => ({ block: { rack } })
const usual = { b1: { r1: { c: 1 }, r2: { d: 1, a: 1, e: 1 } }, b2: { r3: { b: 1 }, r4: { f: 2 } } }

const worlds: readonly (readonly [string, World, Record<string, number>])[] = [
  ['as many slices on a node as are whole', { nodes: inRack({ a: 3, b: 3, c: 3 }), tasks: 6, topology: { required: BLOCK, ...slices([HOST, 2]) } }, { a: 2, b: 2, c: 2 }],
  ['nodes with room for most slices first, and of equals those that are left fullest', { nodes: inRack({ a: 6, b: 5, c: 4, d: 2 }), tasks: 12, topology: { required: BLOCK, ...slices([HOST, 2]) } }, { a: 6, c: 4, d: 2 }],
  ['of nodes with room for as many slices those that are left fullest', { nodes: inRack({ a: 3, b: 2, c: 2 }), tasks: 4, topology: { required: BLOCK, ...slices([HOST, 2]) } }, { b: 2, c: 2 }],
  ['the last slices where they leave least', { nodes: inRack({ a: 4, b: 3, c: 2 }), tasks: 6, topology: { required: BLOCK, ...slices([HOST, 2]) } }, { a: 4, c: 2 }],
  ['slices in racks of the block that holds all', { nodes: { b1: { r1: { a: 1, b: 1 }, r2: { c: 1, d: 1, e: 1 } }, b2: { r3: { f: 1, g: 1 } } }, tasks: 4, topology: { required: BLOCK, ...slices([RACK, 2]) } }, { a: 1, b: 1, c: 1, d: 1 }],
  ['the block in which slices are whole, not only tasks have room', { nodes: { b1: { r1: { a: 2 }, r2: { b: 2 }, r3: { c: 2 } }, b2: { r4: { d: 3 }, r5: { e: 3 } } }, tasks: 6, topology: { required: BLOCK, ...slices([RACK, 3]) } }, { d: 3, e: 3 }],
  ['several blocks if no preferred one holds all slices', { nodes: usual, tasks: 4, topology: { preferred: BLOCK, ...slices([RACK, 2]) } }, { a: 1, d: 1, f: 2 }],
  ['several blocks, of which the larger is full', { nodes: { b1: { r1: { a: 3, b: 3, c: 3 } }, b2: { r2: { d: 6 } } }, tasks: 12, topology: { preferred: BLOCK, ...slices([HOST, 3]) } }, { a: 3, b: 3, d: 6 }],
  ['the least free nodes first by that profile', { nodes: inRack({ a: 4, b: 3, c: 2 }), tasks: 4, topology: { required: BLOCK, ...slices([HOST, 2]) }, profile: 'least-free-capacity' }, { b: 2, c: 2 }],
  ['the least free block that holds all by that profile', { nodes: { b1: { r1: { a: 4, b: 3, c: 2 } }, b2: { r2: { d: 4, e: 2 } } }, tasks: 8, topology: { preferred: BLOCK, ...slices([HOST, 2]) }, profile: 'least-free-capacity' }, { a: 4, b: 2, c: 2 }],
  ['slices alone anywhere', { nodes: inRack({ a: 3, b: 3, c: 3 }), tasks: 6, topology: slices([HOST, 2]) }, { a: 2, b: 2, c: 2 }],
  ['slices alone in several blocks', { nodes: { b1: { r1: { c: 4, d: 1, a: 1 } }, b2: { r2: { f: 2, b: 1 } } }, tasks: 6, topology: slices([HOST, 2]) }, { c: 4, f: 2 }],
  ['slices alone in racks of several blocks', { nodes: usual, tasks: 4, topology: slices([RACK, 2]) }, { a: 1, d: 1, f: 2 }],
]

describe('slices, as Kueue places them (TestFindTopologyAssignments)', () => {
  it.each(worlds)('%s', (_, world, expected) => {
    expect(placed(world)).toEqual(expected)
  })

  it('refuses what cannot be whole anywhere', () => {
    const required = { required: BLOCK, ...slices([RACK, 3]) }
    expect(() => placed({ nodes: { b1: { r1: { a: 2 }, r2: { b: 2 }, r3: { c: 2 } } }, tasks: 6, topology: required })).toThrow('no group of level 2 has room for more than 0 tasks in slices of 3, and 6 must start at once (its topology)')
    expect(() => placed({ nodes: { b1: { r1: { a: 3 }, r2: { b: 1 }, r3: { c: 1 }, r4: { d: 1 } } }, tasks: 6, topology: required })).toThrow('no group of level 2 has room for more than 3 tasks in slices of 3, and 6 must start at once')
    expect(() => placed({ nodes: inRack({ a: 3, b: 3 }), tasks: 6, topology: slices([HOST, 2]) })).toThrow('the cluster has room for only 4 tasks in slices of 2, and 6 must start at once')
    expect(() => placed({ nodes: usual, tasks: 1, topology: { required: HOST, ...slices([BLOCK, 1]) } })).toThrow('its slices of level 2 are above level 0, of which all of it asks one group (its topology)')
  })
})

describe('slices in slices, as Kueue places them', () => {
  const nodes = { b1: { r1: { a: 1, b: 4 }, r2: { c: 3, d: 4 } } }
  const refused = (world: Nodes, tasks: number, ...layers: readonly Layer[]) => { expect(() => placed({ nodes: world, tasks, topology: { required: BLOCK, ...slices(...layers) } })).toThrow(`tasks in slices of ${layers[0]?.[1]}, and ${tasks} must start at once`) }

  it('are whole in the groups of each level', () => {
    expect(placed({ nodes, tasks: 8, topology: { required: BLOCK, ...slices([RACK, 4], [HOST, 2]) } })).toEqual({ b: 4, c: 2, d: 2 })
    expect(placed({ nodes, tasks: 8, topology: { required: BLOCK, ...slices([RACK, 4]) } })).toEqual({ a: 1, b: 3, c: 3, d: 1 })
  })

  it('are refused where a level has no room for whole ones', () => {
    refused(inRack({ a: 3, b: 3 }), 6, [RACK, 6], [HOST, 2])
    refused({ b1: { r1: { a: 7, b: 4 }, r2: { c: 7, d: 3 } } }, 16, [RACK, 8], [HOST, 4])
    refused({ b1: { r1: { a: 4 }, r2: { b: 4 }, r3: { c: 4 } } }, 12, [RACK, 6], [HOST, 2])
  })

  it('are refused where small nodes leave too few of three layers', () => {
    // of four racks of two nodes with 4, the nodes of the last have 1: no slice of 3 there, so none of 6 in its rack, nor a second one of 12 in its block
    const cluster = { nodes: [4, 4, 4, 1].map((procs, i) => ({ name: `r${i}`, count: 2, racks: [`r${i}`, `b${i >> 1}`, 'all'], resources: { procs } })) }
    const submit = (tasks: number) => () => { dispatcher({ cluster, policy: greedy(fifo(), topologyAware()) }).submit(jobOf(tasks, { required: 3, ...slices([BLOCK, 12], [RACK, 6], [HOST, 3]) })) }
    expect(submit(24)).toThrow('no group of level 3 has room for more than 12 tasks in slices of 12, and 24 must start at once')
    expect(submit(12)).not.toThrow()
  })

  it('are whole across levels between theirs', () => {
    // two zones of two blocks of two racks of five nodes: 12 in a zone, 4 in a rack
    const control = dispatcher({ cluster: { nodes: [...'01234567'].map((rack, i) => ({ name: `r${rack}`, count: 5, racks: [`r${rack}`, `b${i >> 1}`, `z${i >> 2}`], resources: { procs: 1 } })) }, policy: greedy(fifo(), topologyAware()) })
    control.submit(jobOf(24, slices([3, 12], [RACK, 4])))
    const racks = control.pass(0).start.map(({ node }) => ({ node: node.slice(0, 2) }))
    expect(countsOf(racks)).toEqual({ r0: 4, r1: 4, r2: 4, r4: 4, r5: 4, r6: 4 })
  })
})

describe('slices of a job', () => {
  const nodes = { b1: { r1: { a: 2, b: 2 }, r2: { c: 2, d: 1 } } }
  const topology = slices([RACK, 2])

  it('start one after the other where its tasks need not start together', () => {
    expect(placed({ nodes, tasks: 9, topology }, { gang: false })).toEqual({ a: 2, b: 2, c: 1, d: 1 })
    expect(placed({ nodes: { b1: { r1: { a: 1 }, r2: { b: 1 }, r3: { c: 1, d: 1 } } }, tasks: 4, topology }, { gang: false })).toEqual({ c: 1, d: 1 })
  })

  it('need the room of their tasks alone, with fewer in the last (TASPartialSlices)', () => {
    // alone anywhere the rack with least room comes first: one whole slice there, and the short one beside it
    expect(placed({ nodes, tasks: 5, topology })).toEqual({ a: 2, c: 2, d: 1 })
    expect(placed({ nodes, tasks: 5, topology: { preferred: BLOCK, ...topology } })).toEqual({ a: 2, b: 2, d: 1 })
    expect(placed({ nodes: inRack({ a: 3 }), tasks: 3, topology: slices([HOST, 2]) })).toEqual({ a: 3 })
    expect(placed({ nodes: inRack({ a: 3, b: 2, c: 1 }), tasks: 5, topology: { required: BLOCK, ...slices([HOST, 2]) } })).toEqual({ a: 3, b: 2 })
    expect(placed({ nodes: inRack({ a: 2, b: 2, c: 1 }), tasks: 5, topology: { required: BLOCK, ...slices([HOST, 2]) } })).toEqual({ a: 2, b: 2, c: 1 })
    expect(() => placed({ nodes: inRack({ a: 4, b: 4 }), tasks: 8, topology: slices([HOST, 3]) })).toThrow('the cluster has room for only 6 tasks in slices of 3, and 8 must start at once')
    expect(() => placed({ nodes: inRack({ a: 2, b: 2, c: 1 }), tasks: 4, topology: slices([HOST, 3]) })).toThrow('the cluster has room for only 0 tasks in slices of 3, and 4 must start at once')
  })

  it('are short at the end of jobs whose tasks start one after the other, and need whole ones before', () => {
    const alone = (tasks: number, a: number, b: number) => placed({ nodes: inRack({ a, b }), tasks, topology: slices([HOST, 2]) }, { gang: false })
    expect([alone(3, 2, 1), alone(3, 1, 3), alone(5, 3, 1), alone(3, 1, 1), alone(1, 1, 1)]).toEqual([{ a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2 }, {}, { a: 1 }])
  })

  it('need the room of whole ones, with fewer tasks in the last, where they are in slices', () => {
    expect(() => placed({ nodes: inRack({ a: 3 }), tasks: 3, topology: slices([RACK, 2], [HOST, 1]) })).toThrow('the cluster has room for only 2 tasks in slices of 2, and 3 must start at once')
  })

  it('are no longer whole after its wait', () => {
    const control = dispatcher({ cluster: clusterOf({ b1: { r1: { a: 1 }, r2: { b: 1 } } }), policy: greedy(fifo(), topologyAware()) })
    control.submit(jobOf(2, { ...topology, wait: 10 }))
    expect([control.pass(9).start.length, countsOf(control.pass(10).start)]).toEqual([0, { a: 1, b: 1 }])
  })

  it('are filled up by tasks that start anew, in the innermost groups first', () => {
    const control = dispatcher({ cluster: clusterOf({ b1: { r1: { a: 4, b: 3 }, r2: { c: 4, d: 4 } } }), policy: greedy(fifo(), topologyAware()) })
    control.submit(jobOf(8, slices([RACK, 4], [HOST, 2]), { gang: false }))
    const started = control.pass(0).start
    expect(countsOf(started)).toEqual({ a: 2, b: 2, c: 4 })
    const lost = started.filter(({ node }, i) => node === 'b' || (node === 'c' && i === started.length - 1))
    for (const { id } of lost) control.taskFailed({ id }, 1)
    expect(countsOf(control.pass(1).start)).toEqual({ a: 2, c: 1 }) // a pair on the node of its rack that it fills
  })

  it('are told of where the placement does not look at them', () => {
    const told: string[] = []
    const control = dispatcher({ cluster: clusterOf(nodes), policy: greedy(fifo(), topologyTree()), warn: (message) => told.push(message) })
    control.submit(jobOf(4, topology))
    expect(told).toEqual(['job job says by the slices of its topology which of its tasks stay together, and no placement here heeds that. Give the policy the placement `topology-aware`.'])
  })
})

describe('slices of a level above those of the cluster', () => {
  it('may be anywhere, which is told', () => {
    const told: string[] = []
    const control = dispatcher({ cluster: { nodes: [{ count: 4, resources: { procs: 1 } }] }, policy: greedy(fifo(), topologyAware()), warn: (message) => told.push(message) })
    control.submit(jobOf(4, slices([RACK, 4])))
    expect(told).toEqual(['topology-aware: job job asks for slices in one group of level 1, and the cluster has no racks: all nodes are such a group.'])
    expect(control.pass(0).start).toHaveLength(4)
  })
})

describe('a topology with slices', () => {
  const refusal = (topology: Topology, change: Partial<JobSpec> = {}) => () => {
    dispatcher({ cluster: clusterOf(usual), policy: greedy(fifo(), topologyAware()) }).submit({ ...jobOf(2, topology), ...change })
  }

  it('is checked', () => {
    expect(refusal({ slices: [] })).toThrow('job job has no slices in a list of them.')
    expect(refusal(slices([-1, 2]))).toThrow('job job has slices of level -1.')
    expect(refusal(slices([RACK, 0]))).toThrow('job job has slices of 0 tasks.')
    expect(refusal(slices([HOST, 2], [RACK, 2]))).toThrow('job job has slices of level 1 inside those of level 0.')
    expect(refusal(slices([RACK, 4], [HOST, 3]))).toThrow('job job has slices of 3 tasks inside those of 4.')
    expect(refusal({ racks: 1, ...slices([HOST, 2]) })).toThrow('job job has a topology with slices and racks.')
    expect(refusal({ segment: 1, ...slices([HOST, 2]) })).toThrow('job job has a topology with slices and a segment.')
    const stage = { name: 'pods', tasks: 2, gang: true, demand: { procs: 1 }, duration: 1 }
    expect(refusal(slices([HOST, 2]), { gang: true, stages: [stage, { ...stage, name: 'more' }] })).toThrow('job job has slices of all its stages, and is one gang.')
  })
})
