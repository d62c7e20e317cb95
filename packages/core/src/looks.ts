import type { LaneId } from './ids.js'
import type { Scheduler } from './architecture.js'

/**
 * Whether a policy wants a look: a round without nodes where the node that reports has no room. A policy that preempts must learn that jobs wait.
 *
 * A policy that wanted none is not asked again before it has decided or another job has come: most heartbeats find no room, and nobody who preempts.
 */
export class Looks {
  readonly #of: Pick<Scheduler, 'pending' | 'policy'>
  /** By lane, 0: the policy wants no look. */
  readonly #may: Uint8Array

  constructor(lanes: number, of: Pick<Scheduler, 'pending' | 'policy'>) {
    this.#of = of
    this.#may = new Uint8Array(lanes)
  }

  /** The policy may want a look at any lane: another job has come, or one has changed. */
  changed(): void {
    this.#may.fill(1)
  }

  /** The policy has decided about the lane, and may want another look. */
  decided(lane: LaneId): void {
    this.#may[lane] = 1
  }

  /** Whether tasks wait in the lane and the policy wants a look at it. */
  isWanted(lane: LaneId): boolean {
    if (this.#may[lane] === 0 || this.#of.pending(lane) === 0) return false
    if (this.#of.policy.wantsLook?.(lane) === true) return true
    this.#may[lane] = 0
    return false
  }
}
