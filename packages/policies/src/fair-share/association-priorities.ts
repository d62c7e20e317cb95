import type { Env, JobId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { accountOptions, type AccountTree } from '../slurm-limits/account-tree.js'
import { Associations, inherited } from '../slurm-limits/associations.js'

export interface OwnPriority {
  readonly priority?: number | undefined
}
const priority = z.int().nonnegative().optional().describe('its priority (Priority of sacctmgr); default: that of the account around it')

export const associationPriorityOptions = z.record(z.string(), accountOptions({ priority }, 'its users, with priorities of their own'))

/**
 * The priority of each job's association: its user's own, or else that of the nearest account around, 0 without any; as a fraction of the highest of all.
 *
 * Source: Slurm, `assoc_mgr_normalize_assoc_shares` and `set_priority_factors`.
 */
export class AssociationPriorities {
  readonly #env: Env
  readonly #associations: Associations<OwnPriority>
  readonly #highest: number

  /** `isRaw`: priorities count as they are. */
  constructor(options: z.output<typeof associationPriorityOptions>, isRaw: boolean, env: Env) {
    this.#env = env
    this.#associations = new Associations(options)
    this.#highest = isRaw ? 1 : Math.max(1, ...Object.values(options).flatMap(prioritiesIn))
  }

  of(job: JobId): number {
    const { work } = this.#env
    const association = this.#associations.of(work.userName(work.user(job)), work.account(job), work.queueName(work.queue(job)))
    return (inherited(association, 'priority') ?? 0) / this.#highest
  }
}

/** The priorities of an account and of all that lies in it. */
function prioritiesIn({ priority = 0, users = {}, usersOfPartitions = {}, accounts = {} }: AccountTree<OwnPriority>): number[] {
  const ofUsers = [users, ...Object.values(usersOfPartitions)].flatMap((each) => Object.values(each))
  return [priority, ...ofUsers.map((each) => each.priority ?? 0), ...Object.values(accounts).flatMap(prioritiesIn)]
}
