import type { JobId, LaneId, Seconds, ShapeId, TaskId, UserId } from '@sched/core'
import type { Flavor } from './flavor.js'
import type { ClusterQueue } from './queues.js'

/** Of all that ask the same: in one queue, with one priority and demand. */
export interface Likeness {
  readonly key: string
  /** How many of them wait for admission. */
  waiting: number
  /** `returns` of their tree when there was found to be no room for them, nor anybody to preempt, and in which call; -1: they were not looked at. */
  setAsideAt: number
  setAsideIn: number
}

/** Whether nothing that could make room for the workload had happened when the call began since there was found to be none; admissions do not. */
export const isSetAside = ({ likeness, queue }: Workload, call: number): boolean => likeness.setAsideAt === queue.root.returns || likeness.setAsideIn === call

/** A stage of a job that is one gang: what those of its tasks that must start ask together, by resource. */
export interface Part {
  readonly stage: number
  readonly demand: Float64Array
}

/** With which flavor the search goes on, of those of a resource group: one number for each group, of each part in turn. */
export type ScanFrom = ReadonlyMap<number, number>

/** How far the flavors of a workload have been searched: it could preempt nobody in the one at which the search stopped, and there are others. */
interface Scan {
  readonly from: ScanFrom
  /** In which cycle that was found, and how often anybody had come in or gone. */
  readonly cycle: number
  readonly version: number
  /** With what it went on since then. */
  readonly before: ReadonlySet<string>
}

/** What is admitted as one: all tasks of a gang, those that a job which is one gang must start together, or one task of another job. */
export interface Workload {
  readonly job: JobId
  readonly lane: LaneId
  readonly queue: ClusterQueue
  readonly user: UserId
  readonly priority: number
  /** Of its job: when it was submitted, against others. */
  readonly rank: number
  readonly shape: ShapeId
  /** The same for all that ask the same and wait. */
  readonly likeness: Likeness
  /** Whether its tasks ask different amounts: of a job that is one gang. It then counts as one task, which asks all of them, until the last has ended. */
  readonly isWhole: boolean
  /** With as many tasks it may be admitted, once; `least` is fewer than `most` of a gang that is admitted in part. */
  readonly least: number
  readonly most: number
  /** What one task asks, by resource. */
  readonly demand: Float64Array
  /** Its stages, where they may have a flavor each: those of a job that is one gang in a queue of several flavors. */
  readonly parts: readonly Part[] | undefined
  /** The flavor that it has or is tried with, or the mix of them where its resources or its parts are of several, by index. */
  flavor: number
  /** Where the quota of that is, each column once, and how much of it one task takes: of one flavor both are by resource. */
  columns: Int32Array
  amounts: Float64Array
  /** Its place among all admissions; the larger, the later. */
  admission: number
  /** When it was admitted, `NaN` while it waits. */
  since: Seconds
  /** Tasks that count against the quota, and those of them that wait for room on a node; of one that waits for admission those with which it would be admitted. */
  tasks: number
  unstarted: number
  readonly running: TaskId[]
  scan?: Scan
}

/** Whether it has its quota for as many tasks at a time as it was admitted with, until the last have ended. */
export const isPartial = ({ least, most }: Workload): boolean => least < most

/** For how many tasks it counts by those that run. */
export const runningTasks = ({ isWhole, running }: Workload): number => (isWhole ? Math.min(1, running.length) : running.length)

/** It is to have this flavor, or mix; the first without one. */
export function settle(workload: Workload, flavor: number): void {
  workload.flavor = Math.max(0, flavor)
  const { columns, ofParts } = workload.queue.choices.all[workload.flavor] as Flavor
  if (ofParts !== undefined) return settleParts(workload, ofParts)
  workload.columns = columns
  workload.amounts = workload.demand
}

function settleParts(workload: Workload, choices: readonly number[]): void {
  const taken = new Map<number, number>()
  for (const [p, { demand }] of (workload.parts ?? []).entries()) addTo(taken, demand, workload.queue.choices.all[choices[p] as number] as Flavor)
  workload.columns = Int32Array.from(taken.keys())
  workload.amounts = Float64Array.from(taken.values())
}

/** Adds what is asked to what is taken of columns. */
export function addTo(taken: Map<number, number>, demand: Float64Array, { columns }: Flavor): void {
  for (const [r, amount] of demand.entries()) if (amount > 0) taken.set(columns[r] as number, (taken.get(columns[r] as number) ?? 0) + amount)
}

export function charge({ queue, amounts, columns }: Workload, tasks: number): void {
  for (let i = 0; i < amounts.length; i++) if (amounts[i] !== 0) queue.add(columns[i] as number, (amounts[i] as number) * tasks)
}

export function discharge({ queue, amounts, columns }: Workload, tasks: number): void {
  for (let i = 0; i < amounts.length; i++) if (amounts[i] !== 0) queue.remove(columns[i] as number, (amounts[i] as number) * tasks)
}

/** How much of a column one task takes. */
export function amountIn({ amounts, columns }: Workload, c: number): number {
  const at = columns.indexOf(c)
  return at < 0 ? 0 : (amounts[at] as number)
}
