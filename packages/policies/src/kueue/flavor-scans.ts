import { Mode, NOTHING, type Assignment } from './assignment.js'
import type { ScanFrom, Workload } from './workload.js'

/**
 * How far the flavors of workloads have been searched. Where the search stops at one in which each resource could be had by preemption, but not all together,
 * it goes on with the next flavors in the next cycle; once all were looked at it begins anew when anybody has come in or gone.
 *
 * Source: Kueue, flavorassigner.go (LastTriedFlavorIdx), scheduler.go and cluster_queue.go (PendingFlavors). Deviation: of several resource groups, or parts of a
 * gang, each of which begins anew after its last flavor, nothing is looked at twice.
 */
export class FlavorScans {
  /** How many cycles there have been, and how often anybody has come in or gone. */
  #cycles = 0
  #version = 0

  beginCycle(): void {
    this.#cycles++
  }

  changed(): void {
    this.#version++
  }

  /** Whether the search of the cycle before stopped, and flavors are left. */
  goesOn({ scan }: Workload): boolean {
    return scan !== undefined && scan.cycle >= this.#cycles - 1
  }

  from(workload: Workload): ScanFrom {
    return this.goesOn(workload) || workload.scan?.version === this.#version ? (workload.scan?.from ?? NOTHING) : NOTHING
  }

  /** Whether there are flavors that were not looked at, and nobody to preempt in those that were. */
  isPending({ scan }: Workload, { mode, targets, next }: Assignment): boolean {
    if (next.size === 0 || mode === Mode.Fit || targets.length > 0) return false
    return scan?.version !== this.#version || !scan.before.has(keyOf(next))
  }

  /** Notes with what the search goes on; false where it does not. */
  goOn(workload: Workload, assignment: Assignment): boolean {
    const { scan } = workload
    const isPending = this.isPending(workload, assignment)
    if (isPending) {
      const before = scan?.version === this.#version ? scan.before : []
      workload.scan = { from: assignment.next, cycle: this.#cycles, version: this.#version, before: new Set([...before, keyOf(assignment.next)]) }
    } else if (scan !== undefined) workload.scan = { ...scan, cycle: -1 }
    return isPending
  }
}

const keyOf = (from: ScanFrom): string => [...from].join(';')
