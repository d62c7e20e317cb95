import { checkJob, infeasible, loseSuspended, refusedWhole, type CellState, type ClusterModel, type Unheeded, type Work } from '@sched/cluster'
import { SchedError, type Architecture, type JobId, type JobSpec, type LaneId, type Scheduler, type Seconds } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import { FirmDeadlines } from './firm-deadlines.js'
import type { Observers } from './observers.js'
import type { SimulationOptions } from './options.js'
import type { TaskRuns } from './task-runs.js'

export interface JobLivesOptions {
  readonly model: ClusterModel
  readonly work: Work
  readonly cell: CellState
  readonly queue: EventQueue
  readonly observers: Observers
  readonly runs: Pick<TaskRuns, 'forget' | 'loseSuspended' | 'masters' | 'speculation' | 'avoidance'>
  readonly architecture: Architecture
  readonly schedulers: readonly Scheduler[]
  readonly infeasible: SimulationOptions['infeasible']
  readonly unheeded: Unheeded
  /** Called when a job has left the system: other jobs may follow it. */
  readonly host: { jobLeft(id: string, now: Seconds): void }
}

/** Jobs from submission to their end: whether they can run, which scheduler they go to, and how they leave the system. */
export class JobLives {
  /** The latest time at which the start-up of any job ends. */
  lastStartup: Seconds = NaN
  readonly #model: ClusterModel
  readonly #work: Work
  readonly #cell: CellState
  readonly #queue: EventQueue
  readonly #observers: Observers
  readonly #runs: JobLivesOptions['runs']
  readonly #architecture: Architecture
  readonly #schedulers: readonly Scheduler[]
  readonly #infeasible: SimulationOptions['infeasible']
  readonly #unheeded: Unheeded
  readonly #host: JobLivesOptions['host']
  /** Jobs that were given up and still have running tasks. */
  readonly #abandoned = new Set<JobId>()
  readonly #deadlines: FirmDeadlines
  /** Jobs that are being set up, with the event that ends it. */
  readonly #settingUp = new Map<JobId, number>()

  constructor({ model, work, cell, queue, observers, runs, architecture, schedulers, infeasible, unheeded, host }: JobLivesOptions) {
    this.lastStartup = 0
    this.#model = model
    this.#work = work
    this.#cell = cell
    this.#queue = queue
    this.#observers = observers
    this.#runs = runs
    this.#architecture = architecture
    this.#schedulers = schedulers
    this.#infeasible = infeasible
    this.#unheeded = unheeded
    this.#host = host
    this.#deadlines = new FirmDeadlines(work, queue, unheeded)
  }

  /**
   * Submits a job; false if it is left out. Throws `BAD_INPUT` for an invalid job, and `INFEASIBLE` for one that can never run, unless such jobs are
   * to be left out.
   */
  submit(spec: JobSpec, now: Seconds): boolean {
    const work = this.#work
    const runs = this.#runs
    const observers = this.#observers
    const queue = this.#queue
    const schedulers = this.#schedulers
    checkJob(spec)
    const why = infeasible(spec, this.#model, work.shapes)
    if (why !== undefined) return this.#reject(spec, why, now)
    const owner = this.#ownerOf(spec, now)
    if (owner < 0) return false
    const { policy } = schedulers[owner] as Scheduler
    const notWhole = refusedWhole(spec, policy)
    if (notWhole !== undefined) return this.#reject(spec, notWhole, now)
    const refusal = policy.admits?.(spec)
    if (refusal !== undefined) return this.#leaveOut(spec, refusal, now)
    this.#unheeded.look(spec)
    const job = work.submit(spec, now, owner)
    runs.forget(job)
    observers.onSubmit(job, spec, now)
    this.#deadlines.watch(job, spec, now)
    const startup = spec.startup ?? 0
    this.lastStartup = Math.max(this.lastStartup, now + startup)
    if (startup > 0) this.#settingUp.set(job, queue.push(now + startup, EventKind.Ready, job))
    else work.open(job)
    this.look(job, now)
    return true
  }

  /** The job has been set up: its tasks may start. */
  open(job: JobId): void {
    this.#settingUp.delete(job)
    this.#work.open(job)
  }

  /** Handles the end of a job's last task. */
  end(job: JobId, now: Seconds): void {
    const work = this.#work
    const observers = this.#observers
    const host = this.#host
    const spec = work.spec(job)
    observers.onJobEnd(job, spec, now)
    if (this.#settingUp.size > 0) this.#cancelSetUp(job)
    this.#deadlines.leave(job)
    this.#runs.avoidance?.leave(job, !this.#abandoned.has(job), now)
    if (this.#abandoned.size > 0) this.#abandoned.delete(job)
    this.#runs.speculation?.leave(job)
    work.remove(job)
    host.jobLeft(spec.id, now)
  }

  /** A job that is given up first is not set up any more: another one may have its id by then. */
  #cancelSetUp(job: JobId): void {
    const event = this.#settingUp.get(job)
    if (event === undefined) return
    this.#queue.cancel(event)
    this.#settingUp.delete(job)
  }

  /** Gives up the unplaced tasks of a job, unless it was given up before. */
  abandon(job: JobId, now: Seconds): void {
    const work = this.#work
    if (this.#abandoned.has(job) || work.jobSpec[job] === undefined) return
    const observers = this.#observers
    let unplaced = 0
    for (let lane = 0 as LaneId; lane < work.lanes; lane++) unplaced += work.unplaced(job, lane)
    observers.onAbandon(job, work.spec(job), unplaced, now)
    this.#abandoned.add(job)
    this.#runs.speculation?.leave(job)
    const how = work.failed.has(job) ? 'failed' : 'evicted'
    loseSuspended(work, this.#cell, (task) => work.jobOf(task) === job, (task) => this.#runs.loseSuspended(task, how, now))
    this.#drop(job, now)
  }

  /** Gives up a job that has failed, after its running tasks were stopped; open decisions about it come to nothing. */
  fail(job: JobId, now: Seconds): void {
    const work = this.#work
    if (work.jobSpec[job] === undefined) return
    work.failed.add(job)
    if (this.#abandoned.has(job)) this.#drop(job, now)
    else this.abandon(job, now)
  }

  /** Handles a killed task: if its job was given up, the task is dropped and not pending again. */
  taskKilled(job: JobId, now: Seconds): void {
    if (this.#abandoned.has(job)) this.#drop(job, now)
    else this.#deadlines.stopped(job, now)
  }

  /** Drops what waits of a job that was given up, or gives it up if it is late for its deadline; returns whether it did. */
  look(job: JobId, now: Seconds): boolean {
    if (this.#abandoned.has(job)) {
      this.#drop(job, now)
      return false
    }
    if (!this.#deadlines.isLate(job, now)) return false
    this.abandon(job, now)
    return true
  }

  #drop(job: JobId, now: Seconds): void {
    if (this.#work.drop(job)) this.end(job, now)
    else this.#runs.masters.mayEnd(job, now)
  }

  /** The scheduler of a new job; -1 if the architecture knows that the job can never run and such jobs are left out. */
  #ownerOf(spec: JobSpec, now: Seconds): number {
    try {
      return this.#architecture.route?.(spec).id ?? 0
    } catch (error) {
      if (!(error instanceof SchedError) || error.code !== 'INFEASIBLE') throw error
      this.#reject(spec, error, now)
      return -1
    }
  }

  #reject(spec: JobSpec, why: SchedError, now: Seconds): false {
    if (this.#infeasible !== 'reject') throw new SchedError(why.code, why.fact, why.place, `${why.wayOut} Or leave such jobs out with \`infeasible: reject\`.`)
    return this.#leaveOut(spec, why.fact, now)
  }

  #leaveOut(spec: JobSpec, reason: string, now: Seconds): false {
    this.#observers.onReject(spec, reason, now)
    this.#host.jobLeft(spec.id, now)
    return false
  }
}
