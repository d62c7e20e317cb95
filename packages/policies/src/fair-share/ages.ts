import { rememberedJobs, type Env, type JobId, type LaneId, type Release, type Seconds, type WorkListener } from '@sched/core'

/** Jobs that were preempted: the time from which each grows older. */
type AgesMemory = readonly (readonly [job: string, since: Seconds])[]

/**
 * The time from which each waiting job grows older: from its submission, or, if all of it was preempted, from when it may start anew.
 *
 * Source: Slurm, `batch_requeue_fini` of job_mgr.c and `acct_policy_handle_accrue_time` of acct_policy.c.
 */
export class Ages implements WorkListener {
  readonly #env: Env
  readonly #delay: Seconds
  /** By job: the number of its running tasks, and whether any has ended. */
  readonly #running: number[] = []
  readonly #hasRun: boolean[] = []
  readonly #since = new Map<JobId, Seconds>()

  /** `delay`: seconds for which a preempted job waits before it may start anew. */
  constructor(delay: Seconds, env: Env) {
    this.#env = env
    this.#delay = delay
  }

  /** The time from which the job grows older; it may lie ahead. */
  since(job: JobId): Seconds {
    return this.#since.get(job) ?? this.#env.work.submitted(job)
  }

  memory(): AgesMemory {
    return Array.from(this.#since, ([job, since]) => [this.#env.work.name(job), since])
  }

  recall(memory: unknown): void {
    for (const [job, since] of rememberedJobs(memory as AgesMemory, this.#env.work)) this.#since.set(job, since)
  }

  onSubmit(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    this.#running[job] = 0
    this.#hasRun[job] = false
  }

  onClaim(job: JobId): void {
    if (!this.#env.work.comesAgain(job)) this.#running[job] = (this.#running[job] as number) + 1
  }

  onRelease(job: JobId, _lane: LaneId, _task: unknown, _node: unknown, why: Release): void {
    if (this.#env.work.comesAgain(job)) return
    this.#running[job] = (this.#running[job] as number) - 1
    if (why === 'ended') this.#hasRun[job] = true
    if (why === 'evicted' && this.#running[job] === 0 && this.#hasRun[job] === false) this.#since.set(job, this.#env.now() + this.#delay)
  }

  onFinish(job: JobId): void {
    if (!this.#env.work.comesAgain(job)) this.#since.delete(job)
  }
}
