import { ownValue, SchedError, type Env, type JobId, type LaneId, type NodeId, type Release, type Round, type TaskId, type WorkListener } from '@sched/core'
import { ClusterAmounts, SuppliedRound } from './cluster-amounts.js'
import { ShownJobs } from './shown-jobs.js'

/**
 * Licences of the cluster that jobs wait for and may take from others: who starts waiting jobs is not told of those for which not enough are free.
 *
 * Source: Slurm, `preempt_for_licenses` of select/cons_tres (PreemptParameters=reclaim_licenses).
 */
export class ReclaimedLicenses extends ShownJobs {
  readonly #env: Env
  readonly #licenses: ClusterAmounts
  readonly #supplied: SuppliedRound
  /** Jobs that ask for any. */
  readonly #askers = new Set<JobId>()
  readonly #names: readonly string[]

  constructor(env: Env, told: WorkListener, licenses: Readonly<Record<string, number>>) {
    const counted = new ClusterAmounts(licenses, env, () => undefined)
    super(env, told, (job, lane) => this.isWaiting(job, lane))
    this.#env = env
    this.#licenses = counted
    this.#supplied = new SuppliedRound(counted)
    this.#names = Object.keys(licenses)
  }

  admits(spec: Parameters<ClusterAmounts['admits']>[0]): string | undefined {
    return this.#licenses.admits(spec)
  }

  onSubmit(job: JobId): void {
    if (this.#namesOf(job).length > 0) this.#askers.add(job)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, _node: NodeId): void {
    this.#licenses.onClaim(job, lane, task)
    this.#tell(job)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: Release): void {
    this.#licenses.onRelease(job, lane, task, node, why)
    this.#tell(job)
  }

  override onFinish(job: JobId): void {
    this.#askers.delete(job)
    super.onFinish(job)
  }

  /** The round, in which nobody starts without his licences. */
  in(round: Round): Round {
    return this.#supplied.of(round)
  }

  /** Whether the job waits for a licence. */
  isWaiting(job: JobId, lane: LaneId): boolean {
    return this.#askers.has(job) && this.#env.work.unplaced(job, lane) > 0 && !this.#licenses.suffice(job, lane)
  }

  /** Where somebody asks why jobs wait: says of those that wait for a licence for which. */
  explain(round: Round): void {
    this.#licenses.explain([...this.#askers].filter((job) => this.isWaiting(job, round.lane)), 'Licenses', round)
  }

  /** Whether both ask for the same one. */
  shares(job: JobId, other: JobId): boolean {
    const names = this.#namesOf(other)
    return this.#askers.has(job) && this.#namesOf(job).some((name) => names.includes(name))
  }

  #namesOf(job: JobId): readonly string[] {
    const licenses = this.#env.work.licenses(job)
    return this.#names.filter((name) => (ownValue(licenses, name) ?? 0) > 0)
  }

  /** A job has taken its licences, or given them back, which may change who waits for some. */
  #tell(changed: JobId): void {
    if (!this.#askers.has(changed)) return
    for (const job of this.#askers) for (let lane = 0; lane < this.#env.cluster.lanes.length; lane++) this.tell(job, lane as LaneId)
  }
}

/** Licences that jobs take from others, if there are any. Throws `BAD_OPTION` where jobs are suspended, which keep theirs. */
export function reclaimedLicenses(env: Env, told: WorkListener, licenses: Readonly<Record<string, number>>, suspends: boolean): ReclaimedLicenses | undefined {
  if (Object.keys(licenses).length === 0) return undefined
  if (!suspends) return new ReclaimedLicenses(env, told, licenses)
  throw new SchedError('BAD_OPTION', 'suspended jobs keep their licences.', { field: 'slurm-preempting.licenses' }, 'Leave out licenses, or use requeue or cancel.')
}
