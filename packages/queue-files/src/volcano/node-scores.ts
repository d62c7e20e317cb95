import type { Config } from '@sched/core'
import type { Told } from '../finding.js'
import { NOT_OF_NODES, resourceOf } from '../kubernetes-resources.js'
import { listed } from '../setting.js'
import type { QueueLabels } from './node-groups.js'
import { Proportions } from './proportional.js'
import { Scarcity } from './scarcity.js'
import { STRATEGY_FIT, StrategyFit } from './strategy-fit.js'

/** The plug-ins of Volcano that score nodes and are simulated. */
export const SCORING: readonly string[] = ['nodeorder', 'binpack', STRATEGY_FIT]
/** Arguments of the plug-in nodeorder: the score of the placement `weighted` that each weighs, and the weight by default. */
const nodeScores: Readonly<Record<string, readonly [score: string, weight: number]>> = {
  'leastrequested.weight': ['least-allocated', 1], 'balancedresource.weight': ['balanced-allocation', 1], 'mostrequested.weight': ['most-allocated', 0], 'tainttoleration.weight': ['taint-toleration', 3],
  'podaffinity.weight': ['inter-pod-affinity', 2], 'podtopologyspread.weight': ['pod-topology-spread', 2], 'nodeaffinity.weight': ['node-affinity', 2],
}
/** Scores that count CPUs and memory only. */
const WITHOUT_GPUS = ['least-allocated', 'most-allocated']
const LIST = 'binpack.resources'
const WEIGHTS: Readonly<Record<string, 'cpu' | 'mem'>> = { 'binpack.cpu': 'cpu', 'binpack.memory': 'mem' }

/**
 * Collects the plug-ins that score nodes and their arguments, and makes the placement `weighted` of them.
 *
 * Source: Volcano, nodeorder.go, binpack.go (calculateWeight). Deviation: images of containers are not scored.
 */
export class NodeScores {
  readonly #scores: Record<string, number> = {}
  readonly #weights: Record<string, number> = {}
  #weight = 1
  #packs = false
  /** The plug-in `resource-strategy-fit`. */
  readonly strategies = new StrategyFit()
  readonly scarcity = new Scarcity()
  /** What is kept for GPUs that are free, by whichever plug-in. */
  readonly proportions = new Proportions()

  /** Switches a plug-in on, with its default weights. */
  turnOn(plugin: string): void {
    if (plugin === 'binpack') this.#packs = true
    else if (plugin === STRATEGY_FIT) this.strategies.turnOn()
    else for (const [score, weight] of Object.values(nodeScores)) this.#scores[score] ??= weight
  }

  /**
   * Takes an argument and returns what becomes of it. `list`: the plug-in's argument `binpack.resources`; binpack counts resources other than CPUs and
   * memory only if this lists them. `number`: reads the value as a number of at least `least`.
   */
  take(plugin: string, argument: string, value: unknown, list: unknown, number: (least: number) => number): Told {
    if (plugin === STRATEGY_FIT) return this.strategies.take(argument, () => number(-Infinity))
    if (plugin === 'nodeorder') {
      const [score] = nodeScores[argument] ?? []
      if (score === undefined) return ['ignored', 'not simulated']
      this.#scores[score] = number(0)
      return ['approximated', 'as a weight of the placement weighted']
    }
    if (argument === 'binpack.weight') {
      this.#weight = number(0)
      return ['honoured', '']
    }
    const names = namesIn(argument === LIST ? value : list)
    if (argument === LIST) {
      for (const name of names) this.#weigh(resourceOf(name), 1)
      return names.some((name) => resourceOf(name) !== undefined) ? ['honoured', ''] : ['ignored', NOT_OF_NODES]
    }
    const own = argument.startsWith(`${LIST}.`) ? argument.slice(LIST.length + 1) : undefined
    const resource = WEIGHTS[argument] ?? (own === undefined ? undefined : resourceOf(own))
    if (resource === undefined) return ['ignored', own === undefined ? 'not simulated' : NOT_OF_NODES]
    if (own !== undefined && !names.includes(own)) return ['ignored', `${LIST} does not list it`]
    const weight = number(-Infinity)
    this.#weights[resource] = weight < 0 ? 1 : weight
    return ['honoured', weight < 0 ? 'below 0: Volcano takes 1 then' : '']
  }

  /** Sets the weight of a resource unless an argument has set it before. */
  #weigh(resource: string | undefined, weight: number): void {
    if (resource !== undefined) this.#weights[resource] ??= weight
  }

  /** The placement on a cluster with these resources; undefined: nothing is scored. Resources whose weight is 1, the default of `weighted`, are left out. */
  placement(resources: readonly string[]): Config | undefined {
    const scores = Object.fromEntries(Object.entries(this.#scores).filter(([, weight]) => weight > 0))
    const hasGpus = resources.includes('gpu')
    const weights: Record<string, Record<string, number>> = {}
    if (hasGpus) for (const score of WITHOUT_GPUS) if (score in scores) weights[score] = { gpu: 0 }
    if (this.#packs && this.#weight > 0) {
      scores['binpack-percentage'] = this.#weight
      const counted = Object.entries({ gpu: 0, ...this.#weights }).filter(([name, weight]) => weight !== 1 && resources.includes(name))
      if (counted.length > 0) weights['binpack-percentage'] = Object.fromEntries(counted)
    }
    const fit = this.strategies.score(resources)
    if (fit !== undefined) {
      scores['strategy-fit-percentage'] = fit.weight
      if (Object.keys(fit.weights).length > 0) weights['strategy-fit-percentage'] = fit.weights
    }
    const scarce = this.scarcity.score(resources)
    if (scarce !== undefined) {
      scores['scarcity-percentage'] = scarce.weight
      weights['scarcity-percentage'] = scarce.weights
    }
    const proportional = this.proportions.option(resources)
    if (Object.keys(scores).length === 0 && proportional === undefined) return undefined
    const isAnyFilled = fit !== undefined && Object.keys(fit.strategies).length > 0
    return { weighted: { scores, ...(Object.keys(weights).length > 0 && { resourceWeightsOf: weights }), ...(isAnyFilled && { strategies: fit.strategies }), ...(proportional !== undefined && { proportional }) } }
  }
}

/** The placement that goes also by what queues prefer, for queues that prefer something. */
export function withQueueLabels(placement: Config | undefined, queueLabels: QueueLabels): Config | undefined {
  if (Object.keys(queueLabels).length === 0) return placement
  const { weighted = {} } = (placement ?? {}) as { readonly weighted?: { readonly scores?: object } }
  return { weighted: { ...weighted, scores: { ...weighted.scores, 'queue-labels': 1 }, queueLabels } }
}

const namesIn = (list: unknown): string[] => (typeof list === 'string' ? listed(list) : [])
