import type { KueueSettings } from './options.js'
import type { QuotaNode } from './quota-node.js'
import type { ClusterQueue } from './queues.js'
import { charge, discharge, type Workload } from './workload.js'

/** Whether a workload could be admitted: never or not now, by preempting others, at once. */
export const Mode = { NoFit: 0, Preempt: 1, Fit: 2 } as const
export type Mode = (typeof Mode)[keyof typeof Mode]

export interface Assignment {
  readonly mode: Mode
  readonly flavor: number
  readonly borrows: boolean
  /** Columns of which others would have to give something back. */
  readonly short: readonly number[]
}

/**
 * The flavor of a workload: the first in the queue's order in which it fits, or else can preempt, as far as the rules for
 * trying further flavors do not say otherwise.
 *
 * Source: Kueue, flavorassigner.go.
 */
export function assign(workload: Workload, fairSharing: KueueSettings['fairSharing']): Assignment {
  const { queue } = workload
  const { whenCanBorrow = 'MayStopSearch', whenCanPreempt = 'TryNextFlavor' } = queue.settings.flavorFungibility ?? {}
  let best: Assignment = { mode: Mode.NoFit, flavor: -1, borrows: false, short: [] }
  for (const flavor of queue.flavors) {
    const found = inFlavor(workload, flavor, fairSharing !== false)
    const mayBorrow = whenCanBorrow !== 'TryNextFlavor' || !found.borrows
    if (found.mode > Mode.NoFit && mayBorrow && (found.mode === Mode.Fit || whenCanPreempt !== 'TryNextFlavor')) return found
    if (found.mode > best.mode) best = found
  }
  return best
}

function inFlavor({ queue, demand, tasks }: Workload, flavor: number, fairSharing: boolean): Assignment {
  const short: number[] = []
  let borrows = false
  for (let r = 0; r < demand.length; r++) {
    const asked = (demand[r] as number) * tasks
    if (asked === 0) continue
    const c = flavor * demand.length + r
    if (asked > queue.potential(c)) return { mode: Mode.NoFit, flavor, borrows, short }
    borrows ||= queue.borrows(c, asked)
    if (asked <= queue.available(c)) continue
    if (asked > (queue.subtree[c] as number) && !fitsAround(queue, c, asked) && !preemptsWhileBorrowing(queue, fairSharing)) return { mode: Mode.NoFit, flavor, borrows, short }
    short.push(c)
  }
  return { mode: short.length === 0 ? Mode.Fit : Mode.Preempt, flavor, borrows: borrows && queue.parent !== undefined, short }
}

function preemptsWhileBorrowing({ settings: { preemption } }: ClusterQueue, fairSharing: boolean): boolean {
  if (preemption === undefined) return false
  return preemption.borrowWithinCohort.policy !== 'Never' || (fairSharing && preemption.reclaimWithinCohort !== 'Never')
}

/** Whether a cohort around the queue, but not the outermost, would stay within its quota. */
function fitsAround(queue: ClusterQueue, c: number, asked: number): boolean {
  queue.add(c, asked)
  let fitting = false
  for (let node = queue.parent; node?.parent !== undefined; node = node.parent) fitting ||= !node.borrows(c)
  queue.remove(c, asked)
  return fitting
}

/** Whether the quota has room for the workload in its flavor now, with none of `within` above its own. */
export function fits(workload: Workload, within: readonly QuotaNode[] = []): boolean {
  const { queue, demand, tasks, flavor } = workload
  for (let r = 0; r < demand.length; r++) {
    const asked = (demand[r] as number) * tasks
    if (asked > 0 && asked > queue.available(flavor * demand.length + r)) return false
  }
  if (within.length === 0) return true
  charge(workload, tasks)
  const isWithin = within.every((node) => demand.every((amount, r) => amount === 0 || !node.borrows(flavor * demand.length + r)))
  discharge(workload, tasks)
  return isWithin
}
