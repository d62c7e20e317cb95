import type { EChartsType } from 'echarts/core'
import { duration } from '../format.js'
import { escaped } from '../html.js'
import { axisStyle, scaleOf } from './axis.js'
import { drawn } from './drawn.js'
import { ganttRows, type GanttBar, type Stripe } from './gantt-rows.js'
import { legendOf } from './legend.js'
import { colorOf, INK, inkOn } from './palette.js'
import { oneLine } from '../one-line.js'
import { cut } from './cut.js'

/** Who held which node, or how many processors, and when. */
export interface GanttChart {
  readonly title: string
  /** Below the title, for example what is left out. */
  readonly note?: string
  /** What a row is: `node`, `procs`. */
  readonly rowTitle: string
  /** How many there are. */
  readonly rows: number
  /** Names of the rows where they have some. */
  readonly names?: readonly string[]
  readonly bars: readonly GanttBar[]
  /** Times in which rows were away, seconds. */
  readonly away?: readonly { readonly row: number; readonly from: number; readonly to: number }[]
  /** Where the axis of time begins and ends, seconds. It begins at 0 unless told otherwise. */
  readonly from?: number
  readonly to: number
  /** Pixels. Default 1150. */
  readonly width?: number
}

/** Pixels of the thinnest and of the usual bar, and of the highest chart. */
const THIN = 3, USUAL = 18, MOST = 760, LEAST = 60

/**
 * A Gantt chart. Bars that share a row at the same time lie below each other in it; where rows would get too thin, the first
 * ones are drawn and the note says so. Labels stand where they fit, and all are there for who points at a bar.
 */
export function ganttChart({ title, note, rowTitle, rows, names, bars, away = [], from = 0, to, width = 1150 }: GanttChart): string {
  const layout = ganttRows(rows, bars, names === undefined ? Infinity : MOST / THIN)
  const inside = Math.min(MOST, Math.max(LEAST, names === undefined ? 420 : layout.height * USUAL))
  const kinds = [...new Set(bars.map(({ kind }) => kind ?? ''))]
  const isByKind = kinds.length > 1 || kinds[0] !== ''
  const colors = new Map((isByKind ? kinds : [...new Set(layout.stripes.map(({ bar }) => bar.label))]).map((name, i) => [name, colorOf(i)]))
  const legend = legendOf(isByKind ? kinds : [], width)
  const notes = [note, layout.shown < rows ? `The first ${layout.shown} of ${rows} rows.` : undefined].filter((text) => text !== undefined).join(' ')
  const top = legend.bottom + (notes === '' ? 4 : 22)
  const scale = scaleOf({ title: 'Time', unit: 's', from, to }, [from, to])
  const shownNames = names?.slice(0, layout.shown).map((name) => cut(oneLine(name), 24))
  const middle = (row: number) => (layout.top(row) + layout.top(row + 1)) / 2
  const texts = new Map(shownNames?.map((name, row) => [middle(row), name]))
  const every = Math.ceil((texts.size * 13) / inside)
  const ticks = [...texts.keys()].filter((_, row) => row % every === 0)
  const numbered = scaleOf({ title: rowTitle, unit: '', from: 0, to: rows }, [])
  const named = { axisTick: { show: false }, splitLine: { show: false }, axisLabel: { color: INK, customValues: ticks, formatter: (value: number) => texts.get(value) ?? '' } }
  const letters = Math.max(5, ...(shownNames ?? []).map((name) => name.length))
  const option = {
    title: [
      { text: oneLine(title), left: 8, top: 4, textStyle: { color: INK, fontSize: 14, fontWeight: 600 } },
      { text: oneLine(notes), left: 8, top: legend.bottom - 4, textStyle: { color: INK, fontSize: 12, fontWeight: 400 } },
    ],
    legend: legend.options,
    grid: { left: 30 + letters * 7.2, right: 24, top, height: inside },
    xAxis: { ...axisStyle, ...scale.options, name: scale.title, nameLocation: 'middle', nameGap: 26 },
    yAxis: {
      ...axisStyle, type: 'value', inverse: true, name: oneLine(rowTitle), nameLocation: 'middle', nameGap: 14 + letters * 7.2,
      ...(names === undefined ? numbered.options : named), min: 0, max: layout.height,
    },
    series: isByKind ? kinds.map((kind) => ({ type: 'bar', name: oneLine(kind), color: colors.get(kind), data: [] })) : [],
  }
  const description = `Bars over time: ${bars.length} pieces of work on ${layout.shown} of ${rows} rows (${rowTitle}).${notes === '' ? '' : ` ${notes}`}`
  return drawn(option, { title, description, width, height: top + inside + 46 }, (chart) => {
    const at = pixelsOf(chart, scale.at)
    const shades = away.filter(({ row }) => row < layout.shown).map(({ row, from, to: end }) => rect(
      at(from, layout.top(row)),
      at(Math.min(end, to), layout.top(row + 1)),
      'fill="currentColor" fill-opacity=".18"',
      `${shownNames?.[row] ?? rowTitle}: away ${timesText(from, end)}`,
    ))
    return `<g class="away">${shades.join('')}</g>\n<g class="bars" stroke="var(--chart-paper)" stroke-width=".6">\n${layout.stripes.map((stripe) => barOf(stripe, colors.get(isByKind ? (stripe.bar.kind ?? '') : stripe.bar.label) ?? '', at, from, to)).join('')}</g>\n`
  })
}

type At = (time: number, y: number) => readonly [x: number, y: number]

/** Both axes are linear, so two points give all. */
function pixelsOf(chart: EChartsType, scaled: (time: number) => number): At {
  const corner = (x: number, y: number) => chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [x, y]) as [number, number]
  const [[x0, y0], [x1, y1]] = [corner(0, 0), corner(1, 1)]
  return (time, y) => [x0 + (x1 - x0) * scaled(time), y0 + (y1 - y0) * y]
}

function barOf({ bar, from: y0, to: y1 }: Stripe, color: string, at: At, from: number, to: number): string {
  const [a, b] = [at(Math.max(bar.start, from), y0), at(Math.min(bar.end, to), y1)]
  const look = bar.isPale === true ? `fill="${color}" fill-opacity=".4" stroke="${color}" stroke-dasharray="2"` : `fill="${color}"`
  const about = `${bar.label}: ${timesText(bar.start, bar.end)}${bar.note === undefined ? '' : `, ${bar.note}`}`
  const fits = b[0] - a[0] >= 6.6 * bar.label.length + 6 && b[1] - a[1] >= 11
  const text = fits
    ? `<text x="${round((a[0] + b[0]) / 2)}" y="${round((a[1] + b[1]) / 2)}" text-anchor="middle" dominant-baseline="central" font-size="11" font-family="system-ui, sans-serif" stroke="none" pointer-events="none" fill="${bar.isPale === true ? INK : inkOn(color)}">${escaped(bar.label)}</text>`
    : ''
  return `${rect(a, b, look, about)}${text}\n`
}

const rect = (a: readonly [number, number], b: readonly [number, number], look: string, about: string) =>
  `<rect x="${round(a[0])}" y="${round(a[1])}" width="${round(Math.max(0.5, b[0] - a[0]))}" height="${round(b[1] - a[1])}" ${look}><title>${escaped(about)}</title></rect>`

const timesText = (from: number, to: number) => `from ${duration(from)} to ${duration(to)} (${duration(to - from)})`
const round = (pixels: number) => Math.round(pixels * 10) / 10
