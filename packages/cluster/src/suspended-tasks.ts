import { None, type NodeId, type Seconds, type ShapeId, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'

/** What a suspended task holds until it goes on: `shape` on its node, on devices that it has there; `None`: nothing. */
export interface Hold {
  readonly node: NodeId
  readonly shape: ShapeId | None
  readonly devices: number
}

/** Tasks that are suspended, with what they hold meanwhile, and the work that they have behind them until they end. */
export class SuspendedTasks {
  /** Number of tasks that are suspended. */
  count = 0
  readonly #holds = new Map<TaskId, Hold>()
  readonly #worked = new Map<TaskId, Seconds>()

  entries(): IterableIterator<readonly [TaskId, Hold]> {
    return this.#holds.entries()
  }

  /** From now on the task is suspended, and holds that much; where no devices are named, the best fitting. */
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

  /** Gives back what a suspended task holds: it is none any more. */
  free(task: TaskId, cell: CellState): void {
    const { shape, node, devices } = this.of(task)
    if (shape !== None) cell.give(shape, node, devices)
    this.#holds.delete(task)
    this.count--
  }

  /** Seconds of work that a task has behind it which is suspended or was. */
  worked(task: TaskId): Seconds {
    return this.#worked.size === 0 ? 0 : (this.#worked.get(task) ?? 0)
  }

  /** All that are suspended or were, with the seconds of work behind them. */
  allWorked(): IterableIterator<readonly [TaskId, Seconds]> {
    return this.#worked.entries()
  }

  /** Whether a task that starts has been suspended before, and not started anew since. */
  goesOn(task: TaskId): boolean {
    return this.#worked.has(task)
  }

  /** A task that is suspended has run for so long since it started or went on. */
  ran(task: TaskId, seconds: Seconds): void {
    this.#worked.set(task, this.worked(task) + seconds)
  }

  /** The task has ended, or has to start anew. */
  forget(task: TaskId): void {
    if (this.#worked.size > 0) this.#worked.delete(task)
  }
}
