import type { LaneId, Seconds, TaskId, WorkView } from '@sched/core'

/** Since when a task is marked. Ids are used again, so the start of the task's run identifies it. */
interface Mark {
  readonly since: Seconds
  readonly started: Seconds
}

/** The tasks that were chosen to be killed, by lane, each with the time of its mark. */
export class Marks {
  readonly #work: WorkView
  /** Seconds after which a mark is forgotten. */
  readonly #lasting: Seconds
  readonly #marks: readonly Map<TaskId, Mark>[]

  constructor(lanes: number, work: WorkView, lasting: Seconds) {
    this.#work = work
    this.#lasting = lasting
    this.#marks = Array.from({ length: lanes }, () => new Map<TaskId, Mark>())
  }

  /**
   * Marks a task that is chosen, unless it is marked already. Returns whether it was `wait` seconds ago or
   * earlier; the task is to be killed then, and its mark is gone.
   */
  mark(task: TaskId, lane: LaneId, now: Seconds, wait: Seconds): boolean {
    const mark = this.#in(lane).get(task)
    if (mark?.started !== this.#work.started(task)) this.set(task, lane, now)
    else if (now - mark.since >= wait) return this.#in(lane).delete(task)
    return false
  }

  /** Marks a running task as of a time. */
  set(task: TaskId, lane: LaneId, since: Seconds): void {
    this.#in(lane).set(task, { since, started: this.#work.started(task) })
  }

  /** Forgets what is too old; to be called at every look, even one that is left out because nobody waits. */
  forget(lane: LaneId, now: Seconds): void {
    const marks = this.#in(lane)
    for (const [task, { since }] of marks) if (since + this.#lasting < now) marks.delete(task)
  }

  /** The marked tasks that still run, and since when they are marked. */
  of(lane: LaneId): (readonly [task: TaskId, since: Seconds])[] {
    return [...this.#in(lane)].filter(([task, { started }]) => this.#work.started(task) === started).map(([task, { since }]) => [task, since] as const)
  }

  #in(lane: LaneId): Map<TaskId, Mark> {
    return this.#marks[lane] as Map<TaskId, Mark>
  }
}
