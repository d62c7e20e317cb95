import { None, type JobId, type NodeId, type ShapeId, type TaskId } from '@sched/core'
import type { Shapes } from './shapes.js'
import type { TaskCopies } from './task-copies.js'
import { UNPLACED, type WorkColumns } from './work-columns.js'

/**
 * Nodes that tasks are kept off besides what their constraints say: single tasks, such as copies, or all tasks of a stage.
 *
 * Where none of the tasks of a stage that wait may run on some nodes, the stage asks for a shape of its own, with the constraint that these nodes lack.
 * So whatever heeds constraints of tasks heeds this one. The task for a node is one that may run there.
 */
export class TaskBars {
  /** By stage: the nodes that none of its tasks may run on, and the shape that it asks for without them. */
  readonly #stages = new Map<number, { readonly nodes: ReadonlySet<NodeId>; readonly shape: ShapeId }>()
  /** By stage: its tasks with nodes of their own, by ascending id. */
  readonly #tasks = new Map<number, Map<TaskId, ReadonlySet<NodeId>>>()
  /** By job: the shapes that were made for it, by what they are like and the nodes that they lack. */
  readonly #shapesOf = new Map<JobId, Map<string, ShapeId>>()
  readonly #work: WorkColumns
  readonly #copies: TaskCopies
  readonly #shapes: Shapes

  constructor(work: WorkColumns, copies: TaskCopies, shapes: Shapes) {
    this.#work = work
    this.#copies = copies
    this.#shapes = shapes
  }

  /** Keeps all tasks of a stage off these nodes and off no others. */
  setStage(stage: number, nodes: ReadonlySet<NodeId>): void {
    const { stageJob, stageShape } = this.#work
    if (nodes.size === 0) this.#stages.delete(stage)
    else this.#stages.set(stage, { nodes, shape: this.#shapeWithout(stageJob[stage] as JobId, stageShape[stage] as ShapeId, nodes) })
  }

  /** Keeps a task off these nodes, besides those that its stage is kept off, and off no others. A copy is kept off those of its task, too. */
  setTask(task: TaskId, nodes: ReadonlySet<NodeId>): void {
    const stage = this.#work.taskStage[task] as number
    const tasks = this.#tasks.get(stage)
    if (nodes.size > 0) this.#tasks.set(stage, inOrder([...(tasks ?? []), [task, nodes]]))
    else if (tasks?.delete(task) === true && tasks.size === 0) this.#tasks.delete(stage)
  }

  /** Forgets the tasks of a stage, of which others take the place. */
  forgetTasks(stage: number): void {
    this.#tasks.delete(stage)
  }

  /** Forgets a job that leaves. */
  forget(job: JobId): void {
    const { jobFirstStage, jobStages } = this.#work
    const first = jobFirstStage[job] as number
    for (let stage = first; stage < first + (jobStages[job] as number); stage++) {
      this.#tasks.delete(stage)
      this.#stages.delete(stage)
    }
    for (const shape of this.#shapesOf.get(job)?.values() ?? []) this.#shapes.dropBarred(shape)
    this.#shapesOf.delete(job)
  }

  /** Whether any task of a stage is kept off nodes. */
  areIn(stage: number): boolean {
    return this.#stages.has(stage) || this.#tasks.has(stage)
  }

  /** Whether any task of a stage, and not only a copy, is kept off nodes. */
  areOfFailures(stage: number): boolean {
    return this.#stages.has(stage) || [...(this.#tasks.get(stage)?.keys() ?? [])].some((task) => !this.#isCopy(stage, task))
  }

  /** Whether the node is one of its own that a task is kept off. */
  isBarred(task: TaskId, node: NodeId): boolean {
    return this.#tasks.get(this.#work.taskStage[task] as number)?.get(task)?.has(node) === true
  }

  /** Whether the node may run the task. */
  suits(task: TaskId, node: NodeId): boolean {
    const stage = this.#work.taskStage[task] as number
    return this.#stages.get(stage)?.nodes.has(node) !== true && this.#suitsItself(stage, task, node)
  }

  #suitsItself(stage: number, task: TaskId, node: NodeId): boolean {
    const tasks = this.#tasks.get(stage)
    return tasks === undefined || !(tasks.get(task)?.has(node) === true || (this.#isCopy(stage, task) && tasks.get(this.#copies.originalOf(task))?.has(node) === true))
  }

  #isCopy(stage: number, task: TaskId): boolean {
    return task >= (this.#work.stageFirst[stage] as number) + (this.#work.stageTasks[stage] as number)
  }

  /** What the next task of a stage asks for. */
  asks(stage: number): ShapeId {
    const ofStage = this.#stages.get(stage)
    const plain = ofStage?.shape ?? (this.#work.stageShape[stage] as ShapeId)
    const waiting = this.#waitingIn(stage)
    if (waiting.length === 0 || waiting.length < (this.#work.stageUnplaced[stage] as number)) return plain
    const [first, ...others] = waiting.map((task) => this.#nodesOf(stage, task))
    const nodes = [...(first as ReadonlySet<NodeId>)].filter((node) => others.every((bars) => bars.has(node)))
    if (nodes.length === 0) return plain
    return this.#shapeWithout(this.#work.stageJob[stage] as JobId, this.#work.stageShape[stage] as ShapeId, new Set([...(ofStage?.nodes ?? []), ...nodes]))
  }

  #nodesOf(stage: number, task: TaskId): ReadonlySet<NodeId> {
    const tasks = this.#tasks.get(stage)
    const own = tasks?.get(task) ?? NOWHERE
    const ofOriginal = this.#isCopy(stage, task) ? tasks?.get(this.#copies.originalOf(task)) : undefined
    return ofOriginal === undefined ? own : new Set([...own, ...ofOriginal])
  }

  #shapeWithout(job: JobId, plain: ShapeId, bars: ReadonlySet<NodeId>): ShapeId {
    const nodes = [...bars].sort((a, b) => a - b)
    const known = this.#shapesOf.get(job) ?? new Map<string, ShapeId>()
    this.#shapesOf.set(job, known)
    const key = `${plain};${nodes.join()}`
    const shape = known.get(key) ?? this.#shapes.barred(plain, nodes)
    known.set(key, shape)
    return shape
  }

  /** Whether the task that would otherwise be next for a node is not, since others come before it or it may not run there. */
  mayNotBeNext(task: TaskId | None, stage: number, node: NodeId): boolean {
    if (task === None || this.#waitingIn(stage).length === 0) return false
    return this.#isCopy(stage, task) || !this.#suitsItself(stage, task, node)
  }

  /** The nearest task of a stage for a node, up to level `within`, of those that may run there, and of these the lowest; `None` if there is none. Copies come after other tasks. */
  taskFor(stage: number, node: NodeId, within: number): TaskId | None {
    const { stageFirst, stageTasks, stageSpares } = this.#work
    const first = stageFirst[stage] as number
    const spare = first + (stageTasks[stage] as number)
    return this.#nearest(stage, first, spare, node, within) ?? this.#nearest(stage, spare, spare + (stageSpares[stage] as number), node, within) ?? None
  }

  /** The same among some ids; `undefined` if none of them waits that may run there, however far. */
  #nearest(stage: number, from: number, to: number, node: NodeId, within: number): TaskId | None | undefined {
    const { taskRun, stageFirst, stageLists } = this.#work
    const lists = stageLists[stage]
    let [best, least] = [undefined as TaskId | None | undefined, within + 1]
    for (let task = from as TaskId; task < to; task++) {
      if (taskRun[task] !== UNPLACED || !this.#suitsItself(stage, task, node)) continue
      const level = lists?.level(task - (stageFirst[stage] as number), node) ?? 0
      best ??= None
      if (level < least) [best, least] = [task, level]
    }
    return best
  }

  /** The tasks with nodes of their own that wait, and copies of such. */
  #waitingIn(stage: number): readonly TaskId[] {
    const tasks = this.#tasks.get(stage)
    if (tasks === undefined) return NONE
    const { taskRun } = this.#work
    const waiting: TaskId[] = []
    for (const task of tasks.keys()) {
      if (taskRun[task] === UNPLACED) waiting.push(task)
      if (this.#isCopy(stage, task)) continue
      const copy = this.#copies.otherThan(task, task)
      if (copy !== None && !tasks.has(copy) && taskRun[copy] === UNPLACED) waiting.push(copy)
    }
    return waiting
  }
}

const NONE: readonly TaskId[] = []
const NOWHERE: ReadonlySet<NodeId> = new Set()

const inOrder = (tasks: [TaskId, ReadonlySet<NodeId>][]): Map<TaskId, ReadonlySet<NodeId>> => new Map(tasks.sort(([a], [b]) => a - b))
