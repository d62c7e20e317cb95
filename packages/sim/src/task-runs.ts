import type { CellState, Work } from '@sched/cluster'
import { None, type JobId, type LaneId, type NodeId, type Seconds, type ShapeId, type TaskEnd, type TaskId } from '@sched/core'
import type { Avoidance } from './avoid/avoidance.js'
import { EventKind, type EventQueue } from './event-queue.js'
import type { Failures } from './failures.js'
import { FailedRuns } from './failed-runs.js'
import { InVain } from './in-vain.js'
import { KeptWork } from './kept-work.js'
import { Masters } from './masters.js'
import { NodeRuns } from './node-runs.js'
import type { Observers } from './observers.js'
import { ProgressRuns } from './progress/progress-runs.js'
import type { RuntimeModel } from './runtime.js'
import type { SleepingNodes } from './sleeping-nodes.js'
import type { Speculation } from './speculation/speculation.js'
import { TaskEnds } from './task-ends.js'
import { Ending, Starting } from './task-rows.js'
import type { TaskRunsOptions } from './task-runs-options.js'
import { TaskStart, type JobKeys } from './task-start.js'

/**
 * Tasks from start to end: how long they take, when they stop, and when the master learns of it: where the cluster has heartbeats, at the next
 * heartbeat of the node, otherwise at once.
 */
export class TaskRuns {
  launches = 0
  /** Number of tasks that are done. */
  done = 0
  readonly inVain = new InVain(this)
  readonly masters: Masters
  /** Present if tasks may be copied. */
  readonly speculation: Speculation | undefined
  /** Present if the progress of tasks depends on what else runs. */
  readonly progress: ProgressRuns | undefined
  /** Number of ends that shared the event of another one. */
  shared = 0
  /**
   * The latest end of any task so far, or of anything a task waits for. A master that starts again, after nothing came of its earlier starts, does
   * not count.
   */
  lastEnd: Seconds = NaN
  readonly #work: Work
  readonly #cell: CellState
  readonly #queue: EventQueue
  readonly #observers: Observers
  readonly #runtime: RuntimeModel
  readonly #commitPending: boolean
  readonly #kept: KeptWork
  readonly #failures: Failures | undefined
  readonly #sleep: SleepingNodes | undefined
  readonly #failed: FailedRuns
  readonly #keys: JobKeys
  readonly #host: TaskRunsOptions['host']
  readonly #hasHeartbeats: boolean
  /** Whether tasks hold devices; otherwise that column need not be read. */
  readonly #hasDevices: boolean
  readonly #nodeRuns: NodeRuns
  readonly #ends: TaskEnds
  readonly #start: TaskStart
  /** Whether a task that was never suspended runs for as long as the runtime model says; then `#length` need not be asked. */
  readonly #isPlain: boolean
  /** Rows that observers have not been told of yet; empty between two events. */
  readonly #starting = new Starting()
  readonly #ending: Ending
  /** By node: runs that wait one more heartbeat for their slot (commit pending). */
  readonly #pendingCommits: number[][] = []

  constructor(options: TaskRunsOptions) {
    const { model, queue, cell } = options
    this.lastEnd = 0
    this.#work = options.work
    this.#cell = cell
    this.#queue = queue
    this.#observers = options.observers
    this.#runtime = options.runtime
    this.#commitPending = options.commitPending
    this.#kept = new KeptWork(options.work, options.checkpoints)
    this.#failures = options.failures
    this.speculation = options.speculation
    this.#sleep = options.sleep
    this.#keys = options.keys
    this.#host = options.host
    this.#hasHeartbeats = model.heartbeat !== undefined
    this.#hasDevices = model.devices !== undefined
    this.#nodeRuns = new NodeRuns(this.#hasHeartbeats ? model.nodes : 0)
    this.#ends = new TaskEnds(queue, options.sharesEvents && options.progress === undefined)
    this.#ending = new Ending(options.work, options.observers)
    this.#failed = new FailedRuns(options, {
      free: (task) => this.#free(task),
      kill: (task, now) => this.kill(task, now, 'failed'),
      killed: (task, now) => this.#killed(task, now, 'failed'),
    })
    this.#isPlain = options.checkpoints === undefined && options.failures === undefined && options.speculation === undefined
    this.#start = new TaskStart(options.work, model, options.keys)
    this.masters = new Masters(options.work, queue, (run) => { this.#addEnd(run, options.work.runNode(run)) })
    this.progress = options.progress === undefined
      ? undefined
      : new ProgressRuns(
        { work: options.work, queue, observers: options.observers, ends: this.#ends, nodeRuns: this.#hasHeartbeats ? this.#nodeRuns : undefined },
        options.progress,
      )
  }

  /** Jobs in the system. */
  get jobs(): number {
    return this.#work.active
  }

  /** Present if nodes are avoided after failures. */
  get avoidance(): Avoidance | undefined {
    return this.#failed.avoidance
  }

  /** Forgets what is known under a job id that is about to be reused. */
  forget(job: JobId): void {
    this.#keys.forget(job)
    this.#kept.forget(job)
    this.#failures?.forget(job)
    this.speculation?.open(job)
    this.masters.used(job)
  }

  // ---- starts and evictions ----

  /** Starts the claimed tasks from index `from` on. */
  start(tasks: readonly TaskId[], from: number, now: Seconds): void {
    const work = this.#work
    const runtime = this.#runtime
    const progress = this.progress
    const row = this.#starting
    const isPlain = this.#isPlain
    let alone = 0
    const waits = this.#sleep?.start(tasks, from, now)
    /** Whether all tasks of the row take the same time; found when the row gets a second task. */
    let isEven: boolean | undefined
    for (let i = from; i < tasks.length; i++) {
      const task = tasks[i] as TaskId
      const run = work.taskRun[task] as number
      const node = work.runNode(run)
      const stage = work.taskStage[task] as number
      const level = work.stageLists[stage] === undefined ? -1 : work.level(task, node)
      if (stage !== row.stage || level !== row.level || row.count === 0) {
        this.#tellStarts(now)
        row.stage = stage
        row.job = work.stageJob[stage] as JobId
        row.lane = work.stageLane[stage] as LaneId
        row.level = level
        isEven = undefined
      } else isEven ??= this.#isEven(runtime)
      if (isEven !== true) alone = runtime.runtime(this.#start.fill(task, stage, row.job, level, node))
      work.setRunStart(run, now)
      row.add(task, node)
      const ready = waits === undefined ? now : now + (waits[i - from] as Seconds)
      if (work.isMaster(task)) {
        this.masters.start(run, row.job, ready + alone)
        if (!this.masters.isUnused(row.job)) this.lastEnd = Math.max(this.lastEnd, ready + alone)
      } else if (progress === undefined) {
        work.setRunEnd(run, ready + (isPlain && !work.suspended.areAny && work.limits.size === 0 ? Math.max(0, alone) : this.#length(run, task, node, alone, ready)))
        this.#addEnd(run, node)
      } else {
        const most = Math.min(alone, work.limits.get(row.job) ?? alone)
        progress.begin(run, node, this.#start, this.#failures?.start(run, work.originalOf(task), this.#start, node, most) ?? most, now)
        this.#tellStarts(now)
      }
    }
    this.#tellStarts(now)
  }

  /**
   * Seconds from the time `ready`, at which a run starts to work, to its end. `alone`: what the task would take from its beginning if nothing happens
   * to it.
   */
  #length(run: number, task: TaskId, node: NodeId, alone: Seconds, ready: Seconds): Seconds {
    const start = this.#start
    const limit = this.#work.limits.get(start.job)
    const left = this.#kept.rest(start, task, alone)
    const rest = limit === undefined ? left : Math.min(left, Math.max(0, limit - this.#work.worked(task)))
    this.speculation?.starts(run, ready + rest)
    return this.#failures === undefined ? rest : this.#failures.start(run, this.#work.originalOf(task), start, node, rest)
  }

  /** Whether all tasks of the stage take the same time at the same level. */
  #isEven(runtime: RuntimeModel): boolean {
    return !this.#start.isUneven && this.progress === undefined && this.#failures === undefined && runtime.isEven?.(this.#start.stage) === true
  }

  #tellStarts(now: Seconds): void {
    const row = this.#starting
    if (row.count === 0) return
    this.launches += row.count
    if (!this.#work.isMaster(row.tasks[0] as TaskId)) this.masters.used(row.job)
    this.#observers.onTasksStart(row, now)
    this.speculation?.started(row.job, now)
    row.count = 0
  }

  /** Lets a run end when its end is due, which is set. Read from its column, since a number that is passed on costs an object of V8's. */
  #addEnd(run: number, node: NodeId): void {
    const end = this.#work.runEnd(run)
    if (this.#hasHeartbeats) this.#nodeRuns.add(run, node, end)
    else this.#ends.add(run, end)
    if (end > this.lastEnd) this.lastEnd = end
  }

  /** Stops a released task before it is done; the task is pending again. Its work is lost unless it is suspended or has saved it. */
  kill(task: TaskId, now: Seconds, how: TaskEnd = 'evicted', isSuspended = false): void {
    const work = this.#work
    const run = work.taskRun[task] as number
    const node = work.runNode(run)
    const isMaster = work.isMaster(task)
    const hasEnd = !isMaster || this.masters.stopped(task)
    if (this.progress !== undefined && !isMaster) this.progress.takeBack(run, node, now)
    else if (hasEnd && this.#hasHeartbeats) this.#nodeRuns.remove(run, node)
    else if (hasEnd) this.#ends.cancel(run)
    if (!isMaster) this.#failures?.stopped(run, work.jobOf(task), work.originalOf(task), node, work.runEnd(run) > now && !work.isCopy(task) ? this.#worked(run, now - work.runStart(run)) : 0)
    this.#killed(task, now, how, isSuspended)
  }

  /** Handles a released task that has left its node before it was done. */
  #killed(task: TaskId, now: Seconds, how: TaskEnd, isSuspended = false): void {
    const work = this.#work
    const job = work.jobOf(task)
    const run = work.taskRun[task] as number
    const node = work.runNode(run)
    const stage = work.taskStage[task] as number
    const started = work.runStart(run)
    const stopped = how === 'failed' || how === 'superseded' ? Math.min(now, work.runEnd(run)) : now
    const row = this.#ending.rowOf(stage, how, started, stopped, now)
    row.add(task, node)
    row.saved = this.#saved(task, job, this.#worked(run, stopped - started), how, isSuspended)
    if (isSuspended) this.#sleep?.suspend(run, task, node)
    else this.#sleep?.stop(run, node, now)
    if (how === 'superseded') return this.#ending.tell(now)
    this.inVain.killed(how, row.saved, now)
    this.#ending.tell(now)
    work.unclaim(task, 'evicted')
    if (!this.#hasHeartbeats) this.#queue.push(now, EventKind.Wake, 0)
    this.#host.taskKilled(job)
    this.speculation?.stopped(job, now)
  }

  /** Seconds of work in the first `seconds` of a run: without its wait for the node. */
  #worked(run: number, seconds: Seconds): Seconds {
    return this.#sleep === undefined ? seconds : this.#sleep.worked(run, seconds)
  }

  /** Seconds of work that are kept of a task which stops `ran` seconds after it started or resumed, minus those kept before. */
  #saved(task: TaskId, job: JobId, ran: Seconds, how: TaskEnd, isSuspended: boolean): Seconds {
    if (this.#work.isMaster(task)) return 0
    if (isSuspended) {
      this.progress?.refuseToSuspend()
      this.speculation?.refuseToSuspend(task)
      this.avoidance?.refuseToSuspend(task)
      return this.#kept.suspend(task, job, ran)
    }
    if (how === 'superseded' || this.#work.isCopy(task)) return -this.#kept.retire(task, job)
    return this.#kept.stop(task, job, ran, how === 'evicted')
  }

  /** A suspended task loses the work that it has not saved, and will start anew. */
  loseSuspended(task: TaskId, how: TaskEnd, now: Seconds): void {
    const work = this.#work
    const job = work.jobOf(task)
    this.#sleep?.forget(task, now)
    const seconds = this.#kept.lose(task, job)
    if (seconds > 0) this.#observers.onWorkLost(task, job, work.laneOf(task), how, seconds, now)
  }

  /** Suspended tasks of the job were lost with their node, and will start anew. */
  waitsAgain(job: JobId): void {
    this.#host.taskKilled(job)
  }

  /** A node fails, or is removed: its running tasks are lost or evicted, and with a task of a gang the rest of the gang, if too few are left. */
  lose(node: NodeId, now: Seconds, how: 'lost' | 'evicted' = 'lost'): void {
    if (this.#commitPending) this.#freeCommitted(node, now)
    for (const task of this.#work.lostWith(node)) {
      this.#free(task)
      this.kill(task, now, how)
    }
  }

  /** Frees what a running task holds, and releases it. */
  #free(task: TaskId, why: 'evicted' | 'ended' = 'evicted'): void {
    const work = this.#work
    this.#cell.give(work.shapeOf(task), work.nodeOf(task) as NodeId, work.devicesOf(task))
    work.release(task, why)
  }

  // ---- ends ----

  /** Handles the heartbeat of a node, which reports its stopped runs. */
  beat(node: NodeId, now: Seconds): void {
    if (this.#commitPending) this.#freeCommitted(node, now)
    if ((this.#nodeRuns.nextStop[node] as number) <= now) this.#report(node, now)
  }

  #report(node: NodeId, now: Seconds): void {
    const count = this.#nodeRuns.takeStopped(node, now)
    for (let i = 0; i < count; i++) {
      const run = this.#nodeRuns.stopped[i] as number
      if (this.speculation !== undefined && !this.#isFirst(run, now)) continue
      if (this.#failures?.has(run) === true) this.#failed.add(run)
      else if (this.#commitPending) {
        this.#work.releaseRun(run, 'ended')
        ;(this.#pendingCommits[node] ??= []).push(run)
      } else this.#end(run, now)
    }
    this.#ending.tell(now)
    if (this.#failed.areAny) this.#failed.handle(now)
  }

  /**
   * Whether no other attempt of the task was done before the run was reported; if the run is done, stops the other attempt. On a cluster with heartbeats
   * both may be reported at once.
   */
  #isFirst(run: number, now: Seconds): boolean {
    const task = this.#work.runTask(run)
    if (task < 0) return false
    if (this.#failures?.has(run) !== true) this.#stopOther(task, now)
    return true
  }

  /** Stops the other attempt of a task that is done, if there is one: its work is lost, and it is not needed any more. */
  #stopOther(task: TaskId, now: Seconds): void {
    const work = this.#work
    const other = work.otherAttempt(task)
    if (other === None) return
    this.#ending.tell(now)
    if (work.nodeOf(other) !== None && Number.isNaN(work.started(other))) this.#host.takeBack(other)
    if (work.nodeOf(other) === None) this.#giveUp(other, now)
    else {
      this.#free(other, 'ended')
      this.kill(other, now, 'superseded')
    }
    work.retire(other)
  }

  /** Gives up what is kept of an unplaced task. */
  #giveUp(task: TaskId, now: Seconds): void {
    const work = this.#work
    const job = work.jobOf(task)
    const seconds = this.#kept.retire(task, job)
    if (seconds > 0) this.#observers.onWorkLost(task, job, work.laneOf(task), 'superseded', seconds, now)
  }

  #freeCommitted(node: NodeId, now: Seconds): void {
    const runs = this.#pendingCommits[node]
    if (runs === undefined) return
    this.#pendingCommits[node] = []
    for (const run of runs) this.#finish(run, now)
    this.#ending.tell(now)
  }

  /** Handles the event of one or several ends. */
  ended(first: number, now: Seconds): void {
    this.#ends.fired(now)
    for (let run = first; run >= 0; ) {
      const next = this.#ends.after(run)
      if (this.progress !== undefined && !this.#work.isMaster(this.#work.runTask(run))) this.progress.ended(run, now)
      if (this.speculation !== undefined) this.#isFirst(run, now)
      if (this.#failures?.has(run) === true) this.#failed.add(run)
      else this.#end(run, now)
      if (next >= 0) this.shared++
      run = next
    }
    this.#ending.tell(now)
    if (this.#failed.areAny) this.#failed.handle(now)
  }

  #end(run: number, now: Seconds): void {
    this.#work.releaseRun(run, 'ended')
    this.#finish(run, now)
  }

  /** Ends a released run: its `runTask` is complemented. */
  #finish(run: number, now: Seconds): void {
    const work = this.#work
    const cell = this.#cell
    const task = ~work.runTask(run) as TaskId
    const stage = work.runStage(run)
    const node = work.runNode(run)
    if (work.isMaster(task)) this.masters.stopped(task)
    else this.progress?.done(run, now)
    const row = this.#ending.rowOf(stage, 'done', work.runStart(run), this.#hasHeartbeats ? work.runEnd(run) : now, now)
    row.add(task, node)
    cell.give(work.stageShape[stage] as ShapeId, node, this.#hasDevices ? work.runDevices(run) : 0)
    this.#sleep?.stop(run, node, now)
    this.#kept.done(task, row.job)
    this.done++
    const last = work.finishRun(run)
    if (!last) this.speculation?.done(stage, node, row.stopped - row.started, now)
    if (!last) this.avoidance?.done(stage, now)
    if (last || this.progress !== undefined) this.#ending.tell(now)
    if (last) this.#host.jobEnded(row.job)
    else if (work.hasMasters) this.masters.mayEnd(row.job, now)
  }
}
