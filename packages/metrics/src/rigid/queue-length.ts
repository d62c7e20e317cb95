import {
  grown, ownValue, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type ResourceId, type Seconds, type TaskEnd,
  type TaskId, type WorkView,
} from '@sched/core'
import { secondsIn, wholeRun, type Period } from '../period.js'
import { firstStage, firstStages } from './job-amounts.js'

/** Waiting jobs over time, and what they ask for. */
export interface QueueLengthResult {
  /** Mean over time of the number of jobs that wait for their first task. */
  readonly mean: number
  /** Largest number of such jobs at any time. */
  readonly max: number
  /** Mean over time of what the waiting jobs ask for (processors). */
  readonly meanAmount: number
  /** Largest amount that the waiting jobs asked for at any time. */
  readonly maxAmount: number
  /**
   * Loss of capacity: idle processor seconds while any job waits, as a fraction of all processor seconds, in [0, 1].
   * Source: Zhang, Franke, Moreira, Sivasubramaniam, "Improving Parallel Job Scheduling by Combining Gang Scheduling and
   * Backfilling Techniques", IPDPS 2000: sum over events i of e_i (t_i+1 - t_i) d_i / (T N).
   */
  readonly lossOfCapacity: number
  /** The same, but idle processors count only up to what the waiting jobs ask for. */
  readonly lossUpToDemand: number
}

/**
 * Measures waiting jobs over time, and what idles meanwhile of the capacity at the start of the run. It counts the resource by which the first job is
 * counted.
 */
export const queueLength = (period?: Period): QueueLength => new QueueLength(period)

export class QueueLength implements Observer {
  readonly #period: Period
  #cluster!: ClusterView
  #work!: WorkView
  #resource = 0 as ResourceId
  /** By resource, at the start of the run: at the first submission nodes may be down. */
  #capacities: readonly number[] = []
  #capacity = NaN
  /** By job: the amount it waits for, -1 once its first task has started. */
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
    const amount = firstStages(spec).reduce((sum, { tasks, demand }) => sum + tasks * (ownValue(demand, this.#cluster.resources[this.#resource] as string) ?? 0), 0)
    this.#waiting = grown(this.#waiting, job + 1)
    this.#waiting[job] = amount
    this.#jobs++
    this.#queued += amount
  }

  /** Chooses the resource to count: the first one, in the order of the cluster, that the first job asks for. */
  #count(spec: JobSpec): void {
    const { resources } = this.#cluster
    const stage = firstStage(spec)
    this.#resource = Math.max(0, resources.findIndex((name) => (ownValue(stage?.demand, name) ?? 0) > 0)) as ResourceId
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

  /** An abandoned job may end without a start. */
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

  /** Counts the state since the last change up to now; what begins and ends in one instant does not count. */
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
