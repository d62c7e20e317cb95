/** How JSON is written. */
export interface JsonOptions {
  /** Spaces per level; 0 writes one line. Default 2. */
  readonly indent?: number
  /** Sorts keys by code units; otherwise they keep the order in which they were set. Default false. */
  readonly sort?: boolean
}

/**
 * Plain data as JSON with a line feed at the end: the same data gives the same bytes. Numbers are written as short as
 * reads back to the same value, NaN and infinities as null, columns (typed arrays) as lists.
 */
export function json(data: unknown, { indent = 2, sort = false }: JsonOptions = {}): string {
  return `${JSON.stringify(data, (_, value: unknown) => plain(value, sort), indent)}\n`
}

function plain(value: unknown, sort: boolean): unknown {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Float64Array)
  if (!sort || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // Keys that are integers come first in any object, so they have one order as well.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
