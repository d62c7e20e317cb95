import { Mode, NOTHING, type Assignment } from './assignment.js'
import type { ScanFrom, Workload } from './workload.js'

/**
 * How far the flavors of workloads have been searched. If a search stops at a flavor in which each resource could be had by preemption, but not all together,
 * it goes on with the next flavors in the next cycle. Once all were looked at, it begins anew when a workload has been admitted or has gone.
 *
 * Source: Kueue, flavorassigner.go (LastTriedFlavorIdx), scheduler.go and cluster_queue.go (PendingFlavors). Deviation: where each of several
 * resource groups, or parts of a gang, begins anew after its last flavor, no combination is looked at twice.
 */
export class FlavorScans {
  /** The number of cycles so far, and how often workloads were admitted or have gone. */
  #cycles = 0
  #version = 0

  beginCycle(): void {
    this.#cycles++
  }

  changed(): void {
    this.#version++
  }

  /** Whether the search in the cycle before stopped early, so that flavors are left. */
  goesOn({ scan }: Workload): boolean {
    return scan !== undefined && scan.cycle >= this.#cycles - 1
  }

  from(workload: Workload): ScanFrom {
    return this.goesOn(workload) || workload.scan?.version === this.#version ? (workload.scan?.from ?? NOTHING) : NOTHING
  }

  /** Whether flavors are left that were not looked at, and those that were offer nobody to preempt. */
  isPending({ scan }: Workload, { mode, targets, next }: Assignment): boolean {
    if (next.size === 0 || mode === Mode.Fit || targets.length > 0) return false
    return scan?.version !== this.#version || !scan.before.has(keyOf(next))
  }

  /**
   * The workload fitted when the cycle began, but not beside what others have taken or keep since. Its search begins anew, unless it has done so already and
   * nobody was admitted or has gone since: then all flavors are as they were, and it stays with this one, lest two such workloads take turns without end.
   *
   * Source: Kueue, scheduler.go (setSkipped), which begins anew each time.
   */
  skipped(workload: Workload): void {
    const { scan, skippedIn } = workload
    if (skippedIn !== this.#version) delete workload.scan
    else if (scan !== undefined) workload.scan = { ...scan, cycle: -1 }
    workload.skippedIn = this.#version
  }

  /** Notes where the search goes on in the next cycle; returns false if it does not go on. */
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
