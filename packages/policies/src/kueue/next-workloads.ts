import type { Env, JobId, LaneId, TaskId } from '@sched/core'
import type { Flavor } from './flavor.js'
import type { QueueTimes } from './queue-times.js'
import type { QuotaDemand } from './quota-demand.js'
import type { ClusterQueue, Queues } from './queues.js'
import { isPartial, isSetAside, type Likeness, type Part, type Workload } from './workload.js'

/** Makes workloads from what jobs ask for, and keeps for every waiting job the one that would be admitted next. */
export class NextWorkloads {
  readonly #env: Env
  readonly #queues: Queues
  readonly #demand: QuotaDemand
  readonly #admitsInPart: boolean
  readonly #times: QueueTimes
  /** `[lane][job]`: its workload that would be admitted next, if the job waits. */
  readonly #nextOf: (Workload | undefined)[][]
  /** Likenesses of waiting workloads, by key. */
  readonly #likenesses = new Map<string, Likeness>()

  constructor(env: Env, queues: Queues, demand: QuotaDemand, admitsInPart: boolean, times: QueueTimes) {
    this.#env = env
    this.#queues = queues
    this.#demand = demand
    this.#admitsInPart = admitsInPart
    this.#times = times
    this.#nextOf = env.cluster.lanes.map(() => [])
  }

  /** The next workload of a waiting job, as it was at the last renewal; `undefined`: the job does not wait. */
  of(job: JobId, lane: LaneId): Workload | undefined {
    return this.#nextOf[lane]?.[job]
  }

  /** Whether what waits of a job is set aside for quota; jobs of which that is so need not be looked at, and there may be very many. */
  isSetAside(job: JobId, lane: LaneId, call: number): boolean {
    const workload = this.#nextOf[lane]?.[job]
    return workload !== undefined && workload.likeness.freedAt < 0 && isSetAside(workload, call, 0)
  }

  /** Renews the job's next workload: what waits of the job may ask for something else now, or nothing. */
  renew(job: JobId, lane: LaneId, isWaiting: boolean): void {
    const row = this.#nextOf[lane] as (Workload | undefined)[]
    const before = row[job]
    if (before !== undefined && isWaiting && !this.isOther(before)) return
    if (before !== undefined) this.#countOne(before, -1)
    row[job] = undefined
    if (!isWaiting) return
    const { work } = this.#env
    const tasks = work.together(job, lane)
    this.#countOne((row[job] = this.make(job, lane, tasks, tasks, work.shape(job, lane), this.#most(job, lane))), 1)
  }

  /**
   * Whether the job would be admitted as another workload now. A workload that is admitted in part has room for more tasks of its gang, unless they
   * must start together.
   */
  isOther(workload: Workload): boolean {
    const { job, lane, queue, tasks, unstarted, isWhole, shape, demand, least, most, admission } = workload
    const { work } = this.#env
    if (work.shape(job, lane) !== shape) return true
    const together = work.together(job, lane)
    if (isWhole) return together !== unstarted || this.#demand.together(job, lane, queue).some((amount, r) => demand[r] !== amount)
    if (admission === 0) return together !== least || this.#most(job, lane) !== most
    return isPartial(workload) ? together > unstarted : together !== tasks
  }

  /** The most tasks with which what waits of the job may be admitted. */
  #most(job: JobId, lane: LaneId): number {
    const { work } = this.#env
    return this.#admitsInPart ? work.mostTogether(job, lane) : work.together(job, lane)
  }

  /**
   * Makes a workload of `together` to `most` tasks of one shape, of which `unstarted` have no node yet. If several of a job that is one gang have none, it
   * stands for all tasks that must start.
   */
  make(job: JobId, lane: LaneId, together: number, unstarted: number, shape = this.#env.work.shape(job, lane), most = together): Workload {
    const { work } = this.#env
    const isWhole = unstarted > 1 && work.isGangJob(job)
    const tasks = isWhole ? 1 : most
    const queue = this.#queues.of(work.queueName(work.queue(job)))
    const demand = isWhole ? this.#demand.together(job, lane, queue) : this.#demand.tasks(shape, queue)
    const user = work.user(job)
    const priority = work.priority(job)
    const rank = this.#times.rank(job)
    const queued = this.#times.of(job)
    const { columns } = this.#queues.flavors[0] as Flavor
    const parts = isWhole && queue.hasChoice && work.topology(job, lane)?.isOfStage !== false ? this.#partsOf(job, lane, queue) : undefined
    const near = this.#nearnessOf(job, lane)
    const ofQuota = `${queue.name} ${lane} ${isWhole ? `job ${job}` : shape} ${tasks === together || isWhole ? tasks : `${together} to ${tasks}`} ${priority}${near === '' ? '' : ' near'}${this.#whoseRules(job, queue)}`
    const key = ofQuota + near
    const likeness = this.#likenesses.get(key) ?? { key, ofQuota, waiting: 0, setAsideAt: -1, setAsideIn: -1, freedAt: -1 }
    return { job, lane, queue, user, priority, standing: priority, rank, submitted: work.submitted(job), queued, shape, likeness, isWhole, least: isWhole ? 1 : together, most: tasks, demand, parts, flavor: 0, columns, amounts: demand, admission: 0, since: NaN, tasks, unstarted, running: [] }
  }

  /** What a task of a queue asks for, by resource. */
  asked(task: TaskId, queue: ClusterQueue): Float64Array {
    return this.#demand.tasks(this.#env.work.shapeOf(task), queue)
  }

  /** The topology that the job asks for. If some of it runs, or it waits only for a time, there are no nodes for others that ask alike where there are for it. */
  #nearnessOf(job: JobId, lane: LaneId): string {
    const { work } = this.#env
    const near = work.topology(job, lane)
    if (near === undefined) return ''
    return ` ${work.running(job, lane) > 0 || near.asked.wait !== undefined ? `job ${job}` : JSON.stringify(near)}`
  }

  /** What rules of preemption see of the job: others that ask alike may preempt others by them. */
  #whoseRules(job: JobId, { settings: { preemptionConfig } }: ClusterQueue): string {
    const { work } = this.#env
    return preemptionConfig === undefined ? '' : ` of ${work.user(job)} ${JSON.stringify(work.tags(job, 0))}`
  }

  #partsOf(job: JobId, lane: LaneId, queue: ClusterQueue): readonly Part[] {
    return this.#env.work.parts(job, lane).map(({ stage, shape, tasks }) => ({ stage, demand: this.#demand.tasks(shape, queue, tasks) }))
  }

  /** Counts a waiting workload. A likeness without waiting workloads is forgotten, since there may be very many, for example if all priorities differ. */
  #countOne({ likeness }: Workload, by: 1 | -1): void {
    likeness.waiting += by
    if (likeness.waiting === 0) this.#likenesses.delete(likeness.key)
    else this.#likenesses.set(likeness.key, likeness)
  }
}
