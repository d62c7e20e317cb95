import { capital, charts } from './compared.js'
import type { JobQuantiles } from '@sched/metrics'
import type { Html } from '@sched/report'
import { lineChart, type Axis, type Point } from '@sched/report/charts'
import { powerOfTenBelow } from '../output/number.js'

/** The distributions of one policy, of all its runs. */
interface Named {
  readonly policy: string
  readonly runs: readonly JobQuantiles[]
}

/** Times that differ by more than this factor need a logarithmic axis. */
const WIDE = 20

/** Cumulative distributions of wait, response and bounded slowdown, a line per policy, the jobs of all seeds taken together; of what differs at all. */
export function distributionCharts(policies: readonly Named[]): Html {
  const chart = (title: string, unit: 's' | '', of: (run: JobQuantiles) => readonly number[]) => {
    const lines = policies.map(({ policy, runs }) => ({ name: policy, points: pooled(runs, of) })).filter(({ points }) => points.length > 0)
    const values = lines.flatMap(({ points }) => points.map(([value]) => value))
    if (new Set(values).size < 2) return [] // all jobs alike: the table says it
    const x = axisOf(title, unit, values)
    return [lineChart({ title: `${capital(title)}: distribution over jobs`, x, y: { title: 'jobs with at most this', unit: '%', from: 0, to: 1 }, lines })]
  }
  return charts([
    ...chart('wait for the first task', 's', ({ wait }) => wait),
    ...chart('response', 's', ({ response }) => response),
    ...chart('bounded slowdown', '', ({ slowdown }) => slowdown),
  ])
}

/** Quantiles of several runs as those of all their jobs: each stands for as many jobs as lie between it and the next. */
function pooled(runs: readonly JobQuantiles[], of: (run: JobQuantiles) => readonly number[]): Point[] {
  const weighted = runs.flatMap((run) => of(run).map((value) => ({ value, weight: run.jobs / run.fractions.length })))
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  weighted.sort((a, b) => a.value - b.value)
  const steps = Math.max(1, ...runs.map(({ fractions }) => fractions.length))
  const points: Point[] = []
  let [sum, next] = [0, 0]
  for (const { value, weight } of weighted) {
    sum += weight
    if (sum / total < next && points.length > 0) continue // as many points as a run has
    points.push([value, sum / total])
    next = sum / total + 1 / steps
  }
  const [least, last] = [weighted[0]?.value, weighted.at(-1)?.value]
  if (least === undefined || last === undefined) return []
  return [[least, 0], ...points, [last, 1]]
}

function axisOf(title: string, unit: Axis['unit'], values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0).sort((a, b) => a - b)
  const [least = 1, middle = 1, most = 1] = [positive[0], positive[positive.length >> 1], positive.at(-1)]
  if (most < WIDE * middle) return { title, unit, from: unit === '' ? 1 : 0 }
  return { title, unit, log: true, from: unit === '' || least >= 1 ? 1 : Math.max(1e-3, Number(`1e${powerOfTenBelow(least)}`)), to: most }
}
