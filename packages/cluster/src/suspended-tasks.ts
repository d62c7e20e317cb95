import { None, type NodeId, type Seconds, type ShapeId, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'

/** What a task holds while it is suspended: the demand `shape` on its node, with its devices there; `None`: nothing. */
export interface Hold {
  readonly node: NodeId
  readonly shape: ShapeId | None
  readonly devices: number
}

/** Suspended tasks with what they hold, and the work that tasks have done before a suspension; kept until the task ends. */
export class SuspendedTasks {
  /** Number of suspended tasks. */
  count = 0
  readonly #holds = new Map<TaskId, Hold>()
  readonly #worked = new Map<TaskId, Seconds>()

  entries(): IterableIterator<readonly [TaskId, Hold]> {
    return this.#holds.entries()
  }

  /** Suspends a task, which holds `shape` from now on; devices are chosen best fit if none are given. */
  hold(task: TaskId, { node, shape, devices }: Hold, cell: CellState): void {
    this.#holds.set(task, { node, shape, devices: shape === None ? 0 : cell.take(shape, node, devices) })
    this.count++
  }

  has(task: TaskId): boolean {
    return this.#holds.has(task)
  }

  /** What a suspended task holds. */
  of(task: TaskId): Hold {
    return this.#holds.get(task) as Hold
  }

  /** Frees what a suspended task holds and ends its suspension. */
  free(task: TaskId, cell: CellState): void {
    const { shape, node, devices } = this.of(task)
    if (shape !== None) cell.give(shape, node, devices)
    this.#holds.delete(task)
    this.count--
  }

  /** Whether any task is or was suspended. */
  get areAny(): boolean {
    return this.#worked.size > 0
  }

  /** Seconds of work that a task did before it was last suspended; 0 for a task that never was. */
  worked(task: TaskId): Seconds {
    return this.#worked.size === 0 ? 0 : (this.#worked.get(task) ?? 0)
  }

  /** All tasks that are or were suspended, with their seconds of work. */
  allWorked(): IterableIterator<readonly [TaskId, Seconds]> {
    return this.#worked.entries()
  }

  /** Whether a task that starts resumes: it was suspended before and has not started anew since. */
  goesOn(task: TaskId): boolean {
    return this.#worked.has(task)
  }

  /** Adds the seconds that a task has run, from its start or resumption to its suspension. */
  ran(task: TaskId, seconds: Seconds): void {
    this.#worked.set(task, this.worked(task) + seconds)
  }

  /** Forgets a task's work: it has ended, or has to start anew. */
  forget(task: TaskId): void {
    if (this.#worked.size > 0) this.#worked.delete(task)
  }
}
