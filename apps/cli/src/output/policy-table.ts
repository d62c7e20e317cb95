import { table, type Cell, type Column } from '@sched/report'
import type { Sink } from '../io.js'

/** From here on the name of a policy goes over several lines, unless its figures are as wide. */
const WRAP = 28

/** A table with a column per policy, after those of `titles`; at most so wide where that is given. */
export function policyTable(titles: readonly string[], policies: readonly string[], rows: readonly (readonly Cell[])[], width: number | undefined): string {
  const [first = '', ...others] = titles
  const columns: Column[] = [
    { title: first, align: 'left' },
    ...others.map((title): Column => ({ title, align: 'right' })),
    ...policies.map((title): Column => ({ title, align: 'right', wrap: WRAP })),
  ]
  return table(columns, rows, { width, keep: titles.length })
}

/** How wide a table may be: a terminal breaks longer lines, a file or another program takes them as they are. */
export const widthOf = ({ isTTY = false, columns }: Sink): number | undefined => (isTTY ? columns : undefined)
