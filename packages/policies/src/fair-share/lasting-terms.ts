import { grown, type ClusterView, type JobId, type LaneId, type WorkListener } from '@sched/core'

export const TERMS = 6
export type Terms = readonly [size: number, partition: number, qos: number, site: number, tres: number, tier: number]

/** The terms of jobs' priorities that time does not change, found anew when a job asks something else or nodes have come or gone. */
export class LastingTerms implements WorkListener {
  /** `[(job * lanes + lane) * TERMS + term]`; the first is `NaN` until they are found. */
  values = new Float64Array(64)
  readonly #lanes: number
  readonly #termsOf: (job: JobId, lane: LaneId) => Terms

  constructor({ lanes }: ClusterView, termsOf: (job: JobId, lane: LaneId) => Terms) {
    this.#lanes = lanes.length
    this.#termsOf = termsOf
  }

  /** Where the job's terms begin in `values`. */
  find(job: JobId, lane: LaneId): number {
    const first = this.#first(job, lane)
    if (Number.isNaN(this.values[first])) this.values.set(this.#termsOf(job, lane), first)
    return first
  }

  onReady(job: JobId, lane: LaneId): void {
    const first = this.#first(job, lane)
    this.values = grown(this.values, first + TERMS)
    this.values[first] = NaN
  }

  onMore(job: JobId, lane: LaneId): void {
    this.values[this.#first(job, lane)] = NaN
  }

  onClaim(job: JobId, lane: LaneId): void {
    this.values[this.#first(job, lane)] = NaN
  }

  onNode(): void {
    this.values.fill(NaN)
  }

  #first(job: JobId, lane: LaneId): number {
    return (job * this.#lanes + lane) * TERMS
  }
}
