import { ownValue, SchedError, suggest } from '@sched/core'
import type { KueueSettings } from './options.js'

/** A transformation, with resources by index. */
interface Rule {
  /** Whether the input counts itself, too. */
  readonly isRetained: boolean
  /** How much of the input is one of it. */
  readonly unit: number
  /** The resource that multiplies the input, and how much of it is one; -1: none. */
  readonly multiplier: number
  readonly multiplierUnit: number
  /** By resource: what one of the input counts as. */
  readonly outputs: readonly (readonly [r: number, amount: number])[]
}

/** Names of resources that jobs do not ask for, and that transformations make of others. */
export const madeResources = ({ transformations }: KueueSettings, resources: readonly string[]): readonly string[] =>
  [...new Set(transformations.flatMap(({ outputs }) => Object.keys(outputs)))].filter((name) => !resources.includes(name))

/**
 * What tasks count for against quotas, where resources count as others.
 *
 * Source: Kueue, KEP-2937, pkg/workload (applyResourceTransformations; TestNewInfo: transformResources, transformMilliValues). A retained input that is
 * multiplied counts multiplied itself, as there. Deviation: what several inputs make of one resource always adds up; where an input is retained of which another
 * makes more, that depends on the order of a map in Kueue.
 */
export class Transformations {
  /** By resource of the nodes. */
  readonly #rules: readonly (Rule | undefined)[]
  readonly #count: number

  /** `resources`: those of quotas, of which the first `ofNodes` are those of the nodes. Throws `BAD_OPTION` for others, for an input that comes twice and for units of what is not in a transformation. */
  constructor(given: KueueSettings['transformations'], resources: readonly string[], ofNodes: number) {
    this.#count = resources.length
    const known = resources.slice(0, ofNodes)
    const indexOf = (name: string, field: string): number => {
      const found = known.indexOf(name)
      if (found < 0) throw new SchedError('BAD_OPTION', `the cluster has no resource "${name}".`, { field }, suggest(name, known))
      return found
    }
    const rules: (Rule | undefined)[] = known.map(() => undefined)
    for (const [t, { input, strategy, multiplyBy, units, outputs }] of given.entries()) {
      const field = `transformations[${t}]`
      const r = indexOf(input, `${field}.input`)
      if (rules[r] !== undefined) throw new SchedError('BAD_OPTION', `resource "${input}" is transformed twice.`, { field: `${field}.input` }, 'Write all of its outputs in one place.')
      const multiplier = multiplyBy === undefined ? -1 : indexOf(multiplyBy, `${field}.multiplyBy`)
      const unknown = Object.keys(units).find((name) => name !== input && name !== multiplyBy)
      if (unknown !== undefined) throw new SchedError('BAD_OPTION', `"${unknown}" is neither the input nor what multiplies it.`, { field: `${field}.units` }, suggest(unknown, [input, ...(multiplyBy === undefined ? [] : [multiplyBy])]))
      const unitOf = (name: string): number => ownValue(units, name) ?? 1
      const made = Object.entries(outputs).map(([name, amount]) => [resources.indexOf(name), amount] as const)
      rules[r] = { isRetained: strategy === 'Retain', unit: unitOf(input), multiplier, multiplierUnit: unitOf(multiplyBy ?? ''), outputs: made }
    }
    this.#rules = rules
  }

  /** What a task counts for that asks for these amounts, in whole units. */
  of(asked: Float64Array): Float64Array {
    if (this.#rules.every((rule) => rule === undefined)) return asked
    const counted = new Float64Array(this.#count)
    const add = (r: number, amount: number) => { counted[r] = (counted[r] as number) + amount }
    for (const [r, amount] of asked.entries()) {
      const rule = this.#rules[r]
      if (rule === undefined) {
        add(r, amount)
        continue
      }
      const input = amount * manyOf(rule, asked)
      if (rule.isRetained) add(r, input)
      for (const [output, each] of rule.outputs) add(output, (input * each) / rule.unit)
    }
    return counted.map(roundedUp)
  }
}

/** By how much the input counts more often; once if the task does not ask for what multiplies it. */
function manyOf({ multiplier, multiplierUnit }: Rule, asked: Float64Array): number {
  const amount = multiplier < 0 ? 0 : (asked[multiplier] as number)
  return amount === 0 ? 1 : Math.ceil(amount / multiplierUnit)
}

/** Amounts are whole. 14 digits, since a decimal such as 0.1 is not exact: three times as much is above 0.3. */
const roundedUp = (amount: number): number => (Number.isInteger(amount) ? amount : Math.ceil(Number(amount.toPrecision(14))))
