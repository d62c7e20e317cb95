import type { Seconds } from '@sched/core'

/** The queue of a user at the end of an interval. */
export interface Spender {
  /** What it may still spend, >= 0. */
  readonly budget: number
  /** What it spends per slot and interval. */
  readonly rate: number
  /** Slots that it uses. */
  readonly usage: number
  /** Tasks that it has waiting. */
  readonly pending: number
}

/** The outcome of an interval; columns are in the order of the queues. */
export interface Spending {
  /** The sum of the rates of all active queues whose budget is at least their rate. */
  readonly price: number
  /** Part of the cluster that each may use in the next interval; together at most 1. */
  readonly shares: readonly number[]
  /** What each may still spend, at least 0. */
  readonly budgets: readonly number[]
}

/**
 * The end of an interval. A queue is active if it has running or waiting tasks. Every active queue pays its rate for each slot that it uses, and gets
 * its rate over the price as its share. A queue that cannot pay for all it uses, or is not active, pays nothing and gets nothing.
 *
 * Deviation from the survey's sheet: a queue whose budget is below its rate does not count in the price, so it gets nothing even if it uses nothing.
 *
 * Source: Sandholm and Lai, JSSPP 2010; Hadoop's dynamic-priority scheduler; Lin et al., survey, section 7.
 */
export function spend(queues: readonly Spender[]): Spending {
  const isActive = ({ usage, pending }: Spender) => usage > 0 || pending > 0
  const price = queues.reduce((sum, queue) => sum + (queue.rate <= queue.budget && isActive(queue) ? queue.rate : 0), 0)
  const pays = queues.map((queue) => isActive(queue) && queue.budget >= queue.rate * queue.usage && queue.rate <= queue.budget)
  return {
    price,
    shares: queues.map(({ rate }, i) => (pays[i] === true && price > 0 ? rate / price : 0)),
    budgets: queues.map(({ budget, rate, usage }, i) => (pays[i] === true && usage > 0 ? budget - rate * usage : budget)),
  }
}

/** A change of a queue's rate or budget at a time. */
export interface SpendingChange {
  readonly at: Seconds
  /** Its rate from then on. */
  readonly rate?: number | undefined
  /** What is added to its budget. */
  readonly deposit?: number | undefined
}
