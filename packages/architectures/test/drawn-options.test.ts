// @module-tag long
import { Registry, resolve, SchedError, type Kind } from '@sched/core'
import { registerPolicies } from '@sched/policies'
import { laws, play, worlds, type LawName, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { registerArchitectures } from '../src/index.js'
import { registry } from './dispatched-world.js'
import { drawnOptions } from './drawn-options.js'

/** Without placements: that of an allocation is the policy's own. */
const architectures = registerArchitectures(registerPolicies(new Registry()))

/** What no option may break; whether all jobs end is for options to say, as a queue may have room for nobody. */
const always: readonly LawName[] = ['capacity', 'once', 'gangs', 'earliest', 'slowStart', 'commits', 'determinism', 'freshness', 'causality', 'nonClairvoyance']
/** Some policies give what others have taken for themselves, or the cluster has no node for a partition: told as such. */
const refusals: readonly string[] = ['BAD_OPTION', 'BAD_INPUT', 'UNKNOWN_NAME']
const isRefusal = (error: unknown) => error instanceof SchedError && refusals.includes(error.code)
/** Options such as a limit of no jobs leave work for ever, and heartbeats go on with it. */
const isEndless = (error: unknown) => error instanceof SchedError && error.fact.startsWith('the run goes on after')

/** Plugs of a kind with any options, and with any plugs in them. */
function configs(kind: Kind, names: readonly string[], from = registry, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  return fc.constantFrom(...names).chain((name) => {
    const { options, inner } = from.get(kind, name)
    const inside = (of: Kind) => (depth < 2 && namesOf(of, from).length > 0 ? fc.option(configs(of, namesOf(of, from), from, depth + 1), { nil: undefined, freq: 1 }) : fc.constant(undefined))
    const parts = Object.entries(inner).map(([part, of]) => [part, inside(of as Kind)] as const)
    return fc.tuple(drawnOptions(options) ?? fc.constant({}), fc.record(Object.fromEntries(parts)))
      .map(([own, inside]) => ({ [name]: { ...own, ...Object.fromEntries(Object.entries(inside).filter(([, plug]) => plug !== undefined)) } }))
  })
}
/** But for those that need a model, or the names of nodes. */
const namesOf = (kind: Kind, from = registry) => from.names(kind).filter((name) => !['bayes-comm', 'node-weight', 'topology-tree'].includes(name))

const drawnWorlds = fc.record({ outages: fc.boolean(), failures: fc.boolean(), gangs: fc.boolean() }).chain((options) => worlds({ ...options, jobs: 5 }))

/** Runs and judges; returns whether it ran. */
function runs(world: World, policy: Record<string, unknown>, architecture?: Record<string, unknown>): boolean {
  try {
    const played = play(world, () => resolve(registry, 'policy', policy), architecture && (() => resolve(architectures, 'architecture', architecture)))
    for (const law of always) expect([law, laws[law](played)]).toEqual([law, undefined])
    return true
  } catch (error) {
    if (isRefusal(error) || isEndless(error)) return false
    throw error
  }
}

describe('whatever its options are, no law is broken and nothing is refused without a word', () => {
  it.each(namesOf('policy'))('under %s', (name) => {
    let ran = 0
    fc.assert(
      fc.property(drawnWorlds, configs('policy', [name]), (world, policy) => {
        if (runs(world, policy)) ran++
      }),
      { seed: 30, numRuns: 30 },
    )
    expect(ran).toBeGreaterThan(0)
  })

  it.each(namesOf('architecture', architectures))('under %s', (name) => {
    let ran = 0
    fc.assert(
      fc.property(drawnWorlds, configs('policy', ['greedy', 'strict', 'delay']), configs('architecture', [name], architectures), (world, policy, architecture) => {
        if (runs(world, policy, architecture)) ran++
      }),
      { seed: 31, numRuns: 60 },
    )
    expect(ran).toBeGreaterThan(0)
  })
})
