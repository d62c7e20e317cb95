import { divided, fraction, isLess, nearestTo, none as nothing, partOf, percent, plus, type Fraction } from './fraction.js'

/** The capacity of a queue in one resource: an amount, a percentage of the parent such as `50%`, or a weight such as `2w`. */
export type CapacityOfResource = number | string
/** The order in which the kinds are served: each divides what those before it have left. */
const KINDS = ['amount', 'percentage', 'weight'] as const
type Kind = (typeof KINDS)[number]

/**
 * What each of several queues in one parent is guaranteed of one resource, whole. Amounts come first, scaled down together where the parent has
 * less; percentages are of what these leave, and weights divide what those leave. No queue has more than its limit, nor than those before it leave.
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
    const all = given.reduce<Fraction>((sum, each) => (kindOf(each) === kind ? plus(sum, fraction(valueOf(each))) : sum), nothing)
    for (const [i, each] of given.entries()) {
      if (kindOf(each) !== kind) continue
      amounts[i] = Math.min(wanted(kind, valueOf(each), all, remaining), limits[i] as number, left)
      left -= amounts[i]
    }
  }
  return amounts
}

const kindOf = (capacity: CapacityOfResource): Kind => (typeof capacity === 'number' ? 'amount' : capacity.endsWith('%') ? 'percentage' : 'weight')
const valueOf = (capacity: CapacityOfResource): number => (typeof capacity === 'number' ? capacity : Number.parseFloat(capacity))

/** Weights alone are rounded to the nearest: they come last, and what they round up is missing for the last of them. */
function wanted(kind: Kind, value: number, all: Fraction, remaining: number): number {
  if (value === 0 || (kind === 'amount' && !isLess(fraction(remaining), all))) return value
  if (kind === 'percentage') return partOf(remaining, percent(value))
  const part = divided(fraction(value), all)
  return kind === 'weight' ? nearestTo(remaining, part) : partOf(remaining, part)
}

/** The most that a queue may have of one resource, whole; 0 is no limit of its own, as in Hadoop. */
export function mixedLimit(maximum: CapacityOfResource, parent: number): number {
  const own = typeof maximum === 'number' ? maximum : partOf(parent, percent(valueOf(maximum)))
  return own === 0 ? parent : Math.min(own, parent)
}

/** What a capacity is of each resource: the same percentage or weight of all, or what it names and nothing of others. */
export function ofResource(capacity: number | string | Readonly<Record<string, CapacityOfResource>>, resource: string): CapacityOfResource {
  if (typeof capacity === 'object') return capacity[resource] ?? 0
  return typeof capacity === 'number' ? `${capacity}%` : capacity
}
