import { oneLine } from '../one-line.js'
import { cut } from './cut.js'
import { INK } from './palette.js'

/** Below the title. */
const TOP = 30
const ROW = 20
/** Longer names are cut. */
const MOST = 48

/** A legend of these names under the title, and where it ends; none for a single name. */
export function legendOf(names: readonly string[], width: number, icon?: string): { readonly options: Record<string, unknown>; readonly bottom: number } {
  if (names.length < 2) return { options: { show: false }, bottom: TOP }
  // letters may be wider in the reader's font than where the chart was drawn
  const gap = 14 + Math.max(...names.map((name) => Math.min(MOST, name.length)))
  let [rows, used] = [1, 0]
  for (const name of names) {
    const own = 27 + gap + 6 * Math.min(MOST, name.length)
    if (used > 0 && used + own > width - 16) [rows, used] = [rows + 1, 0]
    used += own
  }
  return {
    options: {
      data: names.map(oneLine), left: 4, top: TOP - 4, itemWidth: 22, itemHeight: 10, itemGap: gap, ...(icon !== undefined && { icon }),
      textStyle: { color: INK }, formatter: (name: string) => cut(name, MOST),
    },
    bottom: TOP + rows * ROW,
  }
}
