import { None, type JobId, type NodeId, type ShapeId, type TaskId } from '@sched/core'
import type { Shapes } from './shapes.js'
import { DONE, UNPLACED, type WorkColumns } from './work-columns.js'

/**
 * Which task is a copy of which, and which nodes may not run it. A copy has a spare task id of its stage, behind those of the stage's tasks.
 *
 * Where all tasks of a stage that wait are copies, and some nodes may run none of them, the stage asks for a shape of its own, with the constraint that
 * these nodes lack. So whatever heeds constraints of tasks heeds this one. The task for a node is a copy that may run there.
 */
export class TaskCopies {
  /** By task of which there is a copy: the copy. */
  readonly #copies = new Map<TaskId, TaskId>()
  /** By copy: its task. An entry stays until its id becomes the copy of another task. */
  readonly #originals = new Map<TaskId, TaskId>()
  /** By stage: its copies that may not run everywhere, by ascending id, each with the nodes that may not run it. */
  readonly #barred = new Map<number, Map<TaskId, ReadonlySet<NodeId>>>()
  /** By job: the shapes that were made for its copies, by what they are like and the nodes that may not run them. */
  readonly #shapesOf = new Map<JobId, Map<string, ShapeId>>()
  readonly #work: WorkColumns
  readonly #shapes: Shapes

  constructor(work: WorkColumns, shapes: Shapes) {
    this.#work = work
    this.#shapes = shapes
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

  /**
   * A new copy of a task, which has the task's data, may not run on nodes of `bars`, and is not pending yet; `None` if the stage has no spare id left.
   * Either all copies of a stage have `bars` or none has.
   */
  add(task: TaskId, bars: ReadonlySet<NodeId>): TaskId | None {
    const { taskStage, taskRun, stageFirst, stageTasks, stageSpares, stageLists } = this.#work
    const stage = taskStage[task] as number
    const first = stageFirst[stage] as number
    const spare = first + (stageTasks[stage] as number)
    for (let copy = spare as TaskId; copy < spare + (stageSpares[stage] as number); copy++) {
      if (taskRun[copy] !== DONE) continue
      this.#copies.set(task, copy)
      this.#originals.set(copy, task)
      stageLists[stage]?.move(copy - first, task - first)
      if (bars.size > 0) this.#barred.set(stage, inOrder([...(this.#barred.get(stage) ?? []), [copy, bars]]))
      return copy
    }
    return None
  }

  /** Parts a task from its copy, one of which ends. */
  part(original: TaskId): void {
    const copy = this.#copies.get(original)
    if (copy === undefined) return
    this.#copies.delete(original)
    const stage = this.#work.taskStage[copy] as number
    const barred = this.#barred.get(stage)
    if (barred?.delete(copy) === true && barred.size === 0) this.#barred.delete(stage)
  }

  /** Forgets a job that leaves. */
  forget(job: JobId): void {
    const { jobFirstStage, jobStages } = this.#work
    const first = jobFirstStage[job] as number
    for (let stage = first; stage < first + (jobStages[job] as number); stage++) this.#barred.delete(stage)
    for (const shape of this.#shapesOf.get(job)?.values() ?? []) this.#shapes.dropBarred(shape)
    this.#shapesOf.delete(job)
  }

  // ---- nodes that may not run a copy ----

  /** Whether the node may run the task as far as the task is a copy. */
  suits(task: TaskId, node: NodeId): boolean {
    return this.#barred.get(this.#work.taskStage[task] as number)?.get(task)?.has(node) !== true
  }

  /** What the next task of a stage asks for. */
  asks(stage: number): ShapeId {
    const plain = this.#work.stageShape[stage] as ShapeId
    const waiting = this.#barred.size === 0 ? NONE : this.#waitingIn(stage)
    if (waiting.length === 0 || waiting.length < (this.#work.stageUnplaced[stage] as number)) return plain
    const [first, ...others] = waiting.map((copy) => this.#barred.get(stage)?.get(copy) as ReadonlySet<NodeId>)
    const nodes = [...(first as ReadonlySet<NodeId>)].filter((node) => others.every((bars) => bars.has(node))).sort((a, b) => a - b)
    return nodes.length === 0 ? plain : this.#barredShape(this.#work.stageJob[stage] as JobId, plain, nodes)
  }

  #barredShape(job: JobId, plain: ShapeId, nodes: readonly NodeId[]): ShapeId {
    const known = this.#shapesOf.get(job) ?? new Map<string, ShapeId>()
    this.#shapesOf.set(job, known)
    const key = `${plain};${nodes.join()}`
    const shape = known.get(key) ?? this.#shapes.barred(plain, nodes)
    known.set(key, shape)
    return shape
  }

  /**
   * The task of a stage for a node, where copies wait that may not run everywhere: the nearest one up to level `within`, and of these the lowest; `None`
   * if there is none. Copies come after other tasks. `undefined`: no such copy waits.
   */
  taskFor(stage: number, node: NodeId, within: number): TaskId | None | undefined {
    const waiting = this.#barred.size === 0 ? NONE : this.#waitingIn(stage)
    if (waiting.length === 0) return undefined
    const { stageFirst, stageTasks, stageUnplaced, stageLists } = this.#work
    const first = stageFirst[stage] as number
    const lists = stageLists[stage]
    const tasks = waiting.length < (stageUnplaced[stage] as number) ? this.#originalsIn(first, stageTasks[stage] as number) : waiting.filter((copy) => this.suits(copy, node))
    let [best, least] = [None as TaskId | None, within + 1]
    for (const task of tasks) {
      const level = lists?.level(task - first, node) ?? 0
      if (level < least) [best, least] = [task, level]
    }
    return best
  }

  /** Those of so many tasks that wait. */
  *#originalsIn(first: number, tasks: number): Generator<TaskId> {
    const { taskRun } = this.#work
    for (let task = first as TaskId; task < first + tasks; task++) if (taskRun[task] === UNPLACED) yield task
  }

  #waitingIn(stage: number): readonly TaskId[] {
    const barred = this.#barred.get(stage)
    return barred === undefined ? NONE : [...barred.keys()].filter((copy) => this.#work.taskRun[copy] === UNPLACED)
  }
}

const NONE: readonly TaskId[] = []

const inOrder = (copies: [TaskId, ReadonlySet<NodeId>][]): Map<TaskId, ReadonlySet<NodeId>> => new Map(copies.sort(([a], [b]) => a - b))

/** The replicas of a stage with room for so many more, which are moved to where those of a task are when it is copied. */
export function withSpares(replicas: Int32Array, spares: number): Int32Array {
  if (spares === 0) return replicas
  const all = new Int32Array(replicas.length + spares).fill(replicas[0] as number)
  all.set(replicas)
  return all
}
