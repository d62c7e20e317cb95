import type { SleepResult, Summary } from '@sched/metrics'
import { percent, table } from '@sched/report'
import { columns } from './columns.js'
import { counted, number } from './number.js'

/** Energy by who draws it, and power. */
export function energyTable({ energy, sleep }: Summary, width?: number): string {
  const slept = sleepText(sleep)
  if (energy === undefined) return slept
  const { total, idle, base, dynamic, off, asleep, switching, perJob, meanPower, peakPower } = energy
  const row = (title: string, kWh: number) => [title, number(kWh, 'kWh'), percent(kWh / total)]
  const rows = [
    row('nodes that run nothing', idle), row('nodes that run something, if idle', base), row('tasks, above that', dynamic),
    ...(sleep === undefined ? [] : [row('nodes that sleep', asleep), row('nodes that go to sleep or wake', switching)]),
    ...(off > 0 ? [row('nodes that are away', off)] : []), row('all', total),
  ]
  return `${table(columns('energy of', 'kWh', 'share'), rows, { width })}Power: mean ${number(meanPower, 'W')} W, peak ${number(peakPower, 'W')} W; per job that finished ${number(perJob, 'kWh')} kWh above idle\n${slept}`
}

const sleepText = (sleep: SleepResult | undefined) =>
  sleep === undefined ? '' : `Sleep: ${percent(sleep.share)} of the time of the nodes that may; ${counted(sleep.wakes, 'time')} one was woken\n`
