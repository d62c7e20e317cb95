import { grown, type ClusterView, type JobId, type LaneId, type ResourceId, type WorkListener } from '@sched/core'

/** The terms of job scores that do not change with time. They are computed anew when a job asks for something else, or when nodes have come or gone. */
export class LastingTerms implements WorkListener {
  /** `[(job * lanes + lane) * count + term]`; the first term of a job is `NaN` until its terms are computed. */
  values = new Float64Array(64)
  /** How often all terms have been computed anew. */
  epoch = 0
  readonly #cluster: ClusterView
  readonly #capacity: number[] = []
  readonly #lanes: number
  readonly #count: number
  readonly #termsOf: (job: JobId, lane: LaneId) => ArrayLike<number>

  /** `count`: how many terms `termsOf` returns. */
  constructor(cluster: ClusterView, count: number, termsOf: (job: JobId, lane: LaneId) => ArrayLike<number>) {
    this.#cluster = cluster
    this.#lanes = cluster.lanes.length
    this.#count = count
    this.#termsOf = termsOf
  }

  /** The index in `values` at which the job's terms begin; computes them where they are missing. */
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
    this.epoch++
    this.values.fill(NaN)
  }

  /** To be called before a reading where terms depend on the capacity of the cluster, which may also change on nodes that stay up. */
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
