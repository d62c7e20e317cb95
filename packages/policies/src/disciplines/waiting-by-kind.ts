import type { ClusterView, JobId, LaneId, WorkListener } from '@sched/core'
import type { PreemptionRights } from './preemption-rights.js'

/** The jobs of a lane, each with those of its kind, by what kinds they were as of this version of the rights. */
interface OfLane {
  readonly jobs: Map<JobId, Set<JobId>>
  readonly kinds: Map<number, Set<JobId>>
  version: number
}

/** Jobs with tasks to place, by lane, and there by kind: those of one may preempt the same jobs. */
export class WaitingByKind implements WorkListener {
  readonly #rights: Pick<PreemptionRights, 'kindOf' | 'version'>
  readonly #lanes: readonly OfLane[]

  constructor({ lanes }: Pick<ClusterView, 'lanes'>, rights: Pick<PreemptionRights, 'kindOf' | 'version'>) {
    this.#rights = rights
    this.#lanes = lanes.map(() => ({ jobs: new Map(), kinds: new Map(), version: 0 }))
  }

  /** All of them, in the order in which they came. */
  in(lane: LaneId): ReadonlyMap<JobId, unknown> {
    return this.#of(lane).jobs
  }

  /** The same by kind, in no order; some are empty. */
  kinds(lane: LaneId): Iterable<ReadonlySet<JobId>> {
    const of = this.#of(lane)
    if (of.version !== this.#rights.version) {
      of.version = this.#rights.version
      of.kinds.clear()
      for (const job of of.jobs.keys()) this.#join(job, of)
    }
    return of.kinds.values()
  }

  onReady(job: JobId, lane: LaneId): void {
    const of = this.#of(lane)
    of.jobs.get(job)?.delete(job) // an update may have made it another kind
    this.#join(job, of)
  }

  onDrained(job: JobId, lane: LaneId): void {
    const { jobs } = this.#of(lane)
    jobs.get(job)?.delete(job)
    jobs.delete(job)
  }

  #join(job: JobId, { jobs, kinds }: OfLane): void {
    const kind = this.#rights.kindOf(job)
    let alike = kinds.get(kind)
    if (alike === undefined) kinds.set(kind, (alike = new Set()))
    jobs.set(job, alike.add(job))
  }

  #of(lane: LaneId): OfLane {
    return this.#lanes[lane] as OfLane
  }
}
