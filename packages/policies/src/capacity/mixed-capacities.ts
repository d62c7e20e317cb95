import { ownValue } from '@sched/core'
import { divided, fraction, isLess, nearestTo, none as nothing, partOf, percent, sumOf, type Fraction } from './fraction.js'

/** The capacity of a queue in one resource: an amount, a percentage of the parent such as `50%`, or a weight such as `2w`. */
export type CapacityOfResource = number | string
/** The order in which the kinds are served: each divides what those before it have left. */
const KINDS = ['amount', 'percentage', 'weight'] as const
type Kind = (typeof KINDS)[number]

/**
 * What each of several sibling queues is guaranteed of one resource, in whole units. Amounts come first, all scaled down where the parent has less.
 * Percentages are of what the amounts leave, and weights divide what the percentages leave. No queue gets more than its limit, or more than the queues
 * before it leave.
 *
 * Source: Hadoop 3.5, ResourceCalculationDriver with AbsoluteResourceCapacityCalculator, PercentageQueueCapacityCalculator,
 * WeightQueueCapacityCalculator and DefaultQueueResourceRoundingStrategy (queue mode that is not legacy).
 * Deviation: parts are exact before they are rounded, where Hadoop's doubles may lose one.
 */
export function mixedCapacities(given: readonly CapacityOfResource[], available: number, limits: readonly number[]): number[] {
  const amounts = given.map(() => 0)
  let left = available
  for (const kind of KINDS) {
    const remaining = left
    const all = sumOf(given, (each) => (kindOf(each) === kind ? fraction(valueOf(each)) : nothing))
    const wants = new Map([...new Set(given)].filter((each) => kindOf(each) === kind).map((each) => [each, wanted(kind, valueOf(each), all, remaining)]))
    for (let i = 0; i < given.length; i++) {
      const wish = wants.get(given[i] as CapacityOfResource)
      if (wish === undefined) continue
      amounts[i] = Math.min(wish, limits[i] as number, left)
      left -= amounts[i] as number
    }
  }
  return amounts
}

const kindOf = (capacity: CapacityOfResource): Kind => (typeof capacity === 'number' ? 'amount' : capacity.endsWith('%') ? 'percentage' : 'weight')
const valueOf = (capacity: CapacityOfResource): number => (typeof capacity === 'number' ? capacity : Number.parseFloat(capacity))

/**
 * What a queue should get, in whole units. Only weights are rounded to the nearest: they come last, and the last of them has what earlier ones
 * round up less.
 */
function wanted(kind: Kind, value: number, all: Fraction, remaining: number): number {
  if (value === 0 || (kind === 'amount' && !isLess(fraction(remaining), all))) return value
  if (kind === 'percentage') return partOf(remaining, percent(value))
  const part = divided(fraction(value), all)
  return kind === 'weight' ? nearestTo(remaining, part) : partOf(remaining, part)
}

/** The most that a queue may have of one resource, in whole units; 0 means no limit of its own, as in Hadoop. */
export function mixedLimit(maximum: CapacityOfResource, parent: number): number {
  const own = typeof maximum === 'number' ? maximum : partOf(parent, percent(valueOf(maximum)))
  return own === 0 ? parent : Math.min(own, parent)
}

/** A capacity for one resource: a percentage or weight counts for all resources; amounts count for those that they name, and others have 0. */
export function ofResource(capacity: number | string | Readonly<Record<string, CapacityOfResource>>, resource: string): CapacityOfResource {
  if (typeof capacity === 'object') return ownValue(capacity, resource) ?? 0
  return typeof capacity === 'number' ? `${capacity}%` : capacity
}
