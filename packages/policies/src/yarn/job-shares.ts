import type { JobId, LaneId, ResourceId } from '@sched/core'
import type { QueueSharing } from './queue-sharing.js'

/** Amounts of the resources of a lane, in the lane's order. */
export type LaneAmounts = readonly number[]

/** Fair shares of jobs as of the last `refresh`. The share of a leaf is divided among its jobs only when one of them is asked for. */
export class JobShares {
  readonly #sharing: QueueSharing
  readonly #lane: LaneId
  readonly #resources: readonly ResourceId[]
  /** By position of the resource in the lane: the shares of all queues. */
  readonly #shares: Float64Array[] = []
  readonly #of = new Map<JobId, LaneAmounts>()
  readonly #asked = new Set<number>()
  /** Of the leaf that was opened last: the jobs that may run, and their shares, `[i * resources + position]`. */
  readonly jobs: JobId[] = []
  rows = new Float64Array(64)

  constructor(sharing: QueueSharing, lane: LaneId, resources: readonly ResourceId[]) {
    this.#sharing = sharing
    this.#lane = lane
    this.#resources = resources
  }

  refresh(): void {
    for (const [i, r] of this.#resources.entries()) this.#shares[i] = this.#sharing.sharesOf(r)
    this.#of.clear()
    this.#asked.clear()
  }

  forget(job: JobId): void {
    this.#of.delete(job)
  }

  /** The fair share of a job; `undefined` for a job that may not run yet. */
  of(job: JobId): LaneAmounts | undefined {
    const leaf = this.#sharing.poolOf(job)
    if (!this.#asked.has(leaf)) {
      this.#asked.add(leaf)
      this.open(leaf)
      const n = this.#resources.length
      for (const [i, each] of this.jobs.entries()) this.#of.set(each, [...this.rows.subarray(i * n, (i + 1) * n)])
    }
    return this.#of.get(job)
  }

  /** Divides the share of a leaf among its jobs; writes `jobs` and `rows`. */
  open(leaf: number): void {
    const { jobs } = this
    const n = this.#resources.length
    jobs.length = 0
    this.#sharing.admitted(leaf, jobs)
    if (jobs.length * n > this.rows.length) this.rows = new Float64Array(2 * jobs.length * n)
    this.#sharing.jobShares(leaf, jobs, this.#lane, this.#shares, this.rows)
  }
}
