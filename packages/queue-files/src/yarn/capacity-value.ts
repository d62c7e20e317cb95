import { SchedError } from '@sched/core'
import { bracketedAmounts } from './amounts.js'
import type { CapacityValue } from './capacity-model.js'
import { fractionOf } from './site.js'
import type { Setting } from '../setting.js'

/** `40`, `40%`, `3w` or `[memory=10240,vcores=12]`. */
export function capacityValue({ name, value, file, line }: Setting, isMaximum = false): CapacityValue {
  const at = { file, line, field: name }
  const bracketed = bracketedAmounts(value, at)
  if (bracketed !== undefined) {
    const amounts: Record<string, number> = {}
    const [first, ...others] = Object.values(bracketed)
    if (typeof first === 'string' && others.every((each) => each === first)) return capacityValue({ name, value: first, file, line }, isMaximum) // the same of all resources
    for (const [resource, amount] of Object.entries(bracketed)) {
      if (typeof amount === 'string') throw new SchedError('BAD_INPUT', `"${value}" has a percentage of one resource.`, at, 'Write one percentage for all resources, or amounts.')
      amounts[resource] = amount
    }
    return { kind: 'amounts', value: amounts }
  }
  const weight = /^(-?\d+(?:\.\d+)?)w$/.exec(value.trim())
  if (weight !== null) {
    if (Number(weight[1]) < 0) throw new SchedError('BAD_INPUT', `the weight ${weight[1] ?? ''} is negative.`, at, 'Use a number of at least 0.')
    if (Number(weight[1]) > 10_000)
      throw new SchedError(
        'BAD_INPUT',
        `the weight ${weight[1] ?? ''} is more than 10000.`,
        at,
        'Weights count relative to those of the siblings: divide them all.',
      )
    return { kind: 'weight', value: Number(weight[1]) }
  }
  const percent = fractionOf(value.trim().replace(/%$/, ''))
  const isNone = isMaximum && percent === -1
  if (value.trim() === '' || !Number.isFinite(percent) || (!isNone && (percent < 0 || percent > 100)))
    throw new SchedError(
      'BAD_INPUT',
      `found "${value}", expected a percentage from 0 to 100${isMaximum ? '' : ', a weight such as 3w'}, or amounts such as [memory=10240,vcores=12].`,
      at,
    )
  return { kind: 'percent', value: percent }
}
