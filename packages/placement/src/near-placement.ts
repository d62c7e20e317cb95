import { None, Reason, type JobId, type JobSpec, type KeptBack, type NodeId, type Placement, type Round } from '@sched/core'
import type { Asked, Firm, Nearness } from './nearness.js'
import { PlannedPlaces } from './planned-places.js'

/** A placement that plans all waiting tasks of a job at once, as near each other as the job's `topology` asks. */
export abstract class NearPlacement implements Placement {
  protected readonly nearness: Nearness
  protected readonly places = new PlannedPlaces()

  constructor(nearness: Nearness) {
    this.nearness = nearness
    Object.assign(this, nearness.hooks)
  }

  /** Plans the nodes of a job without a topology; writes them to `places`. */
  protected abstract planFreely(job: JobId, round: Round): void

  /** The same for a job with a topology; `firm`: the part of it for which the job waits. */
  protected abstract planNear(asked: Asked, firm: Firm, job: JobId, round: Round): void

  /** The number of tasks of the job for which the nodes in sight have room. */
  protected abstract measure(job: JobId, round: Round): number

  /** Refuses a job for which no group is large enough, since it would wait for ever. */
  admits(spec: JobSpec): string | undefined {
    return this.nearness.admits(spec)
  }

  pick(job: JobId, round: Round): NodeId | None {
    const node = this.places.next(job, round)
    if (node !== undefined) return node
    this.#plan(job, round)
    return this.places.nodes[0] ?? None
  }

  /** Says that the job waits for nodes near each other, if without that there is room for all that must start at once. */
  keepsBack(job: JobId, round: Round): KeptBack | undefined {
    if (round.work.unplaced(job, round.lane) === 0 || round.nodes.length === 1 || this.nearness.askedOf(job, round) === undefined) return undefined
    this.#plan(job, round)
    return this.places.nodes.length === 0 && this.nearness.hasRoom(job, round, () => this.measure(job, round)) ? { reason: Reason.Locality } : undefined
  }

  confines(job: JobId, round: Round): boolean {
    return this.nearness.confines(job, round)
  }

  #plan(job: JobId, round: Round): void {
    const { nearness, places } = this
    places.begin(job, round)
    const asked = nearness.askedOf(job, round)
    if (asked === undefined) return this.planFreely(job, round)
    const firm = nearness.firm(asked, job, round)
    this.planNear(asked, firm, job, round)
    if (firm.racks !== undefined) nearness.keepTo(firm.racks, asked.isOfStage, job, round, places.nodes)
  }
}
