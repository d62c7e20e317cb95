import { None, WrappedRound, type JobId, type KeptBack, type NodeId, type Placement, type Round, type TaskId } from '@sched/core'
import type { RevocableZones } from './revocable-zones.js'

/**
 * A round in which nodes of zones are for jobs that say that they may be preempted, while the zone is open. `areZonesAlone`: these jobs find nodes of zones
 * alone.
 *
 * Source: Volcano, plugins/tdm (predicateFn).
 */
export class RevocableRound extends WrappedRound {
  readonly #zones: RevocableZones
  areZonesAlone = false
  readonly #bars = (job: JobId, node: NodeId): boolean => !this.#mayUse(job, node) || this.inner.bars?.(job, node) === true

  constructor(zones: RevocableZones) {
    super()
    this.#zones = zones
  }

  around(round: Round): this {
    this.inner = round
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.#mayUse(job, node) && this.inner.fits(job, node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.#mayUse(this.work.jobOf(task), node) && this.inner.claim(task, node)
  }

  override get bars() {
    return this.#bars
  }

  #mayUse(job: JobId, node: NodeId): boolean {
    if (!this.#zones.isIn(node)) return !this.areZonesAlone
    return this.#zones.isOpen(node) && this.work.preemptible(job) === true
  }
}

/**
 * A placement that looks for a node in open zones before all others, for jobs that may use them.
 *
 * Source: Volcano, plugins/tdm (nodeOrderFn). Deviation: these nodes come first whatever other plug-ins score.
 */
export class ZonesFirst implements Placement {
  readonly #inner: Placement

  constructor(inner: Placement) {
    this.#inner = inner
  }

  keepsBack(job: JobId, round: Round): KeptBack | undefined {
    return this.#inner.keepsBack?.(job, round)
  }

  wouldAllow(job: JobId, node: NodeId, without: readonly TaskId[], round: Round): boolean {
    return this.#inner.wouldAllow?.(job, node, without, round) !== false
  }

  pick(job: JobId, round: Round): NodeId | None {
    if (!(round instanceof RevocableRound) || round.work.preemptible(job) !== true) return this.#inner.pick(job, round)
    round.areZonesAlone = true
    const node = this.#inner.pick(job, round)
    round.areZonesAlone = false
    return node === None ? this.#inner.pick(job, round) : node
  }
}
