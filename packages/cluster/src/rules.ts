import { SchedError, type Constraints } from '@sched/core'
import type { Labels, Required } from './labels.js'

/** Constraints as they are tested. */
export interface Rule {
  /** Required labels with their values, sorted; for messages. */
  readonly require: Required
  /** By class of nodes: 1 where the required labels are there; `undefined`: anywhere. */
  readonly allowed: Uint8Array | undefined
  readonly isDistinct: boolean
}

/** Interned constraints: equal ones are one rule. */
export class Rules {
  readonly #byKey = new Map<string, Rule>()
  readonly #known = new WeakMap<Constraints, Rule | false>()

  constructor(private readonly labels: Labels) {}

  /** The rule of constraints, `undefined` where they forbid nothing. Throws `BAD_INPUT` for a label without a value. */
  intern(constraints: Constraints): Rule | undefined {
    const known = this.#known.get(constraints)
    if (known !== undefined) return known === false ? undefined : known
    const { require = {}, distinctNodes = false } = constraints
    const sorted = Object.entries(require).map(([label, values]) => [label, valuesOf(label, values)] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    const key = JSON.stringify([sorted, distinctNodes])
    const rule = sorted.length === 0 && !distinctNodes ? undefined : (this.#byKey.get(key) ?? this.#make(Object.fromEntries(sorted), distinctNodes))
    if (rule !== undefined) this.#byKey.set(key, rule)
    this.#known.set(constraints, rule ?? false)
    return rule
  }

  #make(require: Required, isDistinct: boolean): Rule {
    return { require, isDistinct, allowed: Object.keys(require).length === 0 ? undefined : this.labels.allowed(require) }
  }
}

function valuesOf(label: string, values: string | readonly string[]): readonly string[] {
  if (typeof values === 'string') return [values]
  if (values.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      `a task requires the label "${label}" and no value of it.`,
      { field: 'constraints.require' },
      'List the values that will do.',
    )
  return [...new Set(values)].sort()
}

/** `model = P100 or T4 and zone = a`: required labels in words. */
export function requirement(require: Required): string {
  return Object.entries(require).map(([label, values]) => `${label} = ${typeof values === 'string' ? values : values.join(' or ')}`).join(' and ')
}
