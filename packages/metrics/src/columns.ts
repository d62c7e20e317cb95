/** A column of at least `needed` entries with the old contents, new ones 0; doubled, so that growth is rare. */
export function grown<Column extends Int32Array | Float64Array>(column: Column, needed: number): Column {
  if (column.length >= needed) return column
  const larger = new (column.constructor as new (length: number) => Column)(Math.max(64, needed, column.length * 2))
  larger.set(column)
  return larger
}
