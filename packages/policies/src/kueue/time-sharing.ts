import type { Seconds } from '@sched/core'
import { insert } from './entries.js'
import type { KueueSettings } from './options.js'
import type { Workload } from './workload.js'

/**
 * Lowers the priority of workloads some time after they were admitted, so that others of the same priority may preempt them by `LowerPriority`.
 *
 * Source: Kueue, cmd/experimental/kueue-priority-booster (computeBoost), and KEP-7990 (effective priority). Deviation: who found nobody to preempt is looked
 * at again at that very moment.
 */
export class TimeSharing {
  readonly #rules: KueueSettings['timeSharing']
  readonly #now: () => Seconds
  /** Admitted workloads whose time is not over, by admission. */
  readonly #within: Workload[] = []

  constructor(rules: KueueSettings['timeSharing'], now: () => Seconds) {
    this.#rules = rules
    this.#now = now
  }

  /** The workload is admitted; after a restart its priority may have fallen already. */
  admitted(workload: Workload): void {
    const { interval, maxWorkloadPriority = Infinity } = this.#rules
    if (interval > 0 && workload.standing === workload.priority && workload.priority <= maxWorkloadPriority && !Number.isNaN(workload.since)) insert(workload, this.#within, byAdmission)
  }

  /** The next time at which a priority falls; `Infinity`: none does. */
  get next(): Seconds {
    const first = this.#within.find(isAdmitted)
    return first === undefined ? Infinity : first.since + this.#rules.interval
  }

  /** Lowers the priorities whose time has come, and lets all workloads look again in their cohorts; returns whether there are any. */
  release(): boolean {
    const { interval, negativeBoost } = this.#rules
    let hasEnded = false
    for (let first = this.#within[0]; first !== undefined && (!isAdmitted(first) || first.since + interval <= this.#now()); first = this.#within[0]) {
      this.#within.shift()
      if (!isAdmitted(first)) continue
      first.standing = first.priority - negativeBoost
      first.queue.root.returns++
      hasEnded = true
    }
    return hasEnded
  }
}

const isAdmitted = ({ tasks }: Workload): boolean => tasks > 0
const byAdmission = (a: Workload, b: Workload): number => a.since - b.since || a.admission - b.admission
