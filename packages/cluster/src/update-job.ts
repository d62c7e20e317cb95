import type { JobId, JobSpec, LaneId, NodeId, TaskId } from '@sched/core'
import type { Work } from './work.js'

/** What may be said anew of a job in the system: whose it is, and how urgent. */
export const updatable = [
  'user', 'queue', 'group', 'account', 'partition', 'qos', 'application', 'priority', 'preemptible', 'weight', 'estimate', 'deadline', 'arrayThrottle',
] as const satisfies readonly (keyof JobSpec)[]

/** Other values of these; `undefined` is as if it had never been said. */
export type JobUpdate = { readonly [Field in (typeof updatable)[number]]?: JobSpec[Field] | undefined }

/**
 * Says other things of a job, of which no task is suspended and no claim undecided. Its scheduler sees the job end and come again with the same id, rank, time of
 * submission and starts: what it keeps by user, queue or priority is of the new ones from here on, in the one way in which it learns of any job. Yields why it refuses
 * the job like that, which then comes again as it was.
 */
export function updateJob(work: Work, job: JobId, spec: JobSpec): string | undefined {
  const listener = work.listeners[work.jobOwner[job] as number]
  const running = runsOf(work, job)
  for (const { task } of running) work.release(task, 'ended')
  work.holdBack(job)
  work.shut(job, 0)
  work.letGo(job)
  listener?.onFinish?.(job)
  for (const { task } of running) work.unplace(task)
  const refusal = listener?.admits?.(spec) // only now, when it does not count the job itself
  if (refusal === undefined) work.describe(job, spec)
  listener?.onSubmit?.(job)
  work.open(job)
  for (const { task, node, devices, start } of running) {
    work.claim(task, node, devices)
    work.setRunStart(work.taskRun[task] as number, start)
  }
  return refusal
}

/** What runs of a job, in the order of the starts. */
function runsOf(work: Work, job: JobId): { readonly task: TaskId; readonly node: NodeId; readonly devices: number; readonly start: number }[] {
  const tasks: TaskId[] = []
  for (let lane = 0 as LaneId; lane < work.lanes; lane++) work.runningTasks(job, lane, tasks)
  return tasks
    .map((task) => ({ task, node: work.nodeOf(task) as NodeId, devices: work.devicesOf(task), start: work.started(task) }))
    .sort((a, b) => a.start - b.start || a.task - b.task)
}
