import { buildCluster, CellState, checkWork, placedBlocks, Shapes, Unheeded, Work } from '@sched/cluster'
import {
  onceEach, randomStream, SchedError, type Architecture, type JobId, type JobSpec, type NodeId, type Scheduler, type Seconds, type TaskId,
} from '@sched/core'

import { SCALE, type Autoscaler } from './autoscale/autoscaler.js'
import { autoscaling } from './autoscale/autoscaler-of.js'
import { DynamicSlots, LOOK_AT_SLOTS } from './dynamic-slots.js'
import { checkParts } from './check-parts.js'
import { EngineCell, type CellHost } from './engine-cell.js'
import { environment } from './environment.js'
import { EventByEvent } from './event-by-event.js'
import { EventKind, EventQueue } from './event-queue.js'
import { FirstStarts } from './first-starts.js'
import { HeartbeatRing } from './heartbeat-ring.js'
import { JobArrivals } from './job-arrivals.js'
import { JobLives } from './job-lives.js'
import { isBlocked, leaveWaiting } from './left-waiting.js'
import { Observers } from './observers.js'
import type { RunState, SimulationOptions } from './options.js'
import { Outages } from './outages.js'
import { Prefill } from './prefill.js'
import { RoundDecisions } from './round-decisions.js'
import { Schedulers } from './schedulers.js'
import { SleepingNodes } from './sleeping-nodes.js'
import { Stall } from './stall.js'
import type { TaskRuns } from './task-runs.js'
import { taskRunsOf } from './task-runs-of.js'
import { HEARTBEAT, PASS } from './triggers.js'

/**
 * The run loop. It takes the earliest instant of the event queue, the heartbeat ring and the workload, applies all its changes, then lets the
 * architecture open rounds.
 *
 * Where the cluster has heartbeats, the master learns of an ended task and its free slot at the node's next heartbeat; otherwise at once. Everything
 * is deterministic: events of equal time fire by kind, then by order of scheduling.
 */
export class Simulation implements CellHost {
  /** Seconds since the start of the run. */
  now: Seconds = NaN
  /** The jobs in the system, with their stages and tasks. */
  readonly work: Work
  /** What is free on each node. */
  readonly cell: CellState
  /** The schedulers of the run; a monolithic architecture has one. */
  readonly schedulers: readonly Scheduler[]
  /** Events handled so far, to compute rates. */
  events = 0

  readonly #options: SimulationOptions
  readonly #schedulers: Schedulers
  readonly #validate: boolean
  readonly #architecture: Architecture
  readonly #observers: Observers
  readonly #slots: DynamicSlots | undefined
  readonly #queue = new EventQueue()
  readonly #ring: HeartbeatRing | undefined
  readonly #runs: TaskRuns
  readonly #decisions: RoundDecisions
  /** Present if there is a pass after every event. */
  readonly #byEvent: EventByEvent | undefined
  readonly #jobs: JobArrivals
  readonly #lives: JobLives
  readonly #prefill: Prefill
  readonly #outages: Outages | undefined
  readonly #sleep: SleepingNodes | undefined
  readonly #autoscaler: Autoscaler | undefined
  readonly #beats: NodeId[] = []
  #passNeeded = false
  #wakeDue = false
  readonly #stall = new Stall(() => isBlocked(this.work, this.#architecture))
  #ended = false

  constructor(options: SimulationOptions) {
    checkParts(options)
    const { seed = 1, observers = [], passPerEvent, workload } = options
    const model = 'total' in options.cluster ? options.cluster : buildCluster(options.cluster)
    const shapes = new Shapes(model)
    const queue = this.#queue
    this.now = 0
    this.#options = options
    this.#validate = options.validate ?? false
    this.cell = new CellState(model, shapes, { validate: this.#validate })
    this.work = new Work(model, shapes, placedBlocks(model, seed))
    this.work.onWithdrawn = (job) => queue.push(this.now, EventKind.Withdrawn, job)
    const { cell, work } = this
    this.#ring = model.heartbeat === undefined ? undefined : new HeartbeatRing(model.heartbeat, model.nodes)
    this.#slots = model.dynamicSlots === undefined ? undefined : new DynamicSlots({ cell, work, queue }, model.dynamicSlots, options.slotsAdjuster)
    const starts = workload.chained === false ? [] : [new FirstStarts((job) => this.#jobs.started(work.spec(job).id, this.now))]
    const scaling = autoscaling(options, seed, model, work)
    this.#observers = new Observers([...observers, ...starts, ...(scaling === undefined ? [] : [scaling.observer]), ...(this.#slots === undefined ? [] : [this.#slots])])
    this.#sleep = model.sleep === undefined ? undefined : new SleepingNodes(model.sleep, work, queue, this.#observers)
    this.#runs = taskRunsOf(options, seed, { model, work, cell, queue, observers: this.#observers, sleep: this.#sleep, host: this, architecture: () => this.#architecture, outages: () => this.#outages as Outages })
    const warn = onceEach((message: string) => options.warn?.(message))
    const unheeded = new Unheeded(warn, model)
    const env = environment(options, seed, { model, cell, work, observers: this.#observers, unheeded, warn, now: () => this.now })
    this.#decisions = new RoundDecisions(this.#runs, this.#observers, queue, this)
    this.#schedulers = new Schedulers(options, env, cell, work, this.#decisions)
    this.schedulers = this.#schedulers.all
    this.#architecture = options.architecture.create({ ...env, addScheduler: this.#schedulers.add, cell: new EngineCell(cell, work, this.#schedulers.drafts, queue, this.#observers, this) })
    this.#schedulers.check()
    for (const observer of observers) observer.onRunStart?.({ cluster: cell, work, architecture: this.#architecture })
    const parts = { cell, work, queue, observers: this.#observers, runs: this.#runs, sleep: this.#sleep, architecture: this.#architecture }
    this.#autoscaler = scaling?.autoscaler(parts)
    this.#autoscaler?.begin()
    this.#prefill = new Prefill(cell, shapes, queue, this.#sleep)
    for (const task of options.prefill ?? []) this.#prefill.add(task)
    this.#outages = options.outages === undefined && options.avoid === undefined ? undefined : new Outages(options.outages ?? [], (name) => randomStream(seed, name), parts)
    this.#lives = new JobLives({ ...parts, model, schedulers: this.schedulers, infeasible: options.infeasible, unheeded, host: this })
    this.#byEvent = passPerEvent === undefined || model.heartbeat !== undefined
      ? undefined
      : new EventByEvent(passPerEvent, queue, work, { arrive: () => this.#arrive(), fire: (kind, subject) => this.#fire(kind, subject, this.now), pass: () => this.pass() })
    this.#jobs = new JobArrivals(workload, queue, this, this.#byEvent?.submits)
  }

  /** Runs to the end or to `until`; events at `until` still fire. Throws for a workload that must be awaited: see `advance`. */
  run(until: Seconds = Infinity): this {
    if (this.advance(Infinity, until) === 'starved')
      throw new SchedError('BROKEN_CONTRACT', 'the workload is a stream', {}, 'Use runStream(), which awaits it.')
    return this
  }

  /** Runs to the end or to `until`. It awaits a workload that is a stream, and calls `pause` after every `slice` instants. */
  async runStream(until: Seconds = Infinity, slice = 100_000, pause: () => Promise<void> = () => Promise.resolve()): Promise<this> {
    for (;;) {
      const state = this.advance(slice, until)
      if (state === 'done') return this
      await (state === 'starved' ? this.#jobs.more() : pause())
    }
  }

  /** Handles at most `limit` instants, none of them after `until`, in seconds. Throws `BAD_OPTION` unless `until` is at least 0. */
  advance(limit: number, until: Seconds = Infinity): RunState {
    if (this.#ended) return 'done'
    if (!(typeof until === 'number' && until >= 0)) throw new SchedError('BAD_OPTION', `found ${JSON.stringify(until)}.`, { field: 'until' }, 'Give seconds, at least 0, or leave it out.')
    this.#runs.inVain.hasEnd = until !== Infinity
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

  /** Handles instants that are heartbeats alone, as most are on a busy cluster, while nothing else is due. Returns what is left of `left`. */
  #beatOn(left: number, until: Seconds, ring: HeartbeatRing): number {
    const queue = this.#queue
    const submit = this.#jobs.areDue ? this.now : this.#jobs.next
    while (left > 0 && ring.next < queue.next && ring.next < submit && ring.next >= this.now && ring.next <= until) {
      if (this.work.active === 0 || this.#wakeDue || (submit === Infinity && this.#stall.isNear(ring.next, this.#lastProgress()))) break
      this.#heartbeats(ring)
      left--
    }
    return left
  }

  /** Without heartbeats: handles instants that are events alone, as most are on a busy cluster, while no job arrives. Returns what is left of `left`. */
  #fireOn(left: number, until: Seconds): number {
    if (this.#jobs.areDue || this.#byEvent !== undefined) return left
    const queue = this.#queue
    const submit = this.#jobs.next
    for (; left > 0; left--) {
      const time = queue.next
      if (time >= submit || time > until || this.work.active === 0 || (submit === Infinity && this.#stall.isNear(time, this.#lastProgress()))) break
      this.now = time
      do {
        queue.pop()
        this.#fire(queue.kind, queue.subject, time)
      } while (queue.next === time)
      this.pass()
    }
    return left
  }

  /** Tasks started so far, to compute rates. */
  get launches(): number {
    return this.#runs.launches
  }

  // ---- the loop ----

  /** The latest time at which something is known to happen. */
  #lastProgress(): Seconds {
    return Math.max(this.#lives.lastStartup, this.#runs.lastEnd, this.#runs.progress?.lastEnd ?? 0)
  }

  /** The next instant at which anything happens, `Infinity` if nothing does. */
  #nextTime(): Seconds {
    const submit = this.#jobs.next
    const event = this.#queue.next
    let time = submit < event ? submit : event
    const ring = this.#ring
    if (this.work.active === 0) return submit === Infinity && this.#jobs.held === 0 ? Infinity : time
    if (ring !== undefined && ring.next < time) time = ring.next
    const progress = this.#lastProgress()
    if (submit === Infinity && this.#stall.isNear(time, progress) && this.#stall.isAt(time, progress, event)) return this.#leave(time)
    return time
  }

  /** Ends a run in which waiting jobs will never start, at the time of the last report; first those may that avoid nodes. */
  #leave(time: Seconds): Seconds {
    const { inVain } = this.#runs.masters
    const last = time === Infinity ? this.now : time
    if (this.#runs.avoidance?.endWaits(last) === true) return (this.#runs.lastEnd = last)
    leaveWaiting({ options: this.#options, schedulers: this.#schedulers, architecture: this.#architecture, cell: this.cell, work: this.work, inVain, prefilled: this.#prefill.endless, outages: this.#outages, off: this.#autoscaler?.off ?? 0, held: this.#jobs.held, now: this.now })
    if (!this.#observers.explainedTo(this.#options.observers)) this.now = this.#observers.last
    return Infinity
  }

  #instant(time: Seconds): void {
    if (this.#byEvent !== undefined) return this.#byEvent.instant(time)
    const queue = this.#queue
    const ring = this.#ring
    ring?.skipTo(time)
    const last = ring?.next === time ? EventKind.Timer : EventKind.Avoid
    while (queue.next === time && queue.nextKind <= last && queue.pop()) {
      if (queue.kind >= EventKind.Submit) this.#arrive()
      this.#fire(queue.kind, queue.subject, time)
    }
    this.#arrive()
    if (ring === undefined) return this.pass()
    if (ring.next === time) this.#heartbeats(ring)
    else if (this.#wakeDue) this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wakeDue = false
    this.#architecture.trigger({ kind: 'timer' })
  }

  /** Submits the jobs of the workload that are due. */
  #arrive(): void {
    if (this.#jobs.areDue) this.#jobs.arrive(this.now, this.#byEvent !== undefined)
  }

  /** Lets the architecture open rounds if anything has changed. */
  pass(): void {
    if (!this.#passNeeded || this.#ring !== undefined) return this.#autoscaler?.passed(this.now, false)
    this.#passNeeded = false
    this.#architecture.trigger(PASS)
    this.#autoscaler?.passed(this.now, true)
    if (this.#validate) checkWork(this.work)
  }

  /** Handles the heartbeats of one instant: the reports of all nodes come before the rounds of any. */
  #heartbeats(ring: HeartbeatRing): void {
    const time = ring.next
    this.now = time
    const first = ring.node
    this.#beat(first, time)
    ring.advance()
    if (ring.next !== time) {
      this.#follow(time)
      this.#roundsFor(first, time)
    } else {
      const beats = this.#beats
      let count = 0
      beats[count++] = first
      for (; ring.next === time; ring.advance()) {
        this.#beat(ring.node, time)
        beats[count++] = ring.node
      }
      this.#follow(time)
      for (let i = 0; i < count; i++) this.#roundsFor(beats[i] as NodeId, time)
    }
    if (this.#validate) checkWork(this.work)
  }

  /** Handles what follows from the reports of an instant, such as jobs that follow ended ones and rounds that policies asked for, before the rounds of nodes. */
  #follow(time: Seconds): void {
    const queue = this.#queue
    while (queue.next === time && queue.pop()) this.#fire(queue.kind, queue.subject, time)
    if (this.#wakeDue) this.#wakeUp()
  }

  #beat(node: NodeId, time: Seconds): void {
    this.events++
    this.#runs.beat(node, time)
  }

  #roundsFor(node: NodeId, time: Seconds): void {
    if (this.#outages !== undefined && !this.cell.up(node)) return
    const { told } = this.#schedulers
    for (let i = 0; i < told.length; i++) told[i]?.onHeartbeat(node, time)
    HEARTBEAT.node = node
    this.#architecture.trigger(HEARTBEAT)
  }

  #fire(kind: EventKind, subject: number, now: Seconds): void {
    this.events++
    switch (kind) {
      case EventKind.Stop:
        return this.#runs.progress?.stopped(subject, now)
      case EventKind.Alarm:
        return this.#runs.progress?.wake(now)
      case EventKind.TaskEnd:
        this.#passNeeded = true
        return this.#runs.ended(subject, now)
      case EventKind.SubmitFirst: case EventKind.Submit:
        return this.#jobs.release(subject)
      case EventKind.Ready:
        this.#passNeeded = true
        if (!this.#runs.masters.bringUp(subject as JobId, now)) this.#lives.open(subject as JobId)
        return
      case EventKind.Wake:
        this.#decisions.woken(now)
        this.#passNeeded = true
        this.#wakeDue = true
        return
      case EventKind.Timer: case EventKind.AtOnce:
        if (subject !== SCALE || this.#autoscaler?.fired(now) === true) this.#passNeeded = true
        if (subject === LOOK_AT_SLOTS) this.#slots?.look(now)
        else if (subject !== SCALE) this.#architecture.wake?.(subject)
        return
      case EventKind.Outage:
        this.#passNeeded = true
        ;(this.#outages as Outages).fired(subject, now)
        return
      case EventKind.NodeState:
        return this.#sleep?.fired(subject as NodeId, now)
      case EventKind.Withdrawn:
        if (this.#lives.look(subject as JobId, now)) this.#passNeeded = true
        return
      case EventKind.Look:
        if (this.#runs.speculation?.look(subject as JobId, now) === true) this.#passNeeded = true
        return
      case EventKind.Avoid:
        this.#passNeeded = true
        return this.#runs.avoidance?.fired(subject, now)
      case EventKind.PrefillEnd:
        this.#passNeeded = true
        return this.#prefill.ended(subject, now)
    }
  }

  // ---- what its parts tell it ----

  askForPass(): void {
    this.#passNeeded = true
  }

  /** An architecture or a round gives a job up. */
  abandon(job: JobId): void {
    this.#lives.abandon(job, this.now)
  }

  /** A job starts anew on nodes of which nothing is known. */
  forgetFailures(job: JobId): void {
    this.#runs.avoidance?.forget(job, this.now)
  }

  /** The last task of a job has ended. */
  jobEnded(job: JobId): void {
    this.#lives.end(job, this.now)
  }

  /** A task has been evicted or lost. */
  taskKilled(job: JobId): void {
    this.#lives.taskKilled(job, this.now)
  }

  /** The claim of a task that is not needed any more is taken back from the round that it is in. */
  takeBack(task: TaskId): void {
    this.#schedulers.drafts[this.work.jobOwner[this.work.jobOf(task)] as number]?.takeBack(task)
  }

  /** A task has failed too often, and with it its job. */
  jobFailed(job: JobId): void {
    this.#lives.fail(job, this.now)
  }

  /** A job has left the system. */
  jobLeft(id: string, now: Seconds): void {
    this.#jobs.ended(id, now)
  }

  /** Submits a job of the workload. */
  submit(spec: JobSpec): void {
    this.events++
    if (this.#lives.submit(spec, this.now)) this.#passNeeded = true
  }

  #finish(now: Seconds): RunState {
    if (this.#ended) return 'done'
    this.#ended = true
    this.now = now
    this.#architecture.finish?.()
    for (const name of this.#runs.speculation?.unknown ?? []) this.#options.warn?.(`no job has a stage "${name}", of which \`speculation\` may copy tasks.`)
    for (const draft of this.#schedulers.drafts) draft.abandon() // claims of a decision that is cut off do not run
    this.#observers.onRunEnd(now)
    return 'done'
  }
}
