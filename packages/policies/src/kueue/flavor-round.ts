import { WrappedRound, type JobId, type NodeId, type Round } from '@sched/core'
import { isOf, type Flavor } from './flavor.js'

/** A round in which jobs find room only on nodes of one flavor, so that a placement that looks for a group of nodes finds one among these. */
export class FlavorRound extends WrappedRound {
  #flavor!: Flavor

  /** This round, limited to the nodes of the flavor; valid until the next call. */
  within(flavor: Flavor, round: Round): this {
    this.inner = round
    this.#flavor = flavor
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return isOf(this.#flavor, node) && this.inner.fits(job, node)
  }

  override get bars() {
    return (job: JobId, node: NodeId): boolean => !isOf(this.#flavor, node) || this.inner.bars?.(job, node) === true
  }
}
