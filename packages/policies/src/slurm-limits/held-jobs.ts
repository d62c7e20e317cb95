import type { Entry, Limit } from './counted.js'

/** The waiting jobs that limits hold back, each with the limit that is told, and those that hold it back in other queues in which it may start. */
export class HeldJobs {
  readonly #entries = new Set<Entry>()
  readonly #by: (Limit | undefined)[] = []
  readonly #elsewhere = new Map<Entry, readonly Limit[]>()

  get entries(): Iterable<Entry> {
    return this.#entries
  }

  has(entry: Entry): boolean {
    return this.#entries.has(entry)
  }

  /** The limit that holds a job back; `undefined`: none does. */
  by(entry: Entry): Limit | undefined {
    return this.#by[entry]
  }

  /** All limits that hold a job back, in any of its queues. */
  all(entry: Entry): readonly Limit[] {
    return this.#elsewhere.get(entry) ?? [this.#by[entry] as Limit]
  }

  /** Whether limits in several queues hold it back. */
  isElsewhere(entry: Entry): boolean {
    return this.#elsewhere.has(entry)
  }

  /** `all`: the limits that hold it back in each of its queues, if it has several; it is looked at again when one of them has room. */
  add(entry: Entry, limit: Limit, all?: readonly Limit[]): void {
    this.#entries.add(entry)
    this.#by[entry] = limit
    if (all !== undefined) this.#elsewhere.set(entry, all)
    for (const { of } of all ?? [limit]) of?.held.add(entry)
  }

  delete(entry: Entry): void {
    for (const { of } of this.#by[entry] === undefined ? [] : this.all(entry)) of?.held.delete(entry)
    this.#entries.delete(entry)
    this.#by[entry] = undefined
    if (this.#elsewhere.size > 0) this.#elsewhere.delete(entry)
  }
}
