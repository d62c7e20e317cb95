import { Mode, NOTHING, type Assignment } from './assignment.js'
import type { ScanFrom, Workload } from './workload.js'

/**
 * How far the flavors of workloads have been searched. If a search stops at a flavor in which each resource could be had by preemption, but not all together,
 * it goes on with the next flavors in the next cycle; so it does for one that would have come in there and was passed by. Without the gate
 * FlavorFungibilityPreserveScanProgress who was passed by begins anew, and so do all when a workload was admitted or has gone in that cycle. Once all were
 * looked at, it begins anew when a workload has been admitted or has gone.
 *
 * Source: Kueue, flavorassigner.go (LastTriedFlavorIdx), scheduler.go and cluster_queue.go (PendingFlavors). Deviations: where each of several
 * resource groups, or parts of a gang, begins anew after its last flavor, no combination is looked at twice; who was passed by, and then finds nothing in the
 * flavors that are left, begins anew at once (in Kueue when something has ended).
 */
export class FlavorScans {
  readonly #preserves: boolean
  /** The number of cycles so far, and how often workloads were admitted or have gone. */
  #cycles = 0
  #version = 0

  /** `preserves`: whether the search goes on for those that were passed by, too, and for all whether or not others were admitted or have gone in that cycle. */
  constructor(preserves: boolean) {
    this.#preserves = preserves
  }

  beginCycle(): void {
    this.#cycles++
  }

  changed(): void {
    this.#version++
  }

  /** Whether the search in the cycle before stopped early, so that flavors are left. If progress is not preserved, only while nobody was admitted or has gone since. */
  goesOn({ scan }: Workload): boolean {
    return scan !== undefined && scan.cycle >= this.#cycles - 1 && (this.#preserves || scan.version === this.#version)
  }

  from(workload: Workload): ScanFrom {
    return this.goesOn(workload) || workload.scan?.version === this.#version ? (workload.scan?.from ?? NOTHING) : NOTHING
  }

  /** Whether flavors are left that were not looked at, and those that were offer nobody to preempt; or whether the flavors before these are to be looked at. */
  isPending(workload: Workload, { mode, targets, next }: Assignment): boolean {
    if (mode === Mode.Fit || targets.length > 0) return false
    return this.#isNew(workload, next) || workload.scan?.wasSkipped === true
  }

  /** Whether the search has not gone on from there yet, since somebody was admitted or has gone. */
  #isNew({ scan }: Workload, next: ScanFrom): boolean {
    return next.size > 0 && (scan?.version !== this.#version || !scan.before.has(keyOf(next)))
  }

  /**
   * The workload would have come in when the cycle began, but not beside what others have taken or keep since. Its search goes on with the next flavors, if that
   * is preserved and there are any; returns whether it does. Otherwise it begins anew, unless it has done so already and nobody was admitted or has gone since:
   * then all flavors are as they were, and it stays with this one, lest two such workloads take turns without end.
   *
   * Source: Kueue, scheduler.go (setSkipped), which without the gate begins anew each time.
   */
  skipped(workload: Workload, { next }: Assignment): boolean {
    const { scan, skippedIn } = workload
    if (this.#preserves && this.#isNew(workload, next)) {
      this.#note(workload, next, true)
      return true
    }
    if (skippedIn !== this.#version) delete workload.scan
    else if (scan !== undefined) workload.scan = { ...scan, cycle: -1 }
    workload.skippedIn = this.#version
    return false
  }

  /** Notes where the search goes on in the next cycle; returns false if it does not go on. */
  goOn(workload: Workload, assignment: Assignment): boolean {
    const { scan } = workload
    const isPending = this.isPending(workload, assignment)
    if (isPending) this.#note(workload, this.#isNew(workload, assignment.next) ? assignment.next : NOTHING, false)
    else if (scan !== undefined) workload.scan = { ...scan, cycle: -1 }
    return isPending
  }

  #note(workload: Workload, from: ScanFrom, wasSkipped: boolean): void {
    const { scan } = workload
    const before = scan?.version === this.#version ? scan.before : []
    workload.scan = { from, cycle: this.#cycles, version: this.#version, before: new Set([...before, keyOf(from)]), wasSkipped: wasSkipped || (from.size > 0 && scan?.wasSkipped === true) }
  }
}

const keyOf = (from: ScanFrom): string => [...from].join(';')
