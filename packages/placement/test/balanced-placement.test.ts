import { dispatcher } from '@sched/cluster'
import type { Topology } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topologyAware } from '../src/index.js'

// Cases of Kueue's own tests of balanced placement (tas_cache_test.go), but for those with leaders.

/** Processors by node, inside racks, inside blocks and so on. */
interface Group { readonly [name: string]: number | Group }
const [HOST, RACK, SUB_BLOCK] = [0, 1, 2]

const nodesOf = (group: Group, around: readonly string[] = []): { names: string[]; count: number; racks: string[]; resources: { procs: number } }[] =>
  Object.entries(group).flatMap(([name, inside]) => (typeof inside === 'number' ? [{ names: [name], count: 1, racks: [...around], resources: { procs: inside } }] : nodesOf(inside, [name, ...around])))

/** How many tasks each node gets of a job that asks for a topology. */
function placed(cluster: Group, tasks: number, topology: Topology, profile: 'balanced' | 'mixed' = 'balanced'): Record<string, number> {
  const control = dispatcher({ cluster: { nodes: nodesOf(cluster) }, policy: greedy(fifo(), topologyAware({ profile })) })
  control.submit({ id: 'job', submit: 0, topology, stages: [{ name: 'pods', tasks, gang: true, demand: { procs: 1 }, duration: 1 }] })
  const counts: Record<string, number> = {}
  for (const { node } of control.pass(0).start) counts[node] = (counts[node] ?? 0) + 1
  return counts
}
const near = (preferred: number, level = 0, size = 1): Topology => ({ preferred, ...((level > 0 || size > 1) && { slices: [{ level, size }] }) })

const uneven: Group = { b1: { sb1: { r1: { x1: 18 }, r2: { x2: 8 } }, sb2: { r3: { x3: 15 }, r4: { x4: 9, x5: 7 } } } }

describe('balanced placement', () => {
  it.each<[string, Group, number, Topology, Record<string, number>]>([
    ['shares tasks evenly among racks', { b1: { r1: { x1: 15 }, r2: { x2: 15 } } }, 25, near(RACK), { x1: 13, x2: 12 }],
    ['takes as few nodes as hold them, with the least to spare', { b1: { r1: { x1: 15, x2: 13, x3: 10 } } }, 23, near(RACK), { x1: 12, x2: 11 }],
    ['the same with slices', { b1: { r1: { x1: 20, x2: 15, x3: 10 } } }, 25, near(RACK, HOST, 5), { x2: 15, x3: 10 }],
    ['takes the block in which nodes get most at least', { b1: { r1: { x1: 20, x2: 10 } }, b2: { r2: { x3: 15, x4: 15 } } }, 22, near(RACK), { x3: 11, x4: 11 }],
    ['takes no nodes of several blocks', { b1: { r1: { x1: 14, x2: 11 } }, b2: { r2: { x3: 15, x4: 10 } } }, 25, near(RACK), { x1: 14, x2: 11 }],
    ['takes one rack rather than two', { b1: { r1: { x1: 15 }, r2: { x2: 15 }, r3: { x3: 15, x4: 15 } } }, 25, near(RACK, HOST, 5), { x3: 15, x4: 10 }],
    ['shares among racks of a sub-block, not among the nodes in them, slices of nodes', uneven, 20, near(SUB_BLOCK, HOST, 2), { x3: 10, x4: 8, x5: 2 }],
    ['the same with slices of racks', uneven, 20, near(SUB_BLOCK, RACK, 2), { x3: 10, x4: 3, x5: 7 }],
    ['shares among racks of one node each', { b1: { sb1: { r1: { x1: 18 }, r2: { x2: 8 } }, sb2: { r3: { x3: 15 }, r4: { x4: 15 } } } }, 20, near(SUB_BLOCK, RACK, 2), { x3: 10, x4: 10 }],
    ['shares slices of nodes among the nodes of a rack', { b1: { r1: { x1: 15, x2: 13, x3: 10 }, r2: { x4: 20, x5: 8 } } }, 22, near(HOST, HOST, 2), { x2: 12, x3: 10 }],
    ['shares tasks among the nodes of a rack', { b1: { r1: { x1: 20, x2: 8 }, r2: { x3: 15, x4: 13, x5: 10 } } }, 22, near(HOST), { x3: 11, x4: 11 }],
    ['takes the rack with nodes of more equal room: the second', { b1: { r1: { x1: 10, x2: 5 }, r2: { x3: 5, x4: 5, x5: 5 } } }, 15, near(RACK), { x3: 5, x4: 5, x5: 5 }],
    ['takes the rack with nodes of more equal room: the first', { b1: { r1: { x1: 8, x2: 8, x3: 8 }, r2: { x4: 16, x5: 8 } } }, 24, near(RACK), { x1: 8, x2: 8, x3: 8 }],
    ['shares among nodes of several racks where nothing is around these', { r1: { x1: 21, x2: 9 }, r2: { x3: 11, x4: 10, x5: 10 } }, 23, near(RACK), { x1: 12, x3: 11 }],
    ['leaves out nodes with too little room before it counts racks', { b1: { r1: { x1: 5, x2: 5 }, r2: { x3: 5, x4: 5 } }, b2: { r3: { x5: 10, x6: 4, x7: 4, x8: 4 }, r4: { x9: 5 }, r5: { x10: 5 } } }, 20, near(RACK), { x1: 5, x2: 5, x3: 5, x4: 5 }],
  ])('%s', (_, cluster, tasks, topology, expected) => {
    expect(placed(cluster, tasks, topology)).toEqual(expected)
  })

  it('is for what is preferred alone; the rest is placed as with mixed', () => {
    const rack: Group = { b1: { r1: { x1: 15, x2: 13, x3: 10 } } }
    for (const topology of [{ required: RACK }, { preferred: RACK, required: 2 }]) expect(placed(rack, 23, topology)).toEqual({ x1: 15, x3: 8 })
    for (const topology of [{ required: RACK }, { preferred: RACK, required: 2 }, near(RACK, RACK, 1)]) expect(placed(rack, 23, topology)).toEqual(placed(rack, 23, topology, 'mixed'))
  })

  it('falls back to best-fit where not all slices find room in as few domains', () => {
    // 5 slices of 3 tasks: two nodes take them, and c and d have room for 15 tasks with least to spare, but only for 4 whole slices
    expect(placed({ b1: { r1: { a: 9, b: 9, c: 8, d: 8 } } }, 15, near(RACK, HOST, 3))).toEqual({ a: 9, c: 6 })
  })

  it('gives the node with least as much as can be, on as few nodes as can be, with the least room to spare', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 7 }), fc.double({ min: 0, max: 1, noNaN: true }), (rooms, part) => {
      const all = rooms.reduce((sum, room) => sum + room, 0)
      const tasks = Math.max(1, Math.round(part * all))
      const counts = placed({ rack: Object.fromEntries(rooms.map((room, i) => [`n${i}`, room])) }, tasks, near(RACK))
      const subsets = Array.from({ length: 2 ** rooms.length }, (_, bits) => rooms.flatMap((room, i) => (bits & (2 ** i) ? [room] : [])))
        .filter((each) => each.reduce((sum, room) => sum + room, 0) >= tasks)
      const few = Math.min(...subsets.map(({ length }) => length))
      const least = (each: readonly number[]) => Math.min(Math.floor(tasks / few), ...each)
      const fewest = subsets.filter(({ length }) => length === few)
      const most = Math.max(...fewest.map(least))
      const spare = Math.min(...fewest.filter((each) => least(each) === most).map((each) => each.reduce((sum, room) => sum + room, 0)))
      const used = Object.keys(counts)
      expect([used.length, Math.min(...Object.values(counts)), used.reduce((sum, name) => sum + (rooms[Number(name.slice(1))] as number), 0), Object.values(counts).reduce((sum, each) => sum + each, 0)])
        .toEqual([few, most, spare, tasks])
    }), { seed: 3, numRuns: 300 })
  })
})
