import type { Assignment } from './assignment.js'
import type { ClusterQueue } from './queues.js'
import type { Likeness, Workload } from './workload.js'

/** What was found for workloads that do not fit. It holds for all that ask alike, until somebody comes in or goes. */
export class Unfit {
  readonly #found = new Map<Likeness, Assignment>()
  /** Those for which there is nobody to preempt. */
  readonly #vain = new Set<Likeness>()
  /** By queue: how many that wait are like one of these. */
  readonly #hopeless = new Map<ClusterQueue, number>()

  of(likeness: Likeness): Assignment | undefined {
    return this.#found.get(likeness)
  }

  add({ likeness, queue }: Workload, found: Assignment): void {
    this.#found.set(likeness, found)
    if (found.targets.length > 0) return
    this.#vain.add(likeness)
    this.#hopeless.set(queue, (this.#hopeless.get(queue) ?? 0) + likeness.waiting)
  }

  /** Whether there is nobody to preempt for those that ask so. */
  isVain(likeness: Likeness): boolean {
    return this.#vain.has(likeness)
  }

  /** Whether that is so of all that wait in a queue. */
  areVain(queue: ClusterQueue, waiting: number): boolean {
    return this.#hopeless.get(queue) === waiting
  }

  clear(): void {
    this.#found.clear()
    this.#vain.clear()
    this.#hopeless.clear()
  }
}
