// @module-tag long
import type { Kind } from '@sched/core'
import { worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decided } from './decided.js'
import { registry } from './dispatched-world.js'
import { drawnOptions } from './drawn-options.js'

/** The same with all settings, queues, users and amounts written down in the opposite order; lists stay as they are. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).reverse().map(([key, each]) => [key, turned(each)])) : value
}

const drawn = fc.record({ gangs: fc.boolean(), outages: fc.boolean() }).chain((options) => worlds({ ...options, jobs: 5 }))
const optionsOf = (kind: Kind, name: string) => drawnOptions(registry.get(kind, name).options) ?? fc.constant({})

describe('options that are written down in another order decide the same', () => {
  it.each(registry.names('policy').filter((name) => name !== 'bayes-comm'))('of %s', (name) => {
    fc.assert(
      fc.property(drawn, optionsOf('policy', name), (world, own) => {
        expect(decided(world, { [name]: turned(own) })).toBe(decided(world, { [name]: own }))
      }),
      { seed: 51, numRuns: 20 },
    )
  })

  it.each(registry.names('order'))('of the order %s', (name) => {
    fc.assert(
      fc.property(drawn, optionsOf('order', name), (world, own) => {
        expect(decided(world, { greedy: { order: { [name]: turned(own) } } })).toBe(decided(world, { greedy: { order: { [name]: own } } }))
      }),
      { seed: 52, numRuns: 20 },
    )
  })
})
