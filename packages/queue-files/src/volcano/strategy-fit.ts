import { knownWords } from '@sched/core'
import { fieldsOf, textOf } from '../fields.js'
import type { Told } from '../finding.js'
import { NOT_OF_NODES, resourceOf } from '../kubernetes-resources.js'

/** The plug-in that scores nodes by a strategy for each resource, and its arguments. */
export const STRATEGY_FIT = 'resource-strategy-fit'
export const STRATEGIES = 'resources'
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
 * Source: Volcano, resource_strategy_fit.go (calculateWeight). Deviations: annotations of pods, and what favours nodes without what a task does not ask
 * (`sra`) or keeps resources in proportion (`proportional`), are not read.
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
    this.#weight = weight > 0 ? weight : DEFAULT_WEIGHT
    return ['honoured', weight > 0 ? '' : `not above 0: Volcano takes ${DEFAULT_WEIGHT} then`]
  }

  /** Takes the strategies, and returns what becomes of that of each resource, by its name. `number` reads a weight. */
  takeStrategies(given: unknown, number: (resource: string, weight: unknown) => number): (readonly [name: string, ...Told])[] {
    const all = Object.entries(fieldsOf(given))
    if (all.length === 0) return []
    const taken = new Map<string, Strategy>()
    this.#strategies = taken
    return all.map(([name, fields]) => {
      const resource = resourceOf(name)
      if (resource === undefined) return [name, 'ignored', NOT_OF_NODES]
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
    if (!this.#isOn || !resources.some((name) => counted.has(name))) return undefined
    const weights = resources.flatMap((name): [string, number][] => {
      const weight = counted.get(name)?.weight ?? 0
      return weight === 1 ? [] : [[name, weight]]
    })
    const most = resources.filter((name) => counted.get(name)?.isMost === true)
    return { weight: this.#weight, weights: Object.fromEntries(weights), strategies: Object.fromEntries(most.map((name) => [name, 'most-allocated' as const])) }
  }
}
