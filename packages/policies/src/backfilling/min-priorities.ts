import { ownValue, type JobId, type WorkView } from '@sched/core'
import { NumbersOfQos } from '../disciplines/numbers-of-qos.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'

type Numbers = Readonly<Record<string, number>>

/** Minimum priorities, by what they are set for. */
interface MinPriorityOptions {
  readonly bf_min_prio_reserve: number
  readonly minPriorities: Numbers
  readonly minPrioritiesOfQueues: Numbers
  readonly ownQosFirst: readonly string[]
  readonly minPrioritiesOfAccounts: Numbers
  readonly minPrioritiesOfUsers: Readonly<Record<string, Numbers>>
  readonly minPrioritiesOfUsersOfPartitions: Readonly<Record<string, Readonly<Record<string, Numbers>>>>
}

/**
 * The priority from which on a job may get a reservation, and so keep others back. The first that is set counts: that of its QOS, of its user under
 * its account (in its queue, if one is set there), of its account, and last the one for all jobs.
 *
 * Source: Slurm, `acct_policy_get_prio_thresh`.
 */
export class MinPriorities {
  readonly #ofQos: NumbersOfQos
  readonly #ofAccounts: Numbers
  readonly #ofUsers: Readonly<Record<string, Numbers>>
  /** By account, user and queue (see `keyOf`); queues in lower case. */
  readonly #ofUsersOfQueues: ReadonlyMap<string, number>
  readonly #ofAll: number
  readonly #hasAssociations: boolean

  constructor(private readonly work: WorkView, options: MinPriorityOptions, queues: QueuesOfJobs) {
    const { minPriorities, minPrioritiesOfQueues, ownQosFirst, minPrioritiesOfAccounts, minPrioritiesOfUsers, minPrioritiesOfUsersOfPartitions } = options
    this.#ofQos = new NumbersOfQos({ work, queues }, minPriorities, minPrioritiesOfQueues, ownQosFirst)
    this.#ofAccounts = minPrioritiesOfAccounts
    this.#ofUsers = minPrioritiesOfUsers
    this.#ofUsersOfQueues = new Map(Object.entries(minPrioritiesOfUsersOfPartitions).flatMap(([account, queues]) =>
      Object.entries(queues).flatMap(([queue, users]) => Object.entries(users).map(([user, number]) => [keyOf(account, user, queue), number] as const))))
    this.#ofAll = options.bf_min_prio_reserve
    this.#hasAssociations = [minPrioritiesOfAccounts, minPrioritiesOfUsers, minPrioritiesOfUsersOfPartitions].some((each) => Object.keys(each).length > 0)
  }

  /** The least priority with which the job may get a reservation; 0: any. */
  of(job: JobId): number {
    return this.#ofQos.of(job) ?? (this.#hasAssociations ? this.#ofAssociation(job) : undefined) ?? this.#ofAll
  }

  #ofAssociation(job: JobId): number | undefined {
    const { work } = this
    const account = work.account(job) || 'root'
    const user = work.userName(work.user(job))
    const inQueue = this.#ofUsersOfQueues.size === 0 ? undefined : this.#ofUsersOfQueues.get(keyOf(account, user, work.queueName(work.queue(job))))
    if (inQueue !== undefined) return inQueue === 0 ? undefined : inQueue
    return ownValue(ownValue(this.#ofUsers, account), user) ?? ownValue(this.#ofAccounts, account)
  }
}

const keyOf = (account: string, user: string, queue: string): string => JSON.stringify([account, user, queue.toLowerCase()])
