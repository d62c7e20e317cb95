import { ownValue } from '@sched/core'
import type { ReadQueueOptions } from './queue-options.js'

type Capacity = ReadQueueOptions['capacity']
/** Tolerance in percent, as in Hadoop (CSQueueUtils.EPSILON, there of the whole cluster). */
const CLOSE = 0.01

/**
 * The capacity of a queue that is made at first use, in the legacy mode: the percentage or amounts of its template, or nothing where its siblings leave less
 * than that. Weights are never used up. `isCounted`: the resources by which amounts are compared.
 *
 * Source: Hadoop 3, GuaranteedOrZeroCapacityOverTimePolicy.getInitialLeafQueueConfiguration. Deviation: amounts are compared resource by resource, where
 * Hadoop compares dominant shares.
 */
export function allOrNothing(capacity: Capacity, siblings: readonly Capacity[], around: Capacity, isCounted: (resource: string) => boolean): Capacity {
  if (typeof capacity === 'number') return siblings.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), capacity) > 100 + CLOSE ? 0 : capacity
  if (typeof capacity !== 'object' || typeof around !== 'object') return capacity
  const fits = Object.entries(around).every(([name, most]) => !isCounted(name) || [capacity, ...siblings].reduce<number>((sum, each) => sum + amountOf(each, name), 0) <= Number(most))
  return fits ? capacity : nothingOf(capacity)
}

const amountOf = (capacity: Capacity, name: string): number => (typeof capacity === 'object' ? Number(ownValue(capacity, name) ?? 0) : 0)

/** A capacity of the same kind that is 0; a weight stays as it is. */
export function nothingOf(capacity: Capacity): Capacity {
  if (typeof capacity === 'number') return 0
  return typeof capacity === 'object' ? Object.fromEntries(Object.keys(capacity).map((name) => [name, 0])) : capacity
}

/** Whether a queue is guaranteed anything by its percentage or amounts. */
export const isSomething = (capacity: Capacity): boolean => (typeof capacity === 'object' ? Object.values(capacity).some((amount) => Number(amount) > 0) : typeof capacity === 'number' && capacity > 0)

/** The capacity of a queue in a partition, as it was given. */
export const ownCapacity = (own: ReadQueueOptions, label: string): Capacity => (label === '' ? own.capacity : ownValue(own.labels, label)?.capacity)

/** The queue with another capacity in a partition. */
export function withCapacity(own: ReadQueueOptions, label: string, capacity: Capacity): ReadQueueOptions {
  return label === '' ? { ...own, capacity } : { ...own, labels: { ...own.labels, [label]: { ...ownValue(own.labels, label), capacity } } }
}
