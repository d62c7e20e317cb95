import { None, nonPreemptibleTasks, type JobId, type JobSpec, type LaneId, type NodeId, type Seconds, type ShapeId, type StageSpec, type TaskId } from '@sched/core'
import { JobFacts } from './job-facts.js'
import { SuspendedTasks } from './suspended-tasks.js'
import type { TaskBars } from './task-bars.js'
import { TaskCopies } from './task-copies.js'
import { DONE, OPEN, UNPLACED } from './work-columns.js'

/** What tasks are and where they run, and which of them start and stop together: gangs, and masters with all that runs under them. */
export class TaskFacts extends JobFacts {
  readonly suspended = new SuspendedTasks()
  readonly copies: TaskCopies
  /** The nodes that tasks are kept off; `undefined`: none are. */
  bars: TaskBars | undefined
  /** How many spare task ids a stage of a new job gets for copies of its tasks; `undefined`: no task is ever copied. */
  sparesOf: ((spec: JobSpec, stage: StageSpec) => number) | undefined
  /** Whether any job so far has had a master. */
  hasMasters = false
  /** Jobs with a master, and its state. `up`: other stages may open. `waiting`: it has not started. `lost`: it was up and is being evicted. */
  readonly masters = new Map<JobId, 'waiting' | 'up' | 'lost'>()
  /** Whether any job so far has had a gang. */
  areGangs = false
  /** Whether any job so far has been one gang of several stages, and which jobs in the system are. */
  areGangJobs = false
  readonly gangJobs = new Set<JobId>()
  /** Number of tasks that stopped before they were done. */
  stops = 0
  /** The task released last, and its stage: the listener that is told asks for it, and the columns of tasks are scattered over memory. */
  protected releasedTask = -1
  protected releasedStage = -1

  constructor(lanes: number) {
    super(lanes)
    this.copies = new TaskCopies(this)
  }

  jobOf(task: TaskId): JobId {
    return this.stageJob[this.stageWith(task)] as JobId
  }
  laneOf(task: TaskId): LaneId {
    return this.stageLane[this.stageWith(task)] as LaneId
  }
  stageOf(task: TaskId): number {
    const stage = this.taskStage[task] as number
    return stage - (this.jobFirstStage[this.stageJob[stage] as number] as number)
  }
  indexOf(task: TaskId): number {
    return this.originalOf(task) - (this.stageFirst[this.taskStage[task] as number] as number)
  }
  /** Stage of a task, as a number over all jobs. */
  protected stageWith(task: TaskId): number {
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
  suspendedOn(task: TaskId): NodeId | None {
    return this.suspended.has(task) ? this.suspended.of(task).node : None
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
    const stage = this.stageWith(task)
    return (this.bars !== undefined && this.taskRun[task] === UNPLACED && (this.isCopy(task) || this.bars.areIn(stage)) ? this.stageAsks[stage] : this.stageShape[stage]) as ShapeId
  }
  tasksByStage(job: JobId): readonly number[] {
    const first = this.jobFirstStage[job] as number
    return [...this.stageTasks.subarray(first, first + (this.jobStages[job] as number))]
  }
  /** Whether the task's run has been released: evicted in a draft, or ended while its slot is still occupied. */
  isReleased(task: TaskId): boolean {
    const run = this.taskRun[task] as number
    return run >= 0 && this.runTask(run) < 0
  }

  /** Whether the task may start and is not claimed. */
  isWaiting(task: TaskId): boolean {
    return this.taskRun[task] === UNPLACED && this.stageOpen[this.taskStage[task] as number] === OPEN
  }
  isDone(task: TaskId): boolean {
    return this.taskRun[task] === DONE
  }

  // ---- copies ----

  get areCopies(): boolean {
    return this.sparesOf !== undefined
  }
  isCopy(task: TaskId): boolean {
    if (this.sparesOf === undefined) return false
    const stage = this.stageWith(task)
    return task >= (this.stageFirst[stage] as number) + (this.stageTasks[stage] as number)
  }
  /** False for a task that is kept off the node, besides by constraints. */
  suits(task: TaskId, node: NodeId): boolean {
    return this.bars === undefined || this.bars.suits(task, node)
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

  // ---- what runs ----

  runningTasks(job: JobId, lane: LaneId, out: TaskId[]): void {
    const firstStage = this.jobFirstStage[job] as number
    for (let stage = firstStage; stage < firstStage + (this.jobStages[job] as number); stage++) {
      if (this.stageLane[stage] !== lane) continue
      const end = this.endOf(stage)
      for (let task = this.stageFirst[stage] as number; task < end; task++)
        if ((this.taskRun[task] as number) >= 0 && !this.isReleased(task as TaskId)) out.push(task as TaskId)
    }
  }

  /** Tasks of a job that have started and not been released, by ascending id. */
  *startedOf(job: JobId): Generator<TaskId> {
    for (const stage of this.stagesOf(job)) yield* this.startedIn(stage)
  }

  /** The same for the gang that a stage belongs to, and for groups that stop with it. */
  *startedInGang(stage: number): Generator<TaskId> {
    const job = this.stageJob[stage] as JobId
    if (this.isGangJob(job) && !this.isOptional(stage)) yield* this.startedOf(job)
    else for (const each of this.stagesWith(stage)) yield* this.startedIn(each)
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

  // ---- gangs and masters ----

  isGangJob(job: JobId): boolean {
    return this.areGangJobs && this.gangJobs.has(job)
  }

  /** Whether the stage is a gang or part of one. */
  isGang(stage: number): boolean {
    return (this.stageLeast[stage] as number) > 1 || this.isGangJob(this.stageJob[stage] as JobId)
  }

  gangOf(task: TaskId): number {
    return (this.stageGang[this.taskStage[task] as number] as number) - (this.jobFirstStage[this.jobOf(task)] as number)
  }

  /** Number of the gang that a stage belongs to: its first stage. */
  gangWith(stage: number): number {
    return this.stageGang[stage] as number
  }

  /** The stages of the gang that a stage belongs to. */
  *stagesWith(stage: number): Generator<number> {
    const job = this.stageJob[stage] as JobId
    if (!this.isGangJob(job)) return void (yield stage)
    for (const each of this.stagesOf(job)) if (this.stageGang[each] === this.stageGang[stage]) yield each
  }

  *stagesOf(job: JobId): Generator<number> {
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

  /** Whether the gang of a stage, or the one with which it stops, has fewer tasks claimed, running or ended than it needs. */
  lacksTasks(stage: number): boolean {
    if (!this.isGangJob(this.stageJob[stage] as JobId)) return this.spareIn(stage) < 0
    for (const each of this.stagesWith(stage)) if (this.spareIn(each) < 0) return true
    return this.isOptional(stage) && this.lacksTasks(this.jobFirstStage[this.stageJob[stage] as JobId] as number)
  }

  /** How many more tasks of a gang are claimed, running or ended than it needs; negative if it lacks some. */
  spareIn(stage: number): number {
    return this.placedIn(stage) - (this.stageLeast[stage] as number)
  }

  /** Number of tasks of a stage that are claimed, running or ended. */
  protected placedIn(stage: number): number {
    return (this.stageTasks[stage] as number) - (this.stageUnplaced[stage] as number)
  }

  /** Whether a gang may go on without some of its tasks. */
  isElastic(stage: number): boolean {
    const least = this.stageLeast[stage] as number
    return (least > 1 && least < (this.stageTasks[stage] as number)) || this.isGangJob(this.stageJob[stage] as JobId)
  }

  isMaster(task: TaskId): boolean {
    if (!this.hasMasters) return false
    const job = this.jobOf(task)
    return this.taskStage[task] === this.jobFirstStage[job] && this.masters.has(job)
  }

  /** Whether all tasks of the job have ended except its master, which is up. */
  isMasterAlone(job: JobId): boolean {
    return this.jobLeft[job] === 1 && this.masters.get(job) === 'up'
  }

  // ---- what stops with what ----

  /** Whether too few tasks of a gang are left, running or ended, when `count` of them stop and `more` are about to start. */
  stopsWithout(stage: number, count: number, more = 0): boolean {
    const least = this.stageLeast[stage] as number
    if (!this.isElastic(stage)) return least > 1
    let left = (this.stageDone[stage] as number) + more - count
    for (const _ of this.startedIn(stage)) left++
    return left < least
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
}
