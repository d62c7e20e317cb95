import type { Plug } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestFit, firstFit, nodeUsage, nodeWeight, worstFit } from '../src/index.js'
import { Play } from './world.js'

/** What a plain scan over all nodes would choose: the highest score of those that fit, the lowest of equals. */
type Plain = (free: number, total: number, node: number) => number

interface Kind {
  readonly name: string
  readonly placement: () => Plug<'placement'>
  readonly score: Plain
}

const kinds: readonly Kind[] = [
  { name: 'first-fit', placement: firstFit, score: (_free, _total, node) => -node },
  { name: 'best-fit', placement: bestFit, score: (free) => -free },
  { name: 'worst-fit', placement: worstFit, score: (free, total) => free / total },
  { name: 'node-usage', placement: nodeUsage, score: (free) => free },
  { name: 'node-usage, most', placement: () => nodeUsage({ prefer: 'most' }), score: (free) => -free },
  { name: 'node-weight', placement: () => nodeWeight({ weights: { node: 1 }, comparator: 'absolute' }), score: (free) => free },
  { name: 'node-weight, weighted', placement: () => nodeWeight({ weights: { node: 2 } }), score: (free, total) => (free * 2) / total },
]

const steps = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 4 }), memory: fc.integer({ min: 1, max: 9 }), end: fc.boolean() }), { minLength: 1, maxLength: 25 })

describe('an index of nodes', () => {
  for (const { name, placement, score } of kinds)
    it(`chooses as a scan over all nodes does: ${name}`, () => {
      fc.assert(
        fc.property(fc.integer({ min: 2, max: 13 }), steps, (count, plan) => {
          const total = 16
          const play = new Play({ nodes: [{ count, resources: { memory: total } }] }, placement())
          const free = Array.from({ length: count }, () => total)
          const running: { readonly id: number; readonly node: number; readonly memory: number }[] = []
          for (const { tasks, memory, end } of plan) {
            const started = play.start(tasks, { memory })
            for (let i = 0; i < tasks; i++) {
              let best = -1
              for (const [node, left] of free.entries())
                if (left >= memory && (best < 0 || score(left, total, node) > score(free[best] as number, total, best))) best = node
              const task = started.shift()
              if (best < 0) {
                expect(task).toBeUndefined()
                break
              }
              expect(task?.node).toBe(best)
              free[best] = (free[best] as number) - memory
              running.push({ id: task?.id as number, node: best, memory })
            }
            play.drop()
            const oldest = end ? running.shift() : undefined
            if (oldest === undefined) continue
            play.end(oldest.id)
            free[oldest.node] = (free[oldest.node] as number) + oldest.memory
          }
        }),
        { seed: 7, numRuns: 150 },
      )
    })
})
