import type { Group, PassesResult, RigidResult, Summary } from '@sched/metrics'
import { percent, table } from '@sched/report'
import type { Row } from '../figures/figures.js'
import { kinds } from '../figures/rigid-figures.js'
import { columns } from './columns.js'
import { counted, interval, number } from './number.js'
import { policyTable } from './policy-table.js'

/** Users that the report of one run names. */
const MOST_USERS = 10

/** What one run measured of rigid jobs, as text; empty for other runs. */
export function rigidText({ rigid, promises, passes = [], utilisation }: Summary, width?: number): string[] {
  if (rigid === undefined) return []
  const { jobs, recorded } = rigid
  const users = [...jobs.byUser].sort((a, b) => b.area - a.area).slice(0, MOST_USERS)
  return [
    machineText(rigid, promises),
    passTable(passes, width),
    recordedText(recorded),
    sizeTable(jobs.bySize, utilisation.resources[0]?.resource, width),
    groupTable('run time', jobs.byLength, width),
    severalText(jobs.byUser.length > MOST_USERS ? `user (${MOST_USERS} of ${number(jobs.byUser.length)} with the largest area)` : 'user', users, width),
    groupTable('', [{ label: 'all', ...jobs.overall }], width),
  ]
}

function machineText({ queue, backfilled }: RigidResult, { jobs, broken, early, meanAhead }: Summary['promises']): string {
  const promised = jobs === 0
    ? 'no starts were promised'
    : `jobs promised a start: ${number(jobs)}, started before it ${number(early)}, after it ${number(broken)}; ${number(meanAhead, 's')} s before the first promise in the mean`
  return (
    `loss of capacity ${percent(queue.lossOfCapacity)}; waiting jobs: ${number(queue.mean)} in the mean, ${number(queue.max)} at most; ` +
    `jobs that passed an earlier one: ${number(backfilled.jobs)} (${percent(backfilled.share)})\n${promised}\n`
  )
}

/** What the policy tells of its looks at the queue. */
function passTable(passes: readonly PassesResult[], width: number | undefined): string {
  const named = { first: 'the first in order', plan: 'plan' }
  const rows = passes.map(({ kind, passes: count, perMinute, started, waiting, looked, tried, entries }) => [
    named[kind], ...[count, perMinute, started, waiting.mean, looked.mean, tried.mean, tried.max, entries.mean, entries.max].map((value) => number(value)),
  ])
  return rows.length === 0
    ? ''
    : table(columns(
      'passes over the queue',
      'passes',
      'a minute',
      'jobs started',
      'waiting, mean',
      'looked at',
      'tried',
      'at most',
      'entries of the plan',
      'at most',
    ), rows, { width })
}

function recordedText({ jobs, wait, response, slowdown, meanAbsoluteError, meanDifference }: RigidResult['recorded']): string {
  if (jobs === 0) return ''
  const difference = `${meanDifference > 0 ? '+' : ''}${number(meanDifference, 's')}`
  return (
    `recorded in the log, of ${counted(jobs, 'job')}: mean wait ${number(wait.mean, 's')} s, response ${number(response.mean, 's')} s, bounded slowdown ${number(slowdown.mean)}; ` +
    `waits here differ by ${number(meanAbsoluteError, 's')} s in the mean, ${difference} s with their sign\n`
  )
}

/** By size, which is what jobs ask of the first resource. */
function sizeTable(groups: readonly Group[], resource = 'procs', width?: number): string {
  if (['procs', 'nodes'].includes(resource)) return groupTable('processors', groups, width)
  return severalText(resource, groups, width)
}

/** Nothing to tell where all jobs are in one group, beside the row of all. */
const severalText = (title: string, groups: readonly Group[], width: number | undefined): string => (groups.filter(({ finished }) => finished > 0).length > 1 ? groupTable(title, groups, width) : '')

function groupTable(title: string, groups: readonly Group[], width: number | undefined): string {
  const rows = groups.filter(({ finished }) => finished > 0).map(({ label, finished, wait, response, slowdown, weighted }) => [
    label, number(finished), number(wait, 's'), number(response, 's'), number(slowdown), number(weighted.wait, 's'), number(weighted.response, 's'), number(weighted.slowdown),
  ])
  return table(columns(title, 'jobs', 'mean wait, s', 'response, s', 'bounded slowdown', 'by area: wait, s', 'response, s', 'slowdown'), rows, { width })
}

/** Mean wait and bounded slowdown by policy, by size and by run time; empty for other runs. */
export function kindText(rows: readonly Row[], width?: number): string {
  return kinds
    .flatMap(({ name }) => [kindTable(rows, `wait-by-${name}`, name, 'Mean wait in seconds', width), kindTable(rows, `slowdown-by-${name}`, name, 'Mean bounded slowdown', width)])
    .filter((text) => text !== '')
    .join('\n')
}

function kindTable(rows: readonly Row[], key: string, kind: string, heading: string, width: number | undefined): string {
  const own = rows.filter((row) => row.key === key)
  const [first] = own
  if (first === undefined) return ''
  const lines = own.map(({ label = '', unit, cells }) => [label.slice(kind.length + 1), ...cells.map(({ mean }) => interval(mean, unit))])
  return `${heading}, ${kind === 'procs' ? 'by processors' : 'by run time'}\n${policyTable([''], first.cells.map(({ policy }) => policy), lines, width)}`
}
