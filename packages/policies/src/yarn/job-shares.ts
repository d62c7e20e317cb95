import { rememberedJobs, type JobId, type LaneId, type ResourceId, type WorkView } from '@sched/core'
import type { QueueSharing } from './queue-sharing.js'
import type { Queue } from './queue-tree.js'

/** Amounts of the resources of a lane, in the lane's order. */
export type LaneAmounts = readonly number[]

/** Shares as of the last `refresh`, by resource of the lane: of queues by path, of jobs by name; and the leaves whose share has been divided. */
export interface SharesMemory {
  readonly queues: readonly (readonly [path: string, shares: LaneAmounts])[]
  readonly jobs: readonly (readonly [job: string, shares: LaneAmounts])[]
  readonly divided: readonly string[]
}

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
    for (const [i, r] of this.#resources.entries()) this.#shares[i] = Float64Array.from(this.#sharing.sharesOf(r)) // it is written to at the next call
    this.#of.clear()
    this.#asked.clear()
  }

  memory(work: WorkView): SharesMemory {
    const { queues } = this.#sharing
    const isKnown = this.#shares.length > 0
    return {
      queues: isKnown ? queues.map(({ id, path }) => [path, this.#shares.map((shares) => shares[id] ?? 0)] as const) : [],
      jobs: Array.from(this.#of, ([job, amounts]) => [work.name(job), amounts] as const),
      divided: Array.from(this.#asked, (leaf) => (queues[leaf] as Queue).path),
    }
  }

  recall({ queues, jobs, divided }: SharesMemory, work: WorkView): void {
    if (queues.length === 0) return
    const [known, asked] = [new Map(queues), new Set(divided)]
    for (const i of this.#resources.keys()) this.#shares[i] = Float64Array.from(this.#sharing.queues, ({ path }) => known.get(path)?.[i] ?? 0)
    for (const { id, path } of this.#sharing.queues) if (asked.has(path)) this.#asked.add(id)
    for (const [job, amounts] of rememberedJobs(jobs, work)) this.#of.set(job, amounts)
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
