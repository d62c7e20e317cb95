import { SchedError } from '@sched/core'
import { bracketedAmounts, type At } from './amounts.js'
import type { CapacityValue } from './capacity-model.js'
import { fractionOf } from './site.js'
import type { Setting } from '../setting.js'

/**
 * Reads a capacity: a percentage `40`, a weight `3w`, amounts `[memory=10240,vcores=12]` or, since Hadoop 3.4, a vector `[memory=50%,vcores=2w]`. In legacy
 * queue mode a vector with the same for all its resources is one percentage or weight for all resources; outside it other resources get nothing. Like
 * Hadoop, refuses `40%` outside brackets. Throws `BAD_INPUT` with the line.
 */
export function capacityValue({ name, value, file, line }: Setting, { isMaximum = false, isLegacy = true } = {}): CapacityValue {
  const at = { file, line, field: name }
  const bracketed = bracketedAmounts(value, at)
  if (isMaximum && [value.trim(), ...Object.values(bracketed ?? {})].some((each) => typeof each === 'string' && /^[\d.]+w$/.test(each)))
    throw new SchedError('BAD_INPUT', 'a maximum capacity has no weight.', at, 'Write a percentage or amounts.')
  if (bracketed !== undefined) {
    const [first, ...others] = Object.values(bracketed)
    if (isLegacy && typeof first === 'string' && others.every((each) => each === first)) return capacityValue({ name, value: first.replace('%', ''), file, line }, { isMaximum }) // the same of all resources
    const amounts = Object.entries(bracketed).flatMap(([resource, amount]) => (typeof amount === 'number' ? [[resource, amount] as const] : []))
    return amounts.length === Object.keys(bracketed).length ? { kind: 'amounts', value: Object.fromEntries(amounts) } : { kind: 'vector', value: bracketed }
  }
  const weight = weightIn(value, at)
  if (weight !== undefined) return { kind: 'weight', value: weight }
  const percent = fractionOf(value)
  const isNone = isMaximum && percent === -1
  if (value.trim() === '' || !Number.isFinite(percent) || (!isNone && (percent < 0 || percent > 100)))
    throw new SchedError(
      'BAD_INPUT',
      `found "${value}", expected a percentage from 0 to 100${isMaximum ? '' : ', a weight such as 3w'}, or amounts such as [memory=10240,vcores=12].`,
      at,
      /^\s*[\d.]+\s*%\s*$/.test(value) ? `Hadoop takes it without the sign: ${value.replace('%', '').trim()}.` : undefined,
    )
  return { kind: 'percent', value: percent }
}

/** The most that a weight may be. */
const HEAVIEST = 10_000

/** The weight in a text such as `3w`; undefined for any other text. Throws `BAD_INPUT` with the line for a negative weight and for too large a one. */
function weightIn(text: string, at: At): number | undefined {
  const [, number] = /^(-?\d+(?:\.\d+)?)w$/.exec(text.trim()) ?? []
  if (number === undefined) return undefined
  if (Number(number) < 0) throw new SchedError('BAD_INPUT', `the weight ${number} is negative.`, at, 'Use a number of at least 0.')
  if (Number(number) > HEAVIEST)
    throw new SchedError('BAD_INPUT', `the weight ${number} is more than ${HEAVIEST}.`, at, 'Weights count relative to those of the siblings: divide them all.')
  return Number(number)
}
