import { runningTasks, type JobId, type LaneId, type ResourceId, type TaskId, type WorkView } from '@sched/core'

/** Of running tasks of a job those without which it does not run: of a gang those that must run together, of any other job the first. */
export const minimumOf = (tasks: readonly TaskId[], isGang: boolean, work: WorkView): readonly TaskId[] =>
  isGang ? tasks.filter((task) => work.inGang(task) && optionalGroupOf(task, work) === 0) : firstOf(tasks)

/** The group of a task that must run together with others of it while its job, which is one gang, does without them; 0: none. */
export const optionalGroupOf = (task: TaskId, work: WorkView): number => (work.isGangJob(work.jobOf(task)) && work.inGang(task) ? work.gangOf(task) : 0)

/**
 * Of running tasks of a job that is preemptible beyond its minimum alone those that may not be preempted: of each stage as many of the first ones as it
 * says, or else the first of all.
 *
 * Source: KAI Scheduler, core_info.go.
 */
export function protectedOf(tasks: readonly TaskId[], work: WorkView): readonly TaskId[] {
  const left = new Map<number, number>()
  const found = [...tasks].sort((a, b) => a - b).filter((task) => {
    const stage = work.stageOf(task)
    const more = left.get(stage) ?? work.nonPreemptible(work.jobOf(task), stage)
    left.set(stage, more - 1)
    return more > 0
  })
  return found.length > 0 ? found : firstOf(tasks)
}

/** Whether a job that is preemptible beyond its minimum alone has fewer running tasks in some stage than may not be preempted, or none at all. */
export function lacksProtected(job: JobId, lane: LaneId, work: WorkView): boolean {
  const running = runningTasks(job, lane, work)
  return running.length === 0 || work.tasksByStage(job).some((_, stage) => running.filter((task) => work.stageOf(task) === stage).length < work.nonPreemptible(job, stage))
}

function firstOf(tasks: readonly TaskId[]): readonly TaskId[] {
  const first = tasks.reduce<TaskId | undefined>((least, task) => (least === undefined || task < least ? task : least), undefined)
  return first === undefined ? [] : [first]
}

/**
 * What the protected tasks of jobs ask for of which only tasks beyond the minimum may be preempted. It is counted anew for jobs whose tasks have come or
 * gone, since any of them changes which tasks are protected.
 *
 * Source: KAI Scheduler, plug-in `proportion` (lastSemiPreemptibleCore).
 */
export class Minimums {
  readonly #work: WorkView
  readonly #add: (job: JobId, lane: LaneId, r: ResourceId, amount: number) => void
  /** By lane: the jobs to count anew. */
  readonly #changed: readonly Set<JobId>[]
  /** By lane and job: the amounts that were counted last. */
  readonly #counted: readonly Map<JobId, readonly number[]>[]

  /** `add` is told how much more the protected tasks of a job ask than it was told before. */
  constructor(lanes: number, work: WorkView, add: (job: JobId, lane: LaneId, r: ResourceId, amount: number) => void) {
    this.#work = work
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
    for (const job of changed) this.#count(job, lane, protectedOf(runningTasks(job, lane, this.#work), this.#work), resources)
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
