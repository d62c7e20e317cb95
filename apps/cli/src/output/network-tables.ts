import type { ShuffleFigures, Summary } from '@sched/metrics'
import { percent, table } from '@sched/report'
import { columns } from './columns.js'
import { number } from './number.js'

/** Real use of hardware: of all nodes, and the most loaded ones. */
export function hardwareTable({ hardware }: Summary, width?: number): string {
  if (hardware === undefined) return ''
  const { kinds, load, nodes } = hardware
  const most = nodes.reduce((a, b) => (b.load.mean > a.load.mean ? b : a), nodes[0] as (typeof nodes)[number])
  const rows = kinds.map(({ kind, mean, peak }, i) => [kind, percent(mean), percent(peak), percent(Math.max(...nodes.map((node) => node.kinds[i]?.peak ?? NaN)))])
  return `${table(columns('hardware', 'really used', 'at most', 'at most on a node'), rows, { width })}Load of a node (tasks at work): mean ${number(load.mean)}, highest ${number(load.peak)}; ${most.node} has most, ${number(most.load.mean)} in the mean\n`
}

/** Bytes of shuffles by distance, and what they cost; by class where there are several. */
export function shuffleTable({ shuffle }: Summary, width?: number): string {
  if (shuffle === undefined) return ''
  const row = (name: string, { local, intra, cross, crossShare, jobSeconds, jobShare }: ShuffleFigures) => [
    name, ...[local, intra, cross].map((bytes) => number(bytes / 1e9)), percent(crossShare), number(jobSeconds, 's'), percent(jobShare),
  ]
  const classes = shuffle.classes.length > 1 ? shuffle.classes.map(({ label, ...own }) => row(label, own)) : []
  return table(columns('shuffled, GB', 'on the node', 'in the rack', 'between racks', 'share', 'time of a job, s', 'of its time'), [row('all', shuffle.overall), ...classes], { width })
}
