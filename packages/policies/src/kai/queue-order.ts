import type { Claims } from './options.js'

/** A queue with what it has and what it would start next; amounts by `ResourceId`. */
export interface Standing extends Claims {
  readonly allocated: ArrayLike<number>
  readonly fairShare: ArrayLike<number>
  /** What its next job asks at once. */
  readonly asked: ArrayLike<number>
}

/** What counts for a resource of which a queue has nothing due: each unit as so many times all. */
const NOTHING_DUE = 1000

/**
 * Which of two siblings is served first, below 0 the first one. The first of these that tells them apart decides: who has
 * not more than its fair share (of all resources); who stays within its quota with its next job; the higher priority; who
 * does not use what it is due nothing of; the smaller dominant share with its next job; the smaller one without; who is due
 * less. A dominant share is the largest part of what is due, and due is the fair share, the quota if that
 * is more, the limit if it is less.
 *
 * Source: KAI Scheduler, queue_order.go and queue_resource_share.go.
 */
export function compareQueues(a: Standing, b: Standing, resources: readonly number[], capacity: ArrayLike<number>): number {
  const falseFirst = (test: (queue: Standing) => boolean): number => Number(test(a)) - Number(test(b))
  return (
    falseFirst((queue) => resources.every((r) => at(queue.allocated, r) > at(queue.fairShare, r))) ||
    falseFirst((queue) => resources.some((r) => withNext(queue, r) > at(queue.quota, r))) ||
    b.priority - a.priority ||
    falseFirst((queue) => resources.some((r) => due(queue, r) === 0 && withNext(queue, r) > 0)) ||
    dominantShare(a, withNext, resources, capacity) - dominantShare(b, withNext, resources, capacity) ||
    dominantShare(a, allocated, resources, capacity) - dominantShare(b, allocated, resources, capacity) ||
    byDue(a, b, resources)
  )
}

type Amount = (queue: Standing, r: number) => number

const at = (amounts: ArrayLike<number>, r: number): number => amounts[r] as number
const allocated: Amount = (queue, r) => at(queue.allocated, r)
const withNext: Amount = (queue, r) => at(queue.allocated, r) + at(queue.asked, r)
/** What a queue may have before others may have it back: its fair share, its quota if that is more, its limit if it is less. */
export const due: Amount = ({ quota, fairShare, limit }, r) => Math.min(at(limit, r), Math.max(at(quota, r), at(fairShare, r)))

function dominantShare(queue: Standing, amount: Amount, resources: readonly number[], capacity: ArrayLike<number>): number {
  let largest = 0
  for (const r of resources) {
    const whole = Math.min(due(queue, r), at(capacity, r))
    const used = amount(queue, r)
    largest = Math.max(largest, whole === 0 ? used * NOTHING_DUE : used / whole)
  }
  return largest
}

/** Who is due less of something, and more of nothing. */
function byDue(a: Standing, b: Standing, resources: readonly number[]): number {
  const isLess = (x: Standing, y: Standing): boolean => resources.every((r) => due(x, r) <= due(y, r)) && resources.some((r) => due(x, r) < due(y, r))
  return Number(isLess(b, a)) - Number(isLess(a, b))
}
