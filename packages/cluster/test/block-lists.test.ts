import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockLists } from '../src/block-lists.js'
import { buildCluster } from '../src/index.js'

const groupCounts = [7, 3, 2] // nodes, racks, rows
const paths = [['r0', 'x'], ['r0', 'x'], ['r0', 'x'], ['r1', 'x'], ['r1', 'x'], ['r2', 'y'], ['r2', 'y']]
const deep = buildCluster({ nodes: paths.map((racks, i) => ({ name: `n${i}`, count: 1, racks, slots: { map: 1 } })) })
/** Many nodes for few blocks: heads are shared by groups. */
const wide = buildCluster({ nodes: [{ count: 3000, racks: 100, slots: { map: 1 } }] })

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ find: fc.nat(), level: fc.nat({ max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ place: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ takeBack: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ move: fc.nat(), to: fc.nat() }) },
)

describe.each([
  ['a small cluster', deep],
  ['more groups than blocks', wide],
] as const)('BlockLists on %s', (_, model) => {
  const levels = model.groups.length
  const groupOf = (level: number, node: number) => model.groups[level]?.[node] as number

  it('finds the lowest unplaced task near a node, as a scan of all replicas does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 3 }), fc.infiniteStream(fc.nat({ max: model.nodes - 1 })), fc.array(step, { maxLength: 60 }), (tasks, factor, nodes, steps) => {
        // half of the replicas on few nodes, so that groups of a large cluster are met at all
        const replicas = Int32Array.from({ length: tasks * factor }, (_, i) => (i % 2 === 0 ? (nodes.next().value as number) : (nodes.next().value as number) % 5))
        const lists = new BlockLists(model, replicas, factor)
        const first = 3 // the stage's tasks start here in the columns
        const runs = new Int32Array(first + tasks).fill(-1)
        const unplaced = (task: number) => runs[first + task] === -1
        for (const each of steps) {
          if ('find' in each) {
            const level = each.level % levels
            const near = replicas[each.find % replicas.length] as number
            const node = each.find % 3 === 0 ? each.find % model.nodes : near
            const group = groupOf(level, node)
            const scan = Array.from({ length: tasks }, (_, task) => task).find(
              (task) => unplaced(task) && replicas.subarray(task * factor, (task + 1) * factor).some((replica) => groupOf(level, replica) === group),
            )
            expect(lists.find(level, group, runs, first)).toBe(scan ?? -1)
          } else if ('place' in each) runs[first + (each.place % tasks)] = each.place % 2 === 0 ? 5 : -2
          else {
            const task = ('move' in each ? each.move : each.takeBack) % tasks
            if (unplaced(task)) continue
            if ('move' in each) lists.move(task, each.to % tasks) // its replicas are now those of the other task
            runs[first + task] = -1
            lists.restore(task)
          }
        }
      }),
      { seed: 3, numRuns: 300 },
    )
  })

  it('tells the level of a task on a node: the innermost group that holds a replica', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: model.nodes - 1 }), { minLength: 2, maxLength: 2 }), fc.nat({ max: model.nodes - 1 }), (replicas, node) => {
        const lists = new BlockLists(model, Int32Array.from([0, 0, ...replicas]), 2)
        const level = model.groups.findIndex((groups) => replicas.some((replica) => groups[replica] === groups[node]))
        expect(lists.level(1, node)).toBe(level < 0 ? levels : level)
      }),
      { seed: 4, numRuns: 200 },
    )
  })
})

describe('levels of the test cluster', () => {
  it('are the node, its rack and its row', () => {
    expect(deep.groupNames.map((names) => names.length)).toEqual(groupCounts)
    const lists = new BlockLists(deep, Int32Array.of(0), 1)
    expect([0, 1, 3, 5].map((node) => lists.level(0, node))).toEqual([0, 1, 2, 3])
  })
})
