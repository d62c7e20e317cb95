import type { Assignment } from './assignment.js'
import type { ClusterQueue } from './queues.js'
import type { Likeness, Workload } from './workload.js'

/** Assignments found for workloads that do not fit. They hold for all workloads that ask alike, until one is admitted or goes. */
export class Unfit {
  readonly #found = new Map<Likeness, Assignment>()
  /** Likenesses for which there is nobody to preempt. */
  readonly #vain = new Set<Likeness>()
  /** By queue: the number of waiting workloads that are like one of these. */
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

  /** Whether workloads of this likeness neither fit nor find anybody to preempt. */
  isVain(likeness: Likeness): boolean {
    return this.#vain.has(likeness)
  }

  /** Whether that is so for all `waiting` workloads of a queue. */
  areVain(queue: ClusterQueue, waiting: number): boolean {
    return this.#hopeless.get(queue) === waiting
  }

  clear(): void {
    this.#found.clear()
    this.#vain.clear()
    this.#hopeless.clear()
  }
}
