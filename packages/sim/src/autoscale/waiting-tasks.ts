import type { Work } from '@sched/cluster'
import { Reason, type EndRow, type JobId, type JobSpec, type LaneId, type Observer, type Seconds, type ShapeId, type TaskId } from '@sched/core'
import type { PackedTask } from './packing.js'

/** Tasks of one stage that wait for room. */
export interface WaitingTasks extends PackedTask {
  readonly count: number
  /** Since when the job has waited: its submission, or when a task of it came back or a limit held it back last. */
  readonly since: Seconds
}

/**
 * Which tasks wait for room: all that are unplaced, but for those of jobs of which a policy said that a limit holds them back, since these would not
 * start on more nodes; a limit that is a part of the cluster rises with these. While nothing runs limits do not count. Jobs of lower priority than the cutoff are
 * expendable: they never count.
 */
export class WaitingForRoom implements Observer {
  readonly #work: Work
  /** When a policy last said so, by job. It says so again in each round before it starts others. */
  readonly #limited = new Map<JobId, Seconds>()
  #lastStart: Seconds = -Infinity
  readonly #since = new Map<JobId, Seconds>()
  readonly #cutoff: number
  /** Jobs of lower priority than the cutoff. */
  readonly #expendable = new Set<JobId>()

  constructor(work: Work, cutoff: number) {
    this.#work = work
    this.#cutoff = cutoff
  }

  onSubmit(job: JobId, { priority }: JobSpec, now: Seconds): void {
    this.#limited.delete(job)
    this.#since.set(job, now)
    if (priority !== undefined && priority < this.#cutoff) this.#expendable.add(job)
  }

  onDefer(job: JobId, _lane: LaneId, reason: Reason, now: Seconds, _limit?: string, isPart?: boolean): void {
    if (reason === Reason.Limit && isPart !== true) this.#limited.set(job, now)
    else this.#limited.delete(job)
  }

  onTasksStart(_row: unknown, now: Seconds): void {
    this.#lastStart = now
  }

  onTasksEnd({ job, how }: EndRow, now: Seconds): void {
    if (how !== 'done') this.#since.set(job, now)
  }

  onJobEnd(job: JobId): void {
    this.#limited.delete(job)
    this.#since.delete(job)
    this.#expendable.delete(job)
  }

  /** Whether a job counts neither where it waits nor where it runs. */
  isExpendable(job: JobId): boolean {
    return this.#expendable.has(job)
  }

  /** Tasks that run of such jobs. */
  expendableTasks(): TaskId[] {
    return [...this.#expendable].flatMap((job) => [...this.#work.startedOf(job)])
  }

  /** Such jobs of which tasks wait. */
  expendableWaits(): JobId[] {
    return this.#unplaced([...this.#expendable])
  }

  /** The tasks that wait now, by their jobs' rank, stage by stage. */
  tasks(): WaitingTasks[] {
    const work = this.#work
    const waiting: WaitingTasks[] = []
    const areRunning = this.#limited.size > 0 && work.jobs().some((job) => work.startedOf(job)[Symbol.iterator]().next().done !== true)
    for (const job of this.#unplaced(work.jobs()).sort((a, b) => work.rank(a) - work.rank(b))) {
      const limited = this.#limited.get(job)
      if (this.#expendable.has(job)) continue
      if (limited !== undefined && limited >= this.#lastStart && areRunning) continue
      const since = Math.max(this.#since.get(job) as Seconds, limited ?? -Infinity)
      for (const stage of work.stagesOf(job)) {
        const count = work.stageUnplaced[stage] as number
        const shape = work.stageShape[stage] as ShapeId
        if (count > 0) waiting.push({ job, shape, count, since })
      }
    }
    return waiting
  }

  /** The jobs of which tasks wait. */
  #unplaced(jobs: readonly JobId[]): JobId[] {
    const work = this.#work
    return jobs.filter((job) => {
      for (const stage of work.stagesOf(job)) if ((work.stageUnplaced[stage] as number) > 0) return true
      return false
    })
  }
}
