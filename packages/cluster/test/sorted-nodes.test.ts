import type { NodeId } from '@sched/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { includes } from '../src/sorted-nodes.js'

it('finds the members of an ascending list of nodes and no others, whatever its gaps', () => {
  const lists = fc.uniqueArray(fc.nat(40), { maxLength: 30 }).map((nodes) => nodes.sort((a, b) => a - b) as NodeId[])
  fc.assert(
    fc.property(lists, (nodes) => {
      const found = Array.from({ length: 43 }, (_, node) => node as NodeId).filter((node) => includes(nodes, node))
      expect(found).toEqual(nodes)
    }),
    { seed: 1, numRuns: 200 },
  )
})
