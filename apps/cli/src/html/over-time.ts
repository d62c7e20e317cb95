import type { RunSeries } from '@sched/metrics'
import type { Html } from '@sched/report'
import { lineChart, type Axis, type Point, type Unit } from '@sched/report/charts'
import { mean } from '../mean.js'
import { capital, charts } from './compared.js'

/** A run's series, with the name of its policy. */
interface Named {
  readonly policy: string
  readonly series: RunSeries
}

/** Use of each resource, waiting jobs, running tasks and nodes over time, a line per policy; where one policy runs, use by queue. */
export function seriesCharts(runs: readonly Named[]): Html {
  const [first] = runs
  if (first === undefined) return charts([])
  const chart = (title: string, unit: Unit, of: (series: RunSeries) => readonly number[] | undefined) => {
    const lines = runs.flatMap(({ policy, series }) => {
      const values = of(series)
      return values === undefined || values.every((value) => !(value > 0)) ? [] : [{ name: policy, points: pointsOf(values, series) }]
    })
    return lines.length === 0 ? [] : [lineChart({ title: capital(title), x: timeOf(runs), y: { title, unit, from: 0, ...(unit === '%' && { to: most(lines) }) }, lines })]
  }
  return charts([
    ...first.series.resources.flatMap(({ resource }, r) => chart(`use of ${resource}`, '%', ({ resources }) => resources[r]?.use)),
    ...chart('waiting jobs', '', ({ waitingJobs }) => waitingJobs),
    ...chart('running tasks', '', ({ runningTasks }) => runningTasks),
    ...chart('nodes away', '', ({ nodesAway }) => nodesAway),
    ...chart('autoscaled nodes', '', ({ scaledNodes }) => scaledNodes),
    ...runs.flatMap(queueChart),
  ])
}

/** Who held the resource that was used most, stacked; of runs with a few queues. */
function queueChart({ policy, series }: Named, _: number, { length }: readonly Named[]): string[] {
  const [busiest] = [...series.resources].filter(({ use }) => mean(use) > 0).sort((a, b) => mean(b.use) - mean(a.use))
  if (busiest?.queues === undefined) return []
  const lines = busiest.queues.map(({ queue, use }) => ({ name: queue, points: pointsOf(use, series) }))
  const title = `use of ${busiest.resource}, by queue`
  return [lineChart({
    title: capital(length === 1 ? title : `${title}: ${policy}`),
    x: timeOf([{ policy, series }]),
    y: { title, unit: '%', from: 0, to: 1 },
    lines,
    stacked: true,
  })]
}

/** A mean stands at the middle of its step. */
const pointsOf = (values: readonly number[], { from, step, end }: RunSeries): Point[] => values.map((value, i) => [
  (from + i * step + Math.min(end, from + (i + 1) * step)) / 2,
  value,
])

function timeOf(runs: readonly Named[]): Axis {
  const [from, to] = [Math.min(...runs.map(({ series }) => series.from)), Math.max(...runs.map(({ series }) => series.end))]
  return { title: 'time', unit: 's', from: startOfAxis(from, to), to }
}

/** Time 0 where that is near. */
export const startOfAxis = (from: number, to: number): number => (from < (to - from) / 5 ? 0 : from)

/** All of a cluster where much of it is used, up to what adding up over time may do to the last digits. */
function most(lines: readonly { readonly points: readonly Point[] }[]): number | undefined {
  const highest = Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)))
  return highest > 0.5 && highest < 1 + 1e-6 ? 1 : undefined
}
