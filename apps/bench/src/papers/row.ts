import type { Claim, Class, Finding } from './claim.js'
import { verdict } from './verdict.js'

/** One figure, or one per measure of the row in the order of the page; null where nothing was measured. */
type Figure = number | readonly number[] | null

/**
 * A published result beside ours, as `--json` writes it. Shares are fractions in [0, 1], ratios pure numbers, times
 * seconds, rates per second. `simulated` is the mean over the seeds, `low` and `high` bound its 95% interval; a row that
 * involves no chance has all three equal.
 */
export interface Row {
  readonly id: string
  /** Words where the paper gives a range, a bound or a picture. */
  readonly published: number | readonly number[] | string
  readonly simulated: Figure
  readonly low: Figure
  readonly high: Figure
  readonly class: Class
  readonly verdict: string
}

/** The row of a claim; `finding` is absent when the experiment measured nothing for it. */
export function rowOf(claim: Claim, finding: Finding | undefined): Row {
  const pick = (end: 'mean' | 'low' | 'high') => figure(finding?.map((estimate) => estimate[end]))
  return {
    id: claim.id,
    published: claim.published,
    simulated: pick('mean'),
    low: pick('low'),
    high: pick('high'),
    class: claim.class,
    verdict: verdict(claim, finding ?? []),
  }
}

function figure(values: readonly number[] | undefined): Figure {
  if (values === undefined) return null
  return values.length === 1 ? (values[0] as number) : values
}
