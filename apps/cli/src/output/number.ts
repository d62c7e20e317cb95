import type { Interval } from '@sched/metrics'
import { integer, NONE } from '@sched/report'

/** Decimals above which a number of a unit says nothing to a reader. */
const mostDecimals: Readonly<Record<string, number>> = { s: 1, '%': 1, kWh: 6 }

/** A number with three digits, fewer where its unit says nothing more, and commas between thousands. */
export const number = (value: number, unit = ''): string => grouped(value, decimals(value, 3, unit))

/** So many things: `1 job`, `28,489 jobs`. */
export const counted = (count: number, thing: string): string => `${number(count)} ${thing}${count === 1 ? '' : 's'}`

/** A mean and the half width of its interval, both to two digits of the half width: `1,234 ± 56`; fractions of the unit `%` times 100. */
export function interval({ mean, halfWidth }: Pick<Interval, 'mean' | 'halfWidth'>, unit = '', signed = false): string {
  const scale = unit === '%' ? 100 : 1
  const middle = mean * scale
  if (!Number.isFinite(middle)) return NONE
  const places = halfWidth > 0 ? decimals(halfWidth * scale, 2, unit) : decimals(middle, 3, unit)
  const text = grouped(middle, places)
  return `${signed && !/^-|^[0.]*$/.test(text) ? '+' : ''}${text}${Number.isNaN(halfWidth) ? '' : ` ± ${grouped(halfWidth * scale, places)}`}`
}

function grouped(value: number, places: number): string {
  if (!Number.isFinite(value)) return NONE
  const [whole = '', fraction] = Math.abs(value).toFixed(places).split('.')
  const text = `${integer(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}`
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text
}

function decimals(value: number, digits: number, unit: string): number {
  if (value === 0 || !Number.isFinite(value) || (Number.isInteger(value) && unit === '')) return 0
  return Math.min(mostDecimals[unit] ?? 2, Math.max(0, digits - 1 - powerOfTenBelow(value)))
}

/** The exponent of the largest power of ten that a number, its sign aside, reaches. */
export const powerOfTenBelow = (value: number): number => Number(value.toExponential().split('e')[1])
