import { runningTasks, type Env, type GangPart, type JobId, type LaneId, type ResourceId, type Seconds, type WorkView } from '@sched/core'
import { billOf, type Bill } from './bills.js'
import type { Limit, Piece } from './counted.js'

/**
 * What the next piece of a job asks for: all unplaced tasks of a gang, or one task of another stage. For a job that is one gang (`isGangJob`), limits on what
 * several jobs hold count all its parts together, and limits on a single job count each part by itself, since in Slurm every part of a heterogeneous job is a
 * job.
 */
export class AskedPiece implements Piece {
  isFirst = true
  estimate: Seconds = Infinity
  job!: JobId
  readonly #env: Env
  #lane!: LaneId
  #running = 0
  #bill: Bill | undefined
  /** The parts of a job that is one gang, and the index of the one that is looked at; undefined for any other job. */
  #parts: readonly GangPart[] | undefined
  #part = 0

  constructor(env: Env) {
    this.#env = env
  }

  /** Begins to ask about a job. `running`: number of its tasks that run in any lane; `bill`: how it is billed, undefined: billing is not limited. */
  ask(job: JobId, lane: LaneId, running: number, bill: Bill | undefined): void {
    const { work } = this.#env
    this.job = job
    this.#lane = lane
    this.#running = running
    this.#bill = bill
    this.#parts = work.isGangJob(job) ? work.parts(job, lane) : undefined
    this.#part = 0
    this.isFirst = running === 0
    this.estimate = work.estimate(job)
  }

  /** Whether a limit keeps the piece from starting. */
  isOver(limit: Limit): boolean {
    if (this.#parts === undefined) return limit.isOver(this)
    return this.#parts.some(({ estimate }, part) => {
      this.#part = part
      this.estimate = estimate
      return limit.isOver(this)
    })
  }

  get mostNodes(): number {
    return this.#env.work.maxNodes(this.job)
  }

  get leastNodes(): number {
    const { work } = this.#env
    const part = this.#parts?.[this.#part]
    const [shape, tasks] = part === undefined ? [work.shape(this.job, this.#lane), work.together(this.job, this.#lane) + work.running(this.job, this.#lane)] : [part.shape, part.tasks + this.#runningOf(part)]
    return Math.max(work.minNodes(this.job), work.isDistinct(shape) ? tasks : 1)
  }

  amount(resource: number): number {
    const { work, cluster } = this.#env
    const isBill = resource === cluster.resources.length
    if (this.#parts === undefined) return isBill ? this.#cost() - this.#costOf(this.#running) : this.#of(resource, work.together(this.job, this.#lane))
    if (!isBill) return work.asked(this.job, this.#lane, resource as ResourceId)
    return this.#parts.reduce((sum, part) => sum + this.#costWith(part) - this.#costWith(part, 0), 0)
  }

  whole(resource: number): number {
    const { work, cluster } = this.#env
    const isBill = resource === cluster.resources.length
    if (this.#parts === undefined) return isBill ? this.#cost() : this.#of(resource, work.together(this.job, this.#lane) + work.running(this.job, this.#lane))
    const part = this.#parts[this.#part] as GangPart
    return isBill ? this.#costWith(part) : (part.tasks + this.#runningOf(part)) * work.demand(part.shape, resource as ResourceId)
  }

  #cost(): number {
    return this.#costOf(this.#running + this.#env.work.together(this.job, this.#lane))
  }

  #costOf(tasks: number, shape = this.#env.work.shape(this.job, this.#lane)): number {
    return this.#bill === undefined ? 0 : billOf(this.#bill, tasks, shape, this.#lane, this.#env)
  }

  /** The cost of a part with `more` tasks besides those that run. */
  #costWith(part: GangPart, more = part.tasks): number {
    return this.#costOf(this.#runningOf(part) + more, part.shape)
  }

  #runningOf({ stage }: GangPart): number {
    return this.#running === 0 ? 0 : runningOf(this.job, this.#lane, stage, this.#env.work)
  }

  #of(resource: number, tasks: number): number {
    const { work } = this.#env
    return tasks * work.demand(work.shape(this.job, this.#lane), resource as ResourceId)
  }
}

/** The number of running tasks of one stage of a job. */
export const runningOf = (job: JobId, lane: LaneId, stage: number, work: WorkView): number =>
  runningTasks(job, lane, work).reduce((count, task) => count + Number(work.stageOf(task) === stage), 0)
