import { duration, interval as intervalText } from '../format.js'
import { axisStyle, scaleOf, short, unitFor, type Unit } from './axis.js'
import { drawn } from './drawn.js'
import { legendOf } from './legend.js'
import { colorOf, INK } from './palette.js'
import { oneLine } from '../one-line.js'
import { cut } from './cut.js'
import { lying } from './whiskers.js'

/** The length of a bar, and the bounds of the interval around it where there is one, in the unit of the chart. NaN: no bar. */
export interface Bar {
  readonly value: number
  readonly low?: number | undefined
  readonly high?: number | undefined
}

/** Bars that lie, by series (policies), and by group (classes of jobs) where there are several. */
export interface BarChart {
  readonly title: string
  readonly unit: Unit
  /** Names of the groups; one group needs none. */
  readonly groups?: readonly string[]
  /** `bars[i]` is of group i. */
  readonly series: readonly { readonly name: string; readonly bars: readonly Bar[] }[]
  /** What the whiskers are, for the description. */
  readonly interval?: string
  /** Pixels. Default 560. */
  readonly width?: number
}

const THICK = 18
/** Longer names are cut; a letter is as wide as in the widest of the usual fonts, pixels. */
const MOST = 26
const LETTER = 7.4

/** Lying bars with their values, so that long names have room; whiskers where there are intervals. */
export function barChart({ title, unit, groups = [''], series, interval = '95 % confidence interval', width = 560 }: BarChart): string {
  const single = groups.length === 1
  // bars of one group are categories, each with its colour; of several groups, those of one colour are a series
  const categories = single ? series.map(({ name }) => name) : groups
  const rows = single ? [{ name: '', bars: series.map(({ bars }) => bars[0] ?? { value: NaN }) }] : series
  const all = series.flatMap(({ bars }) => bars)
  const scale = scaleOf(
    { title, unit, ...(unit === '%' && all.some(({ value }) => value > 0.5) && all.every(({ value }) => !(value > 1)) && { to: 1 }) },
    all.flatMap(({ value, high }) => [value, high ?? value]),
  )
  const longest = Math.max(...all.map(({ value }) => value || 0))
  const legend = legendOf(single ? [] : series.map(({ name }) => name), width)
  const text = (bar: Bar) => (unit === 's' ? timeText(bar, longest) : valueText({ mean: scale.at(bar.value), halfWidth: scale.at(halfWidthOf(bar)) }))
  const layout = { barCategoryGap: '25%', barGap: '10%' }
  const height = legend.bottom + 50 + categories.length * (8 + rows.length * THICK)
  const names = categories.map((name) => cut(oneLine(name), MOST))
  const option = {
    legend: legend.options,
    grid: {
      left: 20 + LETTER * Math.max(...names.map((name) => name.length)),
      right: 28 + 6.2 * Math.max(...all.map((bar) => text(bar).length)),
      top: legend.bottom + 4,
      bottom: 44,
    },
    xAxis: { ...axisStyle, ...scale.options, name: scale.title, nameLocation: 'middle', nameGap: 24 },
    yAxis: {
      type: 'category',
      data: categories.map((_, i) => i),
      inverse: true,
      axisLabel: { color: INK, interval: 0, formatter: (_: string, i: number) => names[i] },
      axisTick: { show: false },
      axisLine: axisStyle.axisLine,
    },
    series: rows.flatMap(({ name, bars }, s) => [
      {
        type: 'bar',
        name: oneLine(name),
        ...layout,
        itemStyle: { color: colorOf(s) },
        data: bars.map(({ value }, i) => ({ value: dash(scale.at(value)), ...(single && { itemStyle: { color: colorOf(i) } }) })),
      },
      {
        type: 'custom',
        silent: true,
        z: 5,
        renderItem: lying(s, rows.length, layout, bars.map(text)),
        data: bars.map((bar, i) => [i, ...reach(bar, unit).map((value) => scale.at(value))]),
        encode: { x: 3, y: 0 },
      },
    ]),
  }
  const whole = all.some(({ low, high }) => isWide(low, high)) ? ` Whiskers: ${interval}, as far as it can be.` : ''
  return drawn(option, { title, description: `Bars: ${scale.title}, by ${single ? 'policy' : 'class and policy'}.${whole}`, width, height })
}

/** Where the whiskers of a bar end, and from where on there is room for its text. What cannot be below 0 or above 1 is not drawn there. */
function reach({ value, low = NaN, high = NaN }: Bar, unit: Unit): [number, number, number] {
  if (!isWide(low, high)) return [NaN, NaN, value || 0]
  const least = value < 0 ? low : Math.max(0, low)
  const most = unit === '%' && value <= 1 ? Math.min(1, high) : high
  return [least, most, most]
}

/** A time in the unit of the longest one, or in its own where it is far shorter. */
function timeText(bar: Bar, longest: number): string {
  if (halfWidthOf(bar) === 0) return duration(bar.value)
  const [name, size] = unitFor('s', bar.value > longest / 10 ? longest : bar.value)
  return `${valueText({ mean: bar.value / size, halfWidth: halfWidthOf(bar) / size })} ${name}`
}

const valueText = (of: { readonly mean: number; readonly halfWidth: number }) => (of.halfWidth > 0 ? intervalText(of) : short(of.mean))
const halfWidthOf = ({ low = NaN, high = NaN }: Bar) => (isWide(low, high) ? (high - low) / 2 : 0)
const isWide = (low?: number, high?: number) => high !== undefined && low !== undefined && high > low
const dash = (value: number) => (Number.isFinite(value) ? value : '-')
