import type { Seconds } from '@sched/core'

/** What a workload holds, as plain data. Times in seconds. */
export interface WorkloadSummary {
  /** As the workload is called. */
  readonly name: string
  /** Number of jobs. */
  readonly jobs: number
  /** Stages of all jobs. */
  readonly stages: number
  /** Tasks of all jobs. */
  readonly tasks: number
  /** Users that jobs name. */
  readonly users: number
  /** Queues that jobs name. */
  readonly queues: number
  /** Jobs that wait for the end of another one. */
  readonly chained: number
  /** Jobs with a stage that requires labels or names of nodes, tolerates taints, or keeps its tasks on different nodes. Absent where none does. */
  readonly constrained?: { readonly labels: number; readonly tolerations: number; readonly apart: number }
  /** Jobs with placement rules, of their own or of a stage. Absent where none has. */
  readonly ruled?: number
  /** Whether jobs are submitted when others end; then the times say nothing. */
  readonly closedLoop: boolean
  /** When the first job is submitted. */
  readonly firstSubmit: Seconds
  /** When the last job is submitted. */
  readonly lastSubmit: Seconds
  /** From the first to the last submission. */
  readonly span: Seconds
  /** Between successive submissions; zeros with fewer than two jobs. */
  readonly gaps: { readonly mean: Seconds; readonly median: Seconds; readonly max: Seconds }
  /** Tasks of the median job. */
  readonly medianJobTasks: number
  /**
   * Of jobs in which a stage waits for all of another: how long a job takes at least on nodes of speed 1 with room for all, and of how many stages the longest
   * chain is. Absent where none does.
   */
  readonly criticalPath?: { readonly median: Seconds; readonly max: Seconds; readonly stages: number }
  /** Per resource that tasks ask for, in order of first use. */
  readonly resources: readonly ResourceSummary[]
  /** What the classes are by: processors (or whole nodes) of rigid jobs, where all jobs ask for them, else tasks. */
  readonly classesBy: 'procs' | 'nodes' | 'tasks'
  /** Classes that have jobs: 1, 2-8, 9-32 and >32 processors, or the bins of DS-T2, by number of maps (of tasks, where there are no maps). */
  readonly classes: readonly ClassSummary[]
}

/** What the tasks of a workload ask of a resource. */
export interface ResourceSummary {
  /** Its name. */
  readonly resource: string
  /** Tasks that ask for it. */
  readonly tasks: number
  /** Sum over tasks of duration (its mean, where it is drawn) times amount. */
  readonly work: number
  /** Of the tasks that ask for it, seconds. */
  readonly medianDuration: Seconds
  /** Largest amount that one task asks for. */
  readonly largest: number
  /** Work over capacity times span, where a capacity was given. */
  readonly load?: number
}

/** What a class of jobs comes to. */
export interface ClassSummary {
  /** For example `9-32` or `bin 3`. */
  readonly label: string
  /** Jobs of the class. */
  readonly jobs: number
  /** Their tasks. */
  readonly tasks: number
  /** Sum over tasks of duration times amount, by resource. */
  readonly work: Readonly<Record<string, number>>
}

/** How much there is of each resource, to compute offered load: `{ map: 400, reduce: 200 }`. */
export type Capacity = Readonly<Record<string, number>>
