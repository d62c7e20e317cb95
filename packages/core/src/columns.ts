/** One value for each dense id. */
export type Column = Float64Array | Int32Array | Int8Array | Uint8Array

/** The column, or a longer copy of at least `needed` entries with new ones set to `empty`. It grows by half at least, so that growth is rare. */
export function grown<Kind extends Column>(column: Kind, needed: number, empty = 0): Kind {
  if (column.length >= needed) return column
  const larger = new (column.constructor as new (length: number) => Kind)(Math.max(16, needed, Math.ceil(column.length * 1.5)))
  if (empty !== 0) larger.fill(empty, column.length)
  larger.set(column)
  return larger
}
