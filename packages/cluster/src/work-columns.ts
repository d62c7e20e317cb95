import { grown, listOf, type JobSpec, type NodeId, type Seconds, type TaskId } from '@sched/core'
import type { BlockLists } from './block-lists.js'

/** State of a task in `taskRun`: unplaced, done, or else the index of its run. */
export const UNPLACED = -1
export const DONE = -2
/**
 * State of a stage in `stageOpen`. `OPEN`: its tasks may be placed. `SHUT`: it was open, and is closed while the job has no master, is updated, or
 * has failed. 0: not open yet.
 */
export const OPEN = 1
export const SHUT = 2

/**
 * Layout of a run's row: `RUN` doubles, or twice as many 32-bit integers in the same memory. The last two doubles are its times; the first integers
 * are the other fields.
 */
const RUN = 4
const TASK = 0
const NODE = 1
const STAGE = 2
const DEVICES = 3
const START = 2
const END = 3

/** Columns of jobs, of their stages, of tasks and of runs (a run is a task on a node). */
export class WorkColumns {
  readonly lanes: number
  /** Job columns. */
  jobSpec = listOf<JobSpec | undefined>()
  jobRank: Float64Array = new Float64Array(0)
  jobSubmit: Float64Array = new Float64Array(0)
  jobPriority: Float64Array = new Float64Array(0)
  jobUser: Int32Array = new Int32Array(0)
  jobQueue: Int32Array = new Int32Array(0)
  jobOwner: Int32Array = new Int32Array(0)
  jobFirstStage: Int32Array = new Int32Array(0)
  jobStages: Int32Array = new Int32Array(0)
  jobTasks: Int32Array = new Int32Array(0)
  jobLeft: Int32Array = new Int32Array(0)
  jobClosedStages: Int32Array = new Int32Array(0)
  jobHeld: Uint8Array = new Uint8Array(0)
  /** Job and lane columns, `[job * lanes + lane]`. */
  laneUnplaced: Int32Array = new Int32Array(0)
  laneRunning: Int32Array = new Int32Array(0)
  laneFront: Int32Array = new Int32Array(0)
  /** Stage columns; stages of a job are neighbours. */
  stageJob: Int32Array = new Int32Array(0)
  stageFirst: Int32Array = new Int32Array(0)
  stageTasks: Int32Array = new Int32Array(0)
  /** Number of task ids behind those of the stage's tasks, for copies of them. One of which there is no copy now counts as done. */
  stageSpares: Int32Array = new Int32Array(0)
  stageUnplaced: Int32Array = new Int32Array(0)
  stageDone: Int32Array = new Int32Array(0)
  stageCursor: Int32Array = new Int32Array(0)
  /** What a task of the stage asks for. */
  stageShape: Int32Array = new Int32Array(0)
  /** What its next task asks for, kept for front stages: the same, unless those that wait are kept off nodes. */
  stageAsks: Int32Array = new Int32Array(0)
  stageLane: Int32Array = new Int32Array(0)
  stageOpen: Uint8Array = new Uint8Array(0)
  stageLists = listOf<BlockLists | undefined>()
  /** Slot of a stage with located data in the near bits, -1 without. */
  stageNear: Int32Array = new Int32Array(0)
  /**
   * Fewest tasks of the stage that start at once: for a gang all, or its `minTasks`; otherwise 1. In a job that is one gang, 0 for a stage that is
   * not a gang.
   */
  stageLeast: Int32Array = new Int32Array(0)
  /** First stage of the gang that the stage belongs to: the stage itself, or the first of its job that is one gang, or of a group that this does without. */
  stageGang: Int32Array = new Int32Array(0)
  /** Task columns. */
  taskStage: Int32Array = new Int32Array(0)
  taskRun: Int32Array = new Int32Array(0)
  /** Rows of runs, so that what is read together at the end of a run is in one cache line. The same memory is seen as doubles and as integers. */
  #runTimes = new Float64Array(0)
  #runs = new Int32Array(0)
  /** Number of rows there is room for. */
  protected runRows = 0

  constructor(lanes: number) {
    this.lanes = lanes
  }

  // ---- runs ----

  /** Writes the row of a run; `start` is NaN if it has not started. */
  protected addRun(run: number, task: TaskId, stage: number, node: NodeId, start: Seconds): void {
    const at = 2 * RUN * run
    this.#runs[at + TASK] = task
    this.#runs[at + NODE] = node
    this.#runs[at + STAGE] = stage
    this.#runTimes[RUN * run + START] = start
  }
  /** The run's task, complemented (`~task`) once it is released. */
  runTask(run: number): TaskId {
    return this.#runs[2 * RUN * run + TASK] as TaskId
  }
  setRunTask(run: number, task: number): void {
    this.#runs[2 * RUN * run + TASK] = task
  }
  runNode(run: number): NodeId {
    return this.#runs[2 * RUN * run + NODE] as NodeId
  }
  /** Stage of the run's task, repeated here because the columns of tasks are scattered over memory. */
  runStage(run: number): number {
    return this.#runs[2 * RUN * run + STAGE] as number
  }
  /** Devices of its node that the run holds, one bit each; undefined content in a cluster without devices. */
  runDevices(run: number): number {
    return this.#runs[2 * RUN * run + DEVICES] as number
  }
  setRunDevices(run: number, devices: number): void {
    this.#runs[2 * RUN * run + DEVICES] = devices
  }
  /** When the run started, in seconds; NaN until it has. */
  runStart(run: number): Seconds {
    return this.#runTimes[RUN * run + START] as Seconds
  }
  setRunStart(run: number, start: Seconds): void {
    this.#runTimes[RUN * run + START] = start
  }
  /** When the run stops by itself, in seconds. */
  runEnd(run: number): Seconds {
    return this.#runTimes[RUN * run + END] as Seconds
  }
  setRunEnd(run: number, end: Seconds): void {
    this.#runTimes[RUN * run + END] = end
  }

  /** One past the last task id of a stage, spare ids included. */
  protected endOf(stage: number): number {
    return (this.stageFirst[stage] as number) + (this.stageTasks[stage] as number) + (this.stageSpares[stage] as number)
  }

  // ---- room for so many ----

  protected growJobs(n: number): void {
    if (n <= this.jobRank.length) return
    this.jobRank = grown(this.jobRank, n)
    const size = this.jobRank.length
    this.jobSubmit = grown(this.jobSubmit, size)
    this.jobPriority = grown(this.jobPriority, size)
    this.jobUser = grown(this.jobUser, size)
    this.jobQueue = grown(this.jobQueue, size)
    this.jobOwner = grown(this.jobOwner, size)
    this.jobFirstStage = grown(this.jobFirstStage, size)
    this.jobStages = grown(this.jobStages, size)
    this.jobTasks = grown(this.jobTasks, size)
    this.jobLeft = grown(this.jobLeft, size)
    this.jobClosedStages = grown(this.jobClosedStages, size)
    this.jobHeld = grown(this.jobHeld, size)
    this.laneUnplaced = grown(this.laneUnplaced, size * this.lanes)
    this.laneRunning = grown(this.laneRunning, size * this.lanes)
    this.laneFront = grown(this.laneFront, size * this.lanes)
  }

  protected growStages(n: number): void {
    if (n <= this.stageJob.length) return
    this.stageJob = grown(this.stageJob, n)
    const size = this.stageJob.length
    this.stageFirst = grown(this.stageFirst, size)
    this.stageTasks = grown(this.stageTasks, size)
    this.stageSpares = grown(this.stageSpares, size)
    this.stageUnplaced = grown(this.stageUnplaced, size)
    this.stageDone = grown(this.stageDone, size)
    this.stageCursor = grown(this.stageCursor, size)
    this.stageShape = grown(this.stageShape, size)
    this.stageAsks = grown(this.stageAsks, size)
    this.stageLane = grown(this.stageLane, size)
    this.stageOpen = grown(this.stageOpen, size)
    this.stageNear = grown(this.stageNear, size)
    this.stageLeast = grown(this.stageLeast, size)
    this.stageGang = grown(this.stageGang, size)
  }

  protected growTasks(n: number): void {
    if (n <= this.taskRun.length) return
    this.taskStage = grown(this.taskStage, n)
    this.taskRun = grown(this.taskRun, this.taskStage.length)
  }

  protected growRuns(n: number): void {
    this.#runTimes = grown(this.#runTimes, RUN * n)
    this.#runs = new Int32Array(this.#runTimes.buffer)
    this.runRows = Math.floor(this.#runTimes.length / RUN)
  }
}
