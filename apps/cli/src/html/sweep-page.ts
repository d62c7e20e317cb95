import { html, htmlTable, integer, page } from '@sched/report'
import { barChart, lineChart, type Axis as ChartAxis, type Point } from '@sched/report/charts'
import type { Description } from '../experiment/experiment.js'
import { pointText, shortNames, type Axis } from '../experiment/matrix.js'
import { policyName } from '../experiment/policies.js'
import type { Io } from '../io.js'
import { differenceTable, sweepTable, sweepTitle } from '../output/sweep.js'
import { linesOf, type Line, type PointResult } from '../output/sweep-lines.js'
import { asRun } from './as-run.js'
import { capital, charts, messageBox } from './compared.js'

/** More lines than these in one chart hide each other: further axes then have charts of their own. */
const MOST_LINES = 7
const MOST_CHARTS = 40
/** A page with more rows than these is slow to show. */
const MOST_ROWS = 2000
/** Values that differ by more than this factor stand on a logarithmic axis. */
const WIDE = 20

/** What a page of `sweep` is made of; `shown`: the names of its figures. */
interface Swept {
  readonly description: Description
  readonly axes: readonly Axis[]
  readonly results: readonly PointResult[]
  readonly shown: readonly string[]
  readonly messages: readonly string[]
}

/** All that `sweep` has to say, as one page: each figure over the axis with the most numbers, and the table. */
export function sweepPage({ description, axes, results, shown, messages }: Swept, io: Io): string {
  const lines = linesOf(results)
  const means = sweepTable(axes, lines, shown)
  const less = differenceTable(axes, lines, shown)
  const all = shown.flatMap((name) => figureCharts(name, axes, lines))
  const left = all.length - MOST_CHARTS
  return page(sweepTitle(description, results), messages.map(messageBox), [
    { title: 'Charts', content: [
      charts(all.slice(0, MOST_CHARTS)),
      left > 0 ? html`<p class="dim">${left} more charts are left out; <code>--figures</code> chooses the figures.</p>\n` : undefined,
    ] },
    { title: 'All points', content: rowsOf(means) },
    ...(less === undefined ? [] : [{ title: less.title, content: rowsOf(less) }]),
    asRun(description, io),
  ])
}

function rowsOf({ columns, rows }: ReturnType<typeof sweepTable>) {
  const left = rows.length > MOST_ROWS ? html`<p class="dim">The first ${integer(MOST_ROWS)} of ${integer(rows.length)} rows; <code>--csv</code> writes all.</p>\n` : undefined
  return [htmlTable(columns, rows.slice(0, MOST_ROWS)), left]
}

/** One figure: lines over numbers, bars where no axis has them; a chart for each setting of the axes that do not fit in one. */
function figureCharts(name: string, axes: readonly Axis[], lines: readonly Line[]): string[] {
  const over = axes.filter(({ steps }) => steps.every(({ value }) => typeof value === 'number')).sort((a, b) => b.steps.length - a.steps.length)[0] ?? axes[0]
  if (over === undefined) return []
  const ofPolicies = new Set(lines.map(({ policy }) => policy)).size
  const others = axes.filter((axis) => axis !== over)
  const apart: Axis[] = []
  while (others.length > apart.length
    && ofPolicies * others.slice(apart.length).reduce((product, { steps }) => product * steps.length, 1) > MOST_LINES)
    apart.push(others[apart.length] as Axis)
  const together = others.slice(apart.length)
  const groups = groupedBy(lines, ({ at }) => nameOf(apart, at))
  return [...groups].map(([setting, own]) => {
    const series = groupedBy(own, ({ at, policy }) => [...(ofPolicies > 1 || together.length === 0 ? [policy] : []), nameOf(together, at)].filter((text) => text !== '').join(', '))
    return chart(name, over, setting, series)
  })
}

function chart(name: string, over: Axis, setting: string, series: ReadonlyMap<string, readonly Line[]>): string {
  const values = over.steps.map(({ value }) => value)
  const { title = name, unit = '' } = [...series.values()].flat().map(({ figures }) => figures.get(name)).find((figure) => figure !== undefined) ?? {}
  const heading = `${capital(title)}${setting === '' ? '' : `: ${setting}`}`
  const meanAt = (own: readonly Line[], value: unknown) => own.find(({ at }) => at[over.name] === value)?.figures.get(name)?.mean
  if (!values.every((value) => typeof value === 'number'))
    return barChart({
      title: `${heading}, by ${over.name}`,
      unit,
      groups: values.map(policyName),
      series: [...series].map(([name, own]) => ({ name, bars: values.map((value) => barOf(meanAt(own, value))) })),
    })
  const ticks = [...values].sort((a, b) => a - b)
  const points = (own: readonly Line[]) => ticks.flatMap((value): Point[] => {
    const mean = meanAt(own, value)
    return mean === undefined
      ? []
      : [Number.isNaN(mean.halfWidth)
        ? [value, mean.mean]
        : [value, mean.mean, Math.max(0, mean.low), unit === '%' && mean.mean <= 1 ? Math.min(1, mean.high) : mean.high]]
  })
  return lineChart({
    title: heading,
    x: axisOf(over.name, ticks),
    y: { title, unit, from: 0 },
    lines: [...series].map(([name, own]) => ({ name, points: points(own) })),
    marked: true,
  })
}

function axisOf(title: string, ticks: readonly number[]): ChartAxis {
  const [least = 0, most = 0] = [ticks[0], ticks.at(-1)]
  return least > 0 && most / least >= WIDE ? { title, unit: '', log: true, from: least, ticks } : { title, unit: '', ticks }
}

function groupedBy(lines: readonly Line[], nameOf: (line: Line) => string): Map<string, Line[]> {
  const groups = new Map<string, Line[]>()
  for (const line of lines) groups.set(nameOf(line), [...(groups.get(nameOf(line)) ?? []), line])
  return groups
}

const barOf = (mean: { readonly mean: number; readonly low: number; readonly high: number } | undefined) => (mean === undefined
  ? { value: NaN }
  : { value: mean.mean, low: mean.low, high: mean.high })
const nameOf = (axes: readonly Axis[], at: Line['at']) => pointText(Object.fromEntries(axes.map(({ name }, i) => [shortNames(axes.map(({ name }) => name))[i] ?? name, at[name]])))
