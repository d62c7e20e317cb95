import { forwarding, type Env, type Order } from '@sched/core'
import { byScore, type Score } from '../orders/by-score.js'
import type { AccountUsage } from './account-usage.js'

/** An order by a score that past usage is part of, largest first; ties by submission. */
export function byUsage(usage: AccountUsage, env: Env, scoreOf: Score): Order {
  const ranking = byScore(env, scoreOf)
  return {
    ...ranking,
    ...forwarding(usage, ranking),
    begin: (round) => {
      usage.wake(round)
      ranking.begin(round)
    },
  }
}
