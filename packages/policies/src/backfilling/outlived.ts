import { runningTasks, SchedError, type Seconds, type TaskId, type WorkView } from '@sched/core'
import type { RigidLane } from './rigid-lane.js'

/** The error for a piece that still runs after its expected end, where such a job is one. Costs a scan of all running tasks. */
export function outlived({ lane, running }: RigidLane, piece: number, work: WorkView, now: Seconds): SchedError {
  const task = work.jobs().flatMap((job) => runningTasks(job, lane, work)).find((each) => running.has(each) && running.pieceOf(each) === piece) as TaskId
  return new SchedError(
    'BAD_INPUT',
    `job ${work.name(work.jobOf(task))} still runs at ${now} s, its estimated end was ${running.endOf(piece)} s`,
    { field: 'estimate' },
    "Cut run times at the estimate when the workload is read, or use { overrun: 'extend' }.",
  )
}
