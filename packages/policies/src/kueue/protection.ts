import type { Seconds } from '@sched/core'
import type { KueueSettings } from './options.js'
import type { QuotaNode } from './quota-node.js'
import type { Workload } from './workload.js'

type Rule = keyof KueueSettings['preemptionProtection']

/**
 * Spares workloads of other queues than the preemptor's until they have been admitted for a while, and knows when preemptors that found nobody else are to
 * look again.
 *
 * Source: Kueue, KEP-9876, and pkg/scheduler/preemption/common/protection.go.
 */
export class Protection {
  readonly #rules: KueueSettings['preemptionProtection']
  readonly #now: () => Seconds
  /** By outermost cohort: the time at which the first spared workload may be taken. */
  readonly #ends = new Map<QuotaNode, Seconds>()
  /** The same for the search under way. */
  #soonest: Seconds = Infinity

  constructor(rules: KueueSettings['preemptionProtection'], now: () => Seconds) {
    this.#rules = rules
    this.#now = now
  }

  /** Whether a queue that wants its quota back may have to wait for it. */
  get delaysReclaim(): boolean {
    return this.#rules.reclaimWithinCohort.minAdmitDuration > 0
  }

  /** A search for workloads to preempt begins. */
  begin(): void {
    this.#soonest = Infinity
  }

  /** The search has found nobody. */
  failed(root: QuotaNode): void {
    if (this.#soonest < (this.#ends.get(root) ?? Infinity)) this.#ends.set(root, this.#soonest)
  }

  /** Whether the workload is spared; to be asked only of a workload that would be taken otherwise. */
  spares({ since }: Workload, rule: Rule): boolean {
    const end = since + this.#rules[rule].minAdmitDuration
    if (end <= this.#now()) return false
    this.#soonest = Math.min(this.#soonest, end)
    return true
  }

  /** The next time at which a spared workload may be taken; `Infinity`: none was spared. */
  get next(): Seconds {
    return Math.min(Infinity, ...this.#ends.values())
  }

  /** Lets all workloads look again in cohorts in which a workload is spared no longer; returns whether there are such cohorts. */
  release(): boolean {
    let hasEnded = false
    for (const [root, end] of this.#ends) {
      if (end > this.#now()) continue
      this.#ends.delete(root)
      root.returns++
      hasEnded = true
    }
    return hasEnded
  }
}
