import type { JobId, Seconds } from '@sched/core'

/** Jobs that run at the same time, in the order in which they came. */
type Row = Set<JobId>

/** The rows, by names of jobs, and when the turn ends; null: never. */
export interface TurnsMemory {
  readonly rows: readonly (readonly string[])[]
  readonly end: Seconds | null
}

/** The rows of one lane, the jobs in each, and which row is active: the rows of Ousterhout's matrix, whose columns are the processors. */
export class Turns {
  /** The active row first, then the others in the order of their turns. Never empty. */
  readonly rows: Row[] = [new Set()]
  /** When the turn of the active row ends; `Infinity` while there is no other row to take turns with. */
  end: Seconds = Infinity
  readonly #rowOf = new Map<JobId, Row>()

  get active(): ReadonlySet<JobId> {
    return this.rows[0] as Row
  }

  /** Whether the job is in a row that does not have its turn. */
  isElsewhere(job: JobId): boolean {
    return this.#rowOf.has(job) && !this.active.has(job)
  }

  /** A job has started: if it is in no row yet, it joins the active one. */
  join(job: JobId): void {
    if (this.#rowOf.has(job)) return
    const row = this.rows[0] as Row
    row.add(job)
    this.#rowOf.set(job, row)
  }

  /** A job has left; a row without jobs is removed, unless it is the active one. */
  leave(job: JobId): void {
    const row = this.#rowOf.get(job)
    if (row === undefined) return
    row.delete(job)
    this.#rowOf.delete(job)
    if (row.size === 0 && row !== this.rows[0]) this.rows.splice(this.rows.indexOf(row), 1)
  }

  memory(name: (job: JobId) => string): TurnsMemory {
    return { rows: this.rows.map((row) => Array.from(row, name)), end: this.end === Infinity ? null : this.end }
  }

  /** Restores remembered rows; jobs that are in none of them, since they started later, join the active row. */
  recall({ rows, end }: TurnsMemory, jobs: ReadonlyMap<string, JobId>): void {
    const others = this.rows.flatMap((row) => [...row])
    const known = rows.map((names) => ({ isNew: names.length === 0, row: new Set(names.flatMap((name) => jobs.get(name) ?? [])) }))
    this.rows.splice(0, Infinity, ...known.filter(({ isNew, row }, i) => i === 0 || isNew || row.size > 0).map(({ row }) => row))
    this.#rowOf.clear()
    for (const row of this.rows) for (const job of row) this.#rowOf.set(job, row)
    for (const job of others) this.join(job)
    this.end = end ?? Infinity
  }

  /**
   * Makes the next row the active one. If jobs wait and there are fewer than `most` rows, a new row is added, whose turn comes before that of the
   * row that was active.
   */
  next(waits: boolean, most: number): void {
    const last = this.rows.shift() as Row
    const isOver = last.size === 0
    if (waits && this.rows.every((row) => row.size > 0) && this.rows.length + (isOver ? 0 : 1) < most) this.rows.push(new Set())
    if (!isOver || this.rows.length === 0) this.rows.push(last)
  }

  /** Adds a row behind the active one for jobs that still wait, if there are fewer than `most` rows and none without jobs. */
  addNext(most: number): void {
    if (this.rows.length < most && this.rows.every((row) => row.size > 0)) this.rows.splice(1, 0, new Set())
  }

  /** Merges a row, whose jobs run beside those of the active row, into the active one. */
  merge(row: ReadonlySet<JobId>): void {
    const active = this.rows[0] as Row
    for (const job of row) {
      active.add(job)
      this.#rowOf.set(job, active)
    }
    this.rows.splice(this.rows.indexOf(row as Row), 1)
  }
}
