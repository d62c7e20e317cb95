import { grown, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskEnd, type TaskId, type WorkView } from '@sched/core'
import { boundedSlowdown, TAU } from '../bounded-slowdown.js'
import { classAt, lengthNames, sizeNames } from '../class-limits.js'
import { naturalOrder } from '../natural-order.js'
import { counts, wholeRun, type Period } from '../period.js'
import { JobAmounts } from './job-amounts.js'
import { PROCESSOR_LIMITS, RUNTIME_LIMITS, userOf } from './job-kinds.js'
import { WeightedMeans, type JobMeans } from './weighted-means.js'

/** Options of `jobGroups`; all may be left out. */
export interface JobGroupsOptions {
  /** Jobs submitted outside this period do not count. Default: all count. */
  readonly period?: Period | undefined
  /** Threshold tau of the bounded slowdown, seconds. Default 10. */
  readonly tau?: Seconds | undefined
  /** Ascending upper limits of the classes by processors. Default 1, 8, 32. */
  readonly sizes?: readonly number[] | undefined
  /** Ascending upper limits of the classes by run time, seconds. Default 600, 3600, 28800. */
  readonly lengths?: readonly Seconds[] | undefined
}

/** Means of a group of jobs, with its label. */
export type Group = { readonly label: string } & JobMeans

/** Means over all jobs and by size, run time and user. */
export interface JobGroupsResult {
  /** Over all finished jobs. */
  readonly overall: JobMeans
  /** By processors that the job asks for: all classes, ascending. */
  readonly bySize: readonly Group[]
  /** By run time: all classes, ascending. */
  readonly byLength: readonly Group[]
  /** By user, in natural order. */
  readonly byUser: readonly Group[]
}

/** Measures means of wait, response and bounded slowdown of the finished jobs, plain and weighted by area, by groups of jobs. */
export const jobGroups = (options: JobGroupsOptions = {}): JobGroups => new JobGroups(options)

const NOT_STARTED = -1

export class JobGroups implements Observer {
  readonly #period: Period
  readonly #tau: Seconds
  readonly #sizes: readonly number[]
  readonly #lengths: readonly Seconds[]
  readonly #overall = new WeightedMeans()
  readonly #bySize: readonly WeightedMeans[]
  readonly #byLength: readonly WeightedMeans[]
  readonly #byUser = new Map<string, WeightedMeans>()
  readonly #abandoned = new Set<JobId>()
  #amounts!: JobAmounts
  #submits = new Float64Array(0)
  #starts = new Float64Array(0)
  #areas = new Float64Array(0)

  constructor({ period = wholeRun, tau = TAU, sizes = PROCESSOR_LIMITS, lengths = RUNTIME_LIMITS }: JobGroupsOptions) {
    this.#period = period
    this.#tau = tau
    this.#sizes = sizes
    this.#lengths = lengths
    this.#bySize = Array.from({ length: sizes.length + 1 }, () => new WeightedMeans())
    this.#byLength = Array.from({ length: lengths.length + 1 }, () => new WeightedMeans())
  }

  onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#amounts = new JobAmounts(run)
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#submits = grown(this.#submits, job + 1)
    this.#starts = grown(this.#starts, job + 1)
    this.#areas = grown(this.#areas, job + 1)
    this.#submits[job] = now
    this.#starts[job] = NOT_STARTED
    this.#areas[job] = 0
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    if (this.#starts[job] === NOT_STARTED) this.#starts[job] = now
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, _node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, _now: Seconds, saved: Seconds): void {
    const seconds = how === 'done' ? stopped - started : saved // negative where work saved before is lost
    if (seconds !== 0) this.#areas[job] = (this.#areas[job] as number) + this.#amounts.ofTask(task, lane) * seconds
  }

  onWorkLost(task: TaskId, job: JobId, lane: LaneId, _how: TaskEnd, seconds: Seconds): void {
    this.#areas[job] = (this.#areas[job] as number) - this.#amounts.ofTask(task, lane) * seconds
  }

  onAbandon(job: JobId): void {
    this.#abandoned.add(job)
  }

  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    if (this.#abandoned.delete(job)) return
    const submit = this.#submits[job] as number
    if (!counts(this.#period, submit)) return
    const start = this.#starts[job] as number
    const slowdown = boundedSlowdown(submit, start, now, this.#tau)
    for (const group of this.#groupsOf(spec, now - start)) group.add(this.#areas[job] as number, start - submit, now - submit, slowdown)
  }

  result(): JobGroupsResult {
    const named = (names: readonly string[], groups: readonly WeightedMeans[]) => names.map((label, i): Group => ({ label, ...(groups[i] as WeightedMeans).result() }))
    const users = [...this.#byUser].sort(([a], [b]) => naturalOrder(a, b))
    return {
      overall: this.#overall.result(),
      bySize: named(sizeNames(this.#sizes), this.#bySize),
      byLength: named(lengthNames(this.#lengths), this.#byLength),
      byUser: users.map(([label, group]) => ({ label, ...group.result() })),
    }
  }

  #groupsOf(spec: JobSpec, runtime: Seconds): readonly WeightedMeans[] {
    const user = userOf(spec)
    let own = this.#byUser.get(user)
    if (own === undefined) this.#byUser.set(user, (own = new WeightedMeans()))
    const size = this.#bySize[classAt(this.#sizes, this.#amounts.ofJob(spec))] as WeightedMeans
    return [this.#overall, size, this.#byLength[classAt(this.#lengths, runtime)] as WeightedMeans, own]
  }
}
