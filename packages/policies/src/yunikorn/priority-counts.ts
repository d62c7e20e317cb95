/** The priorities of what waits in a queue, and how often each occurs. */
export class PriorityCounts {
  readonly #counts = new Map<number, number>()
  /** The highest priority; `-Infinity` if nothing waits. */
  highest = -Infinity

  add(priority: number): void {
    this.#counts.set(priority, (this.#counts.get(priority) ?? 0) + 1)
    if (priority > this.highest) this.highest = priority
  }

  remove(priority: number): void {
    const left = (this.#counts.get(priority) ?? 0) - 1
    if (left > 0) {
      this.#counts.set(priority, left)
      return
    }
    this.#counts.delete(priority)
    if (priority < this.highest) return
    this.highest = -Infinity
    for (const other of this.#counts.keys()) if (other > this.highest) this.highest = other // a short loop, since jobs share few priorities
  }
}

const LEAST = -(2 ** 31)
const MOST = 2 ** 31 - 1

/** The priority of a queue among its siblings, given the highest priority that waits in it; whole numbers of 32 bits. */
export function priorityOutside(policy: 'default' | 'fence', offset: number, highest: number): number {
  if (highest === -Infinity) return LEAST
  return policy === 'fence' ? offset : Math.max(LEAST, Math.min(MOST, highest + offset))
}
