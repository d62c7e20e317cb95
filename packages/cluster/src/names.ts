/** Dense ids for names, in order of first use. */
export class Names {
  readonly #ids = new Map<string, number>()
  readonly #names: string[] = []
  /** The last name asked for: neighbours in a workload often have the same name. */
  #last: string | undefined
  #lastId = -1

  id(name: string): number {
    if (name === this.#last) return this.#lastId
    this.#last = name
    this.#lastId = this.#ids.get(name) ?? this.#add(name)
    return this.#lastId
  }

  #add(name: string): number {
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
