import { knownWords } from '@sched/core'
import { fieldsOf, textOf } from '../fields.js'
import type { Told } from '../finding.js'
import { NOT_OF_NODES, resourceOf } from '../kubernetes-resources.js'

/** The plug-in that scores nodes by a strategy for each resource, and its arguments. */
export const STRATEGY_FIT = 'resource-strategy-fit'
export const STRATEGIES = 'resources'
/** Its arguments that favour nodes without what a task does not ask for, and that keep resources in proportion. */
export const SCARCE = 'sra'
export const PROPORTIONAL = 'proportional'
const WEIGHT = 'resourceStrategyFitWeight'
const DEFAULT_WEIGHT = 10
const strategies = knownWords<'least-allocated' | 'most-allocated'>({ LeastAllocated: 'least-allocated', MostAllocated: 'most-allocated' })

/** What counts by default. */
const byDefault: ReadonlyMap<string, Strategy> = new Map(['cpu', 'mem'].map((name) => [name, { weight: 1, isMost: false }]))

interface Strategy {
  readonly weight: number
  /** Whether nodes are better of which more would be in use. */
  readonly isMost: boolean
}

/** The options of the placement `weighted` for the score. */
export interface StrategyScore {
  readonly weight: number
  /** The weights of resources that are not 1. */
  readonly weights: Readonly<Record<string, number>>
  readonly strategies: Readonly<Record<string, 'most-allocated'>>
}

/**
 * Collects the arguments of the plug-in `resource-strategy-fit`.
 *
 * Source: Volcano, resource_strategy_fit.go (calculateWeight). Deviation: annotations of pods are not read.
 */
export class StrategyFit {
  #weight = DEFAULT_WEIGHT
  #strategies: ReadonlyMap<string, Strategy> | undefined
  #isOn = false

  turnOn(): void {
    this.#isOn = true
  }

  /** Takes an argument but for the strategies, and returns what becomes of it. `number` reads its value. */
  take(argument: string, number: () => number): Told {
    if (argument !== WEIGHT) return ['ignored', 'not simulated']
    const weight = Math.trunc(number())
    this.#weight = weight < 0 ? DEFAULT_WEIGHT : weight
    return ['honoured', weight > 0 ? '' : weight === 0 ? 'nodes are not scored by strategies' : `below 0: Volcano takes ${DEFAULT_WEIGHT} then`]
  }

  /** Takes the strategies, and returns what becomes of that of each resource, by its name. `number` reads a weight. */
  takeStrategies(given: unknown, number: (resource: string, weight: unknown) => number): (readonly [name: string, ...Told])[] {
    const all = Object.entries(fieldsOf(given))
    if (all.length === 0) return []
    const taken = new Map<string, Strategy>()
    this.#strategies = taken
    return all.sort(([a], [b]) => precedence(b) - precedence(a)).map(([name, fields]) => {
      const resource = resourceOf(name) ?? matched(name)
      if (resource === undefined) return [name, 'ignored', name === '*' ? 'Volcano takes no asterisk alone' : NOT_OF_NODES]
      const { type, weight = 0 } = fieldsOf(fields)
      const count = Math.trunc(number(name, weight))
      const strategy = strategies[textOf(type ?? '')]
      if (!taken.has(resource)) taken.set(resource, { weight: count > 0 ? count : 1, isMost: strategy === 'most-allocated' })
      const isLeast = strategy === undefined ? ['no such type: Volcano takes LeastAllocated then'] : []
      return [name, 'honoured', [...(count > 0 ? [] : ['no weight above 0: Volcano takes 1 then']), ...isLeast].join('; ')]
    })
  }

  /** The score on a cluster with these resources; undefined: nothing is scored. */
  score(resources: readonly string[]): StrategyScore | undefined {
    const counted = this.#strategies ?? byDefault
    if (!this.#isOn || this.#weight === 0 || !resources.some((name) => counted.has(name))) return undefined
    const weights = resources.flatMap((name): [string, number][] => {
      const weight = counted.get(name)?.weight ?? 0
      return weight === 1 ? [] : [[name, weight]]
    })
    const most = resources.filter((name) => counted.get(name)?.isMost === true)
    return { weight: this.#weight, weights: Object.fromEntries(weights), strategies: Object.fromEntries(most.map((name) => [name, 'most-allocated' as const])) }
  }
}

/** What pods ask for that nodes have, by names of Kubernetes. */
const KNOWN = ['cpu', 'memory', 'nvidia.com/gpu', 'amd.com/gpu']

/** The nodes' name of the resource of which the name begins as a pattern says: `nvidia.com/*`; undefined for anything else. */
const matched = (pattern: string): string | undefined => {
  if (!/^[^*]+\*$/.test(pattern)) return undefined
  const found = KNOWN.find((name) => name.startsWith(pattern.slice(0, -1)))
  return found === undefined ? undefined : resourceOf(found)
}

/** Names count before patterns, and longer patterns before shorter ones. */
const precedence = (name: string): number => (name.endsWith('*') ? name.length : Number.MAX_SAFE_INTEGER)
