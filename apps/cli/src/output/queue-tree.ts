import { table, type Column } from '@sched/report'
import type { QueueFile, QueueRow, QueueTable } from '@sched/queue-files'
import { number } from './number.js'

/** Settings that have a column of their own; others stand in the list of what is honoured. */
const shown = {
  fair: { weight: 'weight', policy: 'policy', minResources: 'min', maxResources: 'max', maxRunningApps: 'apps' },
  capacity: { capacity: 'capacity', 'maximum-capacity': 'max', 'minimum-user-limit-percent': 'user %', 'user-limit-factor': 'factor', 'ordering-policy': 'order', state: 'state' },
  slurm: { PriorityTier: 'tier', PriorityJobFactor: 'factor', MaxTime: 'longest', State: 'state', Nodes: 'nodes' },
  'kube-scheduler': { value: 'priority', preemptionPolicy: 'preemption' },
  spark: { schedulingMode: 'mode', weight: 'weight', minShare: 'min' },
  pbs: { queue_type: 'type', Priority: 'priority', enabled: 'enabled', started: 'started', backfill_depth: 'depth' },
  kai: { priority: 'priority', quota: 'quota', limit: 'limit', overQuotaWeight: 'weight' },
  volcano: {
    weight: 'weight', priority: 'priority', deserved: 'deserved', guarantee: 'guarantee', capability: 'capability',
    dequeueStrategy: 'dequeue', reclaimable: 'reclaimable', state: 'state',
  },
  yunikorn: { guaranteed: 'guaranteed', max: 'max', maxapplications: 'apps', 'application.sort.policy': 'sort', 'priority.offset': 'offset', 'preemption.policy': 'preemption' },
  kueue: { cohort: 'cohort', queueingStrategy: 'strategy', nominalQuota: 'nominal', borrowingLimit: 'borrows', lendingLimit: 'lends' },
} as const
const defaults: Readonly<Record<string, string>> = { weight: '1', policy: 'fair', PriorityTier: '1', schedulingMode: 'FIFO' }

/** Settings of a QOS or an account that say nothing: of people, or as sacctmgr prints what is not set. */
const SAYS_NOTHING = /^(descr(iption)?|org(anization)?|admin(level)?|cluster|coordinators?)=|^(gracetime=00:00:00|usagefactor=1\.0+|preemptmode=cluster)$/i

/** The queues of a file as an indented tree with settings and shares, at most `width` wide where that is given. */
export function queueTreeText(kind: QueueFile['kind'], { rows, totals, leavesOutAmounts }: QueueTable, width?: number): string {
  const settings = Object.entries(shown[kind]).filter(([name]) => name in defaults || rows.some((row) => name in row.settings))
  const others = kind === 'slurm' ? rows.map((row) => othersOf(row, settings.map(([name]) => name))) : []
  const hasOthers = others.some((text) => text !== '')
  const resources = Object.keys(totals ?? { cluster: 1 })
  const labels = Object.keys(rows[0]?.labelShares ?? {})
  const columns: Column[] = [
    { title: 'queue', align: 'left' },
    ...settings.map(([, title]): Column => ({ title, align: 'right' })),
    ...resources.map((name): Column => ({ title: totals === undefined ? 'share' : `share, ${name}`, align: 'right' })),
    ...labels.map((label): Column => ({ title: `share, label ${label}`, align: 'right' })),
    ...(hasOthers ? [{ title: 'other settings', align: 'left' } as const] : []),
  ]
  const cells = rows.map((row, i) => [
    indented(row),
    ...settings.map(([name]) => row.settings[name] ?? (kind === 'slurm' && !isPartition(row) ? '' : defaults[name] ?? '')),
    ...resources.map((name) => shareText(row.shares[name] ?? 0, totals?.[name])),
    ...labels.map((label) => shareText(row.labelShares?.[label] ?? 0, undefined)),
    ...(hasOthers ? [others[i] ?? ''] : []),
  ])
  const lacks = totals === undefined ? 'give the cluster with --cluster, or --nodes and --resources' : 'how much the nodes of a label have is not known'
  const note = leavesOutAmounts ? `Amounts of the file did not count for shares: ${lacks}.\n` : ''
  return `${table(columns, cells, { width })}${note}`
}

/** Names of partitions have no blanks; other rows of Slurm are `QOS high`, `account physics`, ... */
const isPartition = ({ path }: QueueRow): boolean => !path.includes(' ')

/** The limits, priorities and lists of a QOS, an account or a user that have no column, as written. */
const othersOf = (row: QueueRow, shown: readonly string[]): string =>
  isPartition(row) ? '' : Object.entries(row.settings).filter(([name, value]) => !shown.includes(name) && value !== '').map(([name, value]) => `${name}=${value}`).filter((text) => !SAYS_NOTHING.test(text)).join(' ')

/** Names of partitions, queues of Kueue and pools may have periods. */
const indented = ({ path, depth }: QueueRow): string => `${'  '.repeat(depth)}${path.split('.').slice(depth).join('.')}`

/** An amount with its part of the cluster, or the part alone. */
export function shareText(share: number, total: number | undefined): string {
  const part = total === undefined ? share : total === 0 ? 0 : share / total
  const percent = `${number(part * 100, '%')}%`
  return total === undefined ? percent : `${number(Math.round(share))} (${percent})`
}
