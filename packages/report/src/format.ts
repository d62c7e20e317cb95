import type { Interval } from '@sched/metrics'

/** What stands for a number that does not exist. */
export const NONE = '-'

/**
 * A number with at least `digits` significant digits and no exponent: 12.3, 0.00123, 123456. Digits before the point are
 * never rounded away. `-` for NaN.
 */
export const significant = (value: number, digits = 3): string => fixed(value, decimalsFor(value, digits))

/** A number rounded to an integer, with commas between thousands: 26,410. */
export const integer = (value: number): string => fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ',')

/** A fraction in percent: 0.9523 gives `95.2%`. */
export const percent = (fraction: number, decimals = 1): string => withUnit(fixed(100 * fraction, decimals), '%')

/** Seconds with three significant digits: `12.3 s`. */
export const seconds = (value: number): string => withUnit(significant(value), ' s')

/** Seconds in the two largest units that fit: `4.25 s`, `5 min 20 s`, `2 h 13 min`, `3 d 4 h`. */
export function duration(value: number): string {
  const units = ([['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]] as const).map(([name, size]) => ({ name, size }))
  const whole = Math.round(Math.abs(value))
  const first = units.findIndex(({ size }) => whole >= size)
  const [large, small] = [units[first], units[first + 1]]
  if (large === undefined || small === undefined || !Number.isFinite(value)) return seconds(value)
  const rest = Math.round((whole % large.size) / small.size)
  // 59.5 minutes of a rest are a whole large unit
  if (rest * small.size === large.size) return duration(Math.sign(value) * (whole - (whole % large.size) + large.size))
  return `${value < 0 ? '-' : ''}${Math.floor(whole / large.size)} ${large.name}${rest === 0 ? '' : ` ${rest} ${small.name}`}`
}

/** How an interval is written. */
export interface IntervalFormat {
  /** Shown times this: 100 for percentages. Default 1. */
  readonly scale?: number
  /** Written after the numbers, for example ` s` or `%`. */
  readonly unit?: string
  /** A plus sign before positive means, for differences. */
  readonly signed?: boolean
}

/**
 * A mean and the half width of its interval, both to the half width's second significant digit: `12.3 ± 1.4`,
 * `120 ± 14`. The mean alone, to three digits, where there is no interval (fewer than two values).
 */
export function interval({ mean, halfWidth }: Pick<Interval, 'mean' | 'halfWidth'>, format: IntervalFormat = {}): string {
  const { scale = 1, unit = '', signed = false } = format
  const [middle, width] = [mean * scale, halfWidth * scale]
  const decimals = width > 0 && width < Infinity ? decimalsFor(width, 2) : decimalsFor(middle, 3)
  const sign = signed && middle > 0 ? '+' : ''
  const text = sign + fixed(middle, decimals)
  return withUnit(Number.isNaN(width) || text === NONE ? text : `${text} ± ${fixed(width, decimals)}`, unit)
}

/** Decimals that show `digits` significant digits, after rounding. */
function decimalsFor(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0
  const exponent = Number(value.toExponential(digits - 1).split('e')[1])
  return Math.min(100, Math.max(0, digits - 1 - exponent))
}

function fixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return NONE
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  // above 1e21 toFixed gives an exponent; a rounded-off negative number is no "-0"
  const text = Math.abs(value) < 1e21 ? value.toFixed(decimals) : BigInt(value).toString()
  return Number(text) === 0 && text.startsWith('-') ? text.slice(1) : text
}

const withUnit = (text: string, unit: string): string => (text === NONE ? text : text + unit)
