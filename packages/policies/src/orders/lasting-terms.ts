import { grown, type ClusterView, type JobId, type LaneId, type ResourceId, type WorkListener } from '@sched/core'

/** The terms of jobs' scores that time does not change, found anew when a job asks something else or nodes have come or gone. */
export class LastingTerms implements WorkListener {
  /** `[(job * lanes + lane) * count + term]`; the first is `NaN` until they are found. */
  values = new Float64Array(64)
  readonly #cluster: ClusterView
  readonly #capacity: number[] = []
  readonly #lanes: number
  readonly #count: number
  readonly #termsOf: (job: JobId, lane: LaneId) => ArrayLike<number>

  /** `count`: how many terms `termsOf` finds. */
  constructor(cluster: ClusterView, count: number, termsOf: (job: JobId, lane: LaneId) => ArrayLike<number>) {
    this.#cluster = cluster
    this.#lanes = cluster.lanes.length
    this.#count = count
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
    this.values = grown(this.values, first + this.#count)
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

  /** Before a reading where the terms go by what the cluster has: slots come and go on nodes that stay up. */
  refresh(): void {
    const { resources } = this.#cluster
    let hasChanged = false
    for (let r = 0 as ResourceId; r < resources.length; r++) {
      hasChanged ||= this.#capacity[r] !== this.#cluster.capacity(r)
      this.#capacity[r] = this.#cluster.capacity(r)
    }
    if (hasChanged) this.onNode()
  }

  #first(job: JobId, lane: LaneId): number {
    return (job * this.#lanes + lane) * this.#count
  }
}
