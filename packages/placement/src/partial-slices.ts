import type { Filled } from './domain.js'

/** A domain with the whole slices that it has room for, and those beside the short one: fewer than 0 where that has no room. */
export interface Beside extends Filled {
  readonly beside: number
}

/** A domain that gets whole slices, and in one of all domains so many tasks of the short slice beside them. */
export interface Shared extends Filled {
  readonly short?: number
}

/** The whole slices that a domain has room for beside a short one of so many tasks, if each is in the room for so many tasks; below 0: none has. */
export const besideIn = (room: number, short: number, size: number): number => (room < short ? -1 : Math.floor((room - short) / size))

/** The whole slices for which domains have room beside the short one, which goes where it costs fewest of them; below 0: no domain has room for it. */
export function besideAmong(domains: readonly { readonly slices: number; readonly beside: number }[]): number {
  let [slices, cost] = [0, Infinity]
  for (const each of domains) {
    slices += each.slices
    if (each.beside >= 0) cost = Math.min(cost, each.slices - each.beside)
  }
  return cost === Infinity ? -1 : slices - cost
}

/**
 * The domain that holds the whole slices and the short one: of the tightest ones that with room for fewest whole slices, or, without `isTight`, the first.
 *
 * Source: Kueue, findBestFitDomainForSlicesWithTail of tas_partial_slices.go.
 */
export function holdingAll(domains: readonly Beside[], units: number, isTight: boolean): Beside | undefined {
  const fitting = domains.filter(({ beside }) => beside >= units)
  return isTight ? fitting.reduce<Beside | undefined>((best, each) => (best === undefined || each.beside < best.beside || (each.beside === best.beside && each.units < best.units) ? each : best), undefined) : fitting[0]
}

/**
 * Domains in order that take all slices together: as many as the whole ones take, and one more if none of these has room for the short one beside what it
 * gets. `undefined`: they are too small.
 *
 * Source: Kueue, findLevelWithFitDomains with selectionHoldsTail and firstDomainHostingTail.
 */
export function takingAll(domains: readonly Beside[], units: number, isTight: boolean): readonly Beside[] | undefined {
  const taken: Beside[] = []
  let [left, isHeld] = [units, false]
  for (let i = 0; left > 0 && i < domains.length; i++) {
    const next = closing(domains.slice(i), left, isTight)
    taken.push(next)
    isHeld ||= next.beside >= Math.min(next.units, left)
    left -= next.units
  }
  if (left > 0) return undefined
  const extra = isHeld ? undefined : domains.find((each) => each.beside >= 0 && !taken.includes(each))
  return isHeld ? taken : extra && [...taken, extra]
}

/**
 * Shares slices out to domains in order, as few as they take, of which one gets the short slice of so many tasks, if possible one that gets whole ones.
 * `undefined`: they are too small.
 *
 * Source: Kueue, updateCountsToMinimumGeneric with closingDomainWithTail and placeTail.
 */
export function sharedOut(domains: readonly Beside[], units: number, short: number, isTight: boolean): readonly Shared[] | undefined {
  const shares: Beside[] = []
  const given: number[] = []
  let [left, isHeld] = [units, false]
  for (let i = 0; i < domains.length; i++) {
    const rest = domains.slice(i)
    const last = isHeld ? undefined : closingBoth(rest, left, isTight)
    if (last !== undefined) return withShort([...shares, last], [...given, left], shares.length, short)
    const next = closing(rest, left, isTight)
    const units = Math.min(next.units, left)
    shares.push(next)
    given.push(units)
    if (next.units >= left) return placed(shares, given, domains, short)
    isHeld ||= next.beside >= units
    left -= units
  }
  return undefined
}

/** Where the next slices go: to the first, or to the tightest of those that hold all that are left. */
function closing(domains: readonly Beside[], left: number, isTight: boolean): Beside {
  const [first] = domains as [Beside]
  if (!isTight || first.units < left) return first
  return domains.reduce((best, each) => (each.units >= left && each.units < best.units ? each : best))
}

/** The domain that takes all that is left with the short slice, unless one with room for fewer whole slices would take the whole ones. */
function closingBoth(domains: readonly Beside[], left: number, isTight: boolean): Beside | undefined {
  const [first] = domains as [Beside]
  if (first.units < left) return undefined
  const found = isTight ? holdingAll(domains, left, true) : first.beside >= left ? first : undefined
  return found !== undefined && found.units <= closing(domains, left, isTight).units ? found : undefined
}

/** The short slice goes to the first that has room for it beside what it gets, otherwise to a domain that gets nothing else. */
function placed(shares: readonly Beside[], given: readonly number[], all: readonly Beside[], short: number): readonly Shared[] | undefined {
  const at = shares.findIndex(({ beside }, i) => beside >= (given[i] as number))
  if (at >= 0) return withShort(shares, given, at, short)
  const extra = all.find((each) => each.beside >= 0 && !shares.includes(each))
  return extra && withShort([...shares, extra], [...given, 0], shares.length, short)
}

const withShort = (shares: readonly Beside[], given: readonly number[], at: number, short: number): readonly Shared[] =>
  shares.map(({ domain }, i) => ({ domain, units: given[i] as number, ...(i === at && { short }) }))
