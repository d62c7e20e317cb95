import { None, type ClusterView, type JobId, type LaneId, type NodeId, type Round, type ShapeId } from '@sched/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByNode } from '../src/scored/by-node.js'

const JOB = 0 as JobId
/** What is in sight of a round: all nodes, the same large or small part as in other rounds, or a part in an array of its own. */
const sights = ['all', 'large', 'other', 'small', 'new'] as const
const step = fc.record({ node: fc.nat({ max: 39 }), free: fc.nat({ max: 9 }), capacity: fc.constantFrom(100, 100, 100, 90), sight: fc.constantFrom(...sights), asks: fc.nat({ max: 9 }) })

it('the best node is the same whether or not the nodes in sight have an index', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 40 }), fc.array(fc.nat({ max: 9 }), { minLength: 40, maxLength: 40 }), fc.array(step, { minLength: 10, maxLength: 60 }), (nodes, free, steps) => {
      const changes: NodeId[] = []
      let now = 100
      const changeLog = { get count() { return changes.length }, get kept() { return Math.min(changes.length, 8) }, node: (change: number) => changes[change] as NodeId }
      const nextWithRoom = (_: LaneId, from: number) => all.find((node) => node >= from && (free[node] as number) > 0) ?? None
      const couldTake = (shape: ShapeId, node: NodeId) => ((free[node] as number) >= shape ? 1 : 0) // a shape is how much it asks
      const cluster = { nodes, lanes: [{ resources: [0] }], resources: ['cpu'], capacity: () => now, changeLog, nextWithRoom, couldTake } as unknown as ClusterView
      const all = Array.from({ length: nodes }, (_, node) => node as NodeId)
      const known: Record<string, readonly NodeId[]> = { all, large: all.filter((node) => node % 3 > 0), other: all.filter((node) => node % 2 === 0), small: [3 as NodeId] }
      const scoreOf = (node: NodeId): number => (free[node] === 0 ? -Infinity : ((free[node] as number) * now) % 7)
      const placement = new ByNode(scoreOf)
      for (const { node, free: left, capacity, sight, asks } of steps) {
        free[node] = left
        if (node < nodes) changes.push(node as NodeId)
        now = capacity
        const inSight = known[sight] ?? all.filter((each) => each % 5 !== left % 5)
        const fits = (each: NodeId): boolean => (free[each] as number) >= asks
        const round = { cluster, work: { shape: () => asks }, lane: 0, nodes: inSight, fits: (_: JobId, each: NodeId) => fits(each) } as unknown as Round
        for (let again = 0; again < 2; again++) {
          const best = inSight.filter((each) => fits(each) && scoreOf(each) > -Infinity).sort((a, b) => scoreOf(b) - scoreOf(a) || a - b)[0]
          expect(placement.pick(JOB, round)).toBe(best ?? None)
        }
      }
    }),
    { seed: 9, numRuns: 300, endOnFailure: true },
  )
})
