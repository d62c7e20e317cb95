import { buildCluster, CellState, Draft, infeasible, placedBlocks, Shapes, Work, type ClusterDescription, type ClusterModel, type DraftSink } from '@sched/cluster'
import {
  randomStream,
  SchedError,
  suggest,
  type Architecture,
  type ArchitectureEnv,
  type Cell,
  type Demand,
  type JobId,
  type JobSource,
  type JobSpec,
  type LaneId,
  type NodeId,
  type Observer,
  type Plug,
  type Reason,
  type Scheduler,
  type ShapeId,
  type Stock,
  type Seconds,
  type StageSpec,
  type TaskId,
  type WorkListener,
  type Workload,
} from '@sched/core'
import { DynamicSlots, type SlotsAdjuster } from './dynamic-slots.js'
import { EventKind, EventQueue } from './event-queue.js'
import { HeartbeatRing } from './heartbeat-ring.js'
import { NodeRuns } from './node-runs.js'
import { Observers } from './observers.js'
import { TaskEnds } from './task-ends.js'
import { runtimeModel, type RuntimeModel, type RuntimeOptions } from './runtime.js'
import { JobKeys, TaskStart } from './task-start.js'

/** One run: a cluster, a workload and the scheduling system under test. */
export interface SimulationOptions {
  readonly cluster: ClusterDescription | ClusterModel
  readonly workload: Workload
  readonly policy: Plug<'policy'>
  /** Policies of single schedulers by name, where the architecture has several; the others run `policy`. */
  readonly policies?: Readonly<Record<string, Plug<'policy'>>>
  readonly architecture: Plug<'architecture'>
  /** A whole number; everything random in the run depends on it alone. Default 1. */
  readonly seed?: number
  readonly runtime?: RuntimeOptions | RuntimeModel
  readonly observers?: readonly Observer[]
  /** Checks conservation, placement and every counter while running; slow. Default false. */
  readonly validate?: boolean
  /** What happens to a job with a task larger than every node: an error, or `onReject` and the run goes on. Default `fail`. */
  readonly infeasible?: 'fail' | 'reject'
  /**
   * Hadoop's "commit pending" bug: a finished task stops counting as running one heartbeat before its slot is free,
   * which hides sticky slots. Default false.
   */
  readonly commitPendingBug?: boolean
  /**
   * On a cluster without heartbeats, a pass after every event instead of one per instant, as some published simulators
   * do; of events at one time, submissions or ends come first.
   */
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  /** Tasks that run at time 0 already and belong to no job. */
  readonly prefill?: Iterable<PrefillTask>
  /** How nodes change their slots, where the cluster has `dynamicSlots`; default: by the fractions that it gives. */
  readonly slotsAdjuster?: SlotsAdjuster
  /** Called once for each thing the user should know. */
  readonly warn?: (message: string) => void
}

/** A task that runs before the first job arrives. */
export interface PrefillTask {
  readonly node: NodeId
  readonly demand: Demand
  /** When it ends, seconds from the start of the run; `Infinity`: never. */
  readonly end: Seconds
}

/** `done`: everything has ended; `paused`: the limit was reached; `starved`: the source's `more()` must be awaited. */
export type RunState = 'done' | 'paused' | 'starved'

/** Seconds without a running task or a start after which pending work counts as forgotten by the policy. */
const STALL = 7 * 86_400

/**
 * The run loop: takes the earliest instant from the event queue, the heartbeat ring and the workload, applies all its
 * changes, then lets the architecture open rounds.
 *
 * Where the cluster has heartbeats, an ended task and its free slot become known to the master in the node's next
 * heartbeat; otherwise at once. Everything is deterministic: equal times fire by kind, then by order of scheduling.
 */
export class Simulation implements DraftSink {
  now: Seconds = 0
  readonly work: Work
  readonly cell: CellState
  /** The schedulers of the run; a monolithic one has one. */
  readonly schedulers: Scheduler[] = []
  /** Tasks started and events handled so far, for rates. */
  launches = 0
  events = 0

  readonly #options: SimulationOptions
  readonly #model: ClusterModel
  readonly #runtime: RuntimeModel
  readonly #commitPending: boolean
  readonly #validate: boolean
  readonly #architecture: Architecture
  readonly #observers: Observers
  readonly #slots: DynamicSlots | undefined
  readonly #source: JobSource
  readonly #queue = new EventQueue()
  readonly #ring: HeartbeatRing | undefined
  readonly #nodeRuns: NodeRuns
  readonly #drafts: Draft[] = []
  readonly #prefilled: { readonly shape: ShapeId; readonly node: NodeId; readonly devices: number }[] = []
  /** Where runs end without heartbeats. */
  readonly #taskEnds: TaskEnds
  #runLevel = new Int8Array(64)
  /** Run that waits one more heartbeat for its slot (commit pending), per node. */
  readonly #pendingCommits: number[][] = []
  readonly #jobKeys = new JobKeys()
  readonly #stopped: number[] = []
  readonly #beats: NodeId[] = []
  readonly #specs: (JobSpec | undefined)[] = []
  readonly #freeSpecs: number[] = []
  readonly #names = new Map<string, JobSpec[] | undefined>()
  /** Whether jobs may follow others, so that names must be remembered. */
  readonly #isChained: boolean
  /** End of jobs that others may follow. */
  readonly #endedAt = new Map<string, Seconds>()
  readonly #wakes = new Set<Seconds>()
  /** By shape: whether some node can hold it; `undefined` until it is asked. */
  readonly #feasible: (boolean | undefined)[] = []
  readonly #warned = new Set<string>()
  readonly #start: TaskStart
  #nextJob: JobSpec | undefined
  /** Jobs of the instant that have been read and not submitted. */
  readonly #due: JobSpec[] = []
  /** Whether the source can give no job that it has not given yet. */
  #drained: boolean
  #lastSubmit: Seconds = 0
  #held = 0
  #passNeeded = false
  #wakeDue = false
  #lastProgress: Seconds = 0
  #ended = false

  constructor(options: SimulationOptions) {
    const { seed = 1, observers = [] } = options
    this.#options = options
    this.#commitPending = options.commitPendingBug ?? false
    this.#taskEnds = new TaskEnds(this.#queue, options.passPerEvent === undefined)
    this.#isChained = options.workload.chained !== false
    this.#validate = options.validate ?? false
    this.#model = 'total' in options.cluster ? options.cluster : buildCluster(options.cluster)
    const model = this.#model
    const shapes = new Shapes(model)
    this.cell = new CellState(model, shapes, { validate: options.validate ?? false })
    this.work = new Work(model, shapes, placedBlocks(model, seed))
    this.#runtime = options.runtime !== undefined && 'runtime' in options.runtime ? options.runtime : runtimeModel(seed, options.runtime)
    this.#nodeRuns = new NodeRuns(model.nodes)
    this.#ring = model.heartbeat === undefined ? undefined : new HeartbeatRing(model.heartbeat, model.nodes)
    this.#slots = model.dynamicSlots === undefined ? undefined : new DynamicSlots(this.cell, this.work, model.dynamicSlots, options.slotsAdjuster)
    this.#observers = new Observers(this.#slots === undefined ? observers : [...observers, this.#slots])
    if (this.#slots !== undefined) this.#queue.push(this.#slots.interval, EventKind.Timer, LOOK_AT_SLOTS)
    const env = {
      cluster: this.cell,
      work: this.work,
      now: () => this.now,
      random: (stream: string) => randomStream(seed, stream),
      warn: (message: string) => this.#warn(message),
    }
    const addScheduler: ArchitectureEnv['addScheduler'] = (name, { group = name, listeners = [] } = {}) => {
      if (this.schedulers.some((other) => other.name === name)) throw new SchedError('TAKEN_NAME', `two schedulers are called "${name}".`, {}, 'Give them different names.')
      // streams of its own: schedulers that drew the same numbers would all choose the same nodes
      const random = (stream: string) => randomStream(seed, `policy:${name}:${stream}`)
      const policy = (options.policies?.[name] ?? options.policies?.[group] ?? options.policy).create({ ...env, random })
      const id = this.work.addListener(listeners.reduce<WorkListener>(both, policy))
      this.#drafts.push(new Draft(this.cell, this.work, this, id))
      const scheduler = { id, name, group, policy, pending: (lane: LaneId) => this.work.pending(id, lane) }
      this.schedulers.push(scheduler)
      return scheduler
    }
    this.#architecture = options.architecture.create({ ...env, addScheduler, cell: this.#cellFor() })
    this.#checkSchedulers()
    this.#start = new TaskStart(this.cell.levels, this.#jobKeys)
    for (const observer of observers) observer.onRunStart?.({ cluster: this.cell, work: this.work })
    for (const task of options.prefill ?? []) this.#prefill(task)
    this.#source = options.workload.open()
    this.#drained = this.#source.more === undefined
    this.#read()
  }

  /** Runs to the end, or to `until` (events at `until` still fire). Throws for a source that must be awaited: see `advance`. */
  run(until: Seconds = Infinity): this {
    if (this.advance(Infinity, until) === 'starved')
      throw new SchedError('BROKEN_CONTRACT', 'the workload is a stream', {}, 'Use runStream(), which awaits it.')
    return this
  }

  /** Runs to the end, awaiting a workload that reads on, and giving way to others every `slice` instants. */
  async runStream(until: Seconds = Infinity, slice = 100_000, pause: () => Promise<void> = () => Promise.resolve()): Promise<this> {
    for (;;) {
      const state = this.advance(slice, until)
      if (state === 'done') return this
      if (state === 'starved') {
        this.#drained = (await this.#source.more?.()) !== true
        this.#read()
      } else await pause()
    }
  }

  /** Handles at most `limit` instants. */
  advance(limit: number, until: Seconds = Infinity): RunState {
    if (this.#ended) return 'done'
    for (let left = limit; left > 0; left--) {
      if (this.#isStarved()) return 'starved'
      left = this.#ring === undefined ? this.#fireOn(left, until) : this.#beatOn(left, until, this.#ring)
      if (left <= 0) break
      const time = this.#nextTime()
      if (time === Infinity || time > until) return this.#finish(time === Infinity ? this.now : until)
      if (!this.#collect(time)) return 'starved'
      this.now = time
      this.#instant(time)
    }
    return 'paused'
  }

  /** Whether the next job of a stream has to be awaited. */
  #isStarved(): boolean {
    if (this.#nextJob !== undefined || this.#drained) return false
    this.#read()
    return this.#nextJob === undefined
  }

  /** Reads all jobs due at `time`, since a round sees the whole instant; false when a stream must be awaited for that. */
  #collect(time: Seconds): boolean {
    while (this.#nextJob !== undefined && this.#nextJob.submit <= time) {
      this.#due.push(this.#nextJob)
      this.#read()
    }
    return !this.#isStarved()
  }

  /** Most instants of a busy cluster are heartbeats alone: handles them while nothing else is due; returns the rest of `left`. */
  #beatOn(left: number, until: Seconds, ring: HeartbeatRing): number {
    const queue = this.#queue
    const submit = this.#due.length > 0 ? this.now : (this.#nextJob?.submit ?? Infinity)
    while (left > 0 && ring.next < queue.next && ring.next < submit && ring.next >= this.now && ring.next <= until) {
      if (this.work.active === 0 || this.#wakeDue || (submit === Infinity && ring.next - this.#lastProgress > STALL)) break
      this.#heartbeats(ring.next, ring)
      left--
    }
    return left
  }

  /** Without heartbeats most instants of a busy cluster are events alone: handles them while no job arrives; returns the rest of `left`. */
  #fireOn(left: number, until: Seconds): number {
    if (this.#due.length > 0 || this.#options.passPerEvent !== undefined) return left
    const queue = this.#queue
    const submit = this.#nextJob?.submit ?? Infinity
    for (; left > 0; left--) {
      const time = queue.next
      if (time >= submit || time > until || this.work.active === 0 || (submit === Infinity && time - this.#lastProgress > STALL)) break
      this.now = time
      do {
        queue.pop()
        this.#fire(queue.kind, queue.subject)
      } while (queue.next === time)
      this.#pass()
    }
    return left
  }

  // ---- what a round asks for ----

  start(task: TaskId, node: NodeId): void {
    const { work, now } = this
    const run = work.taskRun[task] as number
    if (run >= this.#runLevel.length) this.#growRuns(run + 1)
    const stage = work.taskStage[task] as number
    const job = work.stageJob[stage] as JobId
    const hasData = work.stageLists[stage] !== undefined
    const level = hasData ? work.level(task, node) : -1
    const start = this.#start
    const spec = work.spec(job)
    const stageIndex = stage - (work.jobFirstStage[job] as number)
    start.spec = spec
    start.stage = spec.stages[stageIndex] as StageSpec
    start.stageIndex = stageIndex
    start.task = task - (work.stageFirst[stage] as number)
    start.tasks = work.stageTasks[stage] as number
    start.job = job
    start.level = level
    start.speed = this.#model.speed[node] as number
    const end = now + this.#runtime.runtime(start)
    work.runStart[run] = now
    work.runEnd[run] = end
    this.#runLevel[run] = level
    if (this.#ring !== undefined) this.#nodeRuns.add(run, node, end)
    else this.#taskEnds.add(run, end)
    this.launches++
    if (end > this.#lastProgress) this.#lastProgress = end
    this.#observers.onTaskStart(task, job, work.stageLane[stage] as LaneId, node, level, now)
  }

  kill(task: TaskId): void {
    const { work } = this
    const run = work.taskRun[task] as number
    const node = work.runNode[run] as NodeId
    const started = work.runStart[run] as number
    if (this.#ring === undefined) this.#taskEnds.cancel(run)
    else this.#nodeRuns.remove(run, node)
    this.#observers.onTaskEnd(task, work.jobOf(task), work.laneOf(task), node, 'evicted', started, this.now, this.now)
    work.unclaim(task, 'evicted')
    if (this.#ring === undefined) this.#queue.push(this.now, EventKind.Wake, 0)
  }

  reserve(job: JobId, start: Seconds): void {
    this.#observers.onReserve(job, start, this.now)
  }

  get explained(): boolean {
    return this.#observers.explained
  }

  defer(job: JobId, lane: LaneId, reason: Reason): void {
    this.#observers.onDefer(job, lane, reason, this.now)
  }

  wakeAt(time: Seconds): void {
    if (!(time > this.now) || this.#wakes.has(time)) return
    this.#wakes.add(time)
    this.#queue.push(time, EventKind.Wake, 0)
  }

  // ---- the loop ----

  /** The next instant at which anything happens. */
  #nextTime(): Seconds {
    const submit = this.#due.length > 0 ? (this.#due[0] as JobSpec).submit : (this.#nextJob?.submit ?? Infinity)
    const event = this.#queue.next
    let time = submit < event ? submit : event
    const ring = this.#ring
    if (this.work.active === 0) return submit === Infinity && this.#held === 0 ? Infinity : time
    if (ring !== undefined && ring.next < time) time = ring.next
    if (time - this.#lastProgress > STALL && submit === Infinity) this.#stalled()
    return time
  }

  #instant(time: Seconds): void {
    const queue = this.#queue
    const { passPerEvent } = this.#options
    if (passPerEvent === 'submits-first') this.#arrivals()
    while (queue.next === time && queue.pop()) {
      if (queue.kind >= EventKind.Submit) this.#arrivals()
      this.#fire(queue.kind, queue.subject)
      if (passPerEvent !== undefined) this.#pass()
    }
    this.#arrivals()
    const ring = this.#ring
    if (ring === undefined) return this.#pass()
    if (this.#wakeDue) {
      this.#wakeDue = false
      this.#architecture.trigger({ kind: 'timer' })
    }
    ring.skipTo(time)
    if (ring.next === time) this.#heartbeats(time, ring)
  }

  /** Jobs of the workload that are due. */
  #arrivals(): void {
    const due = this.#due
    if (due.length === 0) return
    for (let i = 0; i < due.length; i++) {
      this.#arrive(due[i] as JobSpec)
      if (this.#options.passPerEvent !== undefined) this.#pass()
    }
    while (due.length > 0) due.pop()
  }

  #pass(): void {
    if (!this.#passNeeded || this.#ring !== undefined) return
    this.#passNeeded = false
    this.#architecture.trigger(PASS)
    if (this.#validate) this.work.check()
  }

  /** The reports of all nodes that beat in this instant come before the rounds of any. */
  #heartbeats(time: Seconds, ring: HeartbeatRing): void {
    this.now = time
    const first = ring.node
    this.#beat(first, time)
    ring.advance()
    if (ring.next !== time) this.#roundsFor(first, time)
    else {
      const beats = this.#beats
      let count = 0
      beats[count++] = first
      for (; ring.next === time; ring.advance()) {
        this.#beat(ring.node, time)
        beats[count++] = ring.node
      }
      for (let i = 0; i < count; i++) this.#roundsFor(beats[i] as NodeId, time)
    }
    if (this.#validate) this.work.check()
  }

  #beat(node: NodeId, time: Seconds): void {
    this.events++
    if (this.#commitPending) this.#freeCommitted(node)
    if ((this.#nodeRuns.nextStop[node] as number) <= time) this.#report(node)
  }

  #roundsFor(node: NodeId, time: Seconds): void {
    for (let i = 0; i < this.schedulers.length; i++) this.schedulers[i]?.policy.onHeartbeat?.(node, time)
    HEARTBEAT.node = node
    this.#architecture.trigger(HEARTBEAT)
  }

  #fire(kind: EventKind, subject: number): void {
    this.events++
    switch (kind) {
      case EventKind.TaskEnd:
        this.#passNeeded = true
        this.#endRuns(subject)
        return
      case EventKind.Submit: {
        const spec = this.#specs[subject] as JobSpec
        this.#specs[subject] = undefined
        this.#freeSpecs.push(subject)
        this.#held--
        this.#submit(spec)
        return
      }
      case EventKind.Ready:
        this.#passNeeded = true
        this.work.open(subject as JobId)
        return
      case EventKind.Wake:
        this.#wakes.delete(this.now)
        this.#passNeeded = true
        this.#wakeDue = true
        return
      case EventKind.Timer:
        this.#passNeeded = true
        if (subject === LOOK_AT_SLOTS) this.#lookAtSlots()
        else this.#architecture.wake?.(subject)
        return
      case EventKind.PrefillEnd: {
        const { shape, node, devices } = this.#prefilled[subject] as { shape: ShapeId; node: NodeId; devices: number }
        this.#passNeeded = true
        this.cell.give(shape, node, devices)
        return
      }
      case EventKind.NodeChange:
        return
    }
  }

  #lookAtSlots(): void {
    const slots = this.#slots as DynamicSlots
    slots.look()
    this.#queue.push(this.now + slots.interval, EventKind.Timer, LOOK_AT_SLOTS)
  }

  /** Reads the next job of the workload. */
  #read(): void {
    const spec = this.#source.next()
    this.#nextJob = spec
    if (spec === undefined) return
    if (!(spec.submit >= 0 && spec.submit < Infinity))
      throw new SchedError('BAD_INPUT', `job ${spec.id} is submitted at ${spec.submit}.`, {}, 'Give seconds from the start of the workload, at least 0.')
    if (spec.submit < this.#lastSubmit)
      throw new SchedError('BAD_INPUT', `job ${spec.id} is submitted at ${spec.submit} after a job at ${this.#lastSubmit}.`, {}, 'Sort the workload by submit time.')
    this.#lastSubmit = spec.submit
  }

  /** A job read from the workload: submitted now, or held until the job it follows has ended. */
  #arrive(spec: JobSpec): void {
    if (spec.after !== undefined && !this.#isChained) this.#unexpectedChain(spec)
    const followers = spec.after === undefined ? undefined : this.#names.get(spec.after)
    if (spec.after !== undefined && this.#names.has(spec.after)) {
      this.#held++
      if (followers === undefined) this.#names.set(spec.after, [spec])
      else followers.push(spec)
      this.#names.set(spec.id, undefined)
    } else {
      const start = spec.after === undefined ? 0 : (this.#endedAt.get(spec.after) ?? -Infinity) + (spec.think ?? 0)
      if (start > this.now) this.#hold(spec, start)
      else this.#submit(spec)
    }
  }

  #unexpectedChain({ id, after }: JobSpec): never {
    const fact = `job ${id} follows ${after ?? ''}, and the workload says that no job follows another`
    throw new SchedError('BROKEN_CONTRACT', fact, {}, 'Give the workload `chained: true`.')
  }

  #submit(spec: JobSpec): void {
    this.events++
    if (this.#isChained && !this.#names.has(spec.id)) this.#names.set(spec.id, undefined)
    for (let i = 0; i < spec.stages.length; i++) {
      const stage = spec.stages[i] as StageSpec
      if (!this.#isFeasible(stage)) return this.#reject(spec, infeasible(spec, stage, this.#model, this.work.shapes))
    }
    const owner = this.#ownerOf(spec)
    if (owner < 0) return
    const refusal = (this.schedulers[owner] as Scheduler).policy.admits?.(spec)
    if (refusal !== undefined) return this.#leaveOut(spec, refusal)
    const job = this.work.submit(spec, this.now, owner)
    this.#jobKeys.forget(job)
    this.#observers.onSubmit(job, spec, this.now)
    const startup = spec.startup ?? 0
    this.#lastProgress = Math.max(this.#lastProgress, this.now + startup)
    if (startup > 0) this.#queue.push(this.now + startup, EventKind.Ready, job)
    else this.work.open(job)
    this.#passNeeded = true
  }

  /** The scheduler of a new job; -1 when its architecture knows that it can never run, and such jobs are left out. */
  #ownerOf(spec: JobSpec): number {
    try {
      return this.#architecture.route?.(spec).id ?? 0
    } catch (error) {
      if (!(error instanceof SchedError) || error.code !== 'INFEASIBLE') throw error
      this.#reject(spec, error)
      return -1
    }
  }

  #isFeasible(stage: StageSpec): boolean {
    const { shapes } = this.work
    const shape = shapes.intern(stage.demand, stage.constraints)
    if (!(this.#feasible[shape] ??= shapes.feasible(shape))) return false
    return stage.gang !== true || stage.tasks === 1 || shapes.most(shape, stage.tasks) === stage.tasks
  }

  #reject(spec: JobSpec, why: SchedError): void {
    if (this.#options.infeasible !== 'reject') throw why
    this.#leaveOut(spec, why.fact)
  }

  #leaveOut(spec: JobSpec, reason: string): void {
    this.#observers.onReject(spec, reason, this.now)
    this.#releaseFollowers(spec.id)
    this.#nextInLoop(spec.id)
  }

  /** A node's heartbeat tells of its stopped runs. */
  #report(node: NodeId): void {
    const count = this.#nodeRuns.takeStopped(node, this.now, this.#stopped)
    for (let i = 0; i < count; i++) {
      const run = this.#stopped[i] as number
      if (this.#commitPending) {
        this.work.release(this.work.runTask[run] as TaskId, 'ended')
        ;(this.#pendingCommits[node] ??= []).push(run)
      } else this.#endRun(run)
    }
  }

  #freeCommitted(node: NodeId): void {
    const runs = this.#pendingCommits[node]
    if (runs === undefined) return
    this.#pendingCommits[node] = []
    for (const run of runs) this.#finishRun(run)
  }

  #endRuns(first: number): void {
    this.#taskEnds.fired(this.now)
    for (let run = first; run >= 0; ) {
      const next = this.#taskEnds.after(run)
      this.#endRun(run)
      if (next >= 0) this.events++
      run = next
    }
  }

  #endRun(run: number): void {
    this.work.release(this.work.runTask[run] as TaskId, 'ended')
    this.#finishRun(run)
  }

  /** Ends a released run: its `runTask` is complemented. */
  #finishRun(run: number): void {
    const { work } = this
    const task = ~(work.runTask[run] as number) as TaskId
    const stage = work.taskStage[task] as number
    const job = work.stageJob[stage] as JobId
    const node = work.runNode[run] as NodeId
    this.cell.give(work.stageShape[stage] as ShapeId, node, work.runDevices[run])
    const started = work.runStart[run] as number
    const stopped = work.runEnd[run] as number
    const last = work.finish(task)
    this.#observers.onTaskEnd(task, job, work.stageLane[stage] as LaneId, node, 'done', started, stopped, this.now)
    if (last) this.#endJob(job)
  }

  #endJob(job: JobId): void {
    const spec = this.work.spec(job)
    this.#observers.onJobEnd(job, spec, this.now)
    this.work.remove(job)
    this.#releaseFollowers(spec.id)
    this.#nextInLoop(spec.id)
  }

  /** In a closed loop another job takes the place of one that has ended, or was left out. */
  #nextInLoop(id: string): void {
    const next = this.#source.ended?.(id, this.now)
    if (next !== undefined) this.#hold(next, this.now)
  }

  #releaseFollowers(id: string): void {
    if (!this.#isChained) return
    const followers = this.#names.get(id)
    this.#names.delete(id)
    this.#endedAt.set(id, this.now)
    for (const follower of followers ?? []) {
      this.#held--
      this.#hold(follower, Math.max(follower.submit, this.now + (follower.think ?? 0)))
    }
  }

  #hold(spec: JobSpec, time: Seconds): void {
    if (this.#isChained && !this.#names.has(spec.id)) this.#names.set(spec.id, undefined) // others may follow it already
    const index = this.#freeSpecs.pop() ?? this.#specs.length
    this.#specs[index] = spec
    this.#held++
    this.#queue.push(time, EventKind.Submit, index)
  }

  #cellFor(): Cell {
    const { cell, work } = this
    return {
      cluster: cell,
      work,
      nodes: Array.from({ length: this.#model.nodes }, (_, node) => node as NodeId),
      now: () => this.now,
      draft: ({ id }, lane, visible, limits, on) =>
        (this.#drafts[id] as Draft).begin(this.now, lane, visible, limits, on === undefined ? cell : (on.cluster as CellState)),
      stock: () => this.#stock(),
      after: (delay, token) => {
        if (!(delay >= 0)) throw new SchedError('BROKEN_CONTRACT', `an architecture asked to be woken after ${delay} s`)
        this.#queue.push(this.now + delay, EventKind.Timer, token)
      },
      unplaced: (job) => {
        let count = 0
        for (let lane = 0 as LaneId; lane < work.lanes; lane++) count += work.unplaced(job, lane)
        return count
      },
      holdBack: (job) => work.holdBack(job),
      letGo: (job) => {
        work.letGo(job)
        this.#passNeeded = true
      },
      abandon: (job) => this.#abandon(job),
      decided: (decision) => this.#observers.onDecision(decision, this.now),
    }
  }

  #stock(): Stock {
    const { cell } = this
    const cluster = cell.stock()
    return {
      cluster,
      takeAll: () => cell.moveAllTo(cluster),
      takeNode: (node) => cell.moveNodeTo(cluster, node),
      giveBack: () => cluster.moveAllTo(cell),
      nodes: () => cluster.filled(),
    }
  }

  #abandon(job: JobId): void {
    const spec = this.work.spec(job)
    let unplaced = 0
    for (let lane = 0 as LaneId; lane < this.work.lanes; lane++) unplaced += this.work.unplaced(job, lane)
    this.#observers.onAbandon(job, spec, unplaced, this.now)
    if (this.work.drop(job)) this.#endJob(job)
  }

  #prefill({ node, demand, end }: PrefillTask): void {
    const shape = this.work.shapes.intern(demand)
    if (!this.cell.fits(shape, node))
      throw new SchedError('BAD_INPUT', `a prefilled task with ${JSON.stringify(demand)} does not fit on ${this.cell.name(node)}`, { field: 'prefill' }, 'Prefill less, or describe larger nodes.')
    this.#prefilled.push({ shape, node, devices: this.cell.take(shape, node) })
    if (end < Infinity) this.#queue.push(end, EventKind.PrefillEnd, this.#prefilled.length - 1)
  }

  #finish(now: Seconds): RunState {
    if (this.#ended) return 'done'
    this.#ended = true
    this.now = now
    this.#architecture.finish?.()
    this.#observers.onRunEnd(now)
    return 'done'
  }

  /** A policy for a scheduler that does not exist would silently never be used. */
  #checkSchedulers(): void {
    const { architecture, policies = {} } = this.#options
    if (this.schedulers.length === 0) throw new SchedError('BROKEN_CONTRACT', `architecture "${architecture.name}" has no scheduler`)
    const known = [...new Set(this.schedulers.flatMap(({ name, group }) => [group, name]))]
    for (const name of Object.keys(policies))
      if (!known.includes(name)) throw new SchedError('UNKNOWN_NAME', `no scheduler is called "${name}".`, { field: 'policies' }, suggest(name, known))
  }

  #stalled(): never {
    throw new SchedError(
      'BROKEN_CONTRACT',
      `at ${this.now} s policy "${this.#options.policy.name}" leaves ${this.work.active} jobs unplaced although nothing runs`,
      {},
      'A policy must place pending work when the cluster is idle, or ask for a round with wakeAt.',
    )
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.#options.warn?.(message)
  }

  #growRuns(needed: number): void {
    const size = Math.max(needed, this.#runLevel.length * 2)
    const levels = new Int8Array(size)
    levels.set(this.#runLevel)
    this.#runLevel = levels
  }
}

/** Tells two listeners, in order. */
function both(first: WorkListener, second: WorkListener): WorkListener {
  const told = (hook: 'onSubmit' | 'onReady' | 'onDrained' | 'onMore' | 'onClaim' | 'onRelease' | 'onFinish') => {
    const call = first[hook]?.bind(first) as ((...args: unknown[]) => void) | undefined
    const then = second[hook]?.bind(second) as ((...args: unknown[]) => void) | undefined
    if (call === undefined || then === undefined) return call ?? then
    return (a: unknown, b: unknown, c: unknown, d: unknown, e: unknown) => {
      call(a, b, c, d, e)
      then(a, b, c, d, e)
    }
  }
  const hooks = (['onSubmit', 'onReady', 'onDrained', 'onMore', 'onClaim', 'onRelease', 'onFinish'] as const).map((hook) => [hook, told(hook)] as const)
  return Object.fromEntries(hooks.filter(([, call]) => call !== undefined))
}

/** One object for all heartbeats: an architecture reads it during the call only. */
const HEARTBEAT: { kind: 'heartbeat'; node: NodeId } = { kind: 'heartbeat', node: 0 as NodeId }

const PASS = { kind: 'pass' } as const

/** The token of a timer that is the engine's own: architectures' are not negative. */
const LOOK_AT_SLOTS = -1

/** Runs a simulation to its end. */
export const simulate = (options: SimulationOptions): Simulation => new Simulation(options).run()
