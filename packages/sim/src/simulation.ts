import { buildCluster, CellState, Draft, infeasible, placedBlocks, Shapes, Work, type ClusterModel, type DraftSink } from '@sched/cluster'
import {
  randomStream,
  SchedError,
  suggest,
  type Architecture,
  type ArchitectureEnv,
  type Cell,
  type JobId,
  type JobSpec,
  type LaneId,
  type NodeId,
  type Reason,
  type Scheduler,
  type ShapeId,
  type Stock,
  type Seconds,
  type StageSpec,
  type TaskId,
  type WorkListener,
} from '@sched/core'
import { DynamicSlots } from './dynamic-slots.js'
import { both } from './both.js'
import { EventKind, EventQueue } from './event-queue.js'
import { HeartbeatRing } from './heartbeat-ring.js'
import { JobArrivals } from './job-arrivals.js'
import { Observers } from './observers.js'
import type { PrefillTask, RunState, SimulationOptions } from './options.js'
import { progressOf } from './progress/progress-of.js'
import { runtimeModel } from './runtime.js'
import { TaskRuns } from './task-runs.js'
import { JobKeys } from './task-start.js'

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
  /** Events handled so far, for rates. */
  events = 0

  readonly #options: SimulationOptions
  readonly #model: ClusterModel
  readonly #validate: boolean
  readonly #architecture: Architecture
  readonly #observers: Observers
  readonly #slots: DynamicSlots | undefined
  readonly #queue = new EventQueue()
  readonly #ring: HeartbeatRing | undefined
  readonly #runs: TaskRuns
  readonly #jobs: JobArrivals
  readonly #drafts: Draft[] = []
  readonly #prefilled: { readonly shape: ShapeId; readonly node: NodeId; readonly devices: number }[] = []
  readonly #jobKeys = new JobKeys()
  readonly #beats: NodeId[] = []
  readonly #wakes = new Set<Seconds>()
  /** By shape: whether some node can hold it; `undefined` until it is asked. */
  readonly #feasible: (boolean | undefined)[] = []
  readonly #warned = new Set<string>()
  #passNeeded = false
  #wakeDue = false
  #lastStartup: Seconds = 0
  #ended = false

  constructor(options: SimulationOptions) {
    const { seed = 1, observers = [] } = options
    this.#options = options
    this.#validate = options.validate ?? false
    this.#model = 'total' in options.cluster ? options.cluster : buildCluster(options.cluster)
    const model = this.#model
    const shapes = new Shapes(model)
    this.cell = new CellState(model, shapes, { validate: options.validate ?? false })
    this.work = new Work(model, shapes, placedBlocks(model, seed))
    this.#ring = model.heartbeat === undefined ? undefined : new HeartbeatRing(model.heartbeat, model.nodes)
    this.#slots = model.dynamicSlots === undefined ? undefined : new DynamicSlots(this.cell, this.work, model.dynamicSlots, options.slotsAdjuster)
    this.#observers = new Observers(this.#slots === undefined ? observers : [...observers, this.#slots])
    if (this.#slots !== undefined) this.#queue.push(this.#slots.interval, EventKind.Timer, LOOK_AT_SLOTS)
    this.#runs = new TaskRuns({
      model,
      work: this.work,
      cell: this.cell,
      queue: this.#queue,
      observers: this.#observers,
      runtime: options.runtime !== undefined && 'runtime' in options.runtime ? options.runtime : runtimeModel(seed, options.runtime),
      keys: this.#jobKeys,
      sharesEvents: options.passPerEvent === undefined,
      commitPending: options.commitPendingBug ?? false,
      progress: progressOf(options.runtime, model, this.cell),
      jobEnded: (job) => this.#endJob(job),
    })
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
    for (const observer of observers) observer.onRunStart?.({ cluster: this.cell, work: this.work })
    for (const task of options.prefill ?? []) this.#prefill(task)
    this.#jobs = new JobArrivals(options.workload, this.#queue, (spec) => this.#submit(spec))
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
        await this.#jobs.more()
      } else await pause()
    }
  }

  /** Handles at most `limit` instants. */
  advance(limit: number, until: Seconds = Infinity): RunState {
    if (this.#ended) return 'done'
    for (let left = limit; left > 0; left--) {
      if (this.#jobs.isStarved()) return 'starved'
      left = this.#ring === undefined ? this.#fireOn(left, until) : this.#beatOn(left, until, this.#ring)
      if (left <= 0) break
      const time = this.#nextTime()
      if (time === Infinity || time > until) return this.#finish(time === Infinity ? this.now : until)
      if (!this.#jobs.collect(time)) return 'starved'
      this.now = time
      this.#instant(time)
    }
    return 'paused'
  }

  /** Most instants of a busy cluster are heartbeats alone: handles them while nothing else is due; returns the rest of `left`. */
  #beatOn(left: number, until: Seconds, ring: HeartbeatRing): number {
    const queue = this.#queue
    const submit = this.#jobs.areDue ? this.now : this.#jobs.next
    while (left > 0 && ring.next < queue.next && ring.next < submit && ring.next >= this.now && ring.next <= until) {
      if (this.work.active === 0 || this.#wakeDue || (submit === Infinity && ring.next - this.#lastProgress() > STALL)) break
      this.#heartbeats(ring.next, ring)
      left--
    }
    return left
  }

  /** Without heartbeats most instants of a busy cluster are events alone: handles them while no job arrives; returns the rest of `left`. */
  #fireOn(left: number, until: Seconds): number {
    if (this.#jobs.areDue || this.#options.passPerEvent !== undefined) return left
    const queue = this.#queue
    const submit = this.#jobs.next
    for (; left > 0; left--) {
      const time = queue.next
      if (time >= submit || time > until || this.work.active === 0 || (submit === Infinity && time - this.#lastProgress() > STALL)) break
      this.now = time
      do {
        queue.pop()
        this.#fire(queue.kind, queue.subject)
      } while (queue.next === time)
      this.#pass()
    }
    return left
  }

  /** Tasks started so far, for rates. */
  get launches(): number {
    return this.#runs.launches
  }

  // ---- what a round asks for ----

  start(task: TaskId, node: NodeId): void {
    this.#runs.start(task, node, this.now)
  }

  kill(task: TaskId): void {
    this.#runs.kill(task, this.now)
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

  /** The latest time at which something is known to happen. */
  #lastProgress(): Seconds {
    return Math.max(this.#lastStartup, this.#runs.lastEnd)
  }

  /** The next instant at which anything happens. */
  #nextTime(): Seconds {
    const submit = this.#jobs.next
    const event = this.#queue.next
    let time = submit < event ? submit : event
    const ring = this.#ring
    if (this.work.active === 0) return submit === Infinity && this.#jobs.held === 0 ? Infinity : time
    if (ring !== undefined && ring.next < time) time = ring.next
    if (time - this.#lastProgress() > STALL && submit === Infinity) this.#stalled()
    return time
  }

  #instant(time: Seconds): void {
    const queue = this.#queue
    const { passPerEvent } = this.#options
    if (passPerEvent === 'submits-first') this.#arrive()
    while (queue.next === time && queue.pop()) {
      if (queue.kind >= EventKind.Submit) this.#arrive()
      this.#fire(queue.kind, queue.subject)
      if (passPerEvent !== undefined) this.#pass()
    }
    this.#arrive()
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
  #arrive(): void {
    if (this.#jobs.areDue) this.#jobs.arrive(this.now, this.#options.passPerEvent === undefined ? undefined : () => this.#pass())
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
    this.#runs.beat(node, time)
  }

  #roundsFor(node: NodeId, time: Seconds): void {
    for (let i = 0; i < this.schedulers.length; i++) this.schedulers[i]?.policy.onHeartbeat?.(node, time)
    HEARTBEAT.node = node
    this.#architecture.trigger(HEARTBEAT)
  }

  #fire(kind: EventKind, subject: number): void {
    this.events++
    switch (kind) {
      case EventKind.Stop:
        this.#runs.stop(subject, this.now)
        return
      case EventKind.Alarm:
        this.#runs.wake(this.now)
        return
      case EventKind.TaskEnd:
        this.#passNeeded = true
        this.#runs.ended(subject, this.now)
        return
      case EventKind.Submit:
        this.#jobs.release(subject)
        return
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
    }
  }

  #submit(spec: JobSpec): void {
    this.events++
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
    this.#lastStartup = Math.max(this.#lastStartup, this.now + startup)
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
    this.#jobs.ended(spec.id, this.now)
  }

  #endJob(job: JobId): void {
    const spec = this.work.spec(job)
    this.#observers.onJobEnd(job, spec, this.now)
    this.work.remove(job)
    this.#jobs.ended(spec.id, this.now)
  }

  #lookAtSlots(): void {
    const slots = this.#slots as DynamicSlots
    slots.look()
    this.#queue.push(this.now + slots.interval, EventKind.Timer, LOOK_AT_SLOTS)
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
}

/** One object for all heartbeats: an architecture reads it during the call only. */
const HEARTBEAT: { kind: 'heartbeat'; node: NodeId } = { kind: 'heartbeat', node: 0 as NodeId }

const PASS = { kind: 'pass' } as const

/** The token of a timer that is the engine's own: architectures' are not negative. */
const LOOK_AT_SLOTS = -1

/** Runs a simulation to its end. */
export const simulate = (options: SimulationOptions): Simulation => new Simulation(options).run()
