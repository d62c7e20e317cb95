import { integer, NONE, percent } from '@sched/report'
import { powerOfTenBelow } from './number.js'

/** Whole seconds as they are, others to so many decimals; of what never came none. */
export function seconds(value: number, places = decimals(value)): string {
  if (Number.isNaN(value)) return NONE
  const [whole = '', fraction = ''] = value.toFixed(places).split('.')
  const digits = fraction.replace(/0+$/, '')
  return digits === '' ? integer(Number(whole)) : `${integer(Number(whole))}.${digits}`
}

/** A tenth of a second, and of what is shorter two digits, as long as these are no rounding of the sums. */
export const decimals = (length: number): number => (length > 0 ? Math.min(6, Math.max(1, 1 - powerOfTenBelow(length))) : 1)

/** A part of a time, with its percentage; none where it is 0. */
export const partText = (part: number, whole: number): string => (part === 0 ? NONE : `${seconds(part)} (${percent(part / whole, 0)})`)
