/** Parts of experiments that were read lately: the variants of a sweep share most of theirs. */
export class Parts {
  readonly #latest = new Map<string, unknown>()

  /** What `make` gave when it was last called for an equal key. */
  async of<T>(key: unknown, make: () => T | Promise<T>): Promise<T> {
    const text = JSON.stringify(key)
    const known = this.#latest.has(text)
    const value = known ? (this.#latest.get(text) as T) : await make()
    this.#latest.delete(text)
    this.#latest.set(text, value)
    if (this.#latest.size > MOST) this.#latest.delete(this.#latest.keys().next().value as string)
    return value
  }
}

/** A trace in memory may be large. */
const MOST = 6
