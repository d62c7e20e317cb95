import { listOf, type JobId, type LaneId, type NodeId, type StageSpec, type WorkListener } from '@sched/core'
import { BlockLists } from './block-lists.js'
import type { BlockPlaces } from './block-places.js'
import type { ClusterModel } from './model.js'
import type { Shapes } from './shapes.js'
import { StageWaits } from './stage-waits.js'
import type { TaskBars } from './task-bars.js'
import { withSpares } from './task-copies.js'
import { OPEN, SHUT, UNPLACED } from './work-columns.js'
import { WorkReads } from './work-reads.js'

/** Number of stages from which on a job keeps track of which stages wait for which. */
const MANY_STAGES = 16

/** What waits: the stages that are open, their unplaced tasks, the front stage of each job and lane, and which schedulers are told of it. */
export class WaitingWork extends WorkReads {
  readonly #listeners = listOf<WorkListener>()
  readonly #blockPlaces: BlockPlaces
  /** Whether the front, or what it asks for, may change although tasks of the front stage wait. */
  protected frontChanges = false
  /** Waits of stages, for jobs with many stages. */
  protected readonly waits = new Map<JobId, StageWaits>()

  constructor(model: ClusterModel, shapes: Shapes, blockPlaces: BlockPlaces) {
    super(model, shapes)
    this.#blockPlaces = blockPlaces
  }

  /** Adds a scheduler, which is told of its own jobs; returns its number, the `owner` in `submit`. */
  addListener(listener: WorkListener): number {
    for (let lane = 0; lane < this.lanes; lane++) this.pendingTasks.push(0)
    return this.#listeners.push(listener) - 1
  }
  /** The schedulers by number. */
  get listeners(): readonly WorkListener[] {
    return this.#listeners
  }

  /** Tells all schedulers that a node has gone down or come up. */
  tellNode(node: NodeId, up: boolean): void {
    for (const listener of this.#listeners) listener.onNode?.(node, up)
  }

  /** Tasks may be kept off nodes from now on, by these bars, which are returned. */
  barNodes(bars: TaskBars): TaskBars {
    this.frontChanges = true
    return (this.bars = bars)
  }

  /** Changes which nodes tasks of a job are kept off (`barsOf`). Its scheduler sees the job go and come again, as no hook tells that it asks for something else. */
  changeBars(job: JobId, change: () => void): void {
    const wasHeld = this.jobHeld[job] === 1
    this.holdBack(job)
    change()
    if (this.bars !== undefined) for (const stage of this.stagesOf(job)) this.stageAsks[stage] = this.bars.asks(stage)
    if (!wasHeld) this.letGo(job)
  }

  protected addGangJob(job: JobId): void {
    this.areGangJobs = true
    this.frontChanges = true
    this.areGangs = true
    this.gangJobs.add(job)
  }

  protected addMaster(job: JobId): void {
    this.hasMasters = true
    this.masters.set(job, 'waiting')
  }

  // ---- stages that open and shut ----

  /** Opens the stages whose predecessors have gone far enough, of all stages or of `some` (ascending). The first call makes the job schedulable. */
  open(job: JobId, some?: readonly number[]): void {
    if (this.jobClosedStages[job] === 0) return
    const spec = this.spec(job)
    const first = this.jobFirstStage[job] as number
    const isShown = this.isGangJob(job) && this.jobHeld[job] === 0
    if (isShown) this.holdBack(job) // the scheduler sees all stages of a gang at once
    const isMasterless = this.hasMasters && this.masters.has(job) && this.masters.get(job) !== 'up'
    for (let at = 0; at < (some ?? spec.stages).length; at++) {
      const i = some === undefined ? at : (some[at] as number)
      const stage = spec.stages[i] as StageSpec
      const before = this.stageOpen[first + i] as number
      if (before === OPEN || (isMasterless && i > 0) || !this.#mayOpen(first, stage)) continue
      this.stageOpen[first + i] = OPEN
      this.jobClosedStages[job] = (this.jobClosedStages[job] as number) - 1
      if (before === SHUT) {
        const unplaced = this.#countUnplaced(first + i)
        if (unplaced > 0) this.addUnplaced(first + i, unplaced)
        continue
      }
      const places = stage.data === undefined ? undefined : this.#blockPlaces(spec, stage)
      const replicas = places && withSpares(places.replicas, (this.stageSpares[first + i] as number) * places.factor)
      this.stageLists[first + i] = replicas && new BlockLists(this.model, replicas, places.factor)
      this.stageNear[first + i] = replicas === undefined ? -1 : this.near.take(replicas)
      this.addUnplaced(first + i, this.stageTasks[first + i] as number)
    }
    if (isShown) this.letGo(job)
  }

  /** Shuts the open stages, from index `from` on, of a job that is held back. Their unplaced tasks are pending when the stages open again. */
  shut(job: JobId, from: number): void {
    const first = this.jobFirstStage[job] as number
    for (let stage = first + from; stage < first + (this.jobStages[job] as number); stage++) {
      if (this.stageOpen[stage] !== OPEN) continue
      const at = (this.stageLane[stage] as number) + job * this.lanes
      this.laneUnplaced[at] = (this.laneUnplaced[at] as number) - (this.stageUnplaced[stage] as number)
      this.stageUnplaced[stage] = 0
      this.stageOpen[stage] = SHUT
      this.jobClosedStages[job] = (this.jobClosedStages[job] as number) + 1
    }
    for (let lane = 0 as LaneId; lane < this.lanes; lane++) this.moveFront(job, lane)
  }

  /** The master of a job has started: its other stages may open. */
  masterUp(job: JobId): void {
    this.masters.set(job, 'up')
    this.open(job)
  }

  /** The master of a job is lost: its open stages are shut until there is another. */
  protected loseMaster(job: JobId): void {
    if (this.masters.get(job) !== 'up') return
    this.masters.set(job, 'lost')
    const wasHeld = this.jobHeld[job] === 1
    this.holdBack(job)
    this.shut(job, 1)
    if (!wasHeld) this.letGo(job)
  }

  #mayOpen(first: number, stage: StageSpec): boolean {
    for (const { stage: index, fraction } of stage.after ?? [])
      // not `done < fraction * tasks`, since 0.07 * 100 > 7
      if ((this.stageDone[first + index] as number) / (this.stageTasks[first + index] as number) < fraction) return false
    return true
  }

  /** Opens the stages that may open now that one more task of `stage` has ended. */
  protected openBehind(job: JobId, stage: number): void {
    if ((this.jobClosedStages[job] as number) === 0) return
    this.open(job, (this.jobStages[job] as number) < MANY_STAGES ? undefined : this.#stagesBehind(job, stage))
  }

  /** The first end of a task in the job creates its entry in `waits`, so that no end is missed. */
  #stagesBehind(job: JobId, stage: number): number[] {
    let waits = this.waits.get(job)
    if (waits === undefined) this.waits.set(job, (waits = new StageWaits(this.spec(job).stages)))
    return waits.ended(stage - (this.jobFirstStage[job] as number), this.stageDone[stage] as number)
  }

  // ---- unplaced tasks ----

  /** Hides a job from its scheduler, as if all its unplaced tasks had been claimed. */
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

  /** Ends `holdBack`: the scheduler is told of the unplaced tasks again. */
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

  /** Counts so many unplaced tasks more, of an open stage. */
  protected addUnplaced(stage: number, count: number): void {
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const at = job * this.lanes + lane
    const had = this.laneUnplaced[at] as number
    this.laneUnplaced[at] = had + count
    this.stageUnplaced[stage] = (this.stageUnplaced[stage] as number) + count
    const front = this.laneFront[at] as number
    if (front < 0 || stage < front) this.laneFront[at] = stage
    if (this.frontChanges) this.moveFront(job, lane)
    if (this.jobHeld[job] === 1) return
    const owner = this.jobOwner[job] as number
    this.pendingTasks[owner * this.lanes + lane] = (this.pendingTasks[owner * this.lanes + lane] as number) + count
    const listener = this.#listeners[owner]
    if (had === 0) listener?.onReady?.(job, lane)
    else listener?.onMore?.(job, lane)
  }

  /** Counts one unplaced task less. The scheduler sees the job go and come again, as no hook tells of fewer tasks. */
  protected takeUnplaced(job: JobId, stage: number): void {
    if (this.stageOpen[stage] !== OPEN) return
    const lane = this.stageLane[stage] as LaneId
    const wasHeld = this.jobHeld[job] === 1
    this.holdBack(job)
    this.stageUnplaced[stage] = (this.stageUnplaced[stage] as number) - 1
    this.laneUnplaced[job * this.lanes + lane] = this.unplaced(job, lane) - 1
    this.moveFront(job, lane)
    if (!wasHeld) this.letGo(job)
  }

  /** Moves the front to the first stage with unplaced tasks; no stage before the current front has any. */
  protected moveFront(job: JobId, lane: LaneId): void {
    const at = job * this.lanes + lane
    if (this.laneUnplaced[at] === 0) return void (this.laneFront[at] = -1)
    if (this.isGangJob(job)) return void (this.laneFront[at] = this.#frontOfGangJob(job))
    let front = this.laneFront[at] as number
    while (this.stageLane[front] !== lane || this.stageUnplaced[front] === 0) front++
    this.laneFront[at] = front
    if (this.bars !== undefined) this.stageAsks[front] = this.bars.asks(front)
  }

  /**
   * For a job that is one gang: the first stage that it needs and that lacks tasks; else the first with unplaced tasks, or of its group the first that
   * lacks some.
   */
  #frontOfGangJob(job: JobId): number {
    let front = -1
    for (const stage of this.stagesOf(job)) {
      if (this.stageUnplaced[stage] === 0) continue
      if (this.spareIn(stage) < 0 && !this.isOptional(stage)) return stage
      if (front < 0) front = stage
    }
    if (front < 0 || !this.isOptional(front)) return front
    for (const stage of this.stagesWith(front)) if (this.stageUnplaced[stage] !== 0 && this.spareIn(stage) < 0) return stage
    return front
  }

  /** Recounts the tasks of a stage that are neither claimed nor done. */
  #countUnplaced(stage: number): number {
    return this.taskRun.subarray(this.stageFirst[stage], this.endOf(stage)).filter((run) => run === UNPLACED).length
  }
}
