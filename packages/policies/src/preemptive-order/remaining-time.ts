import { forwarding, None, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type Seconds, type ShapeId } from '@sched/core'
import { TasksByJob } from '../disciplines/tasks-by-job.js'
import type { JobOrder } from './job-order.js'
import { SavedWork } from './saved-work.js'

interface RemainingSettings {
  /** With whose amount the remaining time is multiplied; absent: it is not. */
  readonly resource: ResourceId | undefined
  /** Whether tasks that are preempted go on where they were. */
  readonly checkpoints: boolean
}

/** Tasks of one stage that wait. */
interface Waiting {
  readonly stage: number
  readonly shape: ShapeId
  readonly tasks: number
  readonly estimate: Seconds
}

const NOTHING: readonly Waiting[] = []

/** Jobs by what they have left by their estimates; of equals those that run first, then by submission. */
export class RemainingTime implements JobOrder {
  readonly width = 2
  readonly #env: Env
  readonly #resource: ResourceId | undefined
  readonly #running: TasksByJob
  readonly #saved: SavedWork | undefined
  /** Whether the user has been told of jobs without an estimate. */
  #isTold = false
  /** Of the job that is looked at. */
  #left = NaN

  constructor(env: Env, { resource, checkpoints }: RemainingSettings) {
    this.#left = 0
    this.#env = env
    this.#resource = resource
    this.#running = new TasksByJob(env)
    this.#saved = checkpoints ? new SavedWork(env) : undefined
    Object.assign(this, forwarding(this.#running, this.#saved))
  }

  /** What runs comes nearer to its end. */
  begin({ lane }: Round): Iterable<JobId> {
    if (this.#saved !== undefined) this.#saved.isPreempting = true
    return this.#running.in(lane).keys()
  }

  end(): void {
    if (this.#saved !== undefined) this.#saved.isPreempting = false
  }

  keyOf(job: JobId, round: Round, key: Float64Array): void {
    key[0] = this.#leftOf(job, round)
    key[1] = this.#runs(job) ? 0 : 1
  }

  /** What runs comes nearer to its end and what waits does not, so that nobody is preempted before another job comes or ends. */
  nextChange(): Seconds {
    return Infinity
  }

  #runs(job: JobId): boolean {
    const { work, cluster } = this.#env
    for (let lane = 0; lane < cluster.lanes.length; lane++) if (work.running(job, lane as LaneId) > 0) return true
    return false
  }

  /** Seconds of the longest of its tasks in the lane that run or may start; with a resource the sum of seconds times amounts over them. */
  #leftOf(job: JobId, round: Round): number {
    const { work } = this.#env
    const { lane, now } = round
    this.#left = 0
    const running = this.#running.in(lane).get(job)
    if (running !== undefined)
      for (const task of running) {
        const started = work.started(task)
        const ran = Number.isNaN(started) ? 0 : now - started
        this.#count(work.shapeOf(task), work.taskEstimate(task) - work.worked(task) - ran - (this.#saved?.of(task) ?? 0), 1)
      }
    for (const { stage, shape, tasks, estimate } of this.#waiting(job, round)) {
      const saved = this.#saved?.waiting(job, stage) ?? []
      for (const seconds of saved) this.#count(shape, estimate - seconds, 1)
      this.#count(shape, estimate, tasks - saved.length)
    }
    if (this.#left === Infinity) this.#tell()
    return this.#left
  }

  #count(shape: ShapeId, seconds: Seconds, tasks: number): void {
    if (tasks <= 0) return
    const isLong = this.#resource === undefined || seconds === Infinity
    this.#left = isLong ? Math.max(this.#left, seconds) : this.#left + tasks * Math.max(0, seconds) * this.#env.work.demand(shape, this.#resource)
  }

  /** Its tasks that may start, of a job that is one gang those of all stages. */
  #waiting(job: JobId, { lane, nodes }: Round): readonly Waiting[] {
    const { work, cluster } = this.#env
    const tasks = work.unplaced(job, lane)
    if (tasks === 0 || nodes.length === 0) return NOTHING
    if (work.isGangJob(job)) return work.parts(job, lane)
    const task = work.taskFor(job, lane, nodes[0] as NodeId, cluster.levels)
    return task === None ? NOTHING : [{ stage: work.stageOf(task), shape: work.shapeOf(task), tasks, estimate: work.taskEstimate(task) - work.worked(task) }]
  }

  #tell(): void {
    if (!this.#isTold) this.#env.warn('jobs without an estimate come last under srtf, by submission.')
    this.#isTold = true
  }
}
