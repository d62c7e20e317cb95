import { portableLog2 } from '@sched/core'
import type { Domain, Filled } from './domain.js'

/** A domain with the tasks and the whole slices for which it has room; both become 0 where it is left out. */
export interface Room {
  readonly domain: Domain
  tasks: number
  slices: number
  readonly inside: readonly Room[]
}

/**
 * Domains that share slices as evenly as possible: of siblings, or of what is inside siblings if `isInside`, as few as a greedy choice takes, each with at
 * least a threshold of slices that is as large as possible. `siblings`: the groups of domains to choose from, in order of their names. `undefined`: none share
 * so many slices.
 *
 * Source: Kueue, tas_balanced_placement.go (findBestDomainsForBalancedPlacement, applyBalancedPlacementAlgorithm), without leaders.
 */
export function balancedDomains(siblings: readonly (readonly Room[])[], slices: number, size: number, isInside: boolean): Filled[] | undefined {
  let best: { readonly domains: readonly Room[]; readonly threshold: number; readonly count: number } | undefined
  for (const domains of siblings) {
    const chosen = greedy(isInside ? domains.flatMap(({ inside }) => inside) : domains, slices)
    if (chosen === undefined) continue
    const threshold = Math.min(Math.floor(slices / chosen.length), (chosen.at(-1) as Room).slices)
    if (threshold < (best?.threshold ?? 0)) continue
    prune(domains, threshold)
    const count = greedy(domains, slices)?.length
    if (count === undefined) continue
    if (best === undefined || threshold > best.threshold || count < best.count) best = { domains, threshold, count }
  }
  if (best === undefined) return undefined
  const { domains, threshold } = best
  const within = isInside ? fewestAndTightest([...domains].sort(byRoomAndEvenness), slices, size)?.flatMap(({ inside }) => inside) : domains
  const found = within && fewestAndTightest([...within].sort((a, b) => a.domain.rank - b.domain.rank), slices, size)
  return found && shared(found.sort(byRoom), slices, threshold)
}

/** Domains with room for most slices first, of these the ones with room for fewest tasks; then by name. */
const byRoom = (a: Room, b: Room): number => b.slices - a.slices || a.tasks - b.tasks || a.domain.rank - b.domain.rank

/** As many domains as the slices take, those with most room first; `undefined` if all are too small. */
function greedy(domains: readonly Room[], slices: number): Room[] | undefined {
  const chosen: Room[] = []
  let left = slices
  for (const each of [...domains].sort(byRoom)) {
    if (left <= 0 || each.slices === 0) break
    chosen.push(each)
    left -= each.slices
  }
  return left > 0 ? undefined : chosen
}

/** Leaves out domains, and those inside them, with room for fewer slices than the threshold. */
function prune(domains: readonly Room[], threshold: number): void {
  const leaveOut = (each: Room): void => {
    if (each.slices < threshold) each.tasks = each.slices = 0
  }
  for (const each of domains) {
    each.inside.forEach(leaveOut)
    if (each.inside.length > 0) {
      each.tasks = each.inside.reduce((sum, { tasks }) => sum + tasks, 0)
      each.slices = each.inside.reduce((sum, { slices }) => sum + slices, 0)
    }
    leaveOut(each)
  }
}

/** A choice of domains: the last of them and the choice before it. */
interface Choice {
  readonly last: Room
  readonly before: Choice | undefined
}

/**
 * As many domains as the greedy choice takes, with room for the tasks of the slices and the least to spare, found by dynamic programming. Of equals those that
 * come first in order.
 *
 * Source: Kueue, selectOptimalDomainSetToFit.
 */
function fewestAndTightest(domains: readonly Room[], slices: number, size: number): Room[] | undefined {
  const count = greedy(domains, slices)?.length
  if (count === undefined) return undefined
  const byCount = Array.from({ length: count + 1 }, () => new Map<number, Choice | undefined>()) // by the tasks that are left
  byCount[0]?.set(slices * size, undefined)
  for (const last of domains) {
    if (last.slices === 0) continue
    for (let i = count; i > 0; i--)
      for (const [left, before] of [...(byCount[i - 1] as Map<number, Choice | undefined>)].sort(([a], [b]) => a - b))
        if (left > 0 && byCount[i]?.has(left - last.tasks) === false) byCount[i]?.set(left - last.tasks, { last, before })
  }
  const ends = byCount[count] as Map<number, Choice | undefined>
  const tightest = Math.max(...[...ends.keys()].filter((left) => left <= 0))
  const found: Room[] = []
  for (let each = ends.get(tightest); each !== undefined; each = each.before) found.push(each.last)
  return found.length > 0 ? found : undefined
}

/** Gives each domain the threshold and the first of them what is left; `undefined` if not all slices find room. */
function shared(domains: readonly Room[], slices: number, threshold: number): Filled[] | undefined {
  let left = slices - domains.length * threshold
  if (left < 0) return undefined
  const filled = domains.map((each) => {
    const more = Math.min(each.slices - threshold, left)
    left -= more
    return { domain: each.domain, units: threshold + more }
  })
  return left > 0 ? undefined : filled
}

/** Domains with room for most slices first, of these the ones with the most even room inside; then by name. */
const byRoomAndEvenness = (a: Room, b: Room): number => b.slices - a.slices || entropy(b.inside) - entropy(a.inside) || a.domain.rank - b.domain.rank

/** The entropy of the room inside a domain, in bits. Summed up by size, so that it does not depend on the order of the domains. */
function entropy(inside: readonly Room[]): number {
  const counts = inside.map(({ tasks }) => tasks).filter((tasks) => tasks > 0).sort((a, b) => a - b)
  const all = counts.reduce((sum, tasks) => sum + tasks, 0)
  return counts.reduce((sum, tasks) => sum - (tasks / all) * portableLog2(tasks / all), 0)
}
