import type { NodeId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { Blocks } from '../../src/backfilling/blocks.js'
import { plainBlocks } from './reference/plain-blocks.js'

/** Nodes of base blocks of so many nodes, one after another. */
const blocksOf = (counts: readonly number[]): NodeId[][] => {
  let next = 0
  return counts.map((count) => Array.from({ length: count }, () => next++ as NodeId))
}

/** The nodes of a job of one task on each, where all nodes but some are free. */
function nodesOf(counts: readonly number[], sizes: readonly number[], nodes: number, { segment = 0, busy = [] as readonly number[], weights = undefined as readonly number[] | undefined } = {}) {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const places: NodeId[] = []
  const room = Array.from({ length: all }, (_, node) => (busy.includes(node) ? 0 : 1))
  return new Blocks(all, blocksOf(counts), sizes).choose(room, { tasks: nodes, nodes, segment }, places, weights) ? places : undefined
}

describe('blocks', () => {
  const EIGHT = [4, 4]

  it('keep a job that fits into one in one, and let it wait for it (test_const1 of Slurm)', () => {
    // of two that hold 2 nodes the last; the job of 3 then has the other one, and two and one are left
    expect(nodesOf(EIGHT, [4, 8], 2)).toEqual([4, 5])
    expect(nodesOf(EIGHT, [4, 8], 3, { busy: [4, 5] })).toEqual([0, 1, 2])
    expect(nodesOf(EIGHT, [4, 8], 3, { busy: [0, 1, 2, 4, 5] })).toBeUndefined()
    expect(nodesOf(EIGHT, [4, 8], 2, { busy: [0, 1, 2, 4, 5] })).toEqual([6, 7])
  })

  it('give a larger job several (test_const2 of Slurm)', () => {
    expect(nodesOf(EIGHT, [4, 8], 3)).toEqual([4, 5, 6])
    expect(nodesOf(EIGHT, [4, 8], 5, { busy: [4, 5, 6] })).toEqual([0, 1, 2, 3, 7])
  })

  it('hold a job of segments, each in one (test_segment1 and its spread of Slurm)', () => {
    expect(nodesOf(EIGHT, [4, 8], 4, { segment: 2, busy: [0, 1, 4, 5] })).toEqual([6, 7, 2, 3])
    expect(nodesOf(EIGHT, [4, 8], 6, { segment: 3 })).toEqual([4, 5, 6, 0, 1, 2])
    expect(nodesOf([4, 4, 4, 4], [4, 16], 15, { segment: 5 })).toHaveLength(15) // five_node_segments: each in several base blocks
    expect(nodesOf(EIGHT, [4, 8], 6, { segment: 3, busy: [0, 1, 4] })).toBeUndefined()
    expect(nodesOf(EIGHT, [4, 8], 5, { busy: [0, 4] })).toEqual([5, 6, 7, 1, 2]) // a segment of all is none
    expect(nodesOf(EIGHT, [4, 8], 5, { segment: 6, busy: [0, 4] })).toEqual([5, 6, 7, 1, 2])
  })

  it('keep a job in the smallest larger block that holds it, there in as few of those below as an empty machine needs', () => {
    // six blocks of 2: pairs are no size here, so 5 nodes are in 3 base blocks of four
    expect(nodesOf([2, 2, 2, 2, 2, 2], [2, 8], 5, { busy: [0, 2, 4, 6] })).toBeUndefined()
    expect(nodesOf([2, 2, 2, 2, 2, 2], [2, 8], 5, { busy: [0, 2] })).toEqual([6, 7, 4, 5, 3])
    expect(nodesOf([2, 2, 2, 2, 2, 2], [2, 4], 5, { busy: [0, 2, 4, 6, 8] })).toHaveLength(5) // beyond all sizes: anywhere, by pairs
    expect(nodesOf([2, 2, 2, 2, 2, 2], [2, 4, 8], 4, { busy: [0] })).toEqual([10, 11, 8, 9])
  })

  it('use up lighter nodes first, unless no blocks hold the job then', () => {
    const weights = [5, 5, 1, 5, 5, 5, 5, 5]
    expect(nodesOf(EIGHT, [4, 8], 2, { weights })).toEqual([2, 0])
    // the three lightest are in three base blocks, and 3 nodes are to be in two
    expect(nodesOf([2, 2, 2, 2], [2, 8], 3, { weights: [1, 5, 1, 5, 1, 5, 5, 5] })).toEqual([6, 7, 4])
  })

  it('have the nodes that a plain reading of Slurm finds, on random machines', { tags: 'long' }, () => {
    let seed = 1
    const random = (below: number) => ((seed = (seed * 16_807) % 2_147_483_647) % below)
    let [held, refused] = [0, 0]
    for (let world = 0; world < 4000; world++) {
      const base = 1 + random(4)
      const counts = Array.from({ length: 1 + random(9) }, () => base + (random(4) === 0 ? random(3) : 0))
      const sizes = [1, 2, 4, 8].filter((times) => times === 1 || random(2) === 0).map((times) => times * base)
      const all = counts.reduce((sum, count) => sum + count, 0)
      const part = random(101)
      const busy = Array.from({ length: all }, (_, node) => node).filter(() => random(100) < part)
      const nodes = 1 + random(Math.min(all, 3 * base + 6))
      const divisors = Array.from({ length: nodes }, (_, i) => i + 1).filter((each) => nodes % each === 0)
      const segment = random(3) === 0 ? (divisors[random(divisors.length)] as number) : 0
      const weights = random(3) === 0 ? Array.from({ length: all }, () => 1 + random(3)) : undefined
      const plain = (weightOf: (id: number) => number) => plainBlocks({
        blocks: blocksOf(counts).map((ids) => ids.filter((id) => !busy.includes(id)).map((id) => ({ id, weight: weightOf(id) }))), sizes, nodes, segment,
      })
      const found = nodesOf(counts, sizes, nodes, { segment, busy, weights })
      const expected = plain((id) => weights?.[id] ?? 1) ?? plain(() => 1)
      expect(found, `world ${world}: ${JSON.stringify({ counts, sizes, busy, nodes, segment, weights })}`).toEqual(expected)
      if (found === undefined) refused++
      else held++
    }
    expect([held > 500, refused > 500]).toEqual([true, true])
  })

  it('count the room of nodes for several tasks', () => {
    const places: NodeId[] = []
    // 6 tasks of which a node holds 4: of the two blocks of two nodes the last has room for 5 alone
    const blocks = new Blocks(4, blocksOf([2, 2]), [2, 4])
    expect(blocks.choose([4, 2, 4, 1], { tasks: 6, nodes: 2, segment: 0 }, places)).toBe(true)
    expect(places).toEqual([0, 0, 0, 0, 1, 1])
    expect(blocks.choose([3, 2, 4, 1], { tasks: 6, nodes: 2, segment: 0 }, places)).toBe(false)
  })
})
