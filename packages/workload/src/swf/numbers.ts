import type { HeaderFields } from '../trace/facts.js'

/**
 * The numbers in one log for jobs, users and everything else that the format numbers. A name that is a whole number keeps it, unless it is taken;
 * other names are numbered from 1 in order of first use.
 */
export class SwfNumbers {
  /** Numbers of jobs. */
  readonly job = new Numbers()
  /** Numbers of users. */
  readonly user = new Numbers()
  /** Numbers of groups. */
  readonly group = new Numbers()
  /** Numbers of applications. */
  readonly application = new Numbers()
  /** Numbers of queues. */
  readonly queue = new Numbers()
  /** Numbers of partitions. */
  readonly partition = new Numbers()

  /**
   * The names that were replaced by numbers, as header comments: `Queue: 1 batch` and `Partition: 1 thin`, each with their count, as version 2.2 has
   * them; users, groups and applications in the same way, for which the format has no fields. Jobs are not listed, because they are too many.
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

/** Gives every name a number; no two names have the same. */
class Numbers {
  readonly #given = new Map<string, number>()
  readonly #taken = new Set<number>()
  #next = 1

  /** The number of a name; `undefined` for `undefined`. */
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

  /** The names with another number than themselves, after the count of all names. */
  named(field: string, count?: string): HeaderFields {
    const others = [...this.#given].filter(([name, number]) => name !== String(number))
    if (others.length === 0) return []
    const names = others.map(([name, number]) => [field, `${number} ${name.replaceAll(/\s+/g, ' ')}`] as const)
    return [...(count === undefined ? [] : [[count, String(this.#given.size)] as const]), ...names]
  }
}
