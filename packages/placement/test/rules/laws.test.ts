import type { PlacementRule, TaskSelector } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'
import { Play } from '../world.js'
import { mayBePlain, type PlainRun, type PlainTask } from './plain-rules.js'

const zones = ['a', 'b', undefined, 'a', 'c', 'b', undefined]
const value = fc.constantFrom('x', 'y')
const tags = fc.oneof(fc.constant({}), fc.record({ app: value }), fc.record({ app: value, tier: value }))
const expression = fc.oneof(
  fc.record({ key: fc.constant('tier'), operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  fc.record({ key: fc.constant('tier'), operator: fc.constantFrom('In' as const, 'NotIn' as const), values: fc.constant(['x']) }),
)
const of: fc.Arbitrary<TaskSelector> = fc.record(
  { tags: fc.record({ app: value }), matchExpressions: fc.array(expression, { maxLength: 1 }), users: fc.subarray(['ann', 'bob'], { minLength: 1 }), job: fc.constantFrom('own' as const, 'other' as const) },
  { requiredKeys: [] },
)
const over = fc.constantFrom('node', 'rack', 'zone')
const rule: fc.Arbitrary<PlacementRule> = fc.oneof(
  fc.record({ kind: fc.constantFrom('affinity' as const, 'antiAffinity' as const), of, over }),
  fc.record({ kind: fc.constant('antiAffinity' as const), of, over, weight: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('cardinality' as const), of, over, min: fc.constantFrom(0, 0, 1), max: fc.constantFrom(0, 1, 2) }),
  fc.record({ kind: fc.constant('spread' as const), of, over, maxSkew: fc.constantFrom(1, 2), minDomains: fc.constantFrom(1, 4) }),
)
const step = fc.record({
  tasks: fc.integer({ min: 1, max: 4 }), user: fc.constantFrom('ann', 'bob'), tags, rules: fc.array(rule, { maxLength: 2 }), end: fc.array(fc.nat({ max: 9 }), { maxLength: 3 }),
})

/** What a node has room for. */
const ROOM = 3

describe('placement rules', () => {
  it('let tasks be where a look at all that runs would let them be, whatever started and ended before', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
        const cluster = { nodes: zones.map((zone, i) => ({ count: 1, names: [`node-${i}`], racks: [`r${i % 3}`], resources: { cpu: ROOM }, ...(zone !== undefined && { labels: { zone } }) })) }
        const groupOf = (group: string, node: number) => (group === 'node' ? String(node) : group === 'rack' ? String(node % 3) : zones[node])
        const play = new Play(cluster, weighted({ scores: {} }))
        let running: (PlainRun & { readonly id: number })[] = []
        const waiting: (PlainTask & { left: number })[] = []
        for (const [i, { tasks, end, ...task }] of steps.entries()) {
          waiting.push({ ...task, job: `job${i}`, left: tasks })
          const started = play.start(tasks, { cpu: 1 }, { id: `job${i}`, user: task.user, tags: task.tags, placementRules: task.rules })
          const expected: number[] = []
          for (const each of waiting)
            for (; each.left > 0; each.left--) {
              const node = zones.findIndex((_, at) => running.filter((other) => other.node === at).length < ROOM && mayBePlain(each, at, zones.length, running, groupOf))
              if (node < 0) break
              running.push({ ...each, node, id: started[expected.length]?.id ?? -1 })
              expected.push(node)
            }
          expect(started.map(({ node }) => node)).toEqual(expected)
          for (const each of end) {
            const ended = running[each]
            if (ended === undefined) continue
            play.end(ended.id)
            running = running.filter((other) => other !== ended)
          }
        }
      }),
      { numRuns: 150, seed: 5 },
    )
  })
})
