import { fieldsOf, textOf } from '../fields.js'
import type { Told } from '../finding.js'
import { NOT_OF_NODES, resourceOf } from '../kubernetes-resources.js'
import { listed } from '../setting.js'

/** The score of the placement `weighted` by scarce resources: its weight, and those of the resources. */
export interface ScarcityScore {
  readonly weight: number
  readonly weights: Readonly<Record<string, number>>
}

/**
 * Collects the argument `sra` of the plug-in `resource-strategy-fit`: nodes that have scarce resources are worse for tasks that do not need them.
 *
 * Source: Volcano, sra.go (calculateSraWeight).
 */
export class Scarcity {
  #weight = 0
  readonly #weights = new Map<string, number>()

  /** Takes the argument and returns what becomes of it. `numberOf` reads a number in it. */
  take(given: unknown, numberOf: (key: string, value: unknown) => number): Told {
    const { enable, resources, weight = 0, resourceWeight } = fieldsOf(given)
    if (enable !== true) return ['honoured', 'nothing is spared: it is not enabled']
    this.#weight = Math.trunc(numberOf('weight', weight))
    const names = listed(textOf(resources ?? ''))
    for (const name of names) {
      const resource = resourceOf(name)
      const given = fieldsOf(resourceWeight)[name]
      const own = given === undefined ? 1 : Math.trunc(numberOf(`resourceWeight.${name}`, given))
      if (resource !== undefined && !this.#weights.has(resource)) this.#weights.set(resource, own < 0 ? 1 : own)
    }
    if (this.#weights.size === 0) return ['ignored', NOT_OF_NODES]
    return ['honoured', this.#weight > 0 ? '' : 'no weight above 0: it does not count']
  }

  /** The score on a cluster with these resources; undefined: nothing is scored. */
  score(resources: readonly string[]): ScarcityScore | undefined {
    const weights = Object.fromEntries(resources.map((name) => [name, this.#weights.get(name) ?? 0]))
    return this.#weight > 0 && Object.values(weights).some((weight) => weight > 0) ? { weight: this.#weight, weights } : undefined
  }
}
