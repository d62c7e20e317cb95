import { forwarding, type Env, type JobBlock, type Order, type Round, type WorkListener } from '@sched/core'
import { byScore, type Score } from '../orders/by-score.js'
import type { AccountUsage } from './account-usage.js'

/**
 * An order by a score that depends on past usage, largest first; ties by submission. Scores change at the end of a period. `others` are told of events
 * before the order is; `beforeReading` is called before each reading, after the periods that are over have been ended.
 */
export function byUsage(usage: AccountUsage, env: Env, scoreOf: Score, others: readonly WorkListener[] = [], beforeReading?: () => void): Order {
  const ranking = byScore(env, scoreOf, () => usage.version())
  return {
    ...forwarding(usage, ...others, ranking),
    readsAll: true,
    begin: (round: Round): void => {
      usage.wake(round)
      beforeReading?.()
      ranking.begin(round)
    },
    next: (): JobBlock | undefined => ranking.next(),
  }
}
