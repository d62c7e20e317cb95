import {
  amountsByName, askedTogether, SchedError, startedTogether, type ArchitectureEnv, type Demand, type JobId, type JobSpec, type LaneId,
  type ResourceId, type TaskId, type WorkListener,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Usage } from './usage.js'

/** Options for what one scheduler may hold at a time. */
export const limitOptions = z.strictObject({
  resources: z.record(z.string(), z.int().nonnegative()).optional().describe('most of each resource that its tasks hold, by name; default no limit'),
  jobs: z.int().positive().optional().describe('most unfinished jobs that it admits; later ones wait, by submission; default no limit'),
})
export type LimitOptions = z.output<typeof limitOptions>

/**
 * Limits of one scheduler on the resources its tasks hold and on its number of admitted jobs. Jobs that wait for admission are hidden from its
 * policy.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 3.4: per-scheduler limits on resources and admitted jobs.
 */
export class Limits implements WorkListener {
  readonly #env: ArchitectureEnv
  readonly #usage: Usage
  readonly #most: Float64Array
  readonly #mostJobs: number
  #jobs = 0
  readonly #isAdmitted: boolean[] = []
  readonly #waiting: JobId[] = []

  constructor({ resources = {}, jobs = Infinity }: LimitOptions, scheduler: string, env: ArchitectureEnv) {
    this.#env = env
    this.#usage = new Usage(env)
    this.#mostJobs = jobs
    this.#most = amountsByName(resources, env.cluster.resources, `schedulers.${scheduler}.limits.resources`, Infinity)
  }

  /** What the scheduler may still claim of each resource. */
  left(): Float64Array {
    return this.#most.map((most, r) => most - (this.#usage.held[r] as number))
  }

  /** Whether the limit, and not lack of room, keeps the job's next task from being placed. */
  forbids(job: JobId, lane: LaneId): boolean {
    const { work } = this.#env
    const shape = work.shape(job, lane)
    return this.left().some((left, r) => work.demand(shape, r as ResourceId) > left)
  }

  /** Throws `INFEASIBLE` for a job with a task or a gang that asks for more than the scheduler may hold. */
  check(job: JobSpec, scheduler: string): void {
    for (const stages of startedTogether(job))
      for (const [r, name] of this.#env.cluster.resources.entries()) {
        const most = this.#most[r] ?? Infinity
        const together = askedTogether(stages, name)
        if (together > most)
          throw new SchedError(
            'INFEASIBLE',
            `job ${job.id} asks ${together} of ${name} at once, and scheduler "${scheduler}" may hold ${most} (limits.resources).`,
            {},
            'Raise the limit.',
          )
      }
  }

  /** Most tasks with that demand that the scheduler may hold at once. */
  most(demand: Demand): number {
    const known = this.#env.cluster.resources
    return Math.min(...Object.entries(demand).map(([name, amount]) => (amount === 0 ? Infinity : Math.floor((this.#most[known.indexOf(name)] ?? Infinity) / amount))))
  }

  onSubmit(job: JobId): void {
    this.#isAdmitted[job] = false
  }

  onReady(job: JobId): void {
    if (this.#isAdmitted[job] === true) return
    if (this.#jobs < this.#mostJobs) this.#admit(job)
    else {
      this.#waiting.push(job)
      this.#env.cell.holdBack(job)
    }
  }

  onFinish(job: JobId): void {
    if (this.#isAdmitted[job] !== true) return
    this.#jobs--
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#admit(next)
    this.#env.cell.letGo(next)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#usage.onClaim(job, lane, task)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#usage.onRelease(job, lane, task)
  }

  #admit(job: JobId): void {
    this.#isAdmitted[job] = true
    this.#jobs++
  }
}
