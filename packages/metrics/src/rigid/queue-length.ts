import {
  grown, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type ResourceId, type Seconds, type TaskEnd,
  type TaskId, type WorkView,
} from '@sched/core'
import { secondsIn, wholeRun, type Period } from '../period.js'
import { firstStage, firstStages } from './job-amounts.js'

/** Jobs that waited, and what they asked for. */
export interface QueueLengthResult {
  /** Jobs waiting for their first task, in the mean over time. */
  readonly mean: number
  /** Most jobs that waited for their first task at any time. */
  readonly max: number
  /** What the waiting jobs ask for (processors), in the mean over time. */
  readonly meanAmount: number
  /** The most that waiting jobs asked for at any time. */
  readonly maxAmount: number
  /**
   * Loss of capacity: idle processor seconds while any job waits, as a fraction of all processor seconds, in [0, 1].
   * Source: Zhang, Franke, Moreira, Sivasubramaniam, "Improving Parallel Job Scheduling by Combining Gang Scheduling and
   * Backfilling Techniques", IPDPS 2000: sum over events i of e_i (t_i+1 - t_i) d_i / (T N).
   */
  readonly lossOfCapacity: number
  /** The same, with no more idle processors counted than the waiting jobs ask for. */
  readonly lossUpToDemand: number
}

/** Waiting jobs over time, and what idles meanwhile of the capacity at the start of the run; of the resource that the first job is counted in. */
export const queueLength = (period?: Period): QueueLength => new QueueLength(period)

export class QueueLength implements Observer {
  readonly #period: Period
  #cluster!: ClusterView
  #work!: WorkView
  #resource = 0 as ResourceId
  /** By resource, at the start of the run: at the first submission nodes may be away. */
  #capacities: readonly number[] = []
  #capacity = NaN
  /** Amount of a job that waits, -1 once its first task has started. */
  #waiting = new Float64Array(0)
  #jobs = 0
  #queued = 0
  #used = 0
  #first = NaN
  #now = NaN
  #maxJobs = 0
  #maxQueued = 0
  #jobSeconds = 0
  #queuedSeconds = 0
  #lost = 0
  #lostToDemand = 0

  constructor(period = wholeRun) {
    this.#period = period
  }

  onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = run.cluster
    this.#work = run.work
    this.#capacities = run.cluster.resources.map((_, resource) => run.cluster.capacity(resource as ResourceId))
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    if (Number.isNaN(this.#first)) {
      this.#first = this.#now = now
      this.#count(spec)
    }
    this.#advance(now)
    const amount = firstStages(spec).reduce((sum, { tasks, demand }) => sum + tasks * (demand[this.#cluster.resources[this.#resource] as string] ?? 0), 0)
    this.#waiting = grown(this.#waiting, job + 1)
    this.#waiting[job] = amount
    this.#jobs++
    this.#queued += amount
  }

  /** Chooses what is counted, by the first job: the first resource, in the order of the cluster, that it asks for. */
  #count(spec: JobSpec): void {
    const { resources } = this.#cluster
    const stage = firstStage(spec)
    this.#resource = Math.max(0, resources.findIndex((name) => (stage?.demand[name] ?? 0) > 0)) as ResourceId
    this.#capacity = this.#capacities[this.#resource] as number
  }

  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    this.#advance(now)
    this.#leave(job)
    this.#used += this.#work.demand(this.#work.shapeOf(task), this.#resource)
  }

  onTaskEnd(task: TaskId, _job: JobId, _lane: LaneId, _node: NodeId, _how: TaskEnd, _started: Seconds, _stopped: Seconds, now: Seconds): void {
    this.#advance(now)
    this.#used -= this.#work.demand(this.#work.shapeOf(task), this.#resource)
  }

  /** A job that was abandoned may end without a start. */
  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#advance(now)
    this.#leave(job)
  }

  onRunEnd(now: Seconds): void {
    this.#advance(now)
  }

  result(): QueueLengthResult {
    const span = secondsIn(this.#period, this.#first, this.#now)
    const whole = this.#capacity * span
    const part = (sum: number, of: number) => (of > 0 ? sum / of : NaN)
    return {
      mean: part(this.#jobSeconds, span),
      max: this.#maxJobs,
      meanAmount: part(this.#queuedSeconds, span),
      maxAmount: this.#maxQueued,
      lossOfCapacity: part(this.#lost, whole),
      lossUpToDemand: part(this.#lostToDemand, whole),
    }
  }

  #leave(job: JobId): void {
    const amount = this.#waiting[job] as number
    if (amount < 0) return
    this.#waiting[job] = -1
    this.#jobs--
    this.#queued -= amount
  }

  /** What held since the last change counts until now; what begins and ends in one instant never held. */
  #advance(now: Seconds): void {
    if (now === this.#now || Number.isNaN(this.#first)) return
    const seconds = secondsIn(this.#period, this.#now, now)
    this.#now = now
    if (seconds === 0 || this.#jobs === 0) return
    const idle = this.#capacity - this.#used
    this.#jobSeconds += seconds * this.#jobs
    this.#queuedSeconds += seconds * this.#queued
    this.#lost += seconds * idle
    this.#lostToDemand += seconds * Math.min(idle, this.#queued)
    if (this.#jobs > this.#maxJobs) this.#maxJobs = this.#jobs
    if (this.#queued > this.#maxQueued) this.#maxQueued = this.#queued
  }
}
