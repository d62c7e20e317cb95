import type { CustomSeriesOption } from 'echarts/charts'
import { INK } from './palette.js'

type RenderItem = NonNullable<CustomSeriesOption['renderItem']>

/** Pixels from the middle of a whisker to the end of its cap. */
const CAP = 3

/** The line from one point to another, with a cap at each end; along x or along y. */
function whisker(from: readonly number[], to: readonly number[], isAcross: boolean, stroke = INK) {
  const [x1, y1, x2, y2] = [from[0] ?? 0, from[1] ?? 0, to[0] ?? 0, to[1] ?? 0]
  const [dx, dy] = isAcross ? [0, CAP] : [CAP, 0]
  const line = (x1: number, y1: number, x2: number, y2: number) => ({ type: 'line' as const, shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth: 1 } })
  return [line(x1, y1, x2, y2), line(x1 - dx, y1 - dy, x1 + dx, y1 + dy), line(x2 - dx, y2 - dy, x2 + dx, y2 + dy)]
}

/** For items [x, low, high] of a custom series: vertical whiskers. */
export const upright =
  (color: string): RenderItem =>
  (_, api) => ({ type: 'group', children: whisker(api.coord([api.value(0), api.value(1)]), api.coord([api.value(0), api.value(2)]), false, color) })

/** For items [category, low, high, end of the text] of bars that lie: whiskers, and a text after each bar. `series` of `count` bars share a category. */
export const lying =
  (series: number, count: number, layout: Record<string, string>, texts: readonly string[]): RenderItem =>
  (params, api) => {
    const own = api.barLayout({ ...layout, count })?.[series]
    const [category, low, high, end] = [0, 1, 2, 3].map((dimension) => Number(api.value(dimension))) as [number, number, number, number]
    const shift = own?.offsetCenter ?? 0
    const at = (value: number): [number, number] => {
      const [x = 0, y = 0] = api.coord([value, category])
      return [x, y + shift]
    }
    const [x, y] = at(end)
    const text = { type: 'text' as const, style: { text: texts[params.dataIndex] ?? '', x: x + 6, y, fill: INK, fontSize: 11, verticalAlign: 'middle' as const } }
    return { type: 'group', children: [...(Number.isFinite(low) ? whisker(at(low), at(high), true) : []), text] }
  }
