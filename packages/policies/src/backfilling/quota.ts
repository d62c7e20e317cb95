import type { QueueId, UserId } from '@sched/core'

/** More than there are, so that a queue and a user are one number. */
const MOST_USERS = 2 ** 26

/** How often a pass does something, for each user or queue, up to a limit; 0: no limit. */
export class Quota {
  readonly #most: number
  readonly #counts = new Map<number, number>()

  constructor(most: number) {
    this.#most = most
  }

  isUsed(of = 0): boolean {
    return this.#most > 0 && (this.#counts.get(of) ?? 0) >= this.#most
  }

  use(of = 0): void {
    if (this.#most > 0) this.#counts.set(of, (this.#counts.get(of) ?? 0) + 1)
  }
}

/** Jobs that a plan looks at, of each user, of each queue, and of each user in a queue: Slurm's `bf_max_job_user`, `_part` and `_user_part`; 0: no limit. */
export class LookQuotas {
  /** Whether there is any limit. */
  readonly areLimited: boolean
  readonly #users: Quota
  readonly #queues: Quota
  readonly #usersInQueues: Quota

  constructor(most: { readonly bf_max_job_user: number; readonly bf_max_job_part: number; readonly bf_max_job_user_part: number }) {
    this.areLimited = most.bf_max_job_user > 0 || most.bf_max_job_part > 0 || most.bf_max_job_user_part > 0
    this.#users = new Quota(most.bf_max_job_user)
    this.#queues = new Quota(most.bf_max_job_part)
    this.#usersInQueues = new Quota(most.bf_max_job_user_part)
  }

  isUsed(queue: QueueId, user: UserId): boolean {
    return this.#queues.isUsed(queue) || this.#users.isUsed(user) || this.#usersInQueues.isUsed(queue * MOST_USERS + user)
  }

  use(queue: QueueId, user: UserId): void {
    this.#queues.use(queue)
    this.#users.use(user)
    this.#usersInQueues.use(queue * MOST_USERS + user)
  }
}
