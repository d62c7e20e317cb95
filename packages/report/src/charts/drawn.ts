import { BarChart, CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components'
import { init, use, type EChartsType } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { escaped } from '../html.js'
import { oneLine } from '../one-line.js'
import { INK } from './palette.js'

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

/** What a chart is, for those who read it and for those who have it read to them. */
export interface Frame {
  readonly title: string
  /** What it shows, in a sentence or two. */
  readonly description: string
  /** Pixels at its natural size. */
  readonly width: number
  readonly height: number
}

/**
 * Draws options of ECharts as SVG, which needs no script; `marks` adds what ECharts has no series for, once it has laid out the axes.
 * The same options give the same bytes, whatever was drawn before.
 */
export function drawn(option: Record<string, unknown>, frame: Frame, marks: (chart: EChartsType) => string = () => ''): string {
  const { title, width, height } = frame
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    const text = { text: oneLine(title), left: 8, top: 4, textStyle: { color: INK, fontSize: 14, fontWeight: 600 } }
    chart.setOption({ animation: false, textStyle: { fontFamily: 'system-ui, sans-serif' }, title: text, ...option })
    return framed(`${tidied(chart.renderToSVGString())}${marks(chart)}`, frame)
  } finally {
    chart.dispose()
  }
}

/** What is inside the drawing, without what is for scripts or cannot be seen, and without control characters, which no SVG may have. */
function tidied(svg: string): string {
  return svg
    .replace(/^<svg[^>]*>\s*(<rect[^>]*fill="none"[^>]*><\/rect>)?\s*/, '')
    .replace(/<style\s*>[^]*?<\/style>\s*/g, '')
    .replace(/<\/svg>\s*$/, '')
    .replace(/ (?:class="zr[^"]*"|ecmeta_\w+="[^"]*"|pointer-events="[^"]*")/g, '')
    .replace(/<path [^>]*(?: fill="none"| fill-opacity="0"[^>]*)><\/path>\n/g, '')
    .replace(/(?!\n)\p{Cc}+/gu, ' ')
}

function framed(content: string, { title, description, width, height }: Frame): string {
  const id = `chart-${hash(title + description + content.replace(/zr\d+-/g, ''))}`
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${escaped(title)}</title>
<desc id="${id}-desc">${escaped(description)}</desc>
<style>svg.chart{color:#1f2328;--chart-grid:#d1d9e0;--chart-paper:#fff}@media (prefers-color-scheme:dark){svg.chart{color:#e6edf3;--chart-grid:#3d444d;--chart-paper:#0d1117}}</style>
${content.replace(/(id="|url\(#)zr\d+-/g, `$1${id}-`)}</svg>
`
}

/** FNV-1a, 32 bits: ids of one page clash only where charts are the same. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return (value >>> 0).toString(36)
}
