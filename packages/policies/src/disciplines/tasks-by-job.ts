import { partitionPoint, type Env, type JobId, type LaneId, type TaskId, type WorkListener } from '@sched/core'

/**
 * The claimed and running tasks of jobs that have any, by lane. Jobs are in the order of their first claims, tasks in that of their ids: the order of
 * their claims would depend on claims that were taken back, of which a dispatcher that takes another's place is not told.
 */
export class TasksByJob implements WorkListener {
  readonly #lanes: readonly Map<JobId, TaskId[]>[]

  constructor({ cluster }: Env) {
    this.#lanes = cluster.lanes.map(() => new Map())
  }

  in(lane: LaneId): ReadonlyMap<JobId, readonly TaskId[]> {
    return this.#lanes[lane] as Map<JobId, TaskId[]>
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    const tasks = this.#lanes[lane]?.get(job)
    if (tasks === undefined) return void this.#lanes[lane]?.set(job, [task])
    tasks.splice(placeOf(task, tasks), 0, task)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    const tasks = this.#lanes[lane]?.get(job) as TaskId[]
    tasks.splice(placeOf(task, tasks), 1)
    if (tasks.length === 0) this.#lanes[lane]?.delete(job)
  }
}

/** The place of a task among tasks in the order of their ids: how many are before it. */
const placeOf = (task: TaskId, tasks: readonly TaskId[]): number => partitionPoint(0, tasks.length, (i) => (tasks[i] as TaskId) < task)
