import { None, Reason, type JobId, type JobSpec, type KeptBack, type NodeId, type Placement, type Round, type Topology } from '@sched/core'
import type { Asked, Nearness } from './nearness.js'
import { PlannedPlaces } from './planned-places.js'

/** A placement that plans all tasks of a job that wait at once, as near each other as the job asks by its `topology`. */
export abstract class NearPlacement implements Placement {
  protected readonly nearness: Nearness
  protected readonly places = new PlannedPlaces()

  constructor(nearness: Nearness) {
    this.nearness = nearness
    Object.assign(this, nearness.hooks)
  }

  /** Nodes into `places` for a job that asks nothing. */
  protected abstract planFreely(job: JobId, round: Round): void

  /** The same for one that asks something; `firm`: what it waits for. */
  protected abstract planNear(asked: Asked, firm: Pick<Topology, 'required' | 'racks'>, job: JobId, round: Round): void

  /** How many tasks of the job the nodes in sight have room for. */
  protected abstract measure(job: JobId, round: Round): number

  /** Who has no group large enough would wait for ever. */
  admits(spec: JobSpec): string | undefined {
    return this.nearness.admits(spec)
  }

  pick(job: JobId, round: Round): NodeId | None {
    const node = this.places.next(job, round)
    if (node !== undefined) return node
    this.#plan(job, round)
    return this.places.nodes[0] ?? None
  }

  /** Where it waits for nodes near each other, and has room for all that must start at once without that. */
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
