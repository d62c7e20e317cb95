import { ownValue, randomStream, type Random } from '@sched/core'

/** The random streams of a seed, each with a count of the numbers drawn. */
export class CountedStreams {
  readonly #seed: number
  readonly #streams = new Map<string, CountedStream>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** The stream of a name, from its beginning. The same name gives the same numbers. */
  of(name: string): Random {
    const stream = new CountedStream(randomStream(this.#seed, name))
    this.#streams.set(name, stream)
    return stream.next
  }

  /** Numbers drawn so far, by stream. */
  get draws(): Readonly<Record<string, number>> {
    return Object.fromEntries(Array.from(this.#streams, ([name, { draws }]) => [name, draws]))
  }

  /** Draws from each stream until its count is the given one. */
  skipTo(draws: Readonly<Record<string, number>>): void {
    for (const [name, stream] of this.#streams) while (stream.draws < (ownValue(draws, name) ?? 0)) stream.next()
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
