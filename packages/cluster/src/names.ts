/** Dense ids for names, in order of first use. */
export class Names {
  readonly #ids = new Map<string, number>()
  readonly #names: string[] = []

  id(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    this.#ids.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  name(id: number): string {
    return this.#names[id] ?? ''
  }

  get size(): number {
    return this.#names.length
  }
}
