import type { Sharers } from './sharers.js'

/**
 * Progressive filling: all users' tasks grow together, each at its rate, until a resource is used up, which stops those
 * who need it, or a user has all its tasks; the others grow on. Returns tasks by user.
 */
export function fill({ capacities, demands, tasks }: Sharers, rates: readonly number[]): number[] {
  const most = demands.map((demand, user) => (demand.some((amount, r) => amount > 0 && capacities[r] === 0) ? 0 : (tasks?.[user] ?? Infinity)))
  const given = demands.map(() => 0)
  const growing = new Set([...demands.keys()].filter((user) => most[user]! > 0))
  while (growing.size > 0) {
    const ends = capacities.map((_, r) => levelOfEnd(r, growing, given, rates, demands, capacities))
    const limits = demands.map((_, user) => (growing.has(user) ? most[user]! / rates[user]! : Infinity))
    const level = Math.min(...ends, ...limits)
    const stopped = [...growing].filter((user) => limits[user] === level || demands[user]!.some((amount, r) => amount > 0 && ends[r] === level))
    for (const user of stopped) {
      given[user] = limits[user] === level ? most[user]! : rates[user]! * level
      growing.delete(user)
    }
  }
  return given
}

/** The level at which a resource is used up: what those who stopped leave of it, over how fast the others use it. */
function levelOfEnd(
  r: number,
  growing: ReadonlySet<number>,
  given: readonly number[],
  rates: readonly number[],
  demands: Sharers['demands'],
  capacities: readonly number[],
): number {
  let left = capacities[r]!
  let speed = 0
  for (const [user, demand] of demands.entries())
    if (growing.has(user)) speed += rates[user]! * demand[r]!
    else left -= given[user]! * demand[r]!
  return speed === 0 ? Infinity : Math.max(left, 0) / speed
}
