import { portableExp } from '@sched/core'

const minute = 60
const hour = 3600
/** Number of popular estimates, which 85 to 90 % of jobs use. */
export const popular = 20

/** Estimates that are among the 20 most popular in all four logs that were studied. */
const joint = [5 * minute, 10 * minute, 15 * minute, 20 * minute, 30 * minute, ...[1, 2, 3, 4, 5, 6, 8, 10, 12, 18].map((hours) => hours * hour)]
/** Steps of round values that complete the 20 popular estimates: coarsest step first, from the longest estimate down. */
const roundSteps = [...[200, 100, 50, 10, 5, 2, 1].map((hours) => hours * hour), 20 * minute, 10 * minute, 5 * minute]

/** Rank by popularity of the 20 popular estimates in each of four logs (SDSC-106, CTC, KTH-4H, BLUE): the longest estimate first, then by length. */
const popularityInLogs: readonly (readonly number[])[] = [
  [3, 1, 1, 1], [1, 3, 4, 6], [4, 4, 10, 5], [17, 2, 14, 3], [13, 12, 20, 7], [7, 9, 2, 2], [8, 8, 3, 18], [18, 18, 7, 19], [2, 6, 12, 4], [6, 7, 6, 11],
  [16, 11, 19, 20], [10, 20, 5, 9], [5, 16, 18, 10], [15, 5, 16, 14], [14, 14, 9, 13], [19, 13, 17, 16], [11, 10, 15, 15], [12, 15, 13, 17], [9, 17, 8, 8], [20, 19, 11, 12],
]

/** The popular estimates: the longest first, then in ascending order. */
export function popularEstimates(maxEstimate: number): number[] {
  const chosen = new Set([maxEstimate, ...joint.filter((estimate) => estimate < maxEstimate)])
  for (const step of roundSteps)
    for (let estimate = Math.floor(maxEstimate / step) * step; estimate > 0 && chosen.size < popular; estimate -= step) chosen.add(estimate)
  chosen.delete(maxEstimate)
  return [maxEstimate, ...[...chosen].sort((a, b) => a - b)]
}

/** Percentages of jobs by popularity, the most popular estimate first. The longest estimate is the most popular one unless its share is given. */
export function popularShares(total: number, maxShare: number | undefined): { readonly shares: number[]; readonly placeOfMax: number } {
  const others = Array.from({ length: popular - 1 }, (_, i) => 14.0491 * portableExp(-0.177531 * (i + 2)) + 0.462513)
  const sum = others.reduce((all, share) => all + share, 0)
  if (maxShare === undefined) return { shares: [total - sum, ...others], placeOfMax: 1 }
  const scaled = others.map((share) => (share * (total - maxShare)) / sum)
  const placeOfMax = scaled.filter((share) => share > maxShare).length + 1
  return { shares: scaled.toSpliced(placeOfMax - 1, 0, maxShare), placeOfMax }
}

/**
 * The rank by popularity, from 1, of each popular estimate, drawn so that it resembles those of the logs: the better of two drawn from the free ranks
 * that occur at this length or a shorter one; but a rank is taken at the last length at which it occurs.
 */
export function popularPlaces(placeOfMax: number, next: () => number): number[] {
  const chosen = new Set<number>()
  let pool: number[] = []
  return popularityInLogs.map((row, length) => {
    pool = [...pool, ...row].filter((place) => !chosen.has(place))
    const place = length === 0 ? placeOfMax : (overdue(chosen, length) ?? drawn(pool, next))
    chosen.add(place)
    return place
  })
}

function overdue(chosen: ReadonlySet<number>, length: number): number | undefined {
  for (let place = 1; place <= popular; place++) if (!chosen.has(place) && lastLength(place) <= length) return place
  return undefined
}

const lastLength = (place: number): number => popularityInLogs.findLastIndex((row) => row.includes(place))
const drawn = (pool: readonly number[], next: () => number): number => Math.min(pool[Math.floor(next() * pool.length)]!, pool[Math.floor(next() * pool.length)]!)
