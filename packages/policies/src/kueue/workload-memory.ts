import type { PastUsage } from './past-usage.js'
import type { QueueTimesMemory } from './queue-times.js'
import { runningTasks, type JobId, type LaneId, type TaskId, type WorkView } from '@sched/core'
import type { NamedChoice } from './flavor-choices.js'
import type { Workload } from './workload.js'

type Amounts = Readonly<Record<string, number>>

/** An admitted workload, as a scheduler that takes the place of another is told of it. */
export interface WorkloadMemory extends Pick<Workload, 'lane' | 'isWhole' | 'least' | 'most' | 'tasks' | 'unstarted'> {
  readonly job: string
  /** When it was admitted; absent where that is unknown, since JSON has no `NaN`. */
  readonly since?: Workload['since']
  /** Its priority, if that has fallen since. */
  readonly standing?: number
  /** The name of its flavor; by resource if these have several flavors; for each part if the parts have. */
  readonly flavor: NamedChoice
  /** Its running tasks. */
  readonly running: readonly (readonly [stage: number, index: number])[]
  /** By resource; only for a workload whose tasks ask for different amounts. */
  readonly demand?: Amounts
  /** Only for a workload whose stages may have a flavor each. */
  readonly parts?: readonly { readonly stage: number; readonly demand: Amounts }[]
}

/** The workloads that a scheduler has admitted. */
export interface WorkloadsMemory {
  /** In order of admission. */
  readonly admitted: readonly WorkloadMemory[]
  /** By lane: the indices in `admitted` of workloads that wait for room on nodes, in the order in which they are tried. */
  readonly unstarted: readonly (readonly number[])[]
  /** Names of all queues made so far. */
  readonly queues: readonly string[]
  /** Workloads that were preempted and are about to be evicted. */
  readonly leaving: readonly WorkloadMemory[]
  /**
   * `jobs`: by lane, the names of jobs that wait for admission and for which no room was found, and since then nothing has been given back.
   * `of`: by resource, what all nodes had then; with other nodes there may be room for these jobs.
   */
  readonly setAside?: { readonly jobs: readonly (readonly string[])[]; readonly of: Amounts }
  /** What users have used lately, if queues order by that. */
  readonly usage?: ReturnType<PastUsage['memory']>
  /** Jobs that count as newer than they are. */
  readonly requeued?: QueueTimesMemory
}

export function memoryOf({ job, lane, queue, flavor, isWhole, least, most, since, priority, standing, tasks, unstarted, running, demand, parts }: Workload, work: WorkView, resources: readonly string[]): WorkloadMemory {
  const tasksThatRun = running.map((task) => [work.stageOf(task), work.indexOf(task)] as const)
  const named = (asked: Float64Array): Amounts => Object.fromEntries(resources.map((name, r) => [name, asked[r] as number]))
  const amounts = isWhole ? { demand: named(demand), ...(parts !== undefined && { parts: parts.map((part) => ({ stage: part.stage, demand: named(part.demand) })) }) } : {}
  return { job: work.name(job), lane, flavor: queue.choices.named(flavor, resources), isWhole, least, most, ...(!Number.isNaN(since) && { since }), ...(standing !== priority && { standing }), tasks, unstarted, running: tasksThatRun, ...amounts }
}

/** The named tasks that still run, in the same order. */
export function tasksOf(named: WorkloadMemory['running'], job: JobId, lane: LaneId, work: WorkView): TaskId[] {
  const running = runningTasks(job, lane, work)
  const found = named.map(([stage, index]) => running.find((task) => work.stageOf(task) === stage && work.indexOf(task) === index))
  return found.filter((task) => task !== undefined)
}
