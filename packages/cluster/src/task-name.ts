import { SchedError, type JobId, type TaskId } from '@sched/core'
import { DONE, OPEN, UNPLACED } from './work-columns.js'
import type { Work } from './work.js'

/** A task named by its job's id, the stage's index in the job, and its own index in the stage. */
export interface TaskName {
  /** Id of the job. */
  readonly job: string
  /** Index of the stage in the job, from 0. */
  readonly stage: number
  /** Index of the task in the stage, from 0. */
  readonly task: number
}

/** The name of a task. */
export function taskName(work: Work, id: TaskId): TaskName {
  return { job: work.name(work.jobOf(id)), stage: work.stageOf(id), task: work.indexOf(id) }
}

/** An unplaced task of an open stage: the one at `index` or, without an index, the lowest. Throws `BAD_INPUT` if there is none. */
export function unplacedTask(work: Work, job: JobId, stageIndex: number, index: number | undefined): TaskId {
  const bad = (fact: string, remedy: string) => new SchedError('BAD_INPUT', `job ${work.name(job)} ${fact}.`, {}, remedy)
  if (!(Number.isInteger(stageIndex) && stageIndex >= 0 && stageIndex < (work.jobStages[job] as number))) throw bad(`has no stage ${stageIndex}`, 'Its stages are numbered from 0.')
  const stage = (work.jobFirstStage[job] as number) + stageIndex
  if (work.stageOpen[stage] !== OPEN) throw bad(`has a stage ${stageIndex} that waits for others`, 'Tell first of what has run before it.')
  const [first, tasks] = [work.stageFirst[stage] as number, work.stageTasks[stage] as number]
  if (index === undefined) {
    for (let task = first; task < first + tasks; task++) if (work.taskRun[task] === UNPLACED) return task as TaskId
    throw bad(`has no task of stage ${stageIndex} that does not run or has not ended`, 'Take over each once.')
  }
  if (!(Number.isInteger(index) && index >= 0 && index < tasks)) throw bad(`has no task ${index} of stage ${stageIndex}`, 'Its tasks are numbered from 0.')
  const run = work.taskRun[first + index] as number
  if (run !== UNPLACED) throw bad(`has a task ${index} of stage ${stageIndex} that ${run === DONE ? 'has ended' : 'runs already'}`, 'Take over each once.')
  return (first + index) as TaskId
}
