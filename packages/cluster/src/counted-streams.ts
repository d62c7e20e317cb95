import { randomStream, type Random } from '@sched/core'

/** The random streams of a seed, of which it is known how far they have been read. */
export class CountedStreams {
  readonly #seed: number
  readonly #streams = new Map<string, CountedStream>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** The same name gives the same stream, from its beginning. */
  of(name: string): Random {
    const stream = new CountedStream(randomStream(this.#seed, name))
    this.#streams.set(name, stream)
    return stream.next
  }

  /** Numbers drawn so far, by name. */
  get draws(): Readonly<Record<string, number>> {
    return Object.fromEntries(Array.from(this.#streams, ([name, { draws }]) => [name, draws]))
  }

  /** Reads on until so many have been drawn of each. */
  skipTo(draws: Readonly<Record<string, number>>): void {
    for (const [name, stream] of this.#streams) while (stream.draws < (draws[name] ?? 0)) stream.next()
  }
}

class CountedStream {
  draws = 0
  readonly next: Random

  constructor(random: Random) {
    this.next = () => {
      this.draws++
      return random()
    }
  }
}
