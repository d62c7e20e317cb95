import type { ClusterQueue } from './queues.js'
import type { Workload } from './workload.js'

/**
 * Quota that first workloads, which wait, keep from others for the rest of the cycle.
 *
 * Source: Kueue, scheduler.go (reserveCapacityForUnreclaimablePreempt).
 */
export class KeptQuota {
  readonly #kept: { readonly queue: ClusterQueue; readonly c: number; readonly amount: number }[] = []

  /** Keeps a part of what the workload asks for, unless its queue can always reclaim it (at once); returns whether it keeps any. */
  keep({ queue, amounts, tasks, columns }: Workload, borrows: boolean, delaysReclaim: boolean): boolean {
    if (queue.settings.preemption?.reclaimWithinCohort === 'Any' && !delaysReclaim) return false
    const before = this.#kept.length
    for (let i = 0; i < amounts.length; i++) {
      const c = columns[i] as number
      const amount = queue.toKeep(c, (amounts[i] as number) * tasks, borrows)
      if (amount === 0) continue
      queue.add(c, amount)
      this.#kept.push({ queue, c, amount })
    }
    return this.#kept.length > before
  }

  /** Gives all of it back. */
  release(): void {
    for (const { queue, c, amount } of this.#kept) queue.remove(c, amount)
    this.#kept.length = 0
  }
}
