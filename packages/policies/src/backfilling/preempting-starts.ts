import type { JobId, NodeId, Round } from '@sched/core'
import type { Plan } from './counted-plan.js'
import type { Licenses } from './licenses.js'

/**
 * Starts of one pass in the place of others, if an enclosing policy lets jobs preempt them (`Round.makeRoom`). It asks with the same function all through the
 * pass, so that the policy tries nothing in vain twice.
 */
export class PreemptingStarts {
  readonly #round: Round
  readonly #plan: Plan
  readonly #licenses: Licenses | undefined
  readonly #may: (node: NodeId) => boolean

  constructor(round: Round, plan: Plan, licenses: Licenses | undefined) {
    this.#round = round
    this.#plan = plan
    this.#licenses = licenses
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
      const made = round.makeRoom(job, this.#may, plan.mostNodes?.(job))
      if (made === false) break
      if (made !== true) return made
      plan.takeIn?.()
      isAny = true
    }
    return isAny && round.work.unplaced(job, round.lane) === 0
  }
}
