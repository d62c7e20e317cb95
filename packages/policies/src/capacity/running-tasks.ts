import type { JobId, LaneId, Seconds, TaskId, WorkView } from '@sched/core'

/** Tasks of a job in a lane that are claimed. */
export interface Claimed {
  /** As they were claimed, -1 where one has gone. */
  readonly tasks: readonly number[]
  /** So many of them have started and are in ascending order of start, then id. */
  readonly ordered: number
}

interface ClaimedList extends Claimed {
  readonly tasks: number[]
  ordered: number
  gone: number
}

/** So many gaps are left in a list however short it is. */
const GAPS = 16
const NONE: Claimed = { tasks: [], ordered: 0 }

/**
 * Claimed tasks by job and lane, the last started first. Tasks mostly start in the order in which they are claimed, so that
 * lists are in order as they come, and a look reads only those it takes.
 */
export class RunningTasks {
  readonly #work: WorkView
  readonly #lanes: number
  /** `[job * lanes + lane]`. */
  readonly #claimed: (ClaimedList | undefined)[] = []
  /** By task: its place in the list, and its start, NaN until that is asked and known. */
  readonly #at: number[] = []
  readonly #started: Seconds[] = []
  readonly #compare = (a: number, b: number): number => (this.#started[a] as Seconds) - (this.#started[b] as Seconds) || a - b

  constructor(work: WorkView, lanes: number) {
    this.#work = work
    this.#lanes = lanes
  }

  add(job: JobId, lane: LaneId, task: TaskId): void {
    const { tasks } = (this.#claimed[job * this.#lanes + lane] ??= { tasks: [], ordered: 0, gone: 0 })
    this.#at[task] = tasks.length
    this.#started[task] = NaN
    tasks.push(task)
  }

  remove(job: JobId, lane: LaneId, task: TaskId): void {
    const list = this.#claimed[job * this.#lanes + lane] as ClaimedList
    const { tasks } = list
    tasks[this.#at[task] as number] = -1
    list.gone++
    for (; tasks[tasks.length - 1] === -1; list.gone--) tasks.pop()
    if (list.ordered > tasks.length) list.ordered = tasks.length
    if (list.gone > GAPS && list.gone * 2 > tasks.length) this.#close(list)
  }

  /** The tasks of a job, those that have started in order; to be read before another comes or goes. */
  of(job: JobId, lane: LaneId): Claimed {
    const list = this.#claimed[job * this.#lanes + lane]
    if (list === undefined) return NONE
    if (list.ordered < list.tasks.length) this.#order(list)
    return list
  }

  /** Takes what has started since the last look among those in order. */
  #order(list: ClaimedList): void {
    const { tasks } = list
    const fresh = this.#withoutGaps(list, tasks.splice(list.ordered))
    for (const task of fresh) this.#started[task] = this.#work.started(task as TaskId)
    const started = fresh.filter((task) => !Number.isNaN(this.#started[task])).sort(this.#compare)
    const last = tasks.findLast((task) => task !== -1)
    const isSorted = started.length === 0 || last === undefined || this.#compare(last, started[0] as number) < 0
    const ordered = isSorted ? started : [...this.#withoutGaps(list, tasks.splice(0)), ...started].sort(this.#compare)
    this.#append(list, ordered)
    list.ordered = tasks.length
    this.#append(list, fresh.filter((task) => Number.isNaN(this.#started[task])))
  }

  /** Removes the gaps. */
  #close(list: ClaimedList): void {
    const late = this.#withoutGaps(list, list.tasks.splice(list.ordered))
    this.#append(list, this.#withoutGaps(list, list.tasks.splice(0)))
    list.ordered = list.tasks.length
    this.#append(list, late)
  }

  #withoutGaps(list: ClaimedList, part: readonly number[]): number[] {
    const tasks = part.filter((task) => task !== -1)
    list.gone -= part.length - tasks.length
    return tasks
  }

  #append({ tasks }: ClaimedList, more: readonly number[]): void {
    for (const task of more) {
      this.#at[task] = tasks.length
      tasks.push(task)
    }
  }
}
