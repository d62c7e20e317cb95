import type { Seconds } from '@sched/core'
import type { KueueSettings } from './options.js'
import type { QuotaNode } from './quota-node.js'
import type { Workload } from './workload.js'

type Rule = keyof KueueSettings['preemptionProtection']

/**
 * Spares workloads of other queues than the preemptor's until they have been admitted for a while, and knows when who found nobody else is to be looked at again.
 *
 * Source: Kueue, KEP-9876, and pkg/scheduler/preemption/common/protection.go.
 */
export class Protection {
  readonly #rules: KueueSettings['preemptionProtection']
  readonly #now: () => Seconds
  /** By outermost cohort: when the first of those who were spared may be taken. */
  readonly #ends = new Map<QuotaNode, Seconds>()
  /** The same of this search. */
  #soonest: Seconds = Infinity

  constructor(rules: KueueSettings['preemptionProtection'], now: () => Seconds) {
    this.#rules = rules
    this.#now = now
  }

  /** Whether who wants its quota back may have to wait for it. */
  get delaysReclaim(): boolean {
    return this.#rules.reclaimWithinCohort.minAdmitDuration > 0
  }

  /** A search for workloads to preempt begins. */
  begin(): void {
    this.#soonest = Infinity
  }

  /** It has found nobody. */
  failed(root: QuotaNode): void {
    if (this.#soonest < (this.#ends.get(root) ?? Infinity)) this.#ends.set(root, this.#soonest)
  }

  /** To be asked last of a workload, of those that would go otherwise. */
  spares({ since }: Workload, rule: Rule): boolean {
    const end = since + this.#rules[rule].minAdmitDuration
    if (end <= this.#now()) return false
    this.#soonest = Math.min(this.#soonest, end)
    return true
  }

  /** When somebody may be taken next who was spared, `Infinity`: nobody was. */
  get next(): Seconds {
    return Math.min(Infinity, ...this.#ends.values())
  }

  /** Lets all be looked at again in cohorts in which somebody is spared no longer; whether there are any. */
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
