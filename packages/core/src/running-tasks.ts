import type { JobId, LaneId, TaskId } from './ids.js'
import type { WorkView } from './views.js'

/** The running and the claimed tasks of a job in a lane, in task order, as a list of its own. Costs a scan of the job. */
export function runningTasks(job: JobId, lane: LaneId, work: Pick<WorkView, 'runningTasks'>): TaskId[] {
  const tasks: TaskId[] = []
  work.runningTasks(job, lane, tasks)
  return tasks
}
