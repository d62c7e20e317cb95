import type { JobId, LaneId, Seconds, TaskId, WorkView } from '@sched/core'
import type { LargestFirst } from './largest-first.js'

/**
 * Claimed tasks by job and lane with the times they started, which are read once: tasks of a job are neighbours here, while
 * runs lie scattered, and between two looks few of them change.
 */
export class RunningTasks {
  readonly #work: WorkView
  readonly #lanes: number
  /** `[job * lanes + lane]`. */
  readonly #tasks: (TaskId[] | undefined)[] = []
  /** By task: its place in the list, and its start, NaN until that is asked and known. */
  readonly #at: number[] = []
  readonly #started: Seconds[] = []

  constructor(work: WorkView, lanes: number) {
    this.#work = work
    this.#lanes = lanes
  }

  add(job: JobId, lane: LaneId, task: TaskId): void {
    const tasks = (this.#tasks[job * this.#lanes + lane] ??= [])
    this.#at[task] = tasks.length
    this.#started[task] = NaN
    tasks.push(task)
  }

  remove(job: JobId, lane: LaneId, task: TaskId): void {
    const tasks = this.#tasks[job * this.#lanes + lane] as TaskId[]
    const last = tasks.pop() as TaskId
    if (last === task) return
    const at = this.#at[task] as number
    tasks[at] = last
    this.#at[last] = at
  }

  /** Hands over the tasks of a job that have started, by their start. */
  read(job: JobId, lane: LaneId, out: LargestFirst): void {
    const tasks = this.#tasks[job * this.#lanes + lane] ?? []
    for (let i = 0; i < tasks.length; i++) {
      const task = tasks[i] as TaskId
      let started = this.#started[task] as Seconds
      if (Number.isNaN(started)) started = this.#started[task] = this.#work.started(task)
      if (!Number.isNaN(started)) out.add(task, started, task)
    }
  }
}
