import type { TaskId } from '@sched/core'
import type { Work } from './work.js'

/** A task by its job's id, the stage's index in the job and its own index in the stage. */
export interface TaskName {
  readonly job: string
  readonly stage: number
  readonly task: number
}

/** A task's place in its job. */
export function taskName(work: Work, id: TaskId): TaskName {
  const first = work.stageFirst[work.taskStage[id] as number] as number
  return { job: work.name(work.jobOf(id)), stage: work.stageOf(id), task: id - first }
}
