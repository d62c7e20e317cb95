import { None, type TaskId } from '@sched/core'
import { DONE, type WorkColumns } from './work-columns.js'

/** Which task is a copy of which. A copy has a spare task id of its stage, behind those of the stage's tasks. */
export class TaskCopies {
  /** By task of which there is a copy: the copy. */
  readonly #copies = new Map<TaskId, TaskId>()
  /** By copy: its task. An entry stays until its id becomes the copy of another task. */
  readonly #originals = new Map<TaskId, TaskId>()
  readonly #work: WorkColumns

  constructor(work: WorkColumns) {
    this.#work = work
  }

  /** Number of copies that are pending, claimed or running. */
  get size(): number {
    return this.#copies.size
  }

  /** Whether there is a copy of the task. */
  has(task: TaskId): boolean {
    return this.#copies.has(task)
  }

  /** The task that this copy is or was a copy of. */
  originalOf(copy: TaskId): TaskId {
    return this.#originals.get(copy) as TaskId
  }

  /** The other attempt of a task with a copy, where `original` is the task itself and `task` either of the two; `None` if there is no copy. */
  otherThan(task: TaskId, original: TaskId): TaskId | None {
    const copy = this.#copies.get(original) ?? None
    return task === original ? copy : copy === task ? original : None
  }

  /** A new copy of a task, which has the task's data and is not pending yet; `None` if the stage has no spare id left. */
  add(task: TaskId): TaskId | None {
    const { taskStage, taskRun, stageFirst, stageTasks, stageSpares, stageLists } = this.#work
    const stage = taskStage[task] as number
    const first = stageFirst[stage] as number
    const spare = first + (stageTasks[stage] as number)
    for (let copy = spare as TaskId; copy < spare + (stageSpares[stage] as number); copy++) {
      if (taskRun[copy] !== DONE) continue
      this.#copies.set(task, copy)
      this.#originals.set(copy, task)
      stageLists[stage]?.move(copy - first, task - first)
      return copy
    }
    return None
  }

  /** Parts a task from its copy, one of which ends. Returns the copy; `None` if there was none. */
  part(original: TaskId): TaskId | None {
    const copy = this.#copies.get(original) ?? None
    this.#copies.delete(original)
    return copy
  }
}

/** The replicas of a stage with room for so many more, which are moved to where those of a task are when it is copied. */
export function withSpares(replicas: Int32Array, spares: number): Int32Array {
  if (spares === 0) return replicas
  const all = new Int32Array(replicas.length + spares).fill(replicas[0] as number)
  all.set(replicas)
  return all
}
