import type { JobId, WorkView } from '@sched/core'
import { NumbersOfQos } from '../disciplines/numbers-of-qos.js'

type Numbers = Readonly<Record<string, number>>

/** Who has one. */
interface MinPriorityOptions {
  readonly bf_min_prio_reserve: number
  readonly minPriorities: Numbers
  readonly minPrioritiesOfQueues: Numbers
  readonly ownQosFirst: readonly string[]
  readonly minPrioritiesOfAccounts: Numbers
  readonly minPrioritiesOfUsers: Readonly<Record<string, Numbers>>
}

/**
 * Priorities from which on jobs keep others back: of its QOS, where these say none of its user, then of its account, otherwise of all.
 *
 * Source: Slurm, `acct_policy_get_prio_thresh`.
 */
export class MinPriorities {
  readonly #ofQos: NumbersOfQos
  readonly #ofAccounts: Numbers
  readonly #ofUsers: Readonly<Record<string, Numbers>>
  readonly #ofAll: number
  readonly #hasAssociations: boolean

  constructor(private readonly work: WorkView, options: MinPriorityOptions) {
    const { minPriorities, minPrioritiesOfQueues, ownQosFirst, minPrioritiesOfAccounts, minPrioritiesOfUsers } = options
    this.#ofQos = new NumbersOfQos(work, minPriorities, minPrioritiesOfQueues, ownQosFirst)
    this.#ofAccounts = minPrioritiesOfAccounts
    this.#ofUsers = minPrioritiesOfUsers
    this.#ofAll = options.bf_min_prio_reserve
    this.#hasAssociations = [minPrioritiesOfAccounts, minPrioritiesOfUsers].some((each) => Object.keys(each).length > 0)
  }

  /** 0: any will do. */
  of(job: JobId): number {
    return this.#ofQos.of(job) ?? (this.#hasAssociations ? this.#ofAssociation(job) : undefined) ?? this.#ofAll
  }

  #ofAssociation(job: JobId): number | undefined {
    const account = this.work.account(job) || 'root'
    return this.#ofUsers[account]?.[this.work.userName(this.work.user(job))] ?? this.#ofAccounts[account]
  }
}
