import { barsOf, type CellState, type Work } from '@sched/cluster'
import { leastTasks, startedTogether, type Architecture, type JobId, type NodeId, type Seconds, type ShapeId, type StageSpec, type TaskId } from '@sched/core'
import type { Observers } from '../observers.js'
import type { Drains } from './drained-nodes.js'
import { haveRoomTogether, type Asked } from './room-together.js'

/** What nodes are avoided in. */
export interface AvoidedNodesEnv {
  readonly work: Work
  readonly cell: CellState
  readonly observers: Pick<Observers, 'onAvoid'>
  readonly architecture: () => Pick<Architecture, 'mayUse'>
  readonly outages: () => Drains
}

/** Nodes that one job is to avoid, and those that it does: all of it, single stages (by number over all jobs), and single tasks. */
interface Avoided {
  readonly wanted: Sets
  readonly real: Sets
}

interface Sets {
  all: ReadonlySet<NodeId>
  readonly stages: Map<number, ReadonlySet<NodeId>>
  readonly tasks: Map<TaskId, ReadonlySet<NodeId>>
}

/** The nodes that jobs, their stages and their tasks avoid now. Masters avoid none. */
export class AvoidedNodes {
  readonly #env: AvoidedNodesEnv
  readonly #keepsSome: boolean
  readonly #jobs = new Map<JobId, Avoided>()

  /** `keepsSome`: nodes are not avoided where this would leave a task of the job without any. */
  constructor(env: AvoidedNodesEnv, keepsSome: boolean) {
    this.#env = env
    this.#keepsSome = keepsSome
  }

  /** Whether a task may avoid nodes that others of its stage do not; tasks that start together or are moulded may not. */
  maySingle(task: TaskId): boolean {
    const { work } = this.#env
    const stage = work.taskStage[task] as number
    return !work.isGang(stage) && this.#specOf(stage).phases === undefined
  }

  /** Whether a job avoids any node, or has. */
  areOf(job: JobId): boolean {
    return this.#jobs.has(job)
  }

  /** Lets all tasks of a job avoid these nodes and, apart from single stages and tasks, no others. */
  setAll(job: JobId, nodes: ReadonlySet<NodeId>, now: Seconds): void {
    const { work } = this.#env
    const { wanted, real } = this.#of(job)
    wanted.all = nodes
    const stages = this.#stagesOf(job)
    const after = this.#keepsSome && stages.some((stage) => !this.#isLeft(stage, [nodes, real.stages.get(stage)])) ? NOWHERE : nodes
    const before = real.all
    if (isSame(after, before)) return
    real.all = after
    const bars = barsOf(work)
    work.changeBars(job, () => {
      for (const stage of stages) bars.setStage(stage, union([after, real.stages.get(stage)]))
    })
    this.#tell(job, -1, -1, before, after, now)
    if (this.#keepsSome) for (const [task, each] of wanted.tasks) this.setTask(task, each, now)
  }

  /** Lets all tasks of a stage avoid these nodes, besides those that its job avoids. */
  setStage(stage: number, nodes: ReadonlySet<NodeId>, now: Seconds): void {
    const { work } = this.#env
    const job = work.stageJob[stage] as JobId
    const { wanted, real } = this.#of(job)
    wanted.stages.set(stage, nodes)
    const after = this.#keepsSome && !this.#isLeft(stage, [nodes, real.all]) ? NOWHERE : nodes
    const before = real.stages.get(stage) ?? NOWHERE
    if (isSame(after, before)) return
    real.stages.set(stage, after)
    const bars = barsOf(work)
    work.changeBars(job, () => bars.setStage(stage, union([after, real.all])))
    this.#tell(job, stage - (work.jobFirstStage[job] as number), -1, before, after, now)
  }

  /** Lets a task avoid these nodes, besides those that its stage avoids. */
  setTask(task: TaskId, nodes: ReadonlySet<NodeId>, now: Seconds): void {
    const { work } = this.#env
    const job = work.jobOf(task)
    const { wanted, real } = this.#of(job)
    wanted.tasks.set(task, nodes)
    const after = this.#keepsSome && !this.#isTaskLeft(task, nodes, real) ? NOWHERE : nodes
    const before = real.tasks.get(task) ?? NOWHERE
    if (isSame(after, before)) return
    real.tasks.set(task, after)
    const bars = barsOf(work)
    work.changeBars(job, () => bars.setTask(task, after))
    this.#tell(job, work.stageOf(task), work.indexOf(task), before, after, now)
  }

  /** A job avoids no node any more. */
  clear(job: JobId, now: Seconds): void {
    const real = this.#jobs.get(job)?.real
    if (real === undefined) return
    for (const task of real.tasks.keys()) this.setTask(task, NOWHERE, now)
    for (const stage of real.stages.keys()) this.setStage(stage, NOWHERE, now)
    this.setAll(job, NOWHERE, now)
    this.#jobs.delete(job)
  }

  /** Forgets a job that leaves. */
  forget(job: JobId): void {
    this.#jobs.delete(job)
  }

  /** Number of nodes that are up of those that the scheduler of a job may use. */
  sizeFor(job: JobId): number {
    const { cell, architecture, outages } = this.#env
    if (architecture().mayUse === undefined) return cell.nodes - outages().away
    let size = 0
    for (const node of this.#usableBy(job)) if (cell.up(node)) size++
    return size
  }

  /**
   * Whether a task of a job that is not done has no node left, or a gang too few: `waiting` if one of them waits, `other` if only others do, such as those
   * that run.
   */
  stuck(job: JobId): 'waiting' | 'other' | undefined {
    const { work } = this.#env
    const avoided = this.#jobs.get(job)?.real
    if (avoided === undefined) return undefined
    const stages = this.#stagesOf(job).filter((stage) => (work.stageDone[stage] as number) < (work.stageTasks[stage] as number) && !this.#isLeft(stage, [avoided.all, avoided.stages.get(stage)]))
    const tasks = [...avoided.tasks].filter(([task, nodes]) => !work.isDone(task) && nodes.size > 0 && !this.#isTaskLeft(task, nodes, avoided)).map(([task]) => task)
    if (stages.length + tasks.length === 0) return undefined
    return stages.some((stage) => (work.stageUnplaced[stage] as number) > 0) || tasks.some((task) => work.isWaiting(task)) ? 'waiting' : 'other'
  }

  #of(job: JobId): Avoided {
    const none = (): Sets => ({ all: NOWHERE, stages: new Map<number, ReadonlySet<NodeId>>(), tasks: new Map<TaskId, ReadonlySet<NodeId>>() })
    const avoided = this.#jobs.get(job) ?? { wanted: none(), real: none() }
    this.#jobs.set(job, avoided)
    return avoided
  }

  /** The stages of a job but for its master. */
  #stagesOf(job: JobId): number[] {
    const { work } = this.#env
    return [...work.stagesOf(job)].filter((stage) => this.#specOf(stage).master !== true)
  }

  #specOf(stage: number): StageSpec {
    const { work } = this.#env
    const job = work.stageJob[stage] as JobId
    return work.spec(job).stages[stage - (work.jobFirstStage[job] as number)] as StageSpec
  }

  #isTaskLeft(task: TaskId, nodes: ReadonlySet<NodeId>, { all, stages }: Sets): boolean {
    const stage = this.#env.work.taskStage[task] as number
    return this.#isLeft(stage, [nodes, all, stages.get(stage)])
  }

  /** Whether a task of the stage, or all that must start together, would have room on nodes that it does not avoid, if nothing ran there. */
  #isLeft(stage: number, avoided: readonly (ReadonlySet<NodeId> | undefined)[]): boolean {
    const { work, cell } = this.#env
    const job = work.stageJob[stage] as JobId
    if (work.isGangJob(job)) return haveRoomTogether(this.#startedWith(stage), this.#left(job, avoided), work, cell)
    const shape = work.stageShape[stage] as ShapeId
    const least = leastTasks(this.#specOf(stage))
    let room = 0
    for (const node of this.#left(job, avoided)) {
      room += work.shapes.roomOn(shape, node)
      if (room >= least) return true
    }
    return false
  }

  /** What must start together with a stage of a job that is one gang. */
  #startedWith(stage: number): Asked[] {
    const { work } = this.#env
    const job = work.stageJob[stage] as JobId
    const spec = work.spec(job)
    const together = startedTogether(spec).find((stages) => stages.includes(this.#specOf(stage))) as readonly StageSpec[]
    return together.map((each) => ({ shape: work.stageShape[(work.jobFirstStage[job] as number) + spec.stages.indexOf(each)] as ShapeId, tasks: leastTasks(each) }))
  }

  *#left(job: JobId, avoided: readonly (ReadonlySet<NodeId> | undefined)[]): Generator<NodeId> {
    for (const node of this.#usableBy(job)) if (!avoided.some((nodes) => nodes?.has(node) === true)) yield node
  }

  *#usableBy(job: JobId): Generator<NodeId> {
    const architecture = this.#env.architecture()
    for (let node = 0 as NodeId; node < this.#env.cell.nodes; node++) if (architecture.mayUse?.(job, node) !== false) yield node
  }

  #tell(job: JobId, stage: number, task: number, before: ReadonlySet<NodeId>, after: ReadonlySet<NodeId>, now: Seconds): void {
    const { observers } = this.#env
    for (const node of before) if (!after.has(node)) observers.onAvoid(node, job, stage, task, false, now)
    for (const node of after) if (!before.has(node)) observers.onAvoid(node, job, stage, task, true, now)
  }
}

const NOWHERE: ReadonlySet<NodeId> = new Set()

const union = (sets: readonly (ReadonlySet<NodeId> | undefined)[]): ReadonlySet<NodeId> => new Set(sets.flatMap((nodes) => [...(nodes ?? [])]))

const isSame = (a: ReadonlySet<NodeId>, b: ReadonlySet<NodeId>): boolean => a.size === b.size && [...a].every((node) => b.has(node))
