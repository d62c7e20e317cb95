import { None, WrappedRound, type JobId, type NodeId, type Round, type Savepoint, type TaskId } from '@sched/core'
import type { Quotas } from './quotas.js'

/** What a policy has claimed for a job that was not decided about before. */
export interface FirstClaims {
  /** Before the first of them. */
  readonly before: Savepoint
  readonly tasks: TaskId[]
}

/**
 * A round as the wrapped policy sees it: jobs that were moved fit only where their quota allows, and what is claimed for
 * jobs that are not decided about is remembered, in order of their first claims.
 */
export class MovedRound extends WrappedRound {
  readonly first = new Map<JobId, FirstClaims>()
  /** Whether a moved job fitted somewhere, and whether anything was claimed. */
  hasFitted = false
  hasClaimed = false
  readonly #quotas: Quotas
  readonly #isDecided: (job: JobId) => boolean
  readonly #bars = (job: JobId, node: NodeId): boolean => !this.#quotas.allows(job, this.inner.lane, node) || this.inner.bars?.(job, node) === true
  /** The job that the policy may take up again where it may take up no more, since its claims were taken back. */
  #again: JobId | None = None

  constructor(quotas: Quotas, isDecided: (job: JobId) => boolean) {
    super()
    this.#quotas = quotas
    this.#isDecided = isDecided
  }

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

/** A round in which a policy is only asked what it would claim: nothing that outlasts the round is passed on. */
export class RehearsedRound extends MovedRound {
  override get explained(): boolean {
    return false
  }

  override mould(): void {
    // the number of tasks outlasts a round
  }
  override evict(): void {
    // who is killed at rounds to come is not known
  }
  override suspendTask(): void {
    // nor who is suspended
  }
  override cancelJob(): void {
    // nor what is cancelled
  }
  override ignoreLocality(): void {
    // it outlasts a round
  }
  override reserve(): void {
    // no promise
  }
  override defer(): void {
    // it was not passed over
  }
  override wakeAt(): void {
    // nothing to wake for
  }
}
