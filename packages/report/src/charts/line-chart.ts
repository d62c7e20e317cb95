import { axisStyle, scaleOf, type Axis } from './axis.js'
import { drawn } from './drawn.js'
import { legendOf } from './legend.js'
import { colorOf, dashOf, palette } from './palette.js'
import { oneLine } from '../one-line.js'
import { upright } from './whiskers.js'

/** x and y of a point, and the bounds of an interval around y where there is one; without a number for y the line has a gap. */
export type Point = readonly [x: number, y: number, low?: number, high?: number]

/** Lines over an axis: cumulative distributions, series over time, figures over a parameter. */
export interface LineChart {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  /** Ascending by x. */
  readonly lines: readonly { readonly name: string; readonly points: readonly Point[] }[]
  /** Each point has a mark, for few points that were measured. Default false. */
  readonly marked?: boolean
  /** Areas on top of each other in place of lines, for parts of a whole at the same x. Default false. */
  readonly stacked?: boolean
  /** What is drawn, in a sentence, for those who cannot see it. */
  readonly description?: string
  /** Pixels, the legend apart. Default 560 by 300. */
  readonly width?: number
  readonly height?: number
}

/** Lines with a legend; intervals as whiskers. */
export function lineChart({ title, x, y, lines, marked = false, stacked = false, description, width = 560, height = 300 }: LineChart): string {
  const points = lines.flatMap(({ points }) => points)
  const across = scaleOf(x, points.map(([value]) => value))
  const up = scaleOf(y, points.flatMap(([, value, , high]) => [value, high ?? value]))
  const legend = legendOf(lines.map(({ name }) => name), width, marked || lines.length > palette.length ? undefined : 'roundRect')
  const tall = height + legend.bottom - 30
  const series = lines.flatMap(({ name, points }, i) => {
    const color = colorOf(i)
    const line = {
      type: 'line',
      name: oneLine(name),
      silent: true,
      showSymbol: marked,
      symbol: marks[i % marks.length],
      symbolSize: 7,
      color,
      lineStyle: { color, width: stacked ? 0 : widthOf(i, lines.length), type: dashOf(i) },
      ...(stacked && { stack: 'all', areaStyle: { color, opacity: 0.85 } }),
      data: points.map(([x, y]) => [across.at(x), Number.isFinite(y) ? up.at(y) : '-']),
    }
    const bounds = points.flatMap(([x, , low, high]) => (low !== undefined && high !== undefined && high > low ? [[across.at(x), up.at(low), up.at(high)]] : []))
    return bounds.length === 0 ? [line] : [line, { type: 'custom', silent: true, renderItem: upright(color), data: bounds, encode: { x: 0, y: [1, 2] } }]
  })
  const option = {
    legend: legend.options,
    grid: { left: 62, right: 24, top: legend.bottom + 22, bottom: 46 },
    xAxis: { ...axisStyle, ...across.options, name: across.title, nameLocation: 'middle', nameGap: 26 },
    yAxis: { ...axisStyle, ...up.options, name: up.title, nameLocation: 'end', nameGap: 8, nameTextStyle: { ...axisStyle.nameTextStyle, align: 'left', padding: [0, 0, 0, -54] } },
    series,
  }
  return drawn(option, { title, description: description ?? `Lines: ${up.title} over ${across.title}, by ${lines.map(({ name }) => name).join(', ')}.`, width, height: tall })
}

/** A few lines get thinner one by one, so that those that lie on each other are all seen. */
const widthOf = (i: number, count: number): number => (count > 4 ? 1.8 : 1.6 + 1.1 * (count - 1 - i))

const marks = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle']
