import type { Env, JobId } from '@sched/core'
import { ExpiringQueues } from './expiring-queues.js'
import { ManagedCapacities } from './managed-capacities.js'
import type { ReadCapacityOptions } from './queue-options.js'
import type { QueueTree } from './queue-tree.js'

/** Removes queues that were made at first use, and moves their capacities, as time passes and as far as the options say so. */
export class MadeQueues {
  readonly #env: Env
  readonly #expiring: ExpiringQueues | undefined
  readonly #managed: ManagedCapacities | undefined
  readonly #isStill: boolean

  constructor({ queueExpiration, queueManagementInterval }: ReadCapacityOptions, tree: QueueTree, env: Env) {
    this.#env = env
    if (queueExpiration !== undefined) this.#expiring = new ExpiringQueues(tree, queueExpiration)
    if (queueManagementInterval !== undefined) this.#managed = new ManagedCapacities(tree, queueManagementInterval)
    this.#isStill = this.#expiring === undefined && this.#managed === undefined
  }

  /** A job has come into a leaf; to be called after `look`. */
  enter(job: JobId, leaf: number): void {
    this.#expiring?.enter(leaf, this.#env.now())
    this.#managed?.enter(job, leaf)
  }

  /** A job has ended; to be called after `look`. */
  leave(job: JobId, leaf: number): void {
    this.#expiring?.leave(leaf)
    this.#managed?.leave(job)
  }

  /** Makes the looks that were due by now; to be called before anything changes or is read. */
  look(): void {
    if (this.#isStill) return
    const now = this.#env.now()
    this.#expiring?.lookUntil(now)
    this.#managed?.lookUntil(now)
  }
}
