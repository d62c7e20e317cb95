import { integer, percent, significant } from '@sched/report'
import type { Claim, Estimate, Finding, Unit } from './claim.js'
import type { Range } from './range.js'

/** A multiple: `1.44x`. */
export const ratio = (value: number): string => `${value.toFixed(2)}x`

/** A figure in its unit. */
function figure(value: number, unit: Unit): string {
  switch (unit) {
    case 'share':
      return percent(value)
    case 'ratio':
      return ratio(value)
    case 'seconds':
      return `${significant(value)} s`
    case 'slots':
    case 'number':
      return String(Number(value.toPrecision(4)))
    case 'per second':
      return `${integer(Number(value.toPrecision(3)))}/s` // moves from run to run
  }
}

/** What a claim publishes: words as they stand, figures in the units of its measures. */
export function publishedText({ published, measures }: Claim): string {
  if (typeof published === 'string') return published
  const values = typeof published === 'number' ? [published] : published
  return values.map((value, i) => shortest(value, measures[i]?.unit ?? 'number')).join('; ')
}

/** With no more digits than were published: `92%`, `1.1x`. */
const shortest = (value: number, unit: Unit): string => figure(value, unit).replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '')

/** Each measure as `mean (low to high)`, or its value alone where all seeds agree; `-` when nothing was measured. */
export function simulatedText({ measures }: Claim, finding: Finding = []): string {
  if (finding.length === 0) return '-'
  return finding.map((estimate, i) => withInterval(estimate, measures[i]?.unit ?? 'number')).join('; ')
}

function withInterval({ mean, low, high }: Estimate, unit: Unit): string {
  const [text, from, to] = [mean, low, high].map((value) => figure(value, unit)) as [string, string, string]
  return from === to ? text : `${text} (${from} to ${to})`
}

/** Where a figure must lie: `at least 99.0%`, `0.90x to 1.20x`, or nothing for a figure that is only shown. */
export function expectedText({ from, to, open }: Range, unit: Unit): string {
  const bottom = unit === 'share' && from === 0 && !open ? -Infinity : from // shares end at 0 and 1, what is saved need not
  const top = unit === 'share' && to >= 1 ? Infinity : to
  if (bottom === -Infinity && top === Infinity) return ''
  if (top === Infinity) return `${open ? 'above' : 'at least'} ${figure(from, unit)}`
  if (bottom === -Infinity) return `${open ? 'below' : 'at most'} ${figure(top, unit)}`
  return from === to ? figure(from, unit) : `${figure(from, unit)} to ${figure(top, unit)}`
}
