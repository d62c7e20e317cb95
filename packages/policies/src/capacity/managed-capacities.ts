import type { JobId, Seconds } from '@sched/core'
import { multipleAfter } from '../disciplines/multiple-after.js'
import { allOrNothing, isSomething, nothingOf, ownCapacity, withCapacity } from './first-come.js'
import type { Queue, QueueTree } from './queue-tree.js'

/**
 * Moves the percentages or amounts of queues that were made at first use to those that have jobs. At every multiple of `seconds` queues without jobs lose
 * theirs. Queues with jobs but without a capacity get what their template says, as long as there is enough, in the order in which their jobs came. This
 * exists only in the legacy mode; weights are never used up. Looks are made when somebody asks; between two arrivals or ends of jobs one look is enough.
 *
 * Source: Hadoop 3, QueueManagementDynamicEditPolicy and GuaranteedOrZeroCapacityOverTimePolicy.computeQueueManagementChanges.
 */
export class ManagedCapacities {
  readonly #tree: QueueTree
  readonly #seconds: Seconds
  #next: Seconds
  /** By job in a queue made at first use, in order of arrival: its leaf. */
  readonly #leaves = new Map<JobId, number>()

  constructor(tree: QueueTree, seconds: Seconds) {
    this.#tree = tree
    this.#seconds = seconds
    this.#next = seconds
  }

  enter(job: JobId, leaf: number): void {
    if (!this.#tree.queue(leaf).isDeclared) this.#leaves.set(job, leaf)
  }

  leave(job: JobId): void {
    this.#leaves.delete(job)
  }

  /** When the next look is. */
  get next(): Seconds {
    return this.#next
  }

  /** Takes up where another has stopped. */
  recall(next: Seconds): void {
    this.#next = next
  }

  lookUntil(now: Seconds): void {
    if (this.#next > now) return
    this.#next = multipleAfter(now, this.#seconds)
    const occupied = new Set(this.#leaves.values())
    for (const queue of this.#tree.queues) if (!queue.isDeclared && !occupied.has(queue.id)) this.#set(queue, nothingOf)
    for (const leaf of occupied) this.#set(this.#tree.queue(leaf), (capacity, label) => isSomething(capacity) ? capacity : this.#left(this.#tree.queue(leaf), label))
  }

  /** The capacity that its siblings leave for a queue that has none in a partition. */
  #left({ id, parent }: Queue, label: string): ReturnType<typeof ownCapacity> {
    const around = this.#tree.queue(parent)
    const siblings = around.children.filter((each) => each !== id).map((each) => ownCapacity(this.#tree.queue(each).own, label))
    return allOrNothing(ownCapacity(this.#tree.templateOf(id), label), siblings, ownCapacity(around.own, label), this.#tree.isCounted)
  }

  #set({ id, own }: Queue, change: (capacity: ReturnType<typeof ownCapacity>, label: string) => ReturnType<typeof ownCapacity>): void {
    for (const label of ['', ...Object.keys(own.labels ?? {})]) {
      const before = ownCapacity(this.#tree.queue(id).own, label)
      const after = change(before, label)
      if (isSomething(before) !== isSomething(after)) this.#tree.change(id, withCapacity(this.#tree.queue(id).own, label, after))
    }
  }
}
