// @module-tag long
import { readCluster } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decided } from './decided.js'
import { registry } from './dispatched-world.js'
import { drawnOptions } from './drawn-options.js'

/** Names that all objects of JavaScript know, in the order of the names that they replace. */
const others: ReadonlyMap<string, string> = new Map([
  ['a', 'constructor'], ['ann', 'hasOwnProperty'], ['b', 'isPrototypeOf'], ['bob', 'propertyIsEnumerable'], ['c.x', 'toString.toString'], ['c.y', 'toString.valueOf'], ['normal', 'valueOf'],
])
const otherName = (name: string): string => others.get(name) ?? name

/** Options with other names in keys and values. */
const renamed = (value: unknown, of = otherName): unknown => {
  if (typeof value === 'string') return of(value)
  if (Array.isArray(value)) return value.map((each) => renamed(each, of))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [of(key), renamed(each, of)]))
}

/** Every job has a user: those without one are in a queue `default`, which would come elsewhere in the order of names. */
const owned = (world: World): World => ({ ...world, jobs: world.jobs.map((job) => ({ ...job, user: job.user ?? 'bob' })) })
const withNames = (world: World): World => ({
  ...world,
  jobs: world.jobs.map((job): JobSpec => ({ ...job, ...(job.user !== undefined && { user: otherName(job.user) }), ...(job.queue !== undefined && { queue: otherName(job.queue) }) })),
})

const names = registry.names('policy').filter((name) => name !== 'bayes-comm')
const needed: Readonly<Record<string, object>> = { 'skip-delay': { skips: 5 } }
/** Every policy with every order. */
const withOrders = names.flatMap((name) => ('order' in registry.get('policy', name).inner ? registry.names('order').map((order) => ({ [name]: { ...needed[name], order } })) : [{ [name]: { ...needed[name] } }]))

const drawn = fc.record({ gangs: fc.boolean(), events: fc.boolean() }).chain((options) => worlds({ ...options, jobs: 5 })).map(owned)

/** Every policy without options decides in worlds with other names as it does in these. */
function holdsWithoutOptions(other: (world: World) => World, seed: number): void {
  for (const policy of withOrders)
    fc.assert(
      fc.property(drawn, (world) => {
        expect([policy, decided(other(world), policy)]).toEqual([policy, decided(world, policy)])
      }),
      { seed, numRuns: 2 },
    )
}

describe('users and queues with names that all objects know are as any others', () => {
  it('without options', () => {
    holdsWithoutOptions(withNames, 41)
  })

  it.each(names)('with options of %s', (name) => {
    const options = drawnOptions(registry.get('policy', name).options) ?? fc.constant({})
    fc.assert(
      fc.property(drawn, options, (world, own) => {
        expect(decided(withNames(world), { [name]: renamed(own) })).toBe(decided(world, { [name]: own }))
      }),
      { seed: 42, numRuns: 25 },
    )
  })

  it.each(registry.names('order'))('with options of the order %s', (name) => {
    const options = drawnOptions(registry.get('order', name).options) ?? fc.constant({})
    fc.assert(
      fc.property(drawn, options, (world, own) => {
        expect(decided(withNames(world), { greedy: { order: { [name]: renamed(own) } } })).toBe(decided(world, { greedy: { order: { [name]: own } } }))
      }),
      { seed: 43, numRuns: 25 },
    )
  })
})

describe('resources with names that all objects know are as any others', () => {
  const resources: ReadonlyMap<string, string> = new Map([['cpu', 'constructor'], ['map', 'hasOwnProperty'], ['reduce', 'toString']])
  const otherResource = (name: string): string => resources.get(name) ?? name
  const ofResources = (amounts: Readonly<Record<string, number>>) => Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [otherResource(name), amount]))
  const otherResources = (world: World): World => ({
    ...world,
    cluster: readCluster({ ...world.cluster, nodes: world.cluster.nodes.map((group) => ({ ...group, ...(group.resources !== undefined && { resources: ofResources(group.resources) }), ...(group.slots !== undefined && { slots: ofResources(group.slots) }) })) }),
    jobs: world.jobs.map((job) => ({ ...job, stages: job.stages.map((stage) => ({ ...stage, demand: ofResources(stage.demand) })) })),
  })

  it('without options', () => {
    holdsWithoutOptions(otherResources, 44)
  })

  // `learning` has limits for processors under a name of its own
  it.each(names.filter((name) => name !== 'learning'))('with options of %s', (name) => {
    const options = drawnOptions(registry.get('policy', name).options) ?? fc.constant({})
    fc.assert(
      fc.property(drawn, options, (world, own) => {
        expect(decided(otherResources(world), { [name]: renamed(own, otherResource) })).toBe(decided(world, { [name]: own }))
      }),
      { seed: 45, numRuns: 25 },
    )
  })
})
