import { dispatcher } from '@sched/cluster'
import type { JobSpec, Topology } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { topologyAware, type TopologyAwareOptions } from '../src/index.js'

/** Nodes by block, rack and name, with so many processors. */
type Nodes = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>

const clusterOf = (nodes: Nodes) => ({
  nodes: Object.entries(nodes).flatMap(([block, racks]) => Object.entries(racks).flatMap(([rack, each]) => Object.entries(each).map(([name, procs]) => ({ names: [name], count: 1, racks: [rack, block], resources: { procs } })))),
})

/** How many pods of one processor each node gets. */
function pods(nodes: Nodes, count: number, topology?: Topology, options: TopologyAwareOptions = {}, change: Partial<JobSpec> = {}, stage: object = {}): Record<string, number> {
  const control = dispatcher({ cluster: clusterOf(nodes), policy: greedy(fifo(), topologyAware(options)) })
  control.submit({ id: 'pods', submit: 0, stages: [{ name: 'main', tasks: count, gang: true, demand: { procs: 1 }, duration: 1, ...stage }], ...(topology !== undefined && { topology }), ...change })
  const placed: Record<string, number> = {}
  for (const { node } of control.pass(0).start) placed[node] = (placed[node] ?? 0) + 1
  return placed
}
const HOST = 0
const RACK = 1
const BLOCK = 2

describe('topology-aware, as Kueue finds domains (TestFindTopologyAssignments)', () => {
  const usual = { b1: { r1: { x3: 1 }, r2: { x5: 1, x1: 1, x6: 1 } }, b2: { r1: { x2: 1 }, r2: { x4: 2 } } }
  const scattered = { b1: { r1: { x3: 4, x5: 1, x1: 1 } }, b2: { r1: { x6: 2, x2: 1 } } }
  const binary = { b1: { r1: { x3: 1, x5: 1 }, r2: { x1: 1, x6: 1 } }, b2: { r1: { x2: 1, x4: 1 }, r2: { x7: 1, x8: 1 } } }

  it('minimizes the number of used racks before optimizing the number of nodes', () => {
    expect(pods({ b1: { r1: { x3: 2 }, r2: { x5: 2 }, r3: { x1: 1, x6: 1, x2: 1, x4: 1 } } }, 4, { required: BLOCK })).toEqual({ x1: 1, x2: 1, x4: 1, x6: 1 })
  })

  it('chooses the node that can accommodate all Pods', () => {
    expect(pods({ b1: { r1: { x3: 2, x5: 1, x1: 1 } } }, 2, { required: BLOCK })).toEqual({ x3: 2 })
  })

  it('scatters 6 pods without a topology over the hosts with least room first', () => {
    expect(pods(scattered, 6)).toEqual({ x1: 1, x3: 1, x5: 1, x2: 1, x6: 2 })
    expect(pods(scattered, 6, undefined, { profile: 'best-fit' })).toEqual({ x3: 4, x6: 2 })
  })

  it('unconstrained; a single pod fits into each host', () => {
    expect(pods(usual, 1)).toEqual({ x3: 1 })
    expect(pods(usual, 1, undefined, { profile: 'best-fit' })).toEqual({ x3: 1 })
  })

  it('block required; 4 pods fit into one host each', () => {
    expect(pods(binary, 4, { required: BLOCK })).toEqual({ x3: 1, x5: 1, x1: 1, x6: 1 })
  })

  it('host required; a single Pod fits in the host', () => {
    expect(pods(usual, 1, { required: HOST })).toEqual({ x3: 1 })
  })

  it('rack required; Pods fit in a rack, the tightest', () => {
    expect(pods(usual, 1, { required: RACK })).toEqual({ x3: 1 })
    expect(pods(usual, 2, { required: RACK })).toEqual({ x4: 2 })
    expect(pods(usual, 3, { required: RACK })).toEqual({ x5: 1, x1: 1, x6: 1 })
    expect(() => pods(usual, 4, { required: RACK })).toThrow('its 4 tasks at once are more than any rack has room for (its topology)')
  })

  it('block required; Pods fit in a block, spread across two racks where that must be', () => {
    expect(pods(usual, 1, { required: BLOCK })).toEqual({ x2: 1 })
    expect(pods(usual, 4, { required: BLOCK })).toEqual({ x3: 1, x5: 1, x1: 1, x6: 1 })
    expect(() => pods(usual, 5, { required: BLOCK })).toThrow('its 5 tasks at once are more than any group of level 2 has room for')
  })

  it('rack preferred; but only a block, or multiple blocks, can accommodate the workload', () => {
    expect(pods(usual, 4, { preferred: RACK })).toEqual({ x3: 1, x5: 1, x1: 1, x6: 1 })
    expect(pods(usual, 6, { preferred: RACK })).toEqual({ x3: 1, x5: 1, x1: 1, x6: 1, x4: 2 })
    expect(pods(usual, 6, { preferred: BLOCK })).toEqual({ x3: 1, x5: 1, x1: 1, x6: 1, x4: 2 })
  })

  it('takes the domains with least room first with LeastFreeCapacity (as of Kueue 0.11)', () => {
    const profile = 'least-free-capacity'
    const older = { b1: { r1: { x1: 1 }, r2: { x2: 1, x3: 1, x4: 1 } }, b2: { r1: { x5: 1 }, r2: { x6: 2 } } }
    expect(pods({ b1: { r1: { x1: 2, x2: 1, x3: 1 } } }, 2, { required: BLOCK }, { profile })).toEqual({ x2: 1, x3: 1 })
    expect(pods(older, 1, { required: BLOCK }, { profile })).toEqual({ x5: 1 })
    expect(pods(older, 2, { required: BLOCK }, { profile })).toEqual({ x5: 1, x6: 1 })
  })

  it('block preferred; Pods fit in 2 blocks', () => {
    expect(pods({ b1: { b1: { b1: 2 } }, b2: { b2: { b2: 1 } }, b3: { b3: { b3: 4 } } }, 5, { preferred: BLOCK })).toEqual({ b2: 1, b3: 4 })
  })
})

describe('topology-aware', () => {
  const nodes = { b1: { r1: { a: 3, b: 2 }, r2: { c: 4 } }, b2: { r3: { d: 5, e: 1 } } }

  it('takes domains with most or least room first, by its profile', () => {
    const of = (profile: TopologyAwareOptions['profile'], count: number, topology?: Topology) => pods(nodes, count, topology, { profile })
    expect([of('best-fit', 4, { required: RACK }), of('least-free-capacity', 4, { required: RACK }), of('most-free-capacity', 4, { required: RACK })]).toEqual([{ c: 4 }, { c: 4 }, { d: 4 }])
    expect([of('best-fit', 3, { required: BLOCK }), of('least-free-capacity', 3, { required: BLOCK }), of('most-free-capacity', 3, { required: BLOCK })]).toEqual([{ d: 3 }, { e: 1, d: 2 }, { a: 3 }])
    expect([of('best-fit', 6), of('mixed', 6), of('most-free-capacity', 6)]).toEqual([{ d: 5, e: 1 }, { b: 2, a: 3, e: 1 }, { c: 1, d: 5 }])
  })

  it('puts tasks one by one onto the tightest node, or with most room first onto the roomiest', () => {
    const alone = { gang: false }
    expect(pods(nodes, 4, undefined, {}, {}, alone)).toEqual({ e: 1, b: 2, a: 1 })
    expect(pods(nodes, 4, undefined, { profile: 'most-free-capacity' }, {}, alone)).toEqual({ a: 1, c: 1, d: 2 })
    expect(pods(nodes, 8, { required: RACK }, {}, {}, alone)).toEqual({ d: 5, e: 1 })
  })

  it('puts jobs of one task where those of several would go, one after the other', () => {
    const control = dispatcher({ cluster: clusterOf({ b2: { r3: { d: 2, e: 1 } }, b1: { r1: { z: 1, b: 2 }, r0: { c: 1 } } }), policy: greedy(fifo(), topologyAware()) })
    for (let i = 0; i < 8; i++) control.submit({ id: `${i}`, submit: 0, stages: [{ name: 'main', tasks: 1, demand: { procs: 1 }, duration: 1 }] })
    expect(control.pass(0).start.map(({ node }) => node)).toEqual(['c', 'z', 'e', 'b', 'b', 'd', 'd'])
  })

  it('prefers a rack in the block that is required', () => {
    expect(pods(nodes, 5, { required: BLOCK, preferred: RACK })).toEqual({ a: 3, b: 2 })
    expect(pods(nodes, 9, { required: BLOCK, preferred: RACK })).toEqual({ a: 3, b: 2, c: 4 })
    expect(() => pods(nodes, 10, { required: BLOCK, preferred: RACK })).toThrow('its 10 tasks at once are more than any group of level 2 has room for (its topology)')
    expect(pods(nodes, 10, { preferred: RACK })).toEqual({ c: 4, d: 5, e: 1 }) // of both blocks the largest rack, and the tightest for the rest
  })

  it('places a gang of several stages as a whole, or each by what it says', () => {
    const two = (change: Partial<JobSpec>, own: object = {}) => pods(nodes, 0, undefined, {}, { gang: true, stages: ['one', 'two'].map((name) => ({ name, tasks: 3, gang: true, demand: { procs: 1 }, duration: 1, ...own })), ...change })
    expect(two({ topology: { required: RACK } })).toEqual({ d: 5, e: 1 })
    expect(two({}, { topology: { required: RACK } })).toEqual({ c: 3, a: 3 })
  })
})
