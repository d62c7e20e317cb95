import type { Assignment } from './assignment.js'
import { empty } from './empty.js'
import type { ClusterQueue } from './queues.js'
import { isPartial, type Likeness, type Workload } from './workload.js'

/** Assignments found for workloads that do not fit. They hold for all workloads that ask alike, until one is admitted or goes. */
export class Unfit {
  readonly #found = new Map<Likeness, Assignment>()
  /** By what they ask of quota: assignments of those for whom there is not even quota, wherever the nodes are. */
  readonly #ofQuota = new Map<string, Assignment>()
  /** Likenesses for which there is nobody to preempt. */
  readonly #vain = new Set<Likeness>()
  /** By queue: the number of waiting workloads that are like one of these. */
  readonly #hopeless = new Map<ClusterQueue, number>()

  of(likeness: Likeness): Assignment | undefined {
    return this.#found.get(likeness)
  }

  /**
   * The assignment of another workload that asks the same of quota, and for which there is none. One that may be
   * admitted in part may find some for fewer tasks.
   */
  withoutQuota(workload: Workload): Assignment | undefined {
    return isPartial(workload) ? undefined : this.#ofQuota.get(workload.likeness.ofQuota)
  }

  /** `isOfAll`: no flavor was left out in the search. */
  add({ likeness, queue }: Workload, found: Assignment, isOfAll: boolean): void {
    this.#found.set(likeness, found)
    if (found.targets.length > 0) return
    if (found.lacksNodes !== true && isOfAll) this.#ofQuota.set(likeness.ofQuota, found)
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
    empty(this.#found)
    empty(this.#ofQuota)
    empty(this.#vain)
    empty(this.#hopeless)
  }
}
