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
 * is more (all there is without a bound), the limit if it is less.
 *
 * Source: KAI Scheduler, queue_order.go and queue_resource_share.go.
 */
export function compareQueues(a: Standing, b: Standing, resources: readonly number[], capacity: ArrayLike<number>): number {
  return compareRanks(rankOf(a, resources, capacity, true), rankOf(b, resources, capacity, true), resources)
}

/** What the questions find for one queue. */
export interface Rank {
  readonly queue: Standing
  readonly isOverFairShare: boolean
  readonly isOverQuota: boolean
  readonly usesUndue: boolean
  /** Dominant share with the next job, and without. */
  readonly shareWithNext: number
  readonly share: number
}

/** `fairSharesFirst`: whether it is asked who has more than its fair share. */
export function rankOf(queue: Standing, resources: readonly number[], capacity: ArrayLike<number>, fairSharesFirst: boolean): Rank {
  let isOverFairShare = fairSharesFirst
  let isOverQuota = false
  let usesUndue = false
  let shareWithNext = 0
  let share = 0
  for (const r of resources) {
    const allocated = at(queue.allocated, r)
    const withNext = allocated + at(queue.asked, r)
    const most = due(queue, r)
    const whole = most === Infinity ? at(capacity, r) : most
    isOverFairShare &&= allocated > at(queue.fairShare, r)
    isOverQuota ||= withNext > at(queue.quota, r)
    usesUndue ||= most === 0 && withNext > 0
    shareWithNext = Math.max(shareWithNext, whole === 0 ? withNext * NOTHING_DUE : withNext / whole)
    share = Math.max(share, whole === 0 ? allocated * NOTHING_DUE : allocated / whole)
  }
  return { queue, isOverFairShare, isOverQuota, usesUndue, shareWithNext, share }
}

/** `compareQueues` of queues that were asked already. */
export function compareRanks(a: Rank, b: Rank, resources: readonly number[]): number {
  return (
    Number(a.isOverFairShare) - Number(b.isOverFairShare) ||
    Number(a.isOverQuota) - Number(b.isOverQuota) ||
    b.queue.priority - a.queue.priority ||
    Number(a.usesUndue) - Number(b.usesUndue) ||
    a.shareWithNext - b.shareWithNext ||
    a.share - b.share ||
    byDue(a.queue, b.queue, resources)
  )
}

const at = (amounts: ArrayLike<number>, r: number): number => amounts[r] as number
/** What a queue may have before others may have it back: its fair share, its quota if that is more, its limit if it is less. */
export const due = ({ quota, fairShare, limit }: Standing, r: number): number => Math.min(at(limit, r), Math.max(at(quota, r), at(fairShare, r)))

/** Who is due less of something, and more of nothing. */
function byDue(a: Standing, b: Standing, resources: readonly number[]): number {
  let hasLess = false
  let hasMore = false
  for (const r of resources) {
    const [mine, other] = [due(a, r), due(b, r)]
    hasLess ||= mine < other
    hasMore ||= mine > other
  }
  return Number(hasMore) - Number(hasLess)
}
