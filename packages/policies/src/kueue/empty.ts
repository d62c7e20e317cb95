/** Empties a map or a set. Clearing allocates a new table, even of an empty one, and most of them are empty most of the time. */
export function empty(table: { readonly size: number; clear: () => void }): void {
  if (table.size > 0) table.clear()
}
