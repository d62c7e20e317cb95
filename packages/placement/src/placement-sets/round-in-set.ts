import { WrappedRound, type JobId, type NodeId, type Round } from '@sched/core'
import type { NodeSet } from './node-sets.js'

/** A round in which the nodes of one set are in sight. */
export class RoundInSet extends WrappedRound {
  #set!: NodeSet
  #inSight: readonly NodeId[] = []
  readonly #bars = (job: JobId, node: NodeId): boolean => !this.#set.has.has(node) || this.inner.bars?.(job, node) === true

  around(round: Round, set: NodeSet): this {
    this.inner = round
    this.#set = set
    this.#inSight = round.nodes.length === round.cluster.nodes ? set.nodes : round.nodes.filter((node) => set.has.has(node))
    return this
  }

  override get nodes() {
    return this.#inSight
  }

  override get bars() {
    return this.#bars
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.#set.has.has(node) && this.inner.fits(job, node)
  }
}
