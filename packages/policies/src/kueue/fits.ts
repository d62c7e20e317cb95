import type { QuotaNode } from './quota-node.js'
import { charge, discharge, runningTasks, type Workload } from './workload.js'

/** Whether the quota has room for the workload in its flavor now, with no node of `within` using more than its own quota. */
export function fits(workload: Workload, within: readonly QuotaNode[] = []): boolean {
  const { queue, amounts, tasks, columns } = workload
  for (let i = 0; i < amounts.length; i++) {
    const asked = (amounts[i] as number) * tasks
    if (asked > 0 && asked > queue.available(columns[i] as number)) return false
  }
  if (within.length === 0) return true
  charge(workload, tasks)
  const isWithin = within.every((node) => amounts.every((amount, i) => amount === 0 || !node.borrows(columns[i] as number)))
  discharge(workload, tasks)
  return isWithin
}

/** Whether it would have room without `those`. */
export function fitsWithout(those: readonly Workload[], workload: Workload): boolean {
  for (const each of those) discharge(each, each.tasks)
  const hasRoom = fits(workload)
  for (const each of those) charge(each, each.tasks)
  return hasRoom
}

/** Whether it has room while `leaving` workloads still run: their quota is free already, but their nodes are not. */
export function fitsBeside(leaving: ReadonlySet<Workload>, workload: Workload): boolean {
  if (leaving.size === 0) return true
  for (const each of leaving) charge(each, runningTasks(each))
  const hasRoom = fits(workload)
  for (const each of leaving) discharge(each, runningTasks(each))
  return hasRoom
}
