import type { Claims } from './options.js'

/** A queue with its claims, what it has, and what it would start next; amounts by `ResourceId`. */
export interface Standing extends Claims {
  readonly allocated: ArrayLike<number>
  readonly fairShare: ArrayLike<number>
  /** What its next job asks for at once. */
  readonly asked: ArrayLike<number>
}

/** Share of one unit of a resource of which a queue is due nothing. */
const NOTHING_DUE = 1000

/**
 * Which of two siblings is served first; below 0: queue a. The first of these rules that distinguishes them decides. With steady fair shares, and if
 * both ask for GPUs next, the queue comes first that may reclaim by them. Then comes the queue that does not exceed its fair share (of any resource); that stays within its quota with its next job; of the higher priority; that
 * uses no resource of which it is due nothing; with the smaller dominant share with its next job; with the smaller one without it; that is due
 * less. A dominant share is the largest fraction that a queue has of what it is due. It is due its fair share, or its quota if that
 * is more (all there is if the quota has no bound), but at most its limit.
 *
 * Source: KAI Scheduler, queue_order.go and queue_resource_share.go.
 */
export function compareQueues(a: Standing, b: Standing, resources: readonly number[], capacity: ArrayLike<number>): number {
  return compareRanks(rankOf(a, resources, capacity, true), rankOf(b, resources, capacity, true))
}

/** The results of these rules for one queue. */
export interface Rank {
  readonly queue: Standing
  readonly isOverFairShare: boolean
  readonly isOverQuota: boolean
  readonly usesUndue: boolean
  /** Whether its next job may reclaim by its steady fair share: 1 if so, 2 if not; 0 where that does not count. */
  readonly steadily: number
  /** Dominant share with the next job, and without. */
  readonly shareWithNext: number
  readonly share: number
  /** What it is due, in the order of the resources. */
  readonly due: readonly number[]
}

/** The rank of a queue. `fairSharesFirst`: whether the rule about fair shares counts. `steadily`: as in `Rank`. */
export function rankOf(queue: Standing, resources: readonly number[], capacity: ArrayLike<number>, fairSharesFirst: boolean, steadily = 0): Rank {
  let isOverFairShare = fairSharesFirst
  let isOverQuota = false
  let usesUndue = false
  let shareWithNext = 0
  let share = 0
  const dues: number[] = []
  for (const r of resources) {
    const allocated = at(queue.allocated, r)
    const withNext = allocated + at(queue.asked, r)
    const most = due(queue, r)
    dues.push(most)
    const whole = most === Infinity ? at(capacity, r) : most
    isOverFairShare &&= allocated > at(queue.fairShare, r)
    isOverQuota ||= withNext > at(queue.quota, r)
    usesUndue ||= most === 0 && withNext > 0
    shareWithNext = Math.max(shareWithNext, whole === 0 ? withNext * NOTHING_DUE : withNext / whole)
    share = Math.max(share, whole === 0 ? allocated * NOTHING_DUE : allocated / whole)
  }
  return { queue, steadily, isOverFairShare, isOverQuota, usesUndue, shareWithNext, share, due: dues }
}

/** `compareQueues` for queues of which the ranks are known. */
export function compareRanks(a: Rank, b: Rank): number {
  return (
    (a.steadily > 0 && b.steadily > 0 ? a.steadily - b.steadily : 0) ||
    Number(a.isOverFairShare) - Number(b.isOverFairShare) ||
    Number(a.isOverQuota) - Number(b.isOverQuota) ||
    b.queue.priority - a.queue.priority ||
    Number(a.usesUndue) - Number(b.usesUndue) ||
    a.shareWithNext - b.shareWithNext ||
    a.share - b.share ||
    byDue(a.due, b.due)
  )
}

const at = (amounts: ArrayLike<number>, r: number): number => amounts[r] as number
/** What a queue is due, beyond which others may take it back: its fair share, or its quota if that is more, at most its limit. */
export const due = ({ quota, fairShare, limit }: Standing, r: number): number => Math.min(at(limit, r), Math.max(at(quota, r), at(fairShare, r)))

/** Compares by what queues are due: first the one that is due less of some resource and more of none. */
function byDue(a: readonly number[], b: readonly number[]): number {
  let hasLess = false
  let hasMore = false
  for (let at = 0; at < a.length; at++) {
    const [mine, other] = [a[at] as number, b[at] as number]
    hasLess ||= mine < other
    hasMore ||= mine > other
  }
  return Number(hasMore) - Number(hasLess)
}
