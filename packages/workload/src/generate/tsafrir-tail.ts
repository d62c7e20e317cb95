import { portableExp, portableLog } from '@sched/core'
import { popular } from './tsafrir-head.js'
import { shuffled } from './sampling.js'

/** Number of different estimates by number of jobs, linear between these points. */
const distinctEstimates: readonly (readonly [jobs: number, estimates: number])[] = [
  [0, 0], [20, 10], [200, 20], [1000, 35], [10_000, 90], [70_000, 340], [250_000, 565],
]
/** Changes that are tried in turn if a value is taken, seconds. */
const offsets = [0, 30, -30, 20, -20, 10, -10]

/** An estimate in seconds and the percentage of jobs that use it. */
export interface Share {
  readonly estimate: number
  readonly percent: number
}

/** The rare estimates, with `total` percent of all jobs together; none for fewer than about 200 jobs. */
export function rareEstimates(jobs: number, maxEstimate: number, taken: ReadonlySet<number>, total: number, next: () => number): Share[] {
  const values = distinct(jobs)
  if (values <= popular) return []
  const estimates = shuffled(lengths(values, values - popular, maxEstimate, taken), next)
  // a power law from the 21st most popular estimate on
  const weights = estimates.map((_, i) => portableExp(-2.267 * portableLog(popular + 1 + i)))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return estimates.map((estimate, i) => ({ estimate, percent: (weights[i]! * total) / sum }))
}

function distinct(jobs: number): number {
  const above = distinctEstimates.findIndex(([most]) => jobs <= most)
  if (above === -1) return distinctEstimates.at(-1)![1]
  if (above === 0) return 0
  const [[fromJobs, from], [toJobs, to]] = [distinctEstimates[above - 1]!, distinctEstimates[above]!]
  return from + Math.round(((jobs - fromJobs) * (to - from)) / (toJobs - fromJobs))
}

/** Rare estimates in whole minutes, many of them short: the relative length is (a - 1) x / (a - x) for relative rank x. */
function lengths(values: number, wanted: number, maxEstimate: number, taken: ReadonlySet<number>): number[] {
  const a = 1 + 12.1039 * portableExp(-0.6026 * portableLog(values))
  const found = new Set<number>()
  for (let i = 1; i <= wanted; i++) {
    const x = i / wanted
    const minutes = Math.round((((a - 1) * x) / (a - x)) * (maxEstimate / 60))
    const free = offsets.map((offset) => minutes * 60 + offset).find((at) => at > 0 && at < maxEstimate && !taken.has(at) && !found.has(at))
    if (free !== undefined) found.add(free)
  }
  return [...found]
}
