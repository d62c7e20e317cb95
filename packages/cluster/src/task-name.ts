import type { TaskId } from '@sched/core'
import type { Work } from './work.js'

/** A task by its job's id, the stage's index in the job and its own index in the stage. */
export interface TaskName {
  /** Id of the job. */
  readonly job: string
  /** Index of the stage in the job, from 0. */
  readonly stage: number
  /** Index of the task in the stage, from 0. */
  readonly task: number
}

/** A task's place in its job. */
export function taskName(work: Work, id: TaskId): TaskName {
  const first = work.stageFirst[work.taskStage[id] as number] as number
  return { job: work.name(work.jobOf(id)), stage: work.stageOf(id), task: id - first }
}
