import type { JobId } from '@sched/core'

/** A column of at least `needed` entries with the old contents, new ones 0; doubled, so that growth is rare. */
export function grown<Column extends Int32Array | Float64Array>(column: Column, needed: number): Column {
  if (column.length >= needed) return column
  const larger = new (column.constructor as new (length: number) => Column)(Math.max(64, needed, column.length * 2))
  larger.set(column)
  return larger
}

/** The jobs in the system: submitted and not ended. Added and removed in constant time; in no particular order. */
export class LiveJobs {
  readonly ids: JobId[] = []
  readonly #at: number[] = []

  add(job: JobId): void {
    this.#at[job] = this.ids.push(job) - 1
  }

  remove(job: JobId): void {
    const at = this.#at[job] as number
    const last = this.ids.pop() as JobId
    if (last === job) return
    this.ids[at] = last
    this.#at[last] = at
  }
}
