import { barChart, type Bar } from '@sched/report/charts'
import { figure, html, htmlTable, NONE, type ComparisonCell, type Html } from '@sched/report'
import { ofAllJobs, type Row } from '../figures/figures.js'
import { interval } from '../output/number.js'

/** Figures that are worth a chart, most telling first; others are in the table. */
const charted = [
  /^response$/, /^wait$/, /^slowdown$/, /^response-p95$/, /^makespan$/, /^use-/, /^energy$/, /^locality$/, /^loss$/, /^abandoned$/, /^evicted$/,
  /^late$/, /^busyness-(?!mad-)/, /^conflict-fraction-/,
]
const MOST_CHARTS = 10
/** By class, of those that have more than one. */
const chartedByClass = ['response', 'locality', 'wait-by-procs', 'slowdown-by-procs', 'wait-by-ran', 'slowdown-by-ran']
const MOST_CLASSES = 24

/** Figures of all jobs, with their differences from the first policy below them. */
export function comparedTable(rows: readonly Row[]): Html {
  const overall = ofAllJobs(rows)
  if (overall.length === 0) return html`<p>No job ran, so there are no figures.</p>\n`
  const policies = overall.reduce<readonly string[]>((most, { cells }) => (cells.length > most.length ? cells.map(({ policy }) => policy) : most), [])
  const columns = [{ title: '' }, ...policies.map((title) => ({ title, align: 'right' as const }))]
  const cell = ({ mean, difference }: ComparisonCell, unit: Row['unit']) =>
    html`${interval(mean, unit)}${difference === undefined ? undefined : html`<small>${interval(difference, unit, true)}</small>`}`
  const table = htmlTable(
    columns,
    overall.map(({ title, unit, cells }) => [
      unit === '' ? title : `${title}, ${unit}`,
      ...policies.map((_, i) => (cells[i] === undefined ? NONE : cell(cells[i], unit))),
    ]),
  )
  const [first = ''] = policies
  return policies.length < 2 ? table : html`${table}<p class="dim">Below each number: its difference from ${first}.</p>\n`
}

/** Bars by policy of what tells policies apart. */
export function comparedCharts(rows: readonly Row[]): Html {
  const overall = ofAllJobs(rows)
  const chosen = charted.flatMap((pattern) => overall.filter(({ key, cells }) => pattern.test(key) && cells.length > 1)).slice(0, MOST_CHARTS)
  return charts(chosen.map(({ title, unit, cells }) => barChart({ title: capital(title), unit, series: cells.map((cell) => ({ name: cell.policy, bars: [barOf(cell)] })) })))
}

/** Bars by class of jobs and policy. */
export function classCharts(rows: readonly Row[]): Html {
  const all = chartedByClass.map((key) => rows.filter((row) => row.key === key && row.label !== undefined))
  const drawn = all.flatMap((own) => {
    const [first] = own
    if (first === undefined || own.length < 2 || own.length > MOST_CLASSES) return []
    const groups = own.map(({ key, label = '' }) => (key.includes('-by-') ? label.slice(label.indexOf(' ') + 1) : label))
    const series = first.cells.map(({ policy }, i) => ({ name: policy, bars: own.map(({ cells }) => (cells[i] === undefined ? { value: NaN } : barOf(cells[i]))) }))
    return [barChart({ title: `${capital(first.title)}, by ${byWhat(first.key)}`, unit: first.unit, groups, series })]
  })
  return charts(drawn)
}

/** Charts beside each other where the window is wide enough. */
export const charts = (all: readonly string[]): Html => (all.length === 0 ? html`` : html`<div class="charts">${all.map((svg) => figure(svg))}</div>\n`)

/** `note: ...` or `warning: ...`, so that a warning stands out. */
export const messageBox = (text: string): Html => html`<div class="${text.startsWith('note') ? 'note' : 'warning'}">${text}</div>\n`

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const barOf = ({ values, mean: { mean, low, high } }: ComparisonCell): Bar => (values.length === 0 ? { value: NaN } : { value: mean, low, high })
const byWhat = (key: string) => (key.endsWith('-procs') ? 'processors' : key.endsWith('-ran') ? 'run time' : 'class of jobs')
