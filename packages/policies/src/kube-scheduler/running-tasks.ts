import type { Env, JobId, LaneId, NodeId, TaskId, WorkListener, WorkView } from '@sched/core'

/** Claimed and running tasks by lane and node, and by lane the number of tasks of each priority. */
export class RunningTasks implements WorkListener {
  readonly #work: WorkView
  readonly #on: readonly TaskId[][][]
  readonly #counts: readonly Map<number, number>[]

  constructor({ cluster, work }: Env) {
    this.#work = work
    this.#on = cluster.lanes.map(() => Array.from({ length: cluster.nodes }, () => []))
    this.#counts = cluster.lanes.map(() => new Map())
  }

  on(node: NodeId, lane: LaneId): readonly TaskId[] {
    return this.#on[lane]?.[node] as readonly TaskId[]
  }

  /** Whether any task of the lane has a lower priority. */
  anyBelow(priority: number, lane: LaneId): boolean {
    for (const each of (this.#counts[lane] as Map<number, number>).keys()) if (each < priority) return true
    return false
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#on[lane]?.[node]?.push(task)
    this.#count(job, lane, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    const tasks = this.#on[lane]?.[node] as TaskId[]
    tasks.splice(tasks.indexOf(task), 1)
    this.#count(job, lane, -1)
  }

  #count(job: JobId, lane: LaneId, by: number): void {
    const counts = this.#counts[lane] as Map<number, number>
    const priority = this.#work.priority(job)
    const count = (counts.get(priority) ?? 0) + by
    if (count === 0) counts.delete(priority)
    else counts.set(priority, count)
  }
}
