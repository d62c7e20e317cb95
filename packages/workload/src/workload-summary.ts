import type { Seconds } from '@sched/core'

/** What a workload contains, as plain data. Times are in seconds. */
export interface WorkloadSummary {
  /** Name of the workload. */
  readonly name: string
  /** Number of jobs. */
  readonly jobs: number
  /** Stages of all jobs. */
  readonly stages: number
  /** Tasks of all jobs. */
  readonly tasks: number
  /** Number of different users that jobs name. */
  readonly users: number
  /** Number of different queues that jobs name. */
  readonly queues: number
  /** Jobs that wait for an event of another job. */
  readonly chained: number
  /**
   * Jobs with a stage that requires labels or names of nodes (`labels`), tolerates taints, or keeps its tasks on different nodes (`apart`). Absent if
   * no job has any of these.
   */
  readonly constrained?: { readonly labels: number; readonly tolerations: number; readonly apart: number }
  /** Jobs with placement rules, either of the job or of a stage. Absent if there are none. */
  readonly ruled?: number
  /** Whether jobs are submitted when others end. The submit times then depend on the run, and those given here mean nothing. */
  readonly closedLoop: boolean
  /** Submit time of the first job; 0 without jobs. */
  readonly firstSubmit: Seconds
  /** Submit time of the last job; 0 without jobs. */
  readonly lastSubmit: Seconds
  /** Time from the first to the last submission. */
  readonly span: Seconds
  /** Time between successive submissions; 0 with fewer than two jobs. */
  readonly gaps: { readonly mean: Seconds; readonly median: Seconds; readonly max: Seconds }
  /** Median number of tasks of a job. */
  readonly medianJobTasks: number
  /**
   * The least time that a job takes on nodes of speed 1 with room for all its tasks (median and maximum over all jobs), and the number of stages of
   * the longest chain in which each stage waits for all tasks of the one before. Absent if no stage waits for all tasks of another.
   */
  readonly criticalPath?: { readonly median: Seconds; readonly max: Seconds; readonly stages: number }
  /** What tasks ask for, by resource, in order of first use. */
  readonly resources: readonly ResourceSummary[]
  /** What classes go by: processors or whole nodes if all jobs are rigid and ask for them, otherwise tasks. */
  readonly classesBy: 'procs' | 'nodes' | 'tasks'
  /**
   * Classes that contain jobs: 1, 2-8, 9-32 and >32 processors or nodes, or the bins of DS-T2 by number of maps (of tasks for a job without maps).
   */
  readonly classes: readonly ClassSummary[]
}

/** What the tasks of a workload ask for of one resource. */
export interface ResourceSummary {
  /** Name of the resource. */
  readonly resource: string
  /** Tasks that ask for it. */
  readonly tasks: number
  /** Sum over tasks of duration times amount; a drawn duration counts with its mean. */
  readonly work: number
  /** Median duration of the tasks that ask for it. */
  readonly medianDuration: Seconds
  /** Largest amount that one task asks for. */
  readonly largest: number
  /** Offered load: `work` divided by capacity times span. Absent without a capacity or with a span of 0. */
  readonly load?: number
}

/** Totals of a class of jobs. */
export interface ClassSummary {
  /** Name of the class, for example `9-32` or `bin 3`. */
  readonly label: string
  /** Number of jobs. */
  readonly jobs: number
  /** Number of tasks of these jobs. */
  readonly tasks: number
  /** Sum over tasks of duration times amount, by resource. */
  readonly work: Readonly<Record<string, number>>
}

/** Capacity by resource, for the offered load: `{ map: 400, reduce: 200 }`. */
export type Capacity = Readonly<Record<string, number>>
