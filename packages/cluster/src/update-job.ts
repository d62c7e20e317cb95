import { None, type JobId, type JobSpec, type LaneId, type NodeId, type TaskId } from '@sched/core'
import type { Work } from './work.js'

/** Fields that may change while a job is in the system: whose it is, and how urgent. */
export const updatable = [
  'user', 'queue', 'group', 'account', 'partition', 'qos', 'reservation', 'application', 'priority', 'nice', 'preemptible', 'movable', 'drainable', 'weight', 'estimate', 'minEstimate', 'deadline', 'arrayThrottle',
] as const satisfies readonly (keyof JobSpec)[]

/** The fields that say whose the job is. A change of these may be refused, since limits of another user or queue then apply. */
const whose = ['user', 'queue', 'group', 'account', 'partition', 'qos', 'reservation'] as const satisfies readonly (typeof updatable)[number][]

/** New values for these fields; `undefined` removes a value. */
export type JobUpdate = { readonly [Field in (typeof updatable)[number]]?: JobSpec[Field] | undefined }

/**
 * Changes the description of a job that has no claim in an open decision. Its scheduler sees the job end and come again with the same id, rank,
 * submission time and starts, so whatever it keeps by user, queue or priority follows the new values. Suspended tasks stay suspended. Returns why the
 * scheduler refuses the changed job, which then comes again unchanged. `startOf` numbers the starts in order.
 */
export function updateJob(work: Work, job: JobId, spec: JobSpec, startOf: (task: TaskId) => number): string | undefined {
  work.updated = job
  const listener = work.listeners[work.jobOwner[job] as number]
  const running = runsOf(work, job).sort((a, b) => startOf(a.task) - startOf(b.task))
  for (const { task } of running) work.release(task, 'ended')
  work.holdBack(job)
  work.shut(job, 0)
  work.letGo(job)
  listener?.onFinish?.(job)
  for (const { task } of running) work.unplace(task)
  const before = work.spec(job)
  const refusal = listener?.admits?.(spec, whose.every((field) => spec[field] === before[field])) // only here, where it does not count the job itself
  if (refusal === undefined) {
    if (spec.estimate !== before.estimate) work.limits.delete(job) // a new limit takes the place of a lowered one
    work.describe(job, spec)
  } else listener?.admits?.(before, true) // a policy may remember the user or queue it was last asked about
  listener?.onSubmit?.(job)
  work.open(job)
  for (const { task, node, devices, start } of running) work.claim(task, node, devices, start)
  work.updated = None
  return refusal
}

/** The running tasks of a job. */
function runsOf(work: Work, job: JobId): { readonly task: TaskId; readonly node: NodeId; readonly devices: number; readonly start: number }[] {
  const tasks: TaskId[] = []
  for (let lane = 0 as LaneId; lane < work.lanes; lane++) work.runningTasks(job, lane, tasks)
  return tasks.map((task) => ({ task, node: work.nodeOf(task) as NodeId, devices: work.devicesOf(task), start: work.started(task) }))
}
