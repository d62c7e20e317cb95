import type { JobId, LaneId, Seconds, ShapeId, TaskId, UserId, WorkView } from '@sched/core'
import { minus } from '../shares/vectors.js'
import type { Flavor } from './flavor.js'
import type { ClusterQueue } from './queues.js'

/** Shared by all workloads that ask alike: those of one queue with the same priority and demand. */
export interface Likeness {
  readonly key: string
  /** The same for all workloads that ask alike of quota: their topologies may differ, but either all have one or none. */
  readonly ofQuota: string
  /** How many of them wait for admission. */
  waiting: number
  /** `returns` of the root of their tree, and the call, when there was neither room for them nor anybody to preempt; -1: never so far. */
  setAsideAt: number
  setAsideIn: number
  /** How often nodes had been freed by then, if it is nodes that they lacked; -1: they did not. */
  freedAt: number
}

/**
 * Whether the workload is set aside: it was in this call, or nothing has been given back in its tree since it was, nor nodes if it lacked these; admissions make
 * no room.
 */
export const isSetAside = ({ likeness: { setAsideAt, setAsideIn, freedAt }, queue }: Workload, call: number, freed: number): boolean =>
  setAsideIn === call || (setAsideAt === queue.root.returns && (freedAt < 0 || freedAt === freed))

/** A stage of a job that is one gang, with what its tasks that must start ask for together, by resource. */
export interface Part {
  readonly stage: number
  readonly demand: Float64Array
}

/** By number of a resource group, the index of the flavor with which the search goes on; groups are numbered part by part. */
export type ScanFrom = ReadonlyMap<number, number>

/** How far the flavors of a workload have been searched: in the flavor at which the search stopped it could preempt nobody, or was passed by. */
interface Scan {
  readonly from: ScanFrom
  /** The cycle of that search, and how often workloads had been admitted or gone by then. */
  readonly cycle: number
  readonly version: number
  /** The places at which the search has gone on so far, in this version. */
  readonly before: ReadonlySet<string>
  /** Whether it was passed by there, so that the flavors before may have room again. */
  readonly wasSkipped: boolean
}

/** What is admitted as one: all tasks of a gang, the tasks that a job which is one gang must start together, or one task of any other job. */
export interface Workload {
  readonly job: JobId
  readonly lane: LaneId
  readonly queue: ClusterQueue
  readonly user: UserId
  readonly priority: number
  /** Its priority, less what time sharing has taken off since it was admitted. */
  standing: number
  /** Rank of its job by `queued`, which no two jobs share. */
  readonly rank: number
  /** When its job was submitted. */
  readonly submitted: Seconds
  /** From when on it counts: since its job was submitted, unless that had to go (`QueueTimes`) and waits. */
  queued: Seconds
  readonly shape: ShapeId
  /** The same object for all waiting workloads that ask alike. */
  readonly likeness: Likeness
  /**
   * Whether its tasks ask for different amounts, as in a job that is one gang. It then counts as one task that asks for the amounts of all that have not
   * ended.
   */
  readonly isWhole: boolean
  /** The numbers of tasks with which it may be admitted, `least` to `most`; they differ for a gang that may be admitted in part. */
  readonly least: number
  readonly most: number
  /** What one task asks for, by resource. */
  demand: Float64Array
  /**
   * Its stages, where they may have a flavor each: those of a job that is one gang in a queue of several flavors, and that asks for no topology as a whole. One that
   * does has one flavor for all (sets of pods of one `podset-group-name`).
   */
  parts: readonly Part[] | undefined
  /** Index of the flavor that it has or is tried with, or of the mix, if its resources or parts have several flavors. */
  flavor: number
  /** The columns of quota of that flavor, each once, and how much of each one task takes; with a single flavor both are by resource. */
  columns: Int32Array
  amounts: Float64Array
  /** Its number among all admissions; the larger, the later. */
  admission: number
  /** When it was admitted, `NaN` while it waits. */
  since: Seconds
  /** The number of tasks that count against the quota, before admission of those that would; and the number of them that wait for room on a node. */
  tasks: number
  unstarted: number
  readonly running: TaskId[]
  scan?: Scan
  /** How often workloads had been admitted or gone when it last fitted in a cycle in vain. */
  skippedIn?: number
}

/** Whether it may be admitted in part. It then has quota for as many tasks at a time as it was admitted with, until its last tasks have ended. */
export const isPartial = ({ least, most }: Workload): boolean => least < most

/** The number of tasks for which its running tasks count. */
export const runningTasks = ({ isWhole, running }: Workload): number => (isWhole ? Math.min(1, running.length) : running.length)

/** Whether none of its running tasks has started just now. */
export const hasStarted = ({ running }: Workload, work: WorkView): boolean => running.every((task) => !Number.isNaN(work.started(task)))

/** Sets the flavor or mix of a workload; -1 sets the first flavor. */
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

/** A workload that counts as one task has one task less, of this stage, which asked for these amounts. Returns how much less it asks for, by resource. */
export function lessen(workload: Workload, stage: number, asked: Float64Array): Float64Array {
  const less = (all: Float64Array) => all.map((amount, r) => Math.max(0, amount - (asked[r] as number)))
  const { demand, parts } = workload
  workload.demand = less(demand)
  if (parts !== undefined) workload.parts = parts.map((part) => (part.stage === stage ? { stage, demand: less(part.demand) } : part))
  settle(workload, workload.flavor)
  return minus(demand, workload.demand)
}

/** Adds a demand to the amounts taken, by column of the flavor. */
export function addTo(taken: Map<number, number>, demand: Float64Array, { columns }: Flavor): void {
  for (const [r, amount] of demand.entries()) if (amount > 0) taken.set(columns[r] as number, (taken.get(columns[r] as number) ?? 0) + amount)
}

export function charge({ queue, amounts, columns }: Workload, tasks: number): void {
  for (let i = 0; i < amounts.length; i++) if (amounts[i] !== 0) queue.add(columns[i] as number, (amounts[i] as number) * tasks)
}

export function discharge({ queue, amounts, columns }: Workload, tasks: number): void {
  for (let i = 0; i < amounts.length; i++) if (amounts[i] !== 0) queue.remove(columns[i] as number, (amounts[i] as number) * tasks)
}

/** How much of a column one task of the workload takes. */
export function amountIn({ amounts, columns }: Workload, c: number): number {
  const at = columns.indexOf(c)
  return at < 0 ? 0 : (amounts[at] as number)
}
