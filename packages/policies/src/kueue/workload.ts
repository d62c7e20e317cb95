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
  /** The flavor that it has or is tried with, or the mix of them where its resources are of several, by index; and by resource where their quota is. */
  flavor: number
  columns: Int32Array
  /** Its place among all admissions; the larger, the later. */
  admission: number
  /** When it was admitted, `NaN` while it waits. */
  since: Seconds
  /** Tasks that count against the quota, and those of them that wait for room on a node; of one that waits for admission those with which it would be admitted. */
  tasks: number
  unstarted: number
  readonly running: TaskId[]
}

/** Whether it has its quota for as many tasks at a time as it was admitted with, until the last have ended. */
export const isPartial = ({ least, most }: Workload): boolean => least < most

/** For how many tasks it counts by those that run. */
export const runningTasks = ({ isWhole, running }: Workload): number => (isWhole ? Math.min(1, running.length) : running.length)

/** It is to have this flavor, or mix; the first without one. */
export function settle(workload: Workload, flavor: number): void {
  workload.flavor = Math.max(0, flavor)
  workload.columns = (workload.queue.choices.all[workload.flavor] as Flavor).columns
}

export function charge({ queue, demand, columns }: Workload, tasks: number): void {
  for (let r = 0; r < demand.length; r++) if (demand[r] !== 0) queue.add(columns[r] as number, (demand[r] as number) * tasks)
}

export function discharge({ queue, demand, columns }: Workload, tasks: number): void {
  for (let r = 0; r < demand.length; r++) if (demand[r] !== 0) queue.remove(columns[r] as number, (demand[r] as number) * tasks)
}
