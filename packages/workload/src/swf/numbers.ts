import type { HeaderFields } from '../trace/facts.js'

/**
 * The numbers that stand in one log for jobs, users and whatever else the format numbers: names that are whole numbers stay what they are, others
 * are numbered from 1 in order of their first use.
 */
export class SwfNumbers {
  /** Of ids of jobs. */
  readonly job = new Numbers()
  /** Of users. */
  readonly user = new Numbers()
  /** Of groups. */
  readonly group = new Numbers()
  /** Of applications. */
  readonly application = new Numbers()
  /** Of queues. */
  readonly queue = new Numbers()
  /** Of partitions. */
  readonly partition = new Numbers()

  /**
   * The names of those that were numbered, as comments: `Queue: 1 batch` and `Partition: 1 thin`, with how many there are, as version 2.2 has them;
   * users, groups and applications in the same way, for which it has none. Of jobs none: they are too many.
   */
  names(): HeaderFields {
    return [
      ...this.user.named('User'),
      ...this.group.named('Group'),
      ...this.application.named('Application'),
      ...this.queue.named('Queue', 'MaxQueues'),
      ...this.partition.named('Partition', 'MaxPartitions'),
    ]
  }
}

/** A number for every name, never the same for two. */
class Numbers {
  readonly #given = new Map<string, number>()
  readonly #taken = new Set<number>()
  #next = 1

  /** The number of a name; none for none. */
  of(name: string | undefined): number | undefined {
    if (name === undefined) return undefined
    let found = this.#given.get(name)
    if (found !== undefined) return found
    found = /^(0|[1-9]\d{0,14})$/.test(name) && !this.#taken.has(Number(name)) ? Number(name) : undefined
    while (found === undefined) if (!this.#taken.has(this.#next++)) found = this.#next - 1
    this.#given.set(name, found)
    this.#taken.add(found)
    return found
  }

  /** Those that have another number than their name, after how many there are of all. */
  named(field: string, count?: string): HeaderFields {
    const others = [...this.#given].filter(([name, number]) => name !== String(number))
    if (others.length === 0) return []
    const names = others.map(([name, number]) => [field, `${number} ${name.replaceAll(/\s+/g, ' ')}`] as const)
    return [...(count === undefined ? [] : [[count, String(this.#given.size)] as const]), ...names]
  }
}
