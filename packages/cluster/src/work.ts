import {
  isGangJob, leastTasks, None, SchedError, type JobId, type JobSpec, type LaneId, type NodeId, type Release, type Seconds, type StageSpec, type TaskId,
  type WorkListener,
} from '@sched/core'
import type { BlockPlaces } from './block-places.js'
import { Blocks } from './blocks.js'
import { checkStages } from './check-stages.js'
import type { ClusterModel } from './model.js'
import type { Shapes } from './shapes.js'
import { WaitingWork } from './waiting-work.js'
import { DONE, OPEN, SHUT, UNPLACED } from './work-columns.js'

/**
 * All jobs in the system, live: columns of jobs, of their stages, of tasks and of runs (a run is a task on a node). Ids of ended jobs are reused, so
 * memory follows the jobs in the system and not all jobs ever submitted.
 */
export class Work extends WaitingWork {
  /** Jobs submitted and not finished. */
  active = 0

  readonly #jobIds = new Blocks()
  readonly #stageIds = new Blocks()
  readonly #taskIds = new Blocks()
  /** Separate from task ids: the columns of runs are as short as the number of runs at once, while many more tasks may be in the system. */
  readonly #runIds = new Blocks()
  #submitted = 0
  /** Jobs whose tasks run as if their data were on their node: see `Round.ignoreLocality`. */
  readonly nearAnywhere = new Set<JobId>()

  constructor(model: ClusterModel, shapes: Shapes, blockPlaces: BlockPlaces = () => undefined) {
    super(model, shapes, blockPlaces)
  }

  /** Puts a job into the system at `now`, with its stages closed until `open`. Throws `BAD_INPUT` for an invalid job. */
  submit(spec: JobSpec, now: Seconds, owner: number): JobId {
    checkStages(spec)
    const job = this.#jobIds.take(1) as JobId
    this.growJobs(this.#jobIds.end)
    const first = this.#stageIds.take(spec.stages.length)
    this.growStages(this.#stageIds.end)
    this.jobRank[job] = this.#submitted++
    this.jobSubmit[job] = now
    this.describe(job, spec)
    this.jobOwner[job] = owner
    this.jobFirstStage[job] = first
    this.jobStages[job] = spec.stages.length
    let tasks = 0
    let spares = 0
    for (let i = 0; i < spec.stages.length; i++) {
      const stage = spec.stages[i] as StageSpec
      tasks += stage.tasks
      spares += this.stageSpares[first + i] = this.sparesOf === undefined ? 0 : this.sparesOf(spec, stage)
    }
    this.jobTasks[job] = tasks
    this.jobLeft[job] = tasks
    this.jobClosedStages[job] = spec.stages.length
    this.jobHeld[job] = 0
    if (spec.stages[0]?.master === true) this.addMaster(job)
    if (spec.gang === true && isGangJob(spec)) this.addGangJob(job)
    this.areRules ||= spec.placementRules !== undefined
    for (let lane = 0; lane < this.lanes; lane++) {
      this.laneUnplaced[job * this.lanes + lane] = 0
      this.laneRunning[job * this.lanes + lane] = 0
      this.laneFront[job * this.lanes + lane] = -1
    }
    let task = this.#taskIds.take(tasks + spares)
    this.foundTask = this.releasedTask = -1
    this.growTasks(this.#taskIds.end)
    for (let i = 0; i < spec.stages.length; i++) {
      this.#addStage(job, first + i, spec.stages[i] as StageSpec, task)
      task = this.endOf(first + i)
    }
    this.active++
    this.listeners[owner]?.onSubmit?.(job)
    return job
  }

  /** Sets the description of a job as a whole. Its scheduler is not told: see `updateJob`. */
  describe(job: JobId, spec: JobSpec): void {
    this.jobSpec[job] = spec
    this.jobPriority[job] = spec.priority ?? 0
    this.jobUser[job] = this.users.id(spec.user ?? 'user')
    this.jobQueue[job] = this.queues.id(spec.queue ?? spec.user ?? 'default')
  }

  /** Gives a mouldable job another number of tasks. Throws `BROKEN_CONTRACT` for a number below 1, or a job that is not mouldable now. */
  mould(job: JobId, tasks: number): void {
    if (!(Number.isSafeInteger(tasks) && tasks >= 1) || this.moulding(job) === undefined)
      throw new SchedError('BROKEN_CONTRACT', `job ${this.name(job)} was given ${tasks} tasks`, {}, 'Ask `moulding` first, and give at least 1.')
    const stage = this.jobFirstStage[job] as number
    const had = this.jobTasks[job] as number
    if (tasks === had) return
    this.#taskIds.giveBack(this.stageFirst[stage] as number, had)
    this.bars?.forgetTasks(stage)
    const first = this.#taskIds.take(tasks)
    this.growTasks(this.#taskIds.end)
    this.foundTask = this.releasedTask = -1
    this.#addTasks(stage, first, tasks)
    if ((this.spec(job).stages[0] as StageSpec).gang === true) this.stageLeast[stage] = tasks
    this.jobTasks[job] = tasks
    this.jobLeft[job] = tasks
    if (tasks > had) return this.addUnplaced(stage, tasks - had)
    const lane = this.stageLane[stage] as LaneId
    const owner = this.jobOwner[job] as number
    this.stageUnplaced[stage] = tasks
    this.laneUnplaced[job * this.lanes + lane] = tasks
    if (this.jobHeld[job] === 0) this.pendingTasks[owner * this.lanes + lane] = this.pending(owner, lane) + tasks - had
  }

  /** Lets a job of which nothing is claimed run for so many seconds, at most its estimate; `Infinity`: as long as its estimate says. Throws `BROKEN_CONTRACT` otherwise. */
  limitTo(job: JobId, seconds: Seconds): void {
    const isWhole = this.jobLeft[job] === this.jobTasks[job] && [...this.laneRunning.subarray(job * this.lanes, (job + 1) * this.lanes)].every((running) => running === 0)
    if (!(seconds > 0) || !isWhole) throw new SchedError('BROKEN_CONTRACT', `job ${this.name(job)} is limited to ${seconds} s${isWhole ? '' : ' while some of it runs'}.`, {}, 'Give seconds above 0, before the first claim of the job.')
    if (seconds < (this.spec(job).estimate ?? Infinity)) this.limits.set(job, seconds)
    else this.limits.delete(job)
  }

  /**
   * Records a draft claim: from here on the task has a run on the node that has not started. With `start`, the task has started before and is
   * announced again.
   */
  claim(task: TaskId, node: NodeId, devices = 0, start: Seconds = NaN): void {
    const stage = this.taskStage[task] as number
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const run = this.#runIds.take(1)
    if (run >= this.runRows) this.growRuns(run + 1)
    this.addRun(run, task, stage, node, start)
    if (this.model.devices !== undefined) this.setRunDevices(run, devices)
    this.taskRun[task] = run
    if (this.apart !== undefined) this.countApart(stage, node, 1)
    const at = job * this.lanes + lane
    const left = (this.laneUnplaced[at] as number) - 1
    this.laneUnplaced[at] = left
    this.laneRunning[at] = (this.laneRunning[at] as number) + 1
    const owner = this.jobOwner[job] as number
    this.pendingTasks[owner * this.lanes + lane] = (this.pendingTasks[owner * this.lanes + lane] as number) - 1
    const stageLeft = (this.stageUnplaced[stage] as number) - 1
    this.stageUnplaced[stage] = stageLeft
    if (stageLeft === 0 || this.frontChanges) this.moveFront(job, lane)
    const listener = this.listeners[owner] as WorkListener
    listener.onClaim?.(job, lane, task, node)
    if (left === 0) listener.onDrained?.(job, lane)
  }

  /** Takes back a draft claim, or ends a killed run: the task is unplaced again. */
  unclaim(task: TaskId, why: Release): void {
    if (why !== 'evicted') this.release(task, why)
    else if (this.isCopy(task)) return this.retire(task)
    if (this.limits.size > 0) this.takeBackLimit(task)
    this.unplace(task)
    if (this.isMaster(task)) this.masters.set(this.jobOf(task), 'waiting')
    if (why === 'withdrawn' && this.failed.has(this.jobOf(task))) this.onWithdrawn?.(this.jobOf(task))
  }

  /**
   * A job of which nothing runs any more, and nothing is suspended, has its own estimate again. `task`: the one that has stopped, or is not suspended any
   * more. One that goes on where it was has only been kept from resuming.
   */
  takeBackLimit(task: TaskId): void {
    const job = this.jobOf(task)
    if (!this.limits.has(job) || this.suspended.goesOn(task)) return
    for (let lane = 0; lane < this.lanes; lane++) if ((this.laneRunning[job * this.lanes + lane] as number) > 0) return
    for (const [other] of this.suspended.entries()) if (this.jobOf(other) === job) return
    this.limits.delete(job)
  }

  /** Removes a released run; its task is unplaced. */
  unplace(task: TaskId): void {
    this.#runIds.giveBack(this.taskRun[task] as number, 1)
    this.#pend(task)
  }

  #pend(task: TaskId): void {
    this.taskRun[task] = UNPLACED
    const stage = this.taskStage[task] as number
    const index = task - (this.stageFirst[stage] as number)
    if (index < (this.stageCursor[stage] as number)) this.stageCursor[stage] = index
    this.restoreBlocks(stage, index)
    if (this.stageOpen[stage] === OPEN) this.addUnplaced(stage, 1)
  }

  /** The task stops counting as running; its run stays (an eviction in a draft, or a node whose slot is still occupied). */
  release(task: TaskId, why: Release): void {
    this.releaseRun(this.taskRun[task] as number, why)
  }

  /** The same, for a run. */
  releaseRun(run: number, why: Release): void {
    const task = this.runTask(run)
    const stage = this.runStage(run)
    const node = this.runNode(run)
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const at = job * this.lanes + lane
    this.laneRunning[at] = (this.laneRunning[at] as number) - 1
    this.setRunTask(run, ~task)
    this.releasedTask = task
    this.releasedStage = stage
    if (this.apart !== undefined) this.countApart(stage, node, -1)
    this.listeners[this.jobOwner[job] as number]?.onRelease?.(job, lane, task, node, why)
    if (why !== 'evicted') return
    this.stops++
    if (this.isMaster(task)) this.loseMaster(job)
  }

  /** Undoes the release of an eviction. */
  keep(task: TaskId): void {
    const stage = this.taskStage[task] as number
    const job = this.stageJob[stage] as JobId
    const lane = this.stageLane[stage] as LaneId
    const at = job * this.lanes + lane
    const run = this.taskRun[task] as number
    this.setRunTask(run, task)
    if (this.apart !== undefined) this.countApart(stage, this.runNode(run), 1)
    this.laneRunning[at] = (this.laneRunning[at] as number) + 1
    this.listeners[this.jobOwner[job] as number]?.onClaim?.(job, lane, task, this.runNode(run))
    if (this.isMaster(task) && this.masters.get(job) === 'lost') this.masterUp(job)
  }

  /** Ends a released run; true if its task was the last of the job. */
  finish(task: TaskId): boolean {
    return this.finishRun(this.taskRun[task] as number)
  }

  /** The same, for a run. */
  finishRun(run: number): boolean {
    const task = ~this.runTask(run) as TaskId
    const stage = this.runStage(run)
    const job = this.stageJob[stage] as JobId
    this.#runIds.giveBack(run, 1)
    this.suspended.forget(task)
    this.taskRun[task] = DONE
    this.stageDone[stage] = (this.stageDone[stage] as number) + 1
    const left = (this.jobLeft[job] as number) - 1
    this.jobLeft[job] = left
    this.openBehind(job, stage)
    return left === 0
  }

  /**
   * Adds a copy of a running task, which is pending like any task, near the same data, and may not run on nodes of `bars`. When one of the two is
   * done, the other must be retired. Returns false if the stage has no spare task id left.
   */
  addCopy(task: TaskId, bars: ReadonlySet<NodeId> = NOWHERE): boolean {
    const copy = this.copies.add(task)
    if (copy === None) return false
    this.foundTask = -1 // under the same id it may have been the copy of another task
    if (bars.size > 0) this.bars?.setTask(copy, bars)
    this.#pend(copy)
    return true
  }

  /**
   * Ends one of the two attempts of a task, unplaced or released: it is neither done nor pending. A copy that was stopped before it was done ends
   * like this, too, even if its task was dropped meanwhile.
   */
  retire(task: TaskId): void {
    const job = this.jobOf(task)
    const run = this.taskRun[task] as number
    this.#part(job, task)
    this.taskRun[task] = DONE
    if (run >= 0) this.#runIds.giveBack(run, 1)
    else if (run === UNPLACED) this.takeUnplaced(job, this.taskStage[task] as number)
  }

  /** Ends the copies of tasks of a stage that are neither claimed nor run. */
  retireWaitingCopies(stage: number): void {
    for (let copy = ((this.stageFirst[stage] as number) + (this.stageTasks[stage] as number)) as TaskId; copy < this.endOf(stage); copy++)
      if (this.taskRun[copy] === UNPLACED) this.retire(copy)
  }

  /** Parts two attempts of a task, one of which ends. A task that was dropped while its copy ran counts until the copy ends. */
  #part(job: JobId, task: TaskId): void {
    const original = this.originalOf(task)
    const copy = this.copies.part(original)
    if (copy !== None) this.bars?.setTask(copy, NOWHERE)
    if (task !== original && this.taskRun[original] === DONE) this.jobLeft[job] = (this.jobLeft[job] as number) - 1
  }

  /** Removes a job whose tasks have all ended; its ids may be reused. */
  remove(job: JobId): void {
    this.listeners[this.jobOwner[job] as number]?.onFinish?.(job)
    this.#forget(job)
    const first = this.jobFirstStage[job] as number
    const stages = this.jobStages[job] as number
    for (let stage = first; stage < first + stages; stage++) {
      const lists = this.stageLists[stage]
      if (lists !== undefined) this.near.giveBack(this.stageNear[stage] as number, lists.replicas)
      this.stageLists[stage] = undefined
    }
    this.#taskIds.giveBack(this.stageFirst[first] as number, this.endOf(first + stages - 1) - (this.stageFirst[first] as number))
    this.#stageIds.giveBack(first, stages)
    this.jobSpec[job] = undefined
    this.#jobIds.giveBack(job, 1)
    this.active--
  }

  /** Removes the job from the sets that hold only few jobs. Most of these are empty, and checking the size first is faster. */
  #forget(job: JobId): void {
    if (this.nearAnywhere.size > 0) this.nearAnywhere.delete(job)
    if (this.limits.size > 0) this.limits.delete(job)
    if (this.waits.size > 0) this.waits.delete(job)
    if (this.masters.size > 0) this.masters.delete(job)
    if (this.gangJobs.size > 0) this.gangJobs.delete(job)
    if (this.failed.size > 0) this.failed.delete(job)
    this.bars?.forget(job)
  }

  /**
   * Drops all tasks of a job that are not running, open or not; returns whether none is left. Claims of a job in `failed` that are not decided yet
   * will conflict.
   */
  drop(job: JobId): boolean {
    this.holdBack(job)
    const first = this.jobFirstStage[job] as number
    for (let stage = first; stage < first + (this.jobStages[job] as number); stage++) {
      // from the last on, so that copies that do not run are gone before their tasks are looked at
      for (let task = (this.endOf(stage) - 1) as TaskId; task >= (this.stageFirst[stage] as number); task--) {
        if (this.taskRun[task] !== UNPLACED) continue
        this.taskRun[task] = DONE
        if (this.isCopy(task)) this.#part(job, task)
        else if (!this.copies.has(task)) this.jobLeft[job] = (this.jobLeft[job] as number) - 1
      }
      this.stageUnplaced[stage] = 0
      this.stageOpen[stage] = this.failed.has(job) ? SHUT : OPEN
    }
    this.jobClosedStages[job] = 0
    for (let lane = 0; lane < this.lanes; lane++) {
      this.laneUnplaced[job * this.lanes + lane] = 0
      this.laneFront[job * this.lanes + lane] = -1
    }
    return this.jobLeft[job] === 0
  }

  #addStage(job: JobId, stage: number, spec: StageSpec, firstTask: number): void {
    const shape = this.shapes.intern(spec.demand, spec.constraints)
    if (this.isDistinct(shape)) this.apart ??= new Map()
    this.stageJob[stage] = job
    this.stageUnplaced[stage] = 0
    this.stageDone[stage] = 0
    this.stageShape[stage] = shape
    this.stageAsks[stage] = shape
    this.stageLane[stage] = this.shapes.of(shape).lane
    this.stageOpen[stage] = 0
    this.stageNear[stage] = -1
    this.stageLeast[stage] = this.isGangJob(job) && spec.gang !== true ? 0 : leastTasks(spec)
    this.stageGang[stage] = this.isGangJob(job) ? this.#gangOfStage(job, spec) : stage
    this.areGangs ||= spec.gang === true
    this.areRules ||= spec.placementRules !== undefined
    this.#addTasks(stage, firstTask, spec.tasks)
  }

  #gangOfStage(job: JobId, { optionalGroup }: StageSpec): number {
    const first = this.jobFirstStage[job] as number
    return optionalGroup === undefined ? first : first + this.spec(job).stages.findIndex((each) => each.optionalGroup === optionalGroup)
  }

  #addTasks(stage: number, first: number, tasks: number): void {
    this.stageFirst[stage] = first
    this.stageTasks[stage] = tasks
    this.stageCursor[stage] = 0
    if (tasks > 8) {
      this.taskStage.fill(stage, first, first + tasks)
      this.taskRun.fill(UNPLACED, first, first + tasks)
    } else
      for (let task = first; task < first + tasks; task++) {
        this.taskStage[task] = stage
        this.taskRun[task] = UNPLACED
      }
    for (let spare = first + tasks; spare < this.endOf(stage); spare++) {
      this.taskStage[spare] = stage
      this.taskRun[spare] = DONE
    }
  }
}

const NOWHERE: ReadonlySet<NodeId> = new Set()
