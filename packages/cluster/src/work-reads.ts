import {
  None, nonPreemptibleTasks, type Duration, type GangPart, type JobId, type JobSpec, type LaneId, type Moulding, type NodeId, type Seconds, type ShapeId, type StageSpec, type TaskId, type WorkView,
} from '@sched/core'
import type { BlockLists } from './block-lists.js'
import { JobFacts } from './job-facts.js'
import type { ClusterModel } from './model.js'
import { NearBits } from './near-bits.js'
import { Special, type Shapes } from './shapes.js'
import { SuspendedTasks } from './suspended-tasks.js'
import { TaskCopies } from './task-copies.js'
import { OPEN, UNPLACED } from './work-columns.js'

/** What schedulers read about jobs. */
export class WorkReads extends JobFacts implements WorkView {
  readonly shapes: Shapes
  /** Unplaced tasks per scheduler and lane, `[owner * lanes + lane]`; jobs held back do not count. */
  readonly pendingTasks: number[] = []
  protected readonly model: ClusterModel
  protected readonly near: NearBits
  /** Number of running tasks that must be on different nodes, by `job * nodes + node`; `undefined` until a job asks for that. */
  protected apart: Map<number, number> | undefined
  readonly suspended = new SuspendedTasks()
  /** Whether any job so far has had a master. */
  hasMasters = false
  /** Whether any job so far has had a gang. */
  areGangs = false
  /** Whether any job so far has had placement rules. */
  areRules = false
  /** Number of tasks that stopped before they were done. */
  stops = 0
  /** Whether any job so far has been one gang of several stages, and which jobs in the system are. */
  areGangJobs = false
  readonly gangJobs = new Set<JobId>()
  /** Whether the front, or what it asks for, may change although tasks of the front stage wait. */
  protected frontChanges = false
  /** Jobs that have failed while a decision about them is open: their claims conflict. `onWithdrawn` is called when one does. */
  readonly failed = new Set<JobId>()
  onWithdrawn: ((job: JobId) => void) | undefined
  /** Jobs with a master, and its state. `up`: other stages may open. `waiting`: it has not started. `lost`: it was up and is being evicted. */
  readonly masters = new Map<JobId, 'waiting' | 'up' | 'lost'>()
  /** How many spare task ids a stage of a new job gets for copies of its tasks; `undefined`: no task is ever copied. */
  sparesOf: ((spec: JobSpec, stage: StageSpec) => number) | undefined
  readonly copies: TaskCopies
  /** Whether copies may be kept off nodes. */
  areBars = false
  /** The last result of `taskFor`: the level of that task is usually asked next. */
  protected foundTask = -1
  #foundNode = -1
  #foundLevel = 0
  /** The task released last, and its stage: the listener that is told asks for it, and the columns of tasks are scattered over memory. */
  protected releasedTask = -1
  protected releasedStage = -1

  constructor(model: ClusterModel, shapes: Shapes) {
    super(model.lanes.length)
    this.model = model
    this.near = new NearBits(model)
    this.shapes = shapes
    this.copies = new TaskCopies(this, shapes)
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
    return Math.max(1, (this.stageLeast[stage] as number) - this.#placedIn(stage))
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
    for (const each of this.#stagesOf(job)) sum += (this.stageUnplaced[each] as number) * this.#amount(each, resource)
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
  isGangJob(job: JobId): boolean {
    return this.areGangJobs && this.gangJobs.has(job)
  }
  gangOf(task: TaskId): number {
    return (this.stageGang[this.taskStage[task] as number] as number) - (this.jobFirstStage[this.jobOf(task)] as number)
  }
  inGang(task: TaskId): boolean {
    const stage = this.taskStage[task] as number
    const least = this.stageLeast[stage] as number
    const isAlone = least === 1 && !this.isGangJob(this.jobOf(task))
    if (isAlone || least === 0 || least === this.stageTasks[stage]) return !isAlone && least > 0
    let before = 0 // number of placed tasks with smaller ids
    for (let other = this.stageFirst[stage] as number; other < task; other++) if (this.taskRun[other] !== UNPLACED) before++
    return before < least
  }
  nonPreemptible(job: JobId, stage: number): number {
    return nonPreemptibleTasks(this.spec(job).stages[stage] as StageSpec)
  }
  isMaster(task: TaskId): boolean {
    if (!this.hasMasters) return false
    const job = this.jobOf(task)
    return this.taskStage[task] === this.jobFirstStage[job] && this.masters.has(job)
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
  hasData(job: JobId, lane: LaneId): boolean {
    return (this.stageNear[this.laneFront[job * this.lanes + lane] as number] as number) >= 0
  }

  taskFor(job: JobId, lane: LaneId, node: NodeId, within: number): TaskId | None {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return None
    const copy = this.areBars ? this.copies.taskFor(stage, node, within) : undefined
    if (copy !== undefined) return copy
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
  jobOf(task: TaskId): JobId {
    return this.stageJob[this.#stageWith(task)] as JobId
  }
  laneOf(task: TaskId): LaneId {
    return this.stageLane[this.#stageWith(task)] as LaneId
  }
  stageOf(task: TaskId): number {
    const stage = this.taskStage[task] as number
    return stage - (this.jobFirstStage[this.stageJob[stage] as number] as number)
  }
  indexOf(task: TaskId): number {
    return this.originalOf(task) - (this.stageFirst[this.taskStage[task] as number] as number)
  }
  get areCopies(): boolean {
    return this.sparesOf !== undefined
  }
  isCopy(task: TaskId): boolean {
    if (this.sparesOf === undefined) return false
    const stage = this.#stageWith(task)
    return task >= (this.stageFirst[stage] as number) + (this.stageTasks[stage] as number)
  }
  /** False for a copy that is kept off the node. */
  suits(task: TaskId, node: NodeId): boolean {
    return !this.areBars || this.copies.suits(task, node)
  }
  /** The task itself, or for a copy the task that it is a copy of. */
  originalOf(task: TaskId): TaskId {
    return this.isCopy(task) ? this.copies.originalOf(task) : task
  }
  /** The other attempt of a task of which there is a copy, running or not: the copy of a task, or the task of a copy. */
  otherAttempt(task: TaskId): TaskId | None {
    if (this.copies.size === 0) return None
    return this.copies.otherThan(task, this.originalOf(task))
  }
  taskAt(job: JobId, stage: number, index: number): TaskId | None {
    const at = (this.jobFirstStage[job] as number) + stage
    const isThere = stage < (this.jobStages[job] as number) && index < (this.stageTasks[at] as number)
    return isThere ? (((this.stageFirst[at] as number) + index) as TaskId) : None
  }
  taskEstimate(task: TaskId): Seconds {
    const job = this.jobOf(task)
    return this.spec(job).stages[this.stageOf(task)]?.estimate ?? this.estimate(job)
  }
  shapeOf(task: TaskId): ShapeId {
    const stage = this.#stageWith(task)
    return (this.areBars && this.taskRun[task] === UNPLACED && this.isCopy(task) ? this.stageAsks[stage] : this.stageShape[stage]) as ShapeId
  }
  #stageWith(task: TaskId): number {
    return task === this.releasedTask ? this.releasedStage : (this.taskStage[task] as number)
  }
  nodeOf(task: TaskId): NodeId | None {
    const run = this.taskRun[task] as number
    return run < 0 ? None : this.runNode(run)
  }
  /** Devices that a claimed or running task holds, as `CellState.take` returned them. */
  devicesOf(task: TaskId): number {
    return this.runDevices(this.taskRun[task] as number)
  }
  started(task: TaskId): Seconds {
    const run = this.taskRun[task] as number
    return run < 0 ? NaN : this.runStart(run)
  }
  worked(task: TaskId): Seconds {
    return this.suspended.worked(task)
  }
  tasksByStage(job: JobId): readonly number[] {
    const first = this.jobFirstStage[job] as number
    return [...this.stageTasks.subarray(first, first + (this.jobStages[job] as number))]
  }
  suspendedOn(task: TaskId): NodeId | None {
    return this.suspended.has(task) ? this.suspended.of(task).node : None
  }
  runningTasks(job: JobId, lane: LaneId, out: TaskId[]): void {
    const firstStage = this.jobFirstStage[job] as number
    for (let stage = firstStage; stage < firstStage + (this.jobStages[job] as number); stage++) {
      if (this.stageLane[stage] !== lane) continue
      const end = this.endOf(stage)
      for (let task = this.stageFirst[stage] as number; task < end; task++)
        if ((this.taskRun[task] as number) >= 0 && !this.isReleased(task as TaskId)) out.push(task as TaskId)
    }
  }

  /**
   * Running tasks that stop if a node fails, by ascending id: those on the node; all others of their gangs if too few are left, unless the job replaces
   * single tasks; and all tasks of a job whose master is on it. Costs a scan of all runs.
   */
  lostWith(node: NodeId): TaskId[] {
    const lost = new Set<TaskId>()
    const gangs = new Map<number, number>()
    for (let run = 0; run < this.runRows; run++) {
      const task = this.runTask(run)
      if (this.runNode(run) !== node || !this.#runs(task, run)) continue
      const stage = this.taskStage[task] as number
      if (this.isMaster(task)) for (const each of this.startedOf(this.jobOf(task))) lost.add(each)
      else lost.add(task)
      if (this.isGang(stage) && !this.#replacesLost(stage)) gangs.set(stage, (gangs.get(stage) ?? 0) + 1)
    }
    for (const [stage, count] of gangs) if (this.stopsWithout(stage, count)) for (const each of this.startedInGang(stage)) lost.add(each)
    return [...lost].sort((a, b) => a - b)
  }

  #replacesLost(stage: number): boolean {
    return this.spec(this.stageJob[stage] as JobId).replacesLost === true
  }

  /** Whether the stage is a gang or part of one. */
  isGang(stage: number): boolean {
    return (this.stageLeast[stage] as number) > 1 || this.isGangJob(this.stageJob[stage] as JobId)
  }

  /** Number of the gang that a stage belongs to: its first stage. */
  gangWith(stage: number): number {
    return this.stageGang[stage] as number
  }

  /** The stages of the gang that a stage belongs to. */
  *stagesWith(stage: number): Generator<number> {
    const job = this.stageJob[stage] as JobId
    if (!this.isGangJob(job)) return void (yield stage)
    for (const each of this.#stagesOf(job)) if (this.stageGang[each] === this.stageGang[stage]) yield each
  }

  *#stagesOf(job: JobId): Generator<number> {
    const first = this.jobFirstStage[job] as number
    for (let stage = first; stage < first + (this.jobStages[job] as number); stage++) yield stage
  }

  /** Whether a stage is of a group without which its job, which is one gang, runs. */
  isOptional(stage: number): boolean {
    const job = this.stageJob[stage] as JobId
    return this.isGangJob(job) && this.stageGang[stage] !== this.jobFirstStage[job]
  }

  /** Whether a stage stops with some of the gangs, given by their numbers. */
  stopsWith(gangs: ReadonlySet<number> | undefined, stage: number): boolean {
    if (gangs === undefined || gangs.size === 0) return false
    return gangs.has(this.stageGang[stage] as number) || (this.isOptional(stage) && gangs.has(this.jobFirstStage[this.stageJob[stage] as JobId] as number))
  }

  /** Whether the gang of a stage, or the one with which it stops, has fewer tasks claimed, running or ended than it needs. */
  lacksTasks(stage: number): boolean {
    if (!this.isGangJob(this.stageJob[stage] as JobId)) return this.spareIn(stage) < 0
    for (const each of this.stagesWith(stage)) if (this.spareIn(each) < 0) return true
    return this.isOptional(stage) && this.lacksTasks(this.jobFirstStage[this.stageJob[stage] as JobId] as number)
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
   * For a job that is one gang: the first stage that it needs and that lacks tasks; else the first with unplaced tasks, or of its group the first that
   * lacks some.
   */
  protected frontOfGangJob(job: JobId): number {
    let front = -1
    for (const stage of this.#stagesOf(job)) {
      if (this.stageUnplaced[stage] === 0) continue
      if (this.spareIn(stage) < 0 && !this.isOptional(stage)) return stage
      if (front < 0) front = stage
    }
    if (front < 0 || !this.isOptional(front)) return front
    for (const stage of this.stagesWith(front)) if (this.stageUnplaced[stage] !== 0 && this.spareIn(stage) < 0) return stage
    return front
  }

  protected addGangJob(job: JobId): void {
    this.areGangJobs = true
    this.frontChanges = true
    this.areGangs = true
    this.gangJobs.add(job)
  }

  /** How many more tasks of a gang are claimed, running or ended than it needs; negative if it lacks some. */
  spareIn(stage: number): number {
    return this.#placedIn(stage) - (this.stageLeast[stage] as number)
  }

  /** Whether a gang may go on without some of its tasks. */
  isElastic(stage: number): boolean {
    const least = this.stageLeast[stage] as number
    return (least > 1 && least < (this.stageTasks[stage] as number)) || this.isGangJob(this.stageJob[stage] as JobId)
  }

  /** Whether too few tasks of a gang are left, running or ended, when `count` of them stop and `more` are about to start. */
  stopsWithout(stage: number, count: number, more = 0): boolean {
    const least = this.stageLeast[stage] as number
    if (!this.isElastic(stage)) return least > 1
    let left = (this.stageDone[stage] as number) + more - count
    for (const _ of this.startedIn(stage)) left++
    return left < least
  }

  #placedIn(stage: number): number {
    return (this.stageTasks[stage] as number) - (this.stageUnplaced[stage] as number)
  }

  /**
   * Running tasks that stop if this task is lost or fails: the task itself, all others of its gang if too few are left and the job does not replace single
   * tasks, and all tasks of the job if it is the master.
   */
  stoppedWith(task: TaskId): Iterable<TaskId> {
    if (this.isMaster(task)) return this.startedOf(this.jobOf(task))
    const stage = this.taskStage[task] as number
    return this.stopsWithout(stage, 1) && !this.#replacesLost(stage) ? this.startedInGang(stage) : [task]
  }

  /** Tasks of a job that have started and not been released, by ascending id. */
  *startedOf(job: JobId): Generator<TaskId> {
    const first = this.jobFirstStage[job] as number
    for (let stage = first; stage < first + (this.jobStages[job] as number); stage++) yield* this.startedIn(stage)
  }

  /** The same for the gang that a stage belongs to, and for groups that stop with it. */
  *startedInGang(stage: number): Generator<TaskId> {
    const job = this.stageJob[stage] as JobId
    if (this.isGangJob(job) && !this.isOptional(stage)) return yield* this.startedOf(job)
    for (const each of this.stagesWith(stage)) yield* this.startedIn(each)
  }

  /** The same for a stage. */
  *startedIn(stage: number): Generator<TaskId> {
    const end = this.endOf(stage)
    for (let task = this.stageFirst[stage] as number; task < end; task++) if (this.#runs(task as TaskId, this.taskRun[task] as number)) yield task as TaskId
  }

  /** Whether the run belongs to a task that has started and not been released. Columns keep old values, so several of them are compared. */
  #runs(task: TaskId, run: number): boolean {
    return task >= 0 && run >= 0 && this.taskRun[task] === run && this.runTask(run) === task && !Number.isNaN(this.runStart(run))
  }

  /** Whether all tasks of the job have ended except its master, which is up. */
  isMasterAlone(job: JobId): boolean {
    return this.jobLeft[job] === 1 && this.masters.get(job) === 'up'
  }

  /** Whether the task's run has been released: evicted in a draft, or ended while its slot is still occupied. */
  isReleased(task: TaskId): boolean {
    const run = this.taskRun[task] as number
    return run >= 0 && this.runTask(run) < 0
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

  // ---- for what moves it ----

  protected addMaster(job: JobId): void {
    this.hasMasters = true
    this.masters.set(job, 'waiting')
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

  /** Recounts the tasks of a stage that are neither claimed nor done. */
  protected countUnplaced(stage: number): number {
    return this.taskRun.subarray(this.stageFirst[stage], this.endOf(stage)).filter((run) => run === UNPLACED).length
  }
}

const isPerTask = (duration: Duration): boolean => typeof duration === 'object' && !('kind' in duration)
