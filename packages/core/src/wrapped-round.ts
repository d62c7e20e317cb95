import type { JobId, NodeId, ResourceId, Savepoint, Seconds, TaskId } from './ids.js'
import type { Moulding, Reason, Round } from './round.js'

/**
 * A round that forwards everything to an inner one; a policy around another overrides what it limits. `rehearse` is absent, because a subclass would
 * not see its claims being taken back.
 */
export abstract class WrappedRound implements Round {
  /** The round that calls are forwarded to; a subclass sets it. */
  protected inner!: Round

  get serial() { return this.inner.serial }
  get now() { return this.inner.now }
  get lane() { return this.inner.lane }
  get nodes() { return this.inner.nodes }
  get cluster() { return this.inner.cluster }
  get work() { return this.inner.work }
  get pending() { return this.inner.pending }
  get jobsLeft() { return this.inner.jobsLeft }
  get claimsLeft() { return this.inner.claimsLeft }
  get explained() { return this.inner.explained }
  get reach() { return this.inner.reach }
  get bars() { return this.inner.bars }
  get limitsOf() { return this.inner.limitsOf }
  get nodesOf() { return this.inner.nodesOf }
  get mayStartIn() { return this.inner.mayStartIn }
  get startIn() { return this.inner.startIn }
  get makeRoom() { return this.inner.makeRoom }
  get mayStartFrom() { return this.inner.mayStartFrom }
  room(node: NodeId): boolean { return this.inner.room(node) }
  fits(job: JobId, node: NodeId): boolean { return this.inner.fits(job, node) }
  claim(task: TaskId, node: NodeId): boolean { return this.inner.claim(task, node) }
  moulding(job: JobId): Moulding | undefined { return this.inner.moulding(job) }
  mould(job: JobId, tasks: number): void { this.inner.mould(job, tasks) }
  ignoreLocality(job: JobId): void { this.inner.ignoreLocality?.(job) }
  limitTo(job: JobId, seconds: Seconds): void { this.inner.limitTo?.(job, seconds) }
  take(job: JobId): boolean { return this.inner.take(job) }
  evict(task: TaskId): void { this.inner.evict(task) }
  suspendTask(task: TaskId, frees: readonly ResourceId[]): void { this.inner.suspendTask(task, frees) }
  cancelJob(job: JobId): void { this.inner.cancelJob(job) }
  reserve(job: JobId, start: Seconds): void { this.inner.reserve(job, start) }
  defer(job: JobId, reason: Reason, limit?: string, isPart?: boolean): void { this.inner.defer(job, reason, limit, isPart) }
  savepoint(): Savepoint { return this.inner.savepoint() }
  rollback(to: Savepoint): void { this.inner.rollback(to) }
  wakeAt(time: Seconds): void { this.inner.wakeAt(time) }
}
