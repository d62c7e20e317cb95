import { ownValue, SchedError, type ClusterView, type LaneId, type ResourceId } from '@sched/core'
import type { NegotiatorSettings } from './options.js'
import type { SlotWeight } from './slot-weight.js'

type Amount = (resource: ResourceId) => number

/**
 * Which of two slots a job is matched with that may be either.
 *
 * Source: HTCondor, matchmaker.cpp (matchmakingAlgorithm, calculateRanks), the defaults of NEGOTIATOR_PRE_JOB_RANK and NEGOTIATOR_POST_JOB_RANK: first the sum
 * of 10,000,000 times the machine's rank of the job, 1,000,000 where nobody runs, less 100,000 for each free processor and 1 for each MB; then, where nobody
 * runs, the faster machine. Deviation of the default: these go one after the other, with less free of each other resource in turn, so that whatever units
 * resources have, somebody goes only where nothing free is as good. Jobs have no rank of their own for machines.
 */
export class OfferRanks {
  readonly #preJobRank: NegotiatorSettings['NEGOTIATOR_PRE_JOB_RANK']
  readonly #weight: SlotWeight
  readonly #resources: readonly ResourceId[]
  /** What a unit of each of the lane's resources weighs in the pre-job rank. */
  readonly #weights: readonly number[]
  /** Whether somebody may have to go although a node is free. */
  readonly mayPreferTaken: boolean

  constructor({ NEGOTIATOR_PRE_JOB_RANK: preJobRank, RANK }: NegotiatorSettings, cluster: ClusterView, lane: LaneId, weight: SlotWeight) {
    for (const name of Object.keys(preJobRank?.free ?? {}))
      if (!cluster.resources.includes(name))
        throw new SchedError('BAD_OPTION', `NEGOTIATOR_PRE_JOB_RANK names ${name}, which no node has.`, { field: 'negotiator.NEGOTIATOR_PRE_JOB_RANK' }, `Known: ${cluster.resources.join(', ')}.`)
    this.#preJobRank = preJobRank
    this.mayPreferTaken = preJobRank !== undefined || RANK.length > 0
    this.#weight = weight
    this.#resources = cluster.lanes[lane]?.resources ?? []
    this.#weights = this.#resources.map((r) => ownValue(preJobRank?.free ?? {}, cluster.resources[r] as string) ?? 0)
  }

  /** What is compared first, the larger the better: the machine's rank of the job; 0 where that is a part of the sum. */
  first(rank: number): number {
    return this.#preJobRank === undefined ? rank : 0
  }

  /** What is compared next. */
  second(rank: number, isIdle: boolean, amount: Amount): number {
    const weights = this.#preJobRank
    if (weights === undefined) return -this.#weight.of(amount)
    let sum = weights.Rank * rank + (isIdle ? weights.Unclaimed : 0)
    for (let i = 0; i < this.#resources.length; i++) sum += (this.#weights[i] as number) * amount(this.#resources[i] as ResourceId)
    return sum
  }

  /** Among those that are equal so far: below 0 if the one with these amounts comes first. */
  third(a: Amount, b: Amount): number {
    if (this.#preJobRank === undefined) for (const r of this.#resources) if (a(r) !== b(r)) return a(r) - b(r)
    return 0
  }

  /** Whether a slot where somebody has to go is better than one where nobody runs. */
  isWorthIt(taken: { readonly rank: number; readonly amount: Amount }, idle: { readonly rank: number; readonly amount: Amount }): boolean {
    if (this.#preJobRank === undefined) return taken.rank > idle.rank
    return this.second(taken.rank, false, taken.amount) > this.second(idle.rank, true, idle.amount)
  }
}
