import type { JobId, WorkView } from '@sched/core'
import type { QueuesOfJobs } from './queues-of-jobs.js'

/** Counts how often a pass does something for each user, queue and so on, up to a limit; 0: no limit. */
export class Quota {
  readonly #most: number
  readonly #counts = new Map<number | string, number>()

  constructor(most: number) {
    this.#most = most
  }

  isUsed(of: number | string = 0): boolean {
    return this.#most > 0 && (this.#counts.get(of) ?? 0) >= this.#most
  }

  use(of: number | string = 0): void {
    if (this.#most > 0) this.#counts.set(of, (this.#counts.get(of) ?? 0) + 1)
  }
}

interface LookLimits {
  readonly bf_max_job_user: number
  readonly bf_max_job_assoc: number
  readonly bf_max_job_part: number
  readonly bf_max_job_user_part: number
}

/**
 * Limits on the jobs that a plan looks at for each user, association (a user under an account), queue, and user in a queue; 0: no limit. A limit for
 * associations replaces that for users, as in Slurm.
 */
export class LookQuotas {
  readonly #limited: readonly { readonly quota: Quota; readonly of: (job: JobId) => number | string }[]

  constructor(most: LookLimits, work: WorkView, queues: QueuesOfJobs) {
    const quotas = [
      { most: most.bf_max_job_part, of: (job: JobId) => queues.of(job) },
      { most: most.bf_max_job_assoc > 0 ? 0 : most.bf_max_job_user, of: (job: JobId) => work.user(job) },
      { most: most.bf_max_job_assoc, of: (job: JobId) => `${work.user(job)} ${work.account(job)}` },
      { most: most.bf_max_job_user_part, of: (job: JobId) => `${work.user(job)} ${queues.of(job)}` },
    ]
    this.#limited = quotas.filter((each) => each.most > 0).map(({ most: limit, of }) => ({ quota: new Quota(limit), of }))
  }

  /** Whether there is any limit. */
  get areLimited(): boolean {
    return this.#limited.length > 0
  }

  isUsed(job: JobId): boolean {
    return this.#limited.some(({ quota, of }) => quota.isUsed(of(job)))
  }

  use(job: JobId): void {
    for (const { quota, of } of this.#limited) quota.use(of(job))
  }
}
