import type { Demand } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { kaiScores, type KaiScoresOptions } from '../src/index.js'
import { Play } from './world.js'

// Cases of KAI's own tests of its plug-ins nodeplacement and resourcetype. Where its scores are equal the lowest node is taken.

/** GPUs of a node and those of them that are free; CPUs are more than enough. */
type Node = readonly [gpus: number, free: number]

/** Where tasks of one GPU go one after the other, until none is left. */
function order(options: KaiScoresOptions, nodes: readonly Node[]): number[] {
  const play = new Play({ nodes: nodes.map(([gpu], i) => ({ name: `n${i}`, names: [`n-${i}`], count: 1, resources: { gpu, cpu: 100 } })) }, kaiScores(options))
  for (const [node, [gpu, free]] of nodes.entries()) if (gpu > free) play.use(node, { gpu: gpu - free })
  return play.place(nodes.reduce((sum, [, free]) => sum + free, 0), { gpu: 1 })
}

describe('tasks with GPUs', () => {
  it.each<[string, readonly Node[], readonly number[]]>([
    ['4 nodes, 3 with GPUs small gaps', [[4, 0], [4, 2], [4, 3], [0, 0]], [1, 1, 2, 2, 2]],
    ['3 nodes, 3 with GPUs all with same allocatable GPUs', [[8, 1], [4, 1], [16, 1]], [0, 1, 2]], // by amounts, not by parts of a node
    ['3 nodes, 3 with GPUs all free', [[3, 3], [2, 2], [4, 4]], [1, 1, 0, 0, 0, 2, 2, 2, 2]],
    ['3 nodes, 3 with GPUs, 1 with big gap, 2 with small gaps', [[6, 6], [2, 1], [2, 0]], [1, 0, 0, 0, 0, 0, 0]],
    ['4 nodes, 1 with GPUs', [[0, 0], [0, 0], [2, 2]], [2, 2]],
  ])('are packed where fewest are free (TestNodePack: %s)', (_, nodes, expected) => {
    expect(order({}, nodes)).toEqual(expected)
  })

  it('are spread where the largest part is free (NodeSpread, calculateScore)', () => {
    // 1/1, 1/2, 1/4 and 3/4 of theirs; then 1/2 of the third and the fourth
    expect(order({ gpu: 'spread' }, [[2, 1], [1, 1], [4, 1], [4, 3]])).toEqual([1, 3, 0, 3, 2, 3])
    expect(order({ cpu: 'spread' }, [[2, 1], [1, 1], [4, 1], [4, 3]])).toEqual([0, 1, 2, 3, 3, 3])
  })
})

describe('tasks with shares of GPUs (allocateFractionalGpu_test.go, gpusharingorder)', () => {
  /** Where a task goes, on nodes of so many GPUs, of which tasks have these parts, in percent, one GPU after the other. */
  const goes = (asked: number, options: KaiScoresOptions, ...nodes: readonly (readonly [gpus: number, ...used: readonly number[]])[]) => {
    const play = new Play({ nodes: nodes.map(([count], i) => ({ name: `n${i}`, names: [`n-${i}`], count: 1, resources: { cpu: 9 }, devices: { gpu: { count, milli: 100 } } })) }, kaiScores(options))
    for (const [node, [, ...used]] of nodes.entries()) for (const gpu of used) play.use(node, { gpu })
    return play.place(1, asked > 0 ? { gpu: asked } : { cpu: 1 })[0]
  }

  it.each<[string, number, KaiScoresOptions, readonly (readonly [number, ...number[]])[], number]>([
    ['go where one is shared, though fewer are free elsewhere', 50, {}, [[2, 100], [4, 50]], 1],
    ['go where one is shared (allocate to same gpu - even if multiple nodes)', 50, {}, [[2], [2, 50]], 1],
    ['but not where it has too little room', 50, {}, [[2, 100], [4, 60]], 0],
    ['nor where they are spread (Spread across nodes, when 1 node has shared GPU)', 20, { gpu: 'spread' }, [[2, 50], [2]], 1],
    ['do not draw whole ones, which count those as free that nobody shares', 100, {}, [[3, 50, 100], [2, 100]], 0],
    ['also where they are spread', 100, { gpu: 'spread' }, [[2, 10], [3, 100]], 1],
    ['do not draw tasks without GPUs either (TestNodeOrderFn)', 0, {}, [[2], [2, 50]], 0],
  ])('%s', (_, asked, options, nodes, expected) => {
    expect(goes(asked, options, ...nodes)).toBe(expected)
  })
})

describe('tasks without GPUs', () => {
  const nodes = [['a', { gpu: 4, cpu: 8 }], ['b', { gpu: 4, cpu: 16 }], ['c', { gpu: 0, cpu: 16 }], ['d', { gpu: 0, cpu: 32 }]] as const
  const place = (tasks: number, demand: Demand, options: KaiScoresOptions = {}, used: readonly Demand[] = []) => {
    const play = new Play({ nodes: nodes.map(([name, resources]) => ({ name, count: 1, resources })) }, kaiScores(options))
    for (const [node, each] of used.entries()) if (Object.keys(each).length > 0) play.use(node, each)
    return play.places(tasks, demand).join(' ')
  }

  it('go to nodes without GPUs as long as these have room (TestResourceType)', () => {
    expect(place(4, { cpu: 16 })).toBe('c-0 d-0 d-0 b-0')
    expect(place(1, { cpu: 1 }, { cpu: 'spread' }, [{}, {}, { cpu: 15 }, { cpu: 31 }])).toBe('c-0') // a and b are empty
  })

  it('are packed where fewest CPUs are free, or spread by the part of them', () => {
    expect(place(1, { cpu: 1 }, {}, [{}, {}, { cpu: 8 }, { cpu: 25 }])).toBe('d-0') // 8 against 7
    expect(place(1, { cpu: 1 }, { cpu: 'spread' }, [{}, {}, { cpu: 8 }, { cpu: 15 }])).toBe('d-0') // 8/16 against 17/32
    expect(place(1, { cpu: 1 }, { cpu: 'spread' }, [{}, {}, { cpu: 8 }, { cpu: 16 }])).toBe('c-0')
  })

  it('are the only ones where nobody has GPUs, and all alike where CPUs are not counted', () => {
    const on = (resources: Record<string, number>, demand: Demand) => {
      const play = new Play({ nodes: [{ count: 3, resources }] }, kaiScores())
      play.use(1, demand)
      return play.place(2, demand)
    }
    expect(on({ cpu: 2 }, { cpu: 1 })).toEqual([1, 0])
    expect(on({ slot: 2 }, { slot: 1 })).toEqual([0, 0])
  })
})
