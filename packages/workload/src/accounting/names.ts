/** Strings of a log, each kept once. A substring of a line would keep the whole line in memory. */
export class Names {
  readonly #known = new Map<string, string>()

  of(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    this.#known.set(text, text)
    return text
  }
}
