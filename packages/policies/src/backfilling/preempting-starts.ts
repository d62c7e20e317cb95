import type { JobId, NodeId, Round } from '@sched/core'
import type { Plan } from './counted-plan.js'
import type { Licenses } from './licenses.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'

/**
 * Starts of one pass in the place of others, if an enclosing policy lets jobs preempt them (`Round.makeRoom`). It asks with the same function all through the
 * pass, so that the policy tries nothing in vain twice.
 */
export class PreemptingStarts {
  readonly #round: Round
  readonly #plan: Plan
  readonly #licenses: Licenses | undefined
  readonly #queues: QueuesOfJobs
  /** Jobs for which others have been told in this pass to leave, and run on for a while. */
  readonly #awaited = new Set<JobId>()
  readonly #may: (node: NodeId) => boolean

  constructor(round: Round, plan: Plan, { licenses, queues }: { readonly licenses: Licenses | undefined; readonly queues: QueuesOfJobs }) {
    this.#round = round
    this.#plan = plan
    this.#licenses = licenses
    this.#queues = queues
    this.#may = (node) => plan.mayHave?.(node) === true
  }

  /**
   * Starts all of a job on nodes that nobody has reserved for its run, or for `most` seconds; returns whether it did. Where others run on for a while there,
   * the answer is the nodes of the piece that waits for them.
   */
  start(job: JobId, most = Infinity): boolean | readonly NodeId[] {
    const [round, plan] = [this.#round, this.#plan]
    if (round.makeRoom === undefined || plan.look === undefined || this.#licenses?.has(job) === false) return false
    let isAny = false
    while (round.work.unplaced(job, round.lane) > 0) {
      plan.look(job, most)
      const made = round.makeRoom(job, this.#may, plan.mostNodes?.(job), this.#queues.place(job))
      if (made === false) break
      if (made !== true) {
        if (this.#queues.awaits(job)) this.#awaited.add(job)
        return made
      }
      this.#queues.start(job)
      plan.takeIn?.()
      isAny = true
    }
    return isAny && round.work.unplaced(job, round.lane) === 0
  }

  /** Whether there is such a job, whose other places the next pass looks at. */
  get hasAwaited(): boolean {
    return this.#awaited.size > 0
  }

  /** Whether no other place of the job is looked at in this pass, since others have just been told to leave for it. */
  isAwaited(job: JobId): boolean {
    return this.#awaited.size > 0 && this.#awaited.has(job)
  }
}
