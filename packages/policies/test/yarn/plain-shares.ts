import type { ShareEntry, ShareTree } from '@sched/policies'

/** Hadoop's division as it is described: bisection of the level r until sum of clamp(w r, min, max) is the total. */
function plainDivision(entries: readonly ShareEntry[], total: number, round: (share: number) => number): number[] {
  const least = ({ active, min, max }: ShareEntry) => (active ? Math.min(min, max) : 0)
  const grows = ({ active, weight, max }: ShareEntry) => active && weight > 0 && max > 0
  const fixed = entries.filter((each) => !grows(each)).reduce((sum, each) => sum + least(each), 0)
  const rest = Math.max(0, total - fixed)
  const at = (level: number, each: ShareEntry) => (grows(each) ? round(Math.min(Math.max(each.weight * level, least(each)), each.max)) : least(each))
  const sum = (level: number) => entries.filter(grows).reduce((all, each) => all + at(level, each), 0)
  let [low, high] = [0, 1]
  while (sum(high) < rest && high < 1e12) high *= 2
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2
    if (sum(middle) < rest) low = middle
    else high = middle
  }
  return entries.map((each) => at(sum(0) >= rest ? 0 : high, each))
}

/** The same at every level of a tree; each share rounded down while the level is sought, as Hadoop's are. */
export function plainShares({ parents, entries }: ShareTree, total: number, round = Math.floor): number[] {
  const shares = [total]
  for (let parent = 0; parent < entries.length; parent++) {
    const inside = [...entries.keys()].filter((i) => i > 0 && parents[i] === parent)
    const own = plainDivision(inside.map((i) => entries[i]!), shares[parent]!, round)
    inside.forEach((child, i) => void (shares[child] = own[i]!))
  }
  return shares
}
