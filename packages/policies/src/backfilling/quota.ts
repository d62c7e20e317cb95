/** How often a pass does something, for each user or queue, up to a limit; 0: no limit. */
export class Quota {
  readonly #most: number
  readonly #counts = new Map<number, number>()

  constructor(most: number) {
    this.#most = most
  }

  isUsed(of = 0): boolean {
    return this.#most > 0 && (this.#counts.get(of) ?? 0) >= this.#most
  }

  use(of = 0): void {
    if (this.#most > 0) this.#counts.set(of, (this.#counts.get(of) ?? 0) + 1)
  }
}
