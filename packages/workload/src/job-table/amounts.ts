import type * as z from '@sched/bundled/zod'
import { tres } from '../slurm/amounts.js'
import { isUnknown } from '../slurm/times.js'
import { BadLine } from '../trace/format.js'
import type { amountColumn } from './options.js'
import type { Row } from './rows.js'
import { quantityIn } from './values.js'

/**
 * The amount in a row as a whole number; if it is shared, an equal part of it, rounded up, or with `isWhole` rounded up to the unit of the column.
 * `undefined` if the row does not say. Throws `BadLine`.
 */
export function amountIn(row: Row, asked: z.output<typeof amountColumn>, shares = 1, isWhole = false): number | undefined {
  const { column, scale, key = undefined } = typeof asked === 'string' ? { column: asked, scale: 1 } : asked
  const text = key === undefined ? row(column) : (tres(row(column), key) ?? '')
  if (isUnknown(text)) return undefined
  const found = quantityIn(text, column)
  const amount = isWhole ? Math.ceil(found / shares) * scale : found * scale
  const whole = amount > 0 ? Math.max(1, Math.round(amount)) : 0
  const each = isWhole ? whole : Math.ceil(whole / shares)
  if (each <= 2 ** 31 - 1) return each
  throw new BadLine(column, `found ${amount}, more than 2147483647.`, 'Use a larger unit (scale)')
}
