import type { Claim, Estimate, Finding } from './claim.js'
import { contains, distance, shown, type Range } from './range.js'

/**
 * Q: `within` the tolerance or `outside by` the largest distance of a figure's mean (in the row's unit, shares as
 * fractions). R: the means lie on the published side; `(mean only)` when an interval reaches over to the other side.
 * N: why it cannot be compared. Deterministic: depends on its arguments alone.
 */
export function verdict(claim: Claim, finding: Finding): string {
  if (claim.class === 'N') return `not reproducible: ${claim.why ?? 'no reason given'}`
  if (claim.class === 'own') return 'own figure'
  if (finding.length !== claim.measures.length) return 'not measured'
  const means = every(claim, finding, ({ mean }, expected) => contains(expected, mean))
  if (claim.class === 'Q') return means ? 'within' : `outside by ${Number(farthest(claim, finding).toPrecision(2))}`
  if (!means) return 'direction does not hold'
  const sure = every(claim, finding, ({ low, high }, expected) => contains(expected, low) && contains(expected, high))
  return sure ? 'direction holds' : 'direction holds (mean only)'
}

/** Whether a verdict says that the published result was met. */
export const met = (text: string): boolean => text === 'within' || text.startsWith('direction holds')

function every({ measures }: Claim, finding: Finding, test: (estimate: Estimate, expected: Range) => boolean): boolean {
  return measures.every(({ expected }, i) => expected === shown || test(finding[i] as Estimate, expected))
}

function farthest({ measures }: Claim, finding: Finding): number {
  return Math.max(...measures.map(({ expected }, i) => distance(expected, (finding[i] as Estimate).mean)))
}
