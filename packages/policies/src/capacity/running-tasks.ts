import { grown, type JobId, type LaneId, type TaskId, type WorkView } from '@sched/core'

/**
 * Claimed tasks by job and lane in linked chains, the last started first. Tasks mostly start in the order in which they are
 * claimed, so that a chain is mostly in order already, and a look reads only the tasks that it takes.
 */
export class RunningTasks {
  readonly #work: WorkView
  readonly #lanes: number
  /** `[(job * lanes + lane) * 2]`: the first task of the chain; `+ 1`: the task from which on the chain is known to be in order. -1: none. */
  #first = new Int32Array(64).fill(-1)
  /** By task: its neighbours in its chain; -1: none. */
  #before = new Int32Array(64)
  #after = new Int32Array(64)
  /** The one that started last comes first. */
  readonly #compare = (a: number, b: number): number => this.#started(b) - this.#started(a) || b - a

  constructor(work: WorkView, lanes: number) {
    this.#work = work
    this.#lanes = lanes
  }

  add(job: JobId, lane: LaneId, task: TaskId): void {
    const at = (job * this.#lanes + lane) * 2
    if (at >= this.#first.length) this.#first = grown(this.#first, at + 2, -1)
    if (task >= this.#after.length) {
      this.#before = grown(this.#before, task + 1, -1)
      this.#after = grown(this.#after, task + 1, -1)
    }
    this.#link(-1, task)
    this.#link(task, this.#first[at] as number)
    this.#first[at] = task
  }

  remove(job: JobId, lane: LaneId, task: TaskId): void {
    const at = (job * this.#lanes + lane) * 2
    const after = this.#after[task] as number
    this.#link(this.#before[task] as number, after)
    if (this.#first[at] === task) this.#first[at] = after
    if (this.#first[at + 1] === task) this.#first[at + 1] = after
  }

  /** The task of a job that started last, ties to the largest id; -1: none has started. */
  last(job: JobId, lane: LaneId): number {
    const at = (job * this.#lanes + lane) * 2
    if (at >= this.#first.length) return -1
    if (this.#first[at] !== this.#first[at + 1]) this.#order(at)
    return this.#first[at + 1] as number
  }

  /** The first of all claimed tasks of a job, to be read on by `next`; -1: there is none. */
  any(job: JobId, lane: LaneId): number {
    return this.#first[(job * this.#lanes + lane) * 2] ?? -1
  }

  /** The task that started before one that was read; -1: none. */
  next(task: number): number {
    return this.#after[task] as number
  }

  /** Moves the tasks that have started since the last look to their places in the ordered part of the chain. */
  #order(at: number): void {
    const ordered = this.#first[at + 1] as number
    const fresh = this.#chain(this.#first[at] as number, ordered)
    const late = fresh.filter((task) => Number.isNaN(this.#started(task)))
    const started = fresh.filter((task) => !Number.isNaN(this.#started(task))).sort(this.#compare)
    const oldest = started[started.length - 1]
    if (oldest === undefined) return
    const rest = ordered < 0 || this.#compare(oldest, ordered) < 0 ? ordered : -1
    const all = rest === ordered ? started : [...started, ...this.#chain(ordered, -1)].sort(this.#compare)
    let before = -1
    for (const task of [...late, ...all, rest]) {
      this.#link(before, task)
      before = task
    }
    this.#first[at] = late[0] ?? (all[0] as number)
    this.#first[at + 1] = all[0] as number
  }

  /** The tasks of a chain from `from` to before `to`. */
  #chain(from: number, to: number): number[] {
    const tasks: number[] = []
    for (let task = from; task !== to; task = this.#after[task] as number) tasks.push(task)
    return tasks
  }

  #link(before: number, after: number): void {
    if (before >= 0) this.#after[before] = after
    if (after >= 0) this.#before[after] = before
  }

  #started(task: number): number {
    return this.#work.started(task as TaskId)
  }
}
