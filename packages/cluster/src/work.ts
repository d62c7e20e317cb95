import {
  None,
  SchedError,
  type Duration,
  type JobId,
  type JobSpec,
  type LaneId,
  type Moulding,
  type NodeId,
  type QueueId,
  type Release,
  type Seconds,
  type ShapeId,
  type StageSpec,
  type TaskId,
  type UserId,
  type WorkListener,
  type WorkView,
} from '@sched/core'
import { BlockLists } from './block-lists.js'
import type { BlockPlaces } from './block-places.js'
import { Blocks, grown } from './blocks.js'
import { Names } from './names.js'
import { NearBits } from './near-bits.js'
import type { ClusterModel } from './model.js'
import { Special, type Shapes } from './shapes.js'

/** State of a task in `taskRun`: unplaced, done, or the index of its run. */
const UNPLACED = -1
const DONE = -2

/**
 * All jobs in the system, live: columns of jobs, of their stages, of tasks and of runs (a run is a task on a node).
 * Ids of ended jobs are used again, so memory follows what is in the system and not what ever was.
 */
export class Work implements WorkView {
  readonly lanes: number
  readonly shapes: Shapes
  /** Job columns. */
  jobSpec: (JobSpec | undefined)[] = []
  jobRank = new Float64Array(0)
  jobSubmit = new Float64Array(0)
  jobPriority = new Float64Array(0)
  jobUser = new Int32Array(0)
  jobQueue = new Int32Array(0)
  jobOwner = new Int32Array(0)
  jobFirstStage = new Int32Array(0)
  jobStages = new Int32Array(0)
  jobTasks = new Int32Array(0)
  jobLeft = new Int32Array(0)
  jobClosedStages = new Int32Array(0)
  jobHeld = new Uint8Array(0)
  /** Job and lane columns, `[job * lanes + lane]`. */
  laneUnplaced = new Int32Array(0)
  laneRunning = new Int32Array(0)
  laneFront = new Int32Array(0)
  /** Stage columns; stages of a job are neighbours. */
  stageJob = new Int32Array(0)
  stageFirst = new Int32Array(0)
  stageTasks = new Int32Array(0)
  stageUnplaced = new Int32Array(0)
  stageDone = new Int32Array(0)
  stageCursor = new Int32Array(0)
  stageShape = new Int32Array(0)
  stageLane = new Int32Array(0)
  stageOpen = new Uint8Array(0)
  stageLists: (BlockLists | undefined)[] = []
  /** Slot of a stage with located data in the near bits, -1 without. */
  stageNear = new Int32Array(0)
  /** 1 for a gang. */
  stageGang = new Uint8Array(0)
  /** Task columns. */
  taskStage = new Int32Array(0)
  taskRun = new Int32Array(0)
  /** Run columns. */
  runTask = new Int32Array(0)
  runNode = new Int32Array(0)
  runStart = new Float64Array(0)
  runEnd = new Float64Array(0)
  /** Devices of its node that a run holds, one bit each; what it says of a run without is nothing. */
  runDevices = new Int32Array(0)

  /** Unplaced tasks per scheduler and lane, `[owner * lanes + lane]`; jobs held back do not count. */
  readonly pendingTasks: number[] = []
  /** Jobs submitted and not finished. */
  active = 0

  readonly #model: ClusterModel
  readonly #near: NearBits
  readonly #listeners: WorkListener[] = []
  readonly #users = new Names()
  readonly #queues = new Names()
  readonly #jobIds = new Blocks()
  readonly #stageIds = new Blocks()
  readonly #taskIds = new Blocks()
  readonly #runIds = new Blocks()
  readonly #blockPlaces: BlockPlaces
  /** Running tasks that must be on different nodes, by job and node: `[job * nodes + node]`; `undefined`: no job asked for that yet. */
  #apart: Map<number, number> | undefined
  #submitted = 0
  /** What `taskFor` found last, since the task it finds is the one whose level is asked next. */
  #foundTask = -1
  #foundNode = -1
  #foundLevel = 0

  constructor(model: ClusterModel, shapes: Shapes, blockPlaces: BlockPlaces = () => undefined) {
    this.#model = model
    this.#near = new NearBits(model)
    this.shapes = shapes
    this.lanes = model.lanes.length
    this.#blockPlaces = blockPlaces
  }

  /** Adds a scheduler that is told of its own jobs; returns its number, the `owner` of `submit`. */
  addListener(listener: WorkListener): number {
    for (let lane = 0; lane < this.lanes; lane++) this.pendingTasks.push(0)
    return this.#listeners.push(listener) - 1
  }
  get listeners(): readonly WorkListener[] {
    return this.#listeners
  }

  // ---- what schedulers read ----

  rank(job: JobId): number {
    return this.jobRank[job] as number
  }
  spec(job: JobId): JobSpec {
    return this.jobSpec[job] as JobSpec
  }
  name(job: JobId): string {
    return this.spec(job).id
  }
  submitted(job: JobId): Seconds {
    return this.jobSubmit[job] as number
  }
  priority(job: JobId): number {
    return this.jobPriority[job] as number
  }
  weight(job: JobId): number {
    return this.spec(job).weight ?? 1
  }
  estimate(job: JobId): Seconds {
    return this.spec(job).estimate ?? Infinity
  }
  deadline(job: JobId): Seconds {
    return this.spec(job).deadline ?? Infinity
  }
  user(job: JobId): UserId {
    return this.jobUser[job] as UserId
  }
  userName(user: UserId): string {
    return this.#users.name(user)
  }
  queue(job: JobId): QueueId {
    return this.jobQueue[job] as QueueId
  }
  queueName(queue: QueueId): string {
    return this.#queues.name(queue)
  }
  account(job: JobId): string {
    return this.spec(job).account ?? ''
  }
  classOf(job: JobId): string {
    return this.spec(job).class ?? ''
  }
  tasks(job: JobId): number {
    return this.jobTasks[job] as number
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
    return this.stageShape[this.laneFront[job * this.lanes + lane] as number] as ShapeId
  }
  together(job: JobId, lane: LaneId): number {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return 0
    const left = this.stageUnplaced[stage] as number
    if (left === 1) return 1
    return this.stageGang[stage] === 1 ? left : 1
  }
  isGang(job: JobId, lane: LaneId): boolean {
    const stage = this.laneFront[job * this.lanes + lane] as number
    return stage >= 0 && this.stageGang[stage] === 1
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
  isDistinct(shape: ShapeId): boolean {
    return ((this.shapes.special[shape] as number) & Special.Distinct) !== 0
  }
  requiresLabels(shape: ShapeId): boolean {
    return ((this.shapes.special[shape] as number) & Special.Labels) !== 0
  }
  /** False where a task of the job runs on the node that a task of this shape must not share it with. */
  isApart(shape: ShapeId, job: JobId, node: NodeId): boolean {
    return !this.isDistinct(shape) || (this.#apart?.get(job * this.#model.nodes + node) ?? 0) === 0
  }
  hasData(job: JobId, lane: LaneId): boolean {
    return (this.stageNear[this.laneFront[job * this.lanes + lane] as number] as number) >= 0
  }

  taskFor(job: JobId, lane: LaneId, node: NodeId, within: number): TaskId | None {
    const stage = this.laneFront[job * this.lanes + lane] as number
    if (stage < 0) return None
    const slot = this.stageNear[stage] as number
    if (slot >= 0) {
      const { groups } = this.#model
      const levels = groups.length
      for (let level = 0; level <= within && level < levels; level++) {
        const group = (groups[level] as Int32Array)[node] as number
        if (!this.#near.has(level, group, slot)) continue
        const task = this.#find(stage, level, group, node)
        if (task !== None) return task
        this.#near.clear(level, group, slot)
      }
      if (within < levels) return None
    }
    const first = this.stageFirst[stage] as number
    let cursor = this.stageCursor[stage] as number
    while (this.taskRun[first + cursor] !== UNPLACED) cursor++
    this.stageCursor[stage] = cursor
    return (first + cursor) as TaskId
  }

  #find(stage: number, level: number, group: number, node: NodeId): TaskId | None {
    const first = this.stageFirst[stage] as number
    const task = (this.stageLists[stage] as BlockLists).find(level, group, this.taskRun, first)
    if (task < 0) return None
    this.#foundTask = first + task
    this.#foundNode = node
    this.#foundLevel = level
    return this.#foundTask as TaskId
  }

  level(task: TaskId, node: NodeId): number {
    if (task === this.#foundTask && node === this.#foundNode) return this.#foundLevel
    const stage = this.taskStage[task] as number
    return this.stageLists[stage]?.level(task - (this.stageFirst[stage] as number), node) ?? 0
  }
  jobOf(task: TaskId): JobId {
    return this.stageJob[this.taskStage[task] as number] as JobId
  }
  laneOf(task: TaskId): LaneId {
    return this.stageLane[this.taskStage[task] as number] as LaneId
  }
  shapeOf(task: TaskId): ShapeId {
    return this.stageShape[this.taskStage[task] as number] as ShapeId
  }
  nodeOf(task: TaskId): NodeId | None {
    const run = this.taskRun[task] as number
    return run < 0 ? None : (this.runNode[run] as NodeId)
  }
  /** Devices that a claimed or running task holds, as `CellState.take` gave them. */
  devicesOf(task: TaskId): number {
    return this.runDevices[this.taskRun[task] as number] as number
  }
  started(task: TaskId): Seconds {
    const run = this.taskRun[task] as number
    return run < 0 ? NaN : (this.runStart[run] as number)
  }
  runningTasks(job: JobId, lane: LaneId, out: TaskId[]): void {
    const firstStage = this.jobFirstStage[job] as number
    for (let stage = firstStage; stage < firstStage + (this.jobStages[job] as number); stage++) {
      if (this.stageLane[stage] !== lane) continue
      const first = this.stageFirst[stage] as number
      for (let task = first; task < first + (this.stageTasks[stage] as number); task++)
        if ((this.taskRun[task] as number) >= 0 && !this.isReleased(task as TaskId)) out.push(task as TaskId)
    }
  }

  // ---- what moves it ----

  /** Puts a job into the system at `now`, its stages closed until `open`. */
  submit(spec: JobSpec, now: Seconds, owner: number): JobId {
    const job = this.#jobIds.take(1) as JobId
    this.#growJobs()
    const first = this.#stageIds.take(spec.stages.length)
    this.#growStages()
    this.jobSpec[job] = spec
    this.jobRank[job] = this.#submitted++
    this.jobSubmit[job] = now
    this.jobPriority[job] = spec.priority ?? 0
    this.jobUser[job] = this.#users.id(spec.user ?? 'user')
    this.jobQueue[job] = this.#queues.id(spec.queue ?? spec.user ?? 'default')
    this.jobOwner[job] = owner
    this.jobFirstStage[job] = first
    this.jobStages[job] = spec.stages.length
    let tasks = 0
    for (let i = 0; i < spec.stages.length; i++) tasks += (spec.stages[i] as StageSpec).tasks
    this.jobTasks[job] = tasks
    this.jobLeft[job] = tasks
    this.jobClosedStages[job] = spec.stages.length
    this.jobHeld[job] = 0
    for (let lane = 0; lane < this.lanes; lane++) {
      this.laneUnplaced[job * this.lanes + lane] = 0
      this.laneRunning[job * this.lanes + lane] = 0
      this.laneFront[job * this.lanes + lane] = -1
    }
    let task = this.#taskIds.take(tasks)
    this.#foundTask = -1
    this.#growTasks()
    for (let i = 0; i < spec.stages.length; i++) {
      this.#addStage(job, first + i, spec.stages[i] as StageSpec, task)
      task += (spec.stages[i] as StageSpec).tasks
    }
    this.active++
    this.#listeners[owner]?.onSubmit?.(job)
    return job
  }

  /** What a job's tasks share, where it has one mouldable stage, open, of which no task is claimed or has run, and nothing is said of single tasks. */
  moulding(job: JobId): Moulding | undefined {
    const stage = this.jobFirstStage[job] as number
    const [spec] = this.spec(job).stages as [StageSpec]
    const isWhole = this.stageOpen[stage] === 1 && this.stageUnplaced[stage] === this.jobLeft[job] && this.jobLeft[job] === this.jobTasks[job]
    if (spec.phases === undefined || this.jobStages[job] !== 1 || !isWhole || spec.data !== undefined || isPerTask(spec.duration)) return undefined
    return { requested: spec.tasks, phases: spec.phases }
  }

  /** Gives a mouldable job another number of tasks. Throws `BROKEN_CONTRACT` where it may have none. */
  mould(job: JobId, tasks: number): void {
    if (!(Number.isSafeInteger(tasks) && tasks >= 1) || this.moulding(job) === undefined)
      throw new SchedError('BROKEN_CONTRACT', `job ${this.name(job)} was given ${tasks} tasks`, {}, 'Ask `moulding` first, and give at least 1.')
    const stage = this.jobFirstStage[job] as number
    const had = this.jobTasks[job] as number
    if (tasks === had) return
    this.#taskIds.giveBack(this.stageFirst[stage] as number, had)
    const first = this.#taskIds.take(tasks)
    this.#growTasks()
    this.#foundTask = -1
    this.#addTasks(stage, first, tasks)
    this.jobTasks[job] = tasks
    this.jobLeft[job] = tasks
    if (tasks > had) return this.#addUnplaced(stage, tasks - had)
    const lane = this.stageLane[stage] as LaneId
    const owner = this.jobOwner[job] as number
    this.stageUnplaced[stage] = tasks
    this.laneUnplaced[job * this.lanes + lane] = tasks
    if (this.jobHeld[job] === 0) this.pendingTasks[owner * this.lanes + lane] = this.pending(owner, lane) + tasks - had
  }

  /** Opens the stages whose predecessors have gone far enough; the first call makes the job schedulable. */
  open(job: JobId): void {
    if (this.jobClosedStages[job] === 0) return
    const spec = this.spec(job)
    const first = this.jobFirstStage[job] as number
    for (let i = 0; i < spec.stages.length; i++) {
      if (this.stageOpen[first + i] === 1 || !this.#mayOpen(first, spec.stages[i] as StageSpec)) continue
      this.stageOpen[first + i] = 1
      this.jobClosedStages[job] = (this.jobClosedStages[job] as number) - 1
      const places = this.#blockPlaces(spec, spec.stages[i] as StageSpec)
      this.stageLists[first + i] = places === undefined ? undefined : new BlockLists(this.#model, places.replicas, places.factor)
      this.stageNear[first + i] = places === undefined ? -1 : this.#near.take(places.replicas)
      this.#addUnplaced(first + i, this.stageTasks[first + i] as number)
    }
  }

  /** A draft claim: the task has a run on the node from here on, not started. */
  claim(task: TaskId, node: NodeId, devices = 0): void {
    const stage = this.taskStage[task] as number
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const run = this.#runIds.take(1)
    if (run >= this.runTask.length) this.#growRuns()
    this.runTask[run] = task
    this.runNode[run] = node
    this.runStart[run] = NaN
    this.runDevices[run] = devices
    this.taskRun[task] = run
    if (this.#apart !== undefined) this.#countApart(stage, node, 1)
    const at = job * this.lanes + lane
    const left = (this.laneUnplaced[at] as number) - 1
    this.laneUnplaced[at] = left
    this.laneRunning[at] = (this.laneRunning[at] as number) + 1
    const owner = this.jobOwner[job] as number
    this.pendingTasks[owner * this.lanes + lane] = (this.pendingTasks[owner * this.lanes + lane] as number) - 1
    const stageLeft = (this.stageUnplaced[stage] as number) - 1
    this.stageUnplaced[stage] = stageLeft
    if (stageLeft === 0) this.#moveFront(job, lane)
    const listener = this.#listeners[owner] as WorkListener
    listener.onClaim?.(job, lane, task, node)
    if (left === 0) listener.onDrained?.(job, lane)
  }

  /** Takes a draft claim, or the rest of a killed run, back: the task is unplaced again. */
  unclaim(task: TaskId, why: Release): void {
    const run = this.taskRun[task] as number
    if (why !== 'evicted') this.release(task, why)
    this.#runIds.giveBack(run, 1)
    this.taskRun[task] = UNPLACED
    const stage = this.taskStage[task] as number
    const index = task - (this.stageFirst[stage] as number)
    if (index < (this.stageCursor[stage] as number)) this.stageCursor[stage] = index
    this.#restoreBlocks(stage, index)
    this.#addUnplaced(stage, 1)
  }

  /** The task stops counting as running, its run stays (an eviction in a draft, or a node whose slot is still busy). */
  release(task: TaskId, why: Release): void {
    const stage = this.taskStage[task] as number
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const at = job * this.lanes + lane
    this.laneRunning[at] = (this.laneRunning[at] as number) - 1
    const run = this.taskRun[task] as number
    this.runTask[run] = ~task
    if (this.#apart !== undefined) this.#countApart(stage, this.runNode[run] as number, -1)
    this.#listeners[this.jobOwner[job] as number]?.onRelease?.(job, lane, task, this.runNode[run] as NodeId, why)
  }

  /** Undoes a release for an eviction. */
  keep(task: TaskId): void {
    const stage = this.taskStage[task] as number
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const at = job * this.lanes + lane
    const run = this.taskRun[task] as number
    this.runTask[run] = task
    if (this.#apart !== undefined) this.#countApart(stage, this.runNode[run] as number, 1)
    this.laneRunning[at] = (this.laneRunning[at] as number) + 1
    this.#listeners[this.jobOwner[job] as number]?.onClaim?.(job, lane, task, this.runNode[run] as NodeId)
  }

  /** Whether the task's run has been released: evicted in a draft, or ended while its slot is still busy. */
  isReleased(task: TaskId): boolean {
    const run = this.taskRun[task] as number
    return run >= 0 && (this.runTask[run] as number) < 0
  }

  /** Ends a run that `release` already counted; true when it was the job's last task. */
  finish(task: TaskId): boolean {
    const run = this.taskRun[task] as number
    const stage = this.taskStage[task] as number
    const job = this.stageJob[stage] as JobId
    this.#runIds.giveBack(run, 1)
    this.taskRun[task] = DONE
    this.stageDone[stage] = (this.stageDone[stage] as number) + 1
    const left = (this.jobLeft[job] as number) - 1
    this.jobLeft[job] = left
    if ((this.jobClosedStages[job] as number) > 0) this.open(job)
    return left === 0
  }

  /** Removes a job whose tasks have all ended; its ids may be used again. */
  remove(job: JobId): void {
    this.#listeners[this.jobOwner[job] as number]?.onFinish?.(job)
    const first = this.jobFirstStage[job] as number
    const stages = this.jobStages[job] as number
    for (let stage = first; stage < first + stages; stage++) {
      const lists = this.stageLists[stage]
      if (lists !== undefined) this.#near.giveBack(this.stageNear[stage] as number, lists.replicas)
      this.stageLists[stage] = undefined
    }
    this.#taskIds.giveBack(this.stageFirst[first] as number, this.jobTasks[job] as number)
    this.#stageIds.giveBack(first, stages)
    this.jobSpec[job] = undefined
    this.#jobIds.giveBack(job, 1)
    this.active--
  }

  /** Hides a job from its scheduler: as if all its unplaced tasks had been claimed. */
  holdBack(job: JobId): void {
    if (this.jobHeld[job] === 1) return
    this.jobHeld[job] = 1
    const owner = this.jobOwner[job] as number
    for (let lane = 0 as LaneId; lane < this.lanes; lane++) {
      const unplaced = this.unplaced(job, lane)
      if (unplaced === 0) continue
      this.pendingTasks[owner * this.lanes + lane] = this.pending(owner, lane) - unplaced
      this.#listeners[owner]?.onDrained?.(job, lane)
    }
  }

  letGo(job: JobId): void {
    if (this.jobHeld[job] === 0) return
    this.jobHeld[job] = 0
    const owner = this.jobOwner[job] as number
    for (let lane = 0 as LaneId; lane < this.lanes; lane++) {
      const unplaced = this.unplaced(job, lane)
      if (unplaced === 0) continue
      this.pendingTasks[owner * this.lanes + lane] = this.pending(owner, lane) + unplaced
      this.#listeners[owner]?.onReady?.(job, lane)
    }
  }

  /** Drops all tasks of a job that are not running, open or not; returns whether none is left. */
  drop(job: JobId): boolean {
    this.holdBack(job)
    const first = this.jobFirstStage[job] as number
    for (let stage = first; stage < first + (this.jobStages[job] as number); stage++) {
      const from = this.stageFirst[stage] as number
      for (let task = from; task < from + (this.stageTasks[stage] as number); task++) {
        if (this.taskRun[task] !== UNPLACED) continue
        this.taskRun[task] = DONE
        this.jobLeft[job] = (this.jobLeft[job] as number) - 1
      }
      this.stageUnplaced[stage] = 0
      this.stageOpen[stage] = 1
    }
    this.jobClosedStages[job] = 0
    for (let lane = 0; lane < this.lanes; lane++) {
      this.laneUnplaced[job * this.lanes + lane] = 0
      this.laneFront[job * this.lanes + lane] = -1
    }
    return this.jobLeft[job] === 0
  }

  #countApart(stage: number, node: number, change: 1 | -1): void {
    if (!this.isDistinct(this.stageShape[stage] as ShapeId)) return
    const apart = this.#apart as Map<number, number>
    const at = (this.stageJob[stage] as number) * this.#model.nodes + node
    const count = (apart.get(at) ?? 0) + change
    if (count === 0) apart.delete(at)
    else apart.set(at, count)
  }

  #restoreBlocks(stage: number, task: number): void {
    const lists = this.stageLists[stage]
    if (lists === undefined) return
    lists.restore(task)
    this.#near.restore(this.stageNear[stage] as number, lists.replicas, task * lists.factor, (task + 1) * lists.factor)
  }

  #mayOpen(first: number, stage: StageSpec): boolean {
    for (const { stage: index, fraction } of stage.after ?? [])
      if ((this.stageDone[first + index] as number) / (this.stageTasks[first + index] as number) < fraction) return false // 0.07 * 100 > 7
    return true
  }

  #addStage(job: JobId, stage: number, spec: StageSpec, firstTask: number): void {
    const shape = this.shapes.intern(spec.demand, spec.constraints)
    if (this.isDistinct(shape)) this.#apart ??= new Map()
    this.stageJob[stage] = job
    this.stageUnplaced[stage] = 0
    this.stageDone[stage] = 0
    this.stageShape[stage] = shape
    this.stageLane[stage] = this.shapes.lanes[shape] as number
    this.stageOpen[stage] = 0
    this.stageNear[stage] = -1
    this.stageGang[stage] = spec.gang === true ? 1 : 0
    this.#addTasks(stage, firstTask, spec.tasks)
  }

  #addTasks(stage: number, first: number, tasks: number): void {
    this.stageFirst[stage] = first
    this.stageTasks[stage] = tasks
    this.stageCursor[stage] = 0
    if (tasks > 8) {
      this.taskStage.fill(stage, first, first + tasks)
      this.taskRun.fill(UNPLACED, first, first + tasks)
      return
    }
    for (let task = first; task < first + tasks; task++) {
      this.taskStage[task] = stage
      this.taskRun[task] = UNPLACED
    }
  }

  #addUnplaced(stage: number, count: number): void {
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const at = job * this.lanes + lane
    const had = this.laneUnplaced[at] as number
    this.laneUnplaced[at] = had + count
    this.stageUnplaced[stage] = (this.stageUnplaced[stage] as number) + count
    const front = this.laneFront[at] as number
    if (front < 0 || stage < front) this.laneFront[at] = stage
    if (this.jobHeld[job] === 1) return
    const owner = this.jobOwner[job] as number
    this.pendingTasks[owner * this.lanes + lane] = (this.pendingTasks[owner * this.lanes + lane] as number) + count
    const listener = this.#listeners[owner]
    if (had === 0) listener?.onReady?.(job, lane)
    else listener?.onMore?.(job, lane)
  }

  #moveFront(job: JobId, lane: LaneId): void {
    const first = this.jobFirstStage[job] as number
    let front = -1
    for (let stage = first + (this.jobStages[job] as number) - 1; stage >= first; stage--)
      if (this.stageLane[stage] === lane && (this.stageUnplaced[stage] as number) > 0) front = stage
    this.laneFront[job * this.lanes + lane] = front
  }

  #growJobs(): void {
    const n = this.#jobIds.end
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

  #growStages(): void {
    const n = this.#stageIds.end
    if (n <= this.stageJob.length) return
    this.stageJob = grown(this.stageJob, n)
    const size = this.stageJob.length
    this.stageFirst = grown(this.stageFirst, size)
    this.stageTasks = grown(this.stageTasks, size)
    this.stageUnplaced = grown(this.stageUnplaced, size)
    this.stageDone = grown(this.stageDone, size)
    this.stageCursor = grown(this.stageCursor, size)
    this.stageShape = grown(this.stageShape, size)
    this.stageLane = grown(this.stageLane, size)
    this.stageOpen = grown(this.stageOpen, size)
    this.stageNear = grown(this.stageNear, size)
    this.stageGang = grown(this.stageGang, size)
  }

  #growTasks(): void {
    const n = this.#taskIds.end
    if (n <= this.taskRun.length) return
    this.taskStage = grown(this.taskStage, n)
    this.taskRun = grown(this.taskRun, this.taskStage.length)
  }

  #growRuns(): void {
    this.runTask = grown(this.runTask, this.#runIds.end)
    const size = this.runTask.length
    this.runNode = grown(this.runNode, size)
    this.runStart = grown(this.runStart, size)
    this.runEnd = grown(this.runEnd, size)
    this.runDevices = grown(this.runDevices, size)
  }

  /** Compares every counter with a recount; throws `INVARIANT` with the first difference. For tests and `--validate`. */
  check(): void {
    const unplaced = this.pendingTasks.map(() => 0)
    for (let job = 0; job < this.jobSpec.length; job++) {
      if (this.jobSpec[job] === undefined) continue
      for (let lane = 0; lane < this.lanes; lane++) {
        const count = this.#recount(job as JobId, lane as LaneId)
        const at = (this.jobOwner[job] as number) * this.lanes + lane
        if (this.jobHeld[job] === 0) unplaced[at] = (unplaced[at] as number) + count
      }
    }
    for (const [at, count] of unplaced.entries())
      if (count !== this.pendingTasks[at])
        throw new SchedError('INVARIANT', `scheduler ${Math.floor(at / this.lanes)} counts ${this.pendingTasks[at] ?? 0} unplaced tasks in lane ${at % this.lanes}, there are ${count}`)
  }

  #recount(job: JobId, lane: LaneId): number {
    const first = this.jobFirstStage[job] as number
    const apart = new Set<number>()
    let unplaced = 0
    let running = 0
    for (let stage = first; stage < first + (this.jobStages[job] as number); stage++) {
      if (this.stageLane[stage] !== lane || this.stageOpen[stage] === 0) continue
      const from = this.stageFirst[stage] as number
      for (let task = from; task < from + (this.stageTasks[stage] as number); task++) {
        if (this.taskRun[task] === UNPLACED) unplaced++
        else if ((this.taskRun[task] as number) >= 0 && !this.isReleased(task as TaskId)) {
          running++
          const node = this.nodeOf(task as TaskId)
          if (!this.isDistinct(this.stageShape[stage] as ShapeId)) continue
          if (apart.has(node)) throw new SchedError('INVARIANT', `job ${this.name(job)} runs two tasks on ${this.#model.nodeNames[node] ?? ''} that must be on different nodes`)
          apart.add(node)
        }
      }
    }
    if (unplaced !== this.unplaced(job, lane) || running !== this.running(job, lane))
      throw new SchedError(
        'INVARIANT',
        `job ${this.name(job)} lane ${lane} counts ${this.unplaced(job, lane)} unplaced and ${this.running(job, lane)} running, there are ${unplaced} and ${running}`,
      )
    return unplaced
  }
}

const isPerTask = (duration: Duration): boolean => typeof duration === 'object' && !('kind' in duration)
