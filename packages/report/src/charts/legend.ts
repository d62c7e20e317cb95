import { cut } from './axis.js'
import { plain } from './drawn.js'
import { INK } from './palette.js'

/** Below the title. */
const TOP = 30
const ROW = 20
/** Longer names are cut. */
const MOST = 48

/** A legend of these names under the title, and where it ends; none for a single name. */
export function legendOf(names: readonly string[], width: number): { readonly options: Record<string, unknown>; readonly bottom: number } {
  if (names.length < 2) return { options: { show: false }, bottom: TOP }
  let [rows, used] = [1, 0]
  for (const name of names) {
    const own = 40 + 7 * Math.min(MOST, name.length) // as wide as 12 pixels' letters get, mark and gap included
    if (used > 0 && used + own > width - 16) [rows, used] = [rows + 1, 0]
    used += own
  }
  return { options: { data: names.map(plain), left: 4, top: TOP - 4, itemWidth: 22, itemHeight: 10, itemGap: 12, textStyle: { color: INK }, formatter: (name: string) => cut(name, MOST) }, bottom: TOP + rows * ROW }
}
