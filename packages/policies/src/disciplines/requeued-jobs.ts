import { rememberedJobs, type Env, type JobId, type LaneId, type Round, type Seconds, type WorkListener } from '@sched/core'
import { ShownJobs } from './shown-jobs.js'

/** Jobs that were preempted and start anew. Who starts waiting jobs is not told of them until their delay is over. */
export class RequeuedJobs extends ShownJobs {
  readonly #env: Env
  readonly #delay: Seconds
  /** When the job may start again. */
  readonly #until: Map<JobId, Seconds>

  /** `delay`: seconds for which a job waits. `told` hears of the jobs that may start. */
  constructor(env: Env, told: WorkListener, delay: Seconds) {
    const until = new Map<JobId, Seconds>()
    super(env, told, (job) => until.has(job))
    this.#env = env
    this.#delay = delay
    this.#until = until
  }

  has(job: JobId): boolean {
    return this.#until.has(job)
  }

  /** A job is requeued in this round, with all that ran of it. */
  add(job: JobId, now: Seconds): void {
    this.#until.set(job, now + this.#delay)
    this.#tellAll(job)
  }

  /** To be called first in every round: shows jobs whose delay is over, and asks for a round for the next of the others. */
  begin(round: Round): void {
    let next = Infinity
    for (const [job, until] of [...this.#until]) {
      if (until <= round.now) this.#show(job)
      else next = Math.min(next, until)
    }
    if (next < Infinity) round.wakeAt(next)
  }

  memory(): (readonly [job: string, until: Seconds])[] {
    return Array.from(this.#until, ([job, until]) => [this.#env.work.name(job), until])
  }

  recall(memory: unknown): void {
    for (const [job, until] of rememberedJobs(memory as ReturnType<RequeuedJobs['memory']>, this.#env.work)) {
      this.#until.set(job, until)
      this.#tellAll(job)
    }
  }

  override onFinish(job: JobId): void {
    if (!this.#env.work.comesAgain(job)) this.#until.delete(job)
    super.onFinish(job)
  }

  #show(job: JobId): void {
    this.#until.delete(job)
    this.#tellAll(job)
  }

  #tellAll(job: JobId): void {
    for (let lane = 0; lane < this.#env.cluster.lanes.length; lane++) this.tell(job, lane as LaneId)
  }
}
