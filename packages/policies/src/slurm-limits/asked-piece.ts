import type { Env, GangPart, JobId, LaneId, ResourceId, Seconds, TaskId, WorkView } from '@sched/core'
import { billOf, type Bill } from './bills.js'
import type { Limit, Piece } from './counted.js'

/**
 * What the next piece of a job asks: all tasks of a gang that are left, one of another stage. Of a job that is one gang limits of what several jobs
 * hold count all its parts together, those of a single job each part by itself: in Slurm every part of a heterogeneous job is a job.
 */
export class AskedPiece implements Piece {
  isFirst = true
  estimate: Seconds = Infinity
  readonly #env: Env
  #job!: JobId
  #lane!: LaneId
  #running = 0
  #bill: Bill | undefined
  /** Of a job that is one gang, and which of them is looked at. */
  #parts: readonly GangPart[] | undefined
  #part = 0

  constructor(env: Env) {
    this.#env = env
  }

  /** `running`: tasks of the job that run in any lane. */
  ask(job: JobId, lane: LaneId, running: number, bill: Bill | undefined): void {
    const { work } = this.#env
    this.#job = job
    this.#lane = lane
    this.#running = running
    this.#bill = bill
    this.#parts = work.isGangJob(job) ? work.parts(job, lane) : undefined
    this.#part = 0
    this.isFirst = running === 0
    this.estimate = work.estimate(job)
  }

  isOver(limit: Limit): boolean {
    if (this.#parts === undefined) return limit.isOver(this)
    return this.#parts.some(({ estimate }, part) => {
      this.#part = part
      this.estimate = estimate
      return limit.isOver(this)
    })
  }

  amount(resource: number): number {
    const { work, cluster } = this.#env
    const isBill = resource === cluster.resources.length
    if (this.#parts === undefined) return isBill ? this.#cost() - this.#costOf(this.#running) : this.#of(resource, work.together(this.#job, this.#lane))
    if (!isBill) return work.asked(this.#job, this.#lane, resource as ResourceId)
    return this.#parts.reduce((sum, part) => sum + this.#costWith(part) - this.#costWith(part, 0), 0)
  }

  whole(resource: number): number {
    const { work, cluster } = this.#env
    const isBill = resource === cluster.resources.length
    if (this.#parts === undefined) return isBill ? this.#cost() : this.#of(resource, work.together(this.#job, this.#lane) + work.running(this.#job, this.#lane))
    const part = this.#parts[this.#part] as GangPart
    return isBill ? this.#costWith(part) : (part.tasks + this.#runningOf(part)) * work.demand(part.shape, resource as ResourceId)
  }

  #cost(): number {
    return this.#costOf(this.#running + this.#env.work.together(this.#job, this.#lane))
  }

  #costOf(tasks: number, shape = this.#env.work.shape(this.#job, this.#lane)): number {
    return this.#bill === undefined ? 0 : billOf(this.#bill, tasks, shape, this.#lane, this.#env)
  }

  /** What a part costs with so many tasks more than run of it. */
  #costWith(part: GangPart, more = part.tasks): number {
    return this.#costOf(this.#runningOf(part) + more, part.shape)
  }

  #runningOf({ stage }: GangPart): number {
    return this.#running === 0 ? 0 : runningOf(this.#job, this.#lane, stage, this.#env.work)
  }

  #of(resource: number, tasks: number): number {
    const { work } = this.#env
    return tasks * work.demand(work.shape(this.#job, this.#lane), resource as ResourceId)
  }
}

/** Running tasks of one stage of a job. */
export function runningOf(job: JobId, lane: LaneId, stage: number, work: WorkView): number {
  const tasks: TaskId[] = []
  work.runningTasks(job, lane, tasks)
  return tasks.reduce((count, task) => count + Number(work.stageOf(task) === stage), 0)
}
