import type { Daily, DecidedTimes, DecisionFigures, DecisionsResult } from '@sched/metrics'
import { percent, table } from '@sched/report'
import { columns } from './columns.js'
import { number } from './number.js'

/** How busy schedulers were. Kinds with several schedulers have a row for all of them, and one for each. */
export function schedulerTable(decisions: DecisionsResult, width?: number): string {
  const rows = byScheduler(decisions).map(([name, { busyness, noConflictBusyness, noRoomBusyness, conflictFraction }]) => [
    name, share(busyness), share(noConflictBusyness), share(noRoomBusyness), daily(conflictFraction, (value) => number(value)),
  ])
  const days = Math.max(...decisions.schedulers.map(({ busyness }) => busyness.days))
  const title = days > 1 ? `Schedulers: medians of ${days} days ± median absolute deviation` : 'Schedulers'
  return `${title}\n${table(columns('scheduler', 'busy', 'without retries after conflicts', 'in vain, no room', 'conflicts per success'), rows, { width })}`
}

/** What attempts came to. */
export function attemptTable(decisions: DecisionsResult, width?: number): string {
  const rows = byScheduler(decisions).map(([name, { attempts, useful, wasted, noRoom, retries, claimed, accepted, conflicted }]) =>
    [name, ...[attempts, useful, wasted, noRoom, retries, claimed, accepted, conflicted].map((count) => number(count))],
  )
  return table(columns('scheduler', 'attempts', 'without conflict', 'with conflict', 'no room', 'retries', 'tasks claimed', 'started', 'sent back'), rows, { width })
}

/** How long jobs waited for their scheduler, by class. */
export function decidedTable({ overall, classes }: DecisionsResult, width?: number): string {
  const rows = [...classes.map(({ label, ...times }): [string, DecidedTimes] => [label, times]), ['all jobs', overall] as const].map(
    ([name, { jobs, tried, placed, abandoned, firstAttempt, fullyPlaced, inTime }]) => [
      name,
      ...[jobs, tried, placed, abandoned].map((count) => number(count)),
      ...[firstAttempt.mean, firstAttempt.p90, fullyPlaced.mean, fullyPlaced.p90].map((value) => number(value, 's')),
      percent(inTime),
    ],
  )
  return table(columns('class', 'jobs', 'tried', 'fully placed', 'given up', 'first attempt after, s', 'p90', 'fully placed after, s', 'p90', 'tried within 30 s'), rows, { width })
}

function byScheduler({ schedulers, groups }: DecisionsResult): [string, DecisionFigures][] {
  return groups.flatMap(({ group, schedulers: count, ...figures }): [string, DecisionFigures][] => {
    const own = schedulers.filter((each) => each.group === group).map(({ scheduler, ...each }): [string, DecisionFigures] => [scheduler, each])
    return count === 1 ? own : [[`${group} (${count})`, figures], ...own]
  })
}

const share = (value: Daily) => daily(value, percent)
const daily = ({ median, mad, days }: Daily, text: (value: number) => string) => (days > 1 && !Number.isNaN(mad) ? `${text(median)} ± ${text(mad)}` : text(median))
