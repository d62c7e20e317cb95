import type { CellState, ClusterModel, Work } from '@sched/cluster'
import type { JobId, Seconds, TaskId } from '@sched/core'
import type { Avoidance } from './avoid/avoidance.js'
import type { Checkpoints } from './checkpoints.js'
import type { EventQueue } from './event-queue.js'
import type { Failures } from './failures.js'
import type { Observers } from './observers.js'
import type { Progress, ProgressHost } from './progress/progress.js'
import type { RuntimeModel } from './runtime.js'
import type { SleepingNodes } from './sleeping-nodes.js'
import type { Speculation } from './speculation/speculation.js'
import type { JobKeys } from './task-start.js'

/** What tasks run on, and what happens to them. */
export interface TaskRunsOptions {
  readonly model: ClusterModel
  readonly work: Work
  readonly cell: CellState
  readonly queue: EventQueue
  readonly observers: Observers
  readonly runtime: RuntimeModel
  readonly keys: JobKeys
  /** Whether ends of tasks that start in a row may share an event. */
  readonly sharesEvents: boolean
  readonly commitPending: boolean
  /** What tasks save of their work; not for mouldable jobs, which may come back with another number of tasks. Default: nothing. */
  readonly checkpoints?: Checkpoints | undefined
  /** Which tasks fail by themselves; default: none. */
  readonly failures?: Failures | undefined
  /** Which nodes are avoided after failures; default: none. `failJob` stops everything of a job. */
  readonly avoidance?: ((failJob: (job: JobId, now: Seconds) => void) => Avoidance) | undefined
  /** Which tasks are copied; default: none. */
  readonly speculation?: Speculation | undefined
  /** Nodes that sleep, and for which tasks wait. Default: none sleeps. */
  readonly sleep?: SleepingNodes | undefined
  /** Model of tasks whose progress depends on what else runs. Default: each task takes its own time. */
  readonly progress?: ((host: ProgressHost) => Progress) | undefined
  /**
   * Called when the last task of a job has ended, when a task was stopped before it was done, and when a task has failed so often that its job fails.
   * `takeBack` takes back the claim of a task, which is unplaced again.
   */
  readonly host: { jobEnded(job: JobId): void; taskKilled(job: JobId): void; jobFailed(job: JobId): void; takeBack(task: TaskId): void }
}
