import type { PastUsage } from './past-usage.js'
import type { JobId, LaneId, TaskId, WorkView } from '@sched/core'
import type { NamedChoice } from './flavor-choices.js'
import type { Workload } from './workload.js'

type Amounts = Readonly<Record<string, number>>

/** A workload that is admitted, as one that takes its scheduler's place is told of it. */
export interface WorkloadMemory extends Pick<Workload, 'lane' | 'isWhole' | 'least' | 'most' | 'since' | 'tasks' | 'unstarted'> {
  readonly job: string
  /** By resource where these are of several; of each part where these are. */
  readonly flavor: NamedChoice
  /** Those of its tasks that run. */
  readonly running: readonly (readonly [stage: number, index: number])[]
  /** By resource, of one whose tasks ask different amounts. */
  readonly demand?: Amounts
  /** Of one whose stages may have a flavor each. */
  readonly parts?: readonly { readonly stage: number; readonly demand: Amounts }[]
}

/** Whom a scheduler has admitted. */
export interface WorkloadsMemory {
  /** In order of admission. */
  readonly admitted: readonly WorkloadMemory[]
  /** By lane: places in that list of those that wait for room on nodes, in the order in which they are tried. */
  readonly unstarted: readonly (readonly number[])[]
  /** Names of the queues that there are. */
  readonly queues: readonly string[]
  /** Preempted, and about to be evicted. */
  readonly leaving: readonly WorkloadMemory[]
  /** By lane: those that wait for admission and for whom there was found to be no room, which nothing has been given back since; and what all nodes had then, by resource: on others there may be. */
  readonly setAside?: { readonly jobs: readonly (readonly string[])[]; readonly of: Amounts }
  /** What users have used lately, where queues go by it. */
  readonly usage?: ReturnType<PastUsage['memory']>
}

export function memoryOf({ job, lane, queue, flavor, isWhole, least, most, since, tasks, unstarted, running, demand, parts }: Workload, work: WorkView, resources: readonly string[]): WorkloadMemory {
  const tasksThatRun = running.map((task) => [work.stageOf(task), work.indexOf(task)] as const)
  const named = (asked: Float64Array): Amounts => Object.fromEntries(resources.map((name, r) => [name, asked[r] as number]))
  const amounts = isWhole ? { demand: named(demand), ...(parts !== undefined && { parts: parts.map((part) => ({ stage: part.stage, demand: named(part.demand) })) }) } : {}
  return { job: work.name(job), lane, flavor: queue.choices.named(flavor, resources), isWhole, least, most, since, tasks, unstarted, running: tasksThatRun, ...amounts }
}

/** Those of the tasks that run, in the same order. */
export function tasksOf(named: WorkloadMemory['running'], job: JobId, lane: LaneId, work: WorkView): TaskId[] {
  const running: TaskId[] = []
  work.runningTasks(job, lane, running)
  const found = named.map(([stage, index]) => running.find((task) => work.stageOf(task) === stage && work.indexOf(task) === index))
  return found.filter((task) => task !== undefined)
}
