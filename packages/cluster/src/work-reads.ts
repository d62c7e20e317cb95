import {
  None, type Duration, type GangPart, type JobId, type LaneId, type Moulding, type NodeId, type ShapeId, type StageSpec, type TaskId, type WorkView,
} from '@sched/core'
import type { BlockLists } from './block-lists.js'
import type { ClusterModel } from './model.js'
import { NearBits } from './near-bits.js'
import { Special, type Shapes } from './shapes.js'
import { TaskFacts } from './task-facts.js'
import { OPEN, UNPLACED } from './work-columns.js'

/** What schedulers read about the jobs of a lane. A job offers there the tasks of its front stage: the earliest open one with unplaced tasks. */
export class WorkReads extends TaskFacts implements WorkView {
  readonly shapes: Shapes
  /** Unplaced tasks per scheduler and lane, `[owner * lanes + lane]`; jobs held back do not count. */
  readonly pendingTasks: number[] = []
  /** The cluster that the jobs are in. */
  readonly model: ClusterModel
  protected readonly near: NearBits
  /** Number of running tasks that must be on different nodes, by `job * nodes + node`; `undefined` until a job asks for that. */
  protected apart: Map<number, number> | undefined
  /** Whether any job so far has had placement rules. */
  areRules = false
  /** Jobs that have failed while a decision about them is open: their claims conflict. `onWithdrawn` is called when one does. */
  readonly failed = new Set<JobId>()
  onWithdrawn: ((job: JobId) => void) | undefined
  /** The last result of `taskFor`: the level of that task is usually asked next. */
  protected foundTask = -1
  #foundNode = -1
  #foundLevel = 0

  constructor(model: ClusterModel, shapes: Shapes) {
    super(model.lanes.length)
    this.model = model
    this.near = new NearBits(model)
    this.shapes = shapes
  }

  pending(owner: number, lane: LaneId): number {
    return this.pendingTasks[owner * this.lanes + lane] as number
  }
  unplaced(job: JobId, lane: LaneId): number {
    return this.laneUnplaced[job * this.lanes + lane] as number
  }
  running(job: JobId, lane: LaneId): number {
    return this.laneRunning[job * this.lanes + lane] as number
  }
  shape(job: JobId, lane: LaneId): ShapeId {
    return this.stageAsks[this.laneFront[job * this.lanes + lane] as number] as ShapeId
  }
  together(job: JobId, lane: LaneId): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return 0
    return this.stageLeast[stage] === 1 && !this.areGangJobs ? 1 : this.#togetherOf(job, stage)
  }
  #togetherOf(job: JobId, stage: number): number {
    if (this.isGangJob(job)) return Math.max(1, this.#overGang(stage, (each) => Math.max(0, -this.spareIn(each))))
    return Math.max(1, (this.stageLeast[stage] as number) - this.placedIn(stage))
  }
  mostTogether(job: JobId, lane: LaneId): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return 0
    const isGang = this.spec(job).stages[stage - (this.jobFirstStage[job] as number)]?.gang === true
    return isGang && !this.isGangJob(job) ? (this.stageUnplaced[stage] as number) : this.together(job, lane)
  }
  parts(job: JobId, lane: LaneId): readonly GangPart[] {
    const front = this.laneFront[job * this.lanes + lane] as number
    if (front < 0) return []
    const part = (at: number, tasks: number) => {
      const stage = at - (this.jobFirstStage[job] as number)
      return { stage, shape: this.stageAsks[at] as ShapeId, tasks, estimate: this.spec(job).stages[stage]?.estimate ?? this.estimate(job) }
    }
    if (!this.isGangJob(job) || !this.lacksTasks(front)) return [part(front, this.together(job, lane))]
    const parts: GangPart[] = []
    for (const stage of this.stagesWith(front)) if (this.spareIn(stage) < 0) parts.push(part(stage, -this.spareIn(stage)))
    return parts
  }
  asked(job: JobId, lane: LaneId, resource: number): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return 0
    if (!this.isGangJob(job) || !this.lacksTasks(stage)) return this.together(job, lane) * this.#amount(stage, resource)
    return this.#overGang(stage, (each) => Math.max(0, -this.spareIn(each)) * this.#amount(each, resource))
  }
  waiting(job: JobId, lane: LaneId, resource: number): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return 0
    if (!this.isGangJob(job)) return this.unplaced(job, lane) * this.#amount(stage, resource)
    let sum = 0
    for (const each of this.stagesOf(job)) sum += (this.stageUnplaced[each] as number) * this.#amount(each, resource)
    return sum
  }
  frontStage(job: JobId, lane: LaneId): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    return stage < 0 ? -1 : stage - (this.jobFirstStage[job] as number)
  }
  topology(job: JobId, lane: LaneId): ReturnType<WorkView['topology']> {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return undefined
    const { topology, stages } = this.spec(job)
    const asked = stages[stage - (this.jobFirstStage[job] as number)]?.topology ?? topology
    return asked && { asked, isOfStage: stages.some((each) => each.topology !== undefined) }
  }
  least(job: JobId, lane: LaneId): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return 1
    return this.isGangJob(job) ? this.#overGang(this.jobFirstStage[job] as number, (each) => this.stageLeast[each] as number) : (this.stageLeast[stage] as number)
  }
  masterShape(job: JobId): ShapeId | None {
    return this.masters.has(job) ? (this.stageShape[this.jobFirstStage[job] as number] as ShapeId) : None
  }
  use(job: JobId, lane: LaneId): Readonly<Record<string, number>> | undefined {
    const stage = this.laneFront[job * this.lanes + lane] as number
    return stage < 0 ? undefined : this.spec(job).stages[stage - (this.jobFirstStage[job] as number)]?.use
  }
  demand(shape: ShapeId, resource: number): number {
    return this.shapes.amount(shape, resource)
  }
  mayRunOn(shape: ShapeId, node: NodeId): boolean {
    return this.shapes.allows(shape, node)
  }
  softTaints(shape: ShapeId, node: NodeId): number {
    return this.shapes.softTaints(shape, node)
  }
  isDistinct(shape: ShapeId): boolean {
    return (this.shapes.of(shape).special & Special.Distinct) !== 0
  }
  requiresLabels(shape: ShapeId): boolean {
    return (this.shapes.of(shape).special & Special.Labels) !== 0
  }
  /** False if the shape must not share a node with other tasks of its job and one of them runs on the node. */
  isApart(shape: ShapeId, job: JobId, node: NodeId): boolean {
    return !this.isDistinct(shape) || (this.apart?.get(job * this.model.nodes + node) ?? 0) === 0
  }
  avoids(job: JobId): boolean {
    const { bars } = this
    return bars !== undefined && [...this.stagesOf(job)].some((stage) => bars.areOfFailures(stage))
  }
  hasData(job: JobId, lane: LaneId): boolean {
    return (this.stageNear[this.laneFront[job * this.lanes + lane] as number] as number) >= 0
  }

  taskFor(job: JobId, lane: LaneId, node: NodeId, within: number): TaskId | None {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return None
    const next = this.#nearestOf(stage, node, within)
    return this.bars?.mayNotBeNext(next, stage, node) === true ? this.bars.taskFor(stage, node, within) : next
  }

  #nearestOf(stage: number, node: NodeId, within: number): TaskId | None {
    const slot = this.stageNear[stage] as number
    if (slot >= 0) {
      const level = this.near.nearest(node, slot, 0, within)
      if (level >= 0) {
        const task = this.#nearTask(stage, node, level, within)
        if (task !== None) return task
      }
      if (within < this.near.levels) return None
    }
    return this.#nextTask(stage)
  }

  /** The nearest task, from level `from` on, at which the near bits say that there may be one. */
  #nearTask(stage: number, node: NodeId, from: number, within: number): TaskId | None {
    const slot = this.stageNear[stage] as number
    const lists = this.stageLists[stage] as BlockLists
    const first = this.stageFirst[stage] as number
    for (let level = from; level >= 0; level = this.near.nearest(node, slot, level + 1, within)) {
      const group = (this.model.groups[level] as Int32Array)[node] as number
      const task = lists.find(level, group, this.taskRun, first)
      if (task >= 0) {
        this.foundTask = first + task
        this.#foundNode = node
        this.#foundLevel = level
        return this.foundTask as TaskId
      }
      this.near.clear(node, level, slot)
    }
    return None
  }

  #nextTask(stage: number): TaskId {
    const first = this.stageFirst[stage] as number
    let cursor = this.stageCursor[stage] as number
    while (this.taskRun[first + cursor] !== UNPLACED) cursor++
    this.stageCursor[stage] = cursor
    return (first + cursor) as TaskId
  }

  level(task: TaskId, node: NodeId): number {
    if (task === this.foundTask && node === this.#foundNode) return this.#foundLevel
    const stage = this.taskStage[task] as number
    return this.stageLists[stage]?.level(task - (this.stageFirst[stage] as number), node) ?? 0
  }

  /** Amount of a resource that a task of the stage asks for. */
  #amount(stage: number, resource: number): number {
    return this.shapes.amount(this.stageShape[stage] as ShapeId, resource)
  }

  #overGang(stage: number, amount: (stage: number) => number): number {
    let sum = 0
    for (const each of this.stagesWith(stage)) sum += amount(each)
    return sum
  }

  /**
   * What `Round.moulding` returns: for a job with one open, mouldable stage of which no task is claimed or has run, without data or durations of
   * single tasks; otherwise `undefined`.
   */
  moulding(job: JobId): Moulding | undefined {
    const stage = this.jobFirstStage[job] as number
    const [spec] = this.spec(job).stages as [StageSpec]
    const isWhole = this.stageOpen[stage] === OPEN && this.stageUnplaced[stage] === this.jobLeft[job] && this.jobLeft[job] === this.jobTasks[job]
    if (spec.phases === undefined || this.jobStages[job] !== 1 || !isWhole || spec.data !== undefined || isPerTask(spec.duration)) return undefined
    return { requested: spec.tasks, phases: spec.phases }
  }

  protected countApart(stage: number, node: number, change: 1 | -1): void {
    if (!this.isDistinct(this.stageShape[stage] as ShapeId)) return
    const apart = this.apart as Map<number, number>
    const at = (this.stageJob[stage] as number) * this.model.nodes + node
    const count = (apart.get(at) ?? 0) + change
    if (count === 0) apart.delete(at)
    else apart.set(at, count)
  }

  protected restoreBlocks(stage: number, task: number): void {
    const lists = this.stageLists[stage]
    if (lists === undefined) return
    lists.restore(task)
    this.near.restore(this.stageNear[stage] as number, lists.replicas, task * lists.factor, (task + 1) * lists.factor)
  }
}

const isPerTask = (duration: Duration): boolean => typeof duration === 'object' && !('kind' in duration)
