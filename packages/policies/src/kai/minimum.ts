import type { JobId, LaneId, ResourceId, TaskId, WorkView } from '@sched/core'

/** Of running tasks of a job those without which it does not run: of a gang those that must run together, of any other job the first. */
export function minimumOf(tasks: readonly TaskId[], isGang: boolean, work: WorkView): readonly TaskId[] {
  if (isGang) return tasks.filter((task) => work.inGang(task))
  const first = tasks.reduce<TaskId | undefined>((least, task) => (least === undefined || task < least ? task : least), undefined)
  return first === undefined ? [] : [first]
}

/**
 * What the running minimum of jobs asks for of which only tasks beyond the minimum may be preempted. It is counted anew for jobs whose tasks have come or
 * gone, since any of them changes which tasks are of the minimum.
 *
 * Source: KAI Scheduler, plug-in `proportion` (lastSemiPreemptibleCore). Deviation: tasks that have ended count for the minimum of a gang.
 */
export class Minimums {
  readonly #work: WorkView
  readonly #add: (job: JobId, lane: LaneId, r: ResourceId, amount: number) => void
  readonly #gangs: ReadonlySet<JobId>
  /** By lane: the jobs to count anew. */
  readonly #changed: readonly Set<JobId>[]
  /** By lane and job: the amounts that were counted last. */
  readonly #counted: readonly Map<JobId, readonly number[]>[]

  /** `gangs`: jobs of which tasks started together. `add` is told how much more the minimum of a job asks than it was told before. */
  constructor(lanes: number, work: WorkView, gangs: ReadonlySet<JobId>, add: (job: JobId, lane: LaneId, r: ResourceId, amount: number) => void) {
    this.#work = work
    this.#gangs = gangs
    this.#add = add
    this.#changed = Array.from({ length: lanes }, () => new Set<JobId>())
    this.#counted = Array.from({ length: lanes }, () => new Map<JobId, readonly number[]>())
  }

  /** Called when a task of such a job is claimed or leaves. */
  onChange(job: JobId, lane: LaneId): void {
    this.#changed[lane]?.add(job)
  }

  /** Called when such a job has left. */
  forget(job: JobId): void {
    for (const lane of this.#counted.keys()) {
      this.#changed[lane]?.delete(job)
      this.#count(job, lane as LaneId, [], [])
      this.#counted[lane]?.delete(job)
    }
  }

  /** Tells of all that has changed in a lane. */
  settle(lane: LaneId, resources: readonly ResourceId[]): void {
    const changed = this.#changed[lane] as Set<JobId>
    for (const job of changed) {
      const running: TaskId[] = []
      this.#work.runningTasks(job, lane, running)
      this.#count(job, lane, minimumOf(running, this.#gangs.has(job), this.#work), resources)
    }
    changed.clear()
  }

  #count(job: JobId, lane: LaneId, tasks: readonly TaskId[], resources: readonly ResourceId[]): void {
    const amounts: number[] = []
    for (const r of resources) amounts[r] = tasks.reduce((sum, task) => sum + this.#work.demand(this.#work.shapeOf(task), r), 0)
    const before = this.#counted[lane]?.get(job) ?? []
    for (let r = 0; r < Math.max(amounts.length, before.length); r++) {
      const more = (amounts[r] ?? 0) - (before[r] ?? 0)
      if (more !== 0) this.#add(job, lane, r as ResourceId, more)
    }
    this.#counted[lane]?.set(job, amounts)
  }
}
