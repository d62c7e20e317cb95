import type { Summary } from '@sched/metrics'
import { percent, table } from '@sched/report'
import { columns } from './columns.js'
import { number } from './number.js'

/** Energy by who draws it, and power. */
export function energyTable({ energy }: Summary, width?: number): string {
  if (energy === undefined) return ''
  const { total, idle, base, dynamic, off, perJob, meanPower, peakPower } = energy
  const row = (title: string, kWh: number) => [title, number(kWh, 'kWh'), percent(kWh / total)]
  const rows = [
    row('nodes that run nothing', idle), row('nodes that run something, if idle', base), row('tasks, above that', dynamic),
    ...(off > 0 ? [row('nodes that are away', off)] : []), row('all', total),
  ]
  return `${table(columns('energy of', 'kWh', 'share'), rows, { width })}Power: mean ${number(meanPower, 'W')} W, peak ${number(peakPower, 'W')} W; per job that finished ${number(perJob, 'kWh')} kWh above idle\n`
}
