import { definePolicy, type Env, type JobId, type LaneId, type NodeId, type OptionsSchema, type Plug, type Policy, type Round, type TaskId, type WorkListener } from '@sched/core'

// The algorithms as their pseudo-code has them: everything is sorted and looked up anew at every decision.

/** Jobs, most deserving first, computed for this round as it is now. */
interface NaiveOrder extends WorkListener {
  list(round: Round): JobId[]
}
export type MakeOrder = (env: Env) => NaiveOrder

/** What a discipline does with one free slot: starts a task on the node, or nothing. */
export type StartOne = (node: NodeId, round: Round) => boolean

const noOptions: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }

export const naivePolicy = (create: (env: Env) => Policy): Plug<'policy'> =>
  definePolicy({ name: 'reference', summary: 'pseudo-code', options: noOptions, create: (_, env) => create(env) }).plug({})

/** For each node in sight, for each free slot of it: one more start, until nothing starts. */
export function forEachSlot(round: Round, startOne: StartOne): void {
  for (const node of round.nodes) {
    let started = true
    while (started) started = startOne(node, round)
  }
}

/** Launches the job's task nearest to the node, at most `within` levels away. */
export function launch(job: JobId, node: NodeId, within: number, round: Round): TaskId | undefined {
  if (!round.fits(job, node)) return undefined
  const task = round.work.taskFor(job, round.lane, node, within)
  return task >= 0 && round.claim(task as TaskId, node) ? (task as TaskId) : undefined
}

/** Jobs that have arrived and not ended, in order of arrival. */
export class JobsInSystem {
  readonly jobs: JobId[] = []
  add = (job: JobId): void => void this.jobs.push(job)
  remove = (job: JobId): void => void this.jobs.splice(this.jobs.indexOf(job), 1)

  /** Those with unplaced tasks in the round's lane. */
  runnable({ work, lane }: Round): JobId[] {
    return this.jobs.filter((job) => work.unplaced(job, lane) > 0)
  }
}

/** A queue's path: `root.a.b` is `a/b`. */
export const pathOf = (queue: string): string => queue.replace(/^root\./, '').replaceAll('.', '/')

/** The paths of the queues that a queue lies in, outermost first, and its own. */
export const pathsTo = (path: string): string[] => path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))

/** The path of the queue that a queue lies in; empty for the root. */
export const pathAbove = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')

/** What the running tasks of some jobs have in a lane, by resource. */
export function usedBy(jobs: readonly JobId[], lane: LaneId, { cluster, work }: Pick<Env, 'cluster' | 'work'>): number[] {
  const used = cluster.resources.map(() => 0)
  for (const job of jobs) {
    const tasks: TaskId[] = []
    work.runningTasks(job, lane, tasks)
    for (const task of tasks) for (const r of cluster.lanes[lane]?.resources ?? []) used[r] = (used[r] ?? 0) + work.demand(work.shapeOf(task), r)
  }
  return used
}

/** Sorts by several keys, the first that differs decides. */
export const by =
  <T>(...keys: readonly ((each: T) => number | string)[]) =>
  (a: T, b: T): number => {
    for (const key of keys) if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1
    return 0
  }
