import { rememberedJobs, type Env, type JobId, type LaneId, type Round, type Seconds } from '@sched/core'
import type { TasksByJob } from './tasks-by-job.js'

/** By lane and by job: the end of the time for which a job runs on that was chosen to be preempted. */
type Kept = readonly (readonly (readonly [job: string, end: Seconds])[])[]

/** The running jobs that were chosen to be preempted and run on for a grace time, with its end. */
export class GraceNotices {
  readonly #work: Env['work']
  readonly #running: TasksByJob
  readonly #ends: readonly Map<JobId, Seconds>[]

  constructor({ work, cluster }: Pick<Env, 'work' | 'cluster'>, running: TasksByJob) {
    this.#work = work
    this.#running = running
    this.#ends = cluster.lanes.map(() => new Map())
  }

  /** The ends of the jobs of a lane. */
  in(lane: LaneId): Map<JobId, Seconds> {
    return this.#ends[lane] as Map<JobId, Seconds>
  }

  /** To be called first in every round: forgets the jobs that have ended or were preempted, and returns the others. */
  begin({ lane }: Round): Map<JobId, Seconds> {
    const ends = this.in(lane)
    for (const job of ends.keys()) if (!this.#running.in(lane).has(job)) ends.delete(job)
    return ends
  }

  /** Whether the time of a running job is over for which this holds. */
  areOver(now: Seconds, which: (job: JobId) => boolean): boolean {
    return this.#ends.some((ends, lane) => [...ends].some(([job, end]) => end <= now && this.#running.in(lane as LaneId).has(job) && which(job)))
  }

  memory(): Kept {
    return this.#ends.map((ends, lane) => [...ends].filter(([job]) => this.#running.in(lane as LaneId).has(job)).map(([job, end]) => [this.#work.name(job), end] as const))
  }

  recall(memory: Kept): void {
    for (const [lane, ends] of memory.entries()) for (const [job, end] of rememberedJobs(ends, this.#work)) this.#ends[lane]?.set(job, end)
  }
}
