import type { Interval } from '@sched/metrics'

/** A number with as many decimals as say something, and commas between thousands: 12,345 678 12.3 1.23 0.012. */
export function number(value: number, decimals = decimalsFor(value)): string {
  if (!Number.isFinite(value)) return '-'
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.')
  const sign = value < 0 && Number(value.toFixed(decimals)) !== 0 ? '-' : ''
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`
}

/** A mean and the half width of its interval, both to two digits of the half width: `1,234 ± 56`. */
export function interval({ mean, halfWidth }: Interval, scale = 1): string {
  if (Number.isNaN(halfWidth)) return number(mean * scale)
  const decimals = halfWidth === 0 ? decimalsFor(mean * scale) : decimalsFor(halfWidth * scale, 2)
  return `${number(mean * scale, decimals)} ± ${number(halfWidth * scale, decimals)}`
}

function decimalsFor(value: number, digits = 3): number {
  if (value === 0 || Number.isInteger(value) || !Number.isFinite(value)) return 0
  return Math.min(3, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value)))))
}
