import { None, WrappedRound, type JobId, type NodeId, type Round, type Savepoint, type TaskId } from '@sched/core'
import type { Quotas } from './quotas.js'

/** The claims of a policy for a job about which nothing was decided before. */
export interface FirstClaims {
  /** The savepoint before the first of them. */
  readonly before: Savepoint
  readonly tasks: TaskId[]
}

/** A round as the policy inside sees it: jobs that were moved fit only where their quota allows, and claims for jobs that are not decided about are noted. */
export class MovedRound extends WrappedRound {
  /** The claims for jobs that are not decided about, in the order of their first claims. */
  readonly first = new Map<JobId, FirstClaims>()
  /** Whether a moved job fitted on a node. */
  hasFitted = false
  /** Whether anything was claimed. */
  hasClaimed = false
  readonly #quotas: Quotas
  readonly #isDecided: (job: JobId) => boolean
  readonly #bars = (job: JobId, node: NodeId): boolean => !this.#quotas.allows(job, this.inner.lane, node) || this.inner.bars?.(job, node) === true
  /** The job whose claims were taken back: the policy may take it up again even if it may take up no more jobs. */
  #again: JobId | None = None

  constructor(quotas: Quotas, isDecided: (job: JobId) => boolean) {
    super()
    this.#quotas = quotas
    this.#isDecided = isDecided
  }

  /** Begins anew with a round. `again`: a job that may be taken up again, or `None`. */
  of(round: Round, again: JobId | None): this {
    this.inner = round
    this.#again = again
    this.first.clear()
    this.hasFitted = false
    this.hasClaimed = false
    return this
  }

  override get jobsLeft(): number {
    return this.#again === None ? this.inner.jobsLeft : Math.max(1, this.inner.jobsLeft)
  }
  override fits(job: JobId, node: NodeId): boolean {
    if (!this.#quotas.allows(job, this.inner.lane, node) || !this.inner.fits(job, node)) return false
    if (!this.hasFitted && this.#quotas.isMoved(job)) this.hasFitted = true
    return true
  }

  override get bars() {
    return this.#bars
  }

  override take(job: JobId): boolean {
    if (!this.inner.take(job)) return false
    if (job === this.#again) this.#again = None
    return true
  }

  override claim(task: TaskId, node: NodeId): boolean {
    const round = this.inner
    const job = round.work.jobOf(task)
    if (!this.#quotas.allows(job, round.lane, node)) return false
    if (this.#isDecided(job)) return this.#claimed(job, round.claim(task, node))
    const known = this.first.get(job)
    const before = known?.before ?? round.savepoint()
    if (!round.claim(task, node)) return false
    if (known === undefined) this.first.set(job, { before, tasks: [task] })
    else known.tasks.push(task)
    return this.#claimed(job, true)
  }

  #claimed(job: JobId, isClaimed: boolean): boolean {
    if (!isClaimed) return false
    this.hasClaimed = true
    if (job === this.#again) this.#again = None
    return true
  }

  override rollback(to: Savepoint): void {
    this.inner.rollback(to)
    for (const [job, { before }] of this.first) if (before >= to) this.first.delete(job)
  }
}

/** A round in which a policy is only asked what it would claim. Calls whose effect would last beyond the round do nothing. */
export class RehearsedRound extends MovedRound {
  override get explained(): boolean {
    return false
  }

  override mould(): void {
    // the number of tasks would last
  }
  override evict(): void {
    // nobody is killed
  }
  override suspendTask(): void {
    // nobody is suspended
  }
  override cancelJob(): void {
    // nothing is cancelled
  }
  override ignoreLocality(): void {
    // it would last
  }
  override reserve(): void {
    // nothing is promised
  }
  override defer(): void {
    // no job has been passed over
  }
  override wakeAt(): void {
    // there is nothing to wake for
  }
}
