import { None, type JobId, type JobSpec, type LaneId, type NodeId, type TaskId } from '@sched/core'
import type { Work } from './work.js'

/** What may be said anew of a job in the system: whose it is, and how urgent. */
export const updatable = [
  'user', 'queue', 'group', 'account', 'partition', 'qos', 'application', 'priority', 'preemptible', 'weight', 'estimate', 'deadline', 'arrayThrottle',
] as const satisfies readonly (keyof JobSpec)[]

/** Of these, whose it is: of another it may be kept out where it is not now. */
const whose = ['user', 'queue', 'group', 'account', 'partition', 'qos'] as const satisfies readonly (typeof updatable)[number][]

/** Other values of these; `undefined` is as if it had never been said. */
export type JobUpdate = { readonly [Field in (typeof updatable)[number]]?: JobSpec[Field] | undefined }

/**
 * Says other things of a job, of which no claim is undecided. Its scheduler sees the job end and come again with the same id, rank, time of
 * submission and starts: what it keeps by user, queue or priority is of the new ones from here on, in the one way in which it learns of any job. Tasks that are suspended stay so. Yields
 * why it refuses the job like that, which then comes again as it was. `startOf` numbers starts in their order.
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
  const refusal = listener?.admits?.(spec, whose.every((field) => spec[field] === before[field])) // only now, when it does not count the job itself
  if (refusal === undefined) work.describe(job, spec)
  else listener?.admits?.(before, true) // who places jobs goes by whom it was asked about last
  listener?.onSubmit?.(job)
  work.open(job)
  for (const { task, node, devices, start } of running) work.claim(task, node, devices, start)
  work.updated = None
  return refusal
}

/** What runs of a job. */
function runsOf(work: Work, job: JobId): { readonly task: TaskId; readonly node: NodeId; readonly devices: number; readonly start: number }[] {
  const tasks: TaskId[] = []
  for (let lane = 0 as LaneId; lane < work.lanes; lane++) work.runningTasks(job, lane, tasks)
  return tasks.map((task) => ({ task, node: work.nodeOf(task) as NodeId, devices: work.devicesOf(task), start: work.started(task) }))
}
