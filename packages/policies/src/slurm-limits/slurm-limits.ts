import { definePolicy, forwarding, WrappedRound, type Env, type JobId, type NodeId, type Plug, type Policy, type Round, type Savepoint, type Seconds, type TaskId } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { exceptWaiting } from '../disciplines/except-waiting.js'
import { LimitedJobs } from './limited-jobs.js'
import { slurmLimitsOptions, type SlurmLimitsOptions } from './options.js'

/**
 * The limits of Slurm's partitions, QOS and associations around any policy. A job that asks for more than its partition allows waits for ever or is refused
 * (`enforcePartLimits`). A job that exceeds the number of jobs in the system is refused. A job that exceeds a limit on running jobs waits but does not keep
 * others waiting: the policy inside plans and starts as if it were not there. For limits on numbers of jobs a job that is one gang is one job; limits on
 * single jobs hold for each of its stages.
 *
 * Source: Slurm, resource_limits.html, qos.html, acct_policy.c. Deviations: a job whose tasks do not start together is limited task by task; running jobs go
 * on when GrpTRESMins is used up; promised starts (`reserve`) are not passed on, since a limit may forbid them.
 */
export const slurmLimitsPolicy = definePolicy({
  name: 'slurm-limits',
  summary: 'limits of partitions, QOS and associations around any policy (Slurm)',
  source: 'Slurm, resource_limits',
  options: slurmLimitsOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'replan' },
  create: (options, env, { policy }) => new SlurmLimits(options, env, policy.create(env)),
})

/** Slurm's limits around a policy. */
export const slurmLimits = (policy: Plug<'policy'>, options: SlurmLimitsOptions = {}): Plug<'policy'> => slurmLimitsPolicy.plug({ policy }, options)

class SlurmLimits implements Policy {
  readonly startsGangJobs: boolean
  readonly #policy: Policy
  readonly #jobs: LimitedJobs
  readonly #round: LimitedRound

  constructor(options: z.output<typeof slurmLimitsOptions>, env: Env, policy: Policy) {
    this.#policy = policy
    this.startsGangJobs = policy.startsGangJobs === true
    this.#jobs = new LimitedJobs(options, env, policy)
    this.#round = new LimitedRound(this.#jobs)
    const { promises: _, ...inside } = exceptWaiting(policy) // starts are not promised, since a limit may forbid them
    Object.assign(this, forwarding(this.#jobs, inside))
  }

  schedule(round: Round): void {
    this.#jobs.begin(round)
    this.#round.open(round)
    this.#policy.schedule(this.#round)
    this.#jobs.end(round)
  }
}

/** A round in which jobs that a limit holds back cannot start. */
class LimitedRound extends WrappedRound {
  readonly #jobs: LimitedJobs
  /** The job whose piece is being claimed, and how many tasks of the piece are still to be claimed. */
  #job: JobId | undefined
  #left = 0

  constructor(jobs: LimitedJobs) {
    super()
    this.#jobs = jobs
  }

  open(round: Round): void {
    this.inner = round
    this.#left = 0
  }

  override get limitsOf() {
    const { say } = this.#jobs
    return say && ((job: JobId, queue?: string) => say(job, this.lane, queue))
  }

  override get nodesOf() {
    const { nodes } = this.#jobs
    return nodes && ((job: JobId, queue?: string) => nodes(job, this.lane, queue))
  }

  override get mayStartIn() {
    const { mayStartIn } = this.#jobs
    return mayStartIn && ((job: JobId, queue: string) => mayStartIn(job, this.lane, queue))
  }

  override get startIn() {
    return (job: JobId, queue: string) => {
      this.inner.startIn?.(job, queue)
      if (!this.#jobs.isHeld(job, this.lane)) this.#jobs.startIn(job, queue)
    }
  }

  override fits(job: JobId, node: NodeId): boolean {
    return !this.#jobs.isHeld(job, this.lane) && this.inner.fits(job, node) && this.nodesOf?.(job)?.isOver([node]) !== true
  }

  override take(job: JobId): boolean {
    return !this.#jobs.isHeld(job, this.lane) && this.inner.take(job)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    const job = this.work.jobOf(task)
    const isNext = this.#left === 0 || job !== this.#job
    const tasks = isNext ? this.work.together(job, this.lane) : this.#left
    if ((isNext && !this.#jobs.mayStart(job, this.lane)) || this.nodesOf?.(job)?.isOver([node]) === true) return false
    if (!this.inner.claim(task, node)) return false
    this.#job = job
    this.#left = tasks - 1
    if (this.#left === 0) this.#jobs.claimed(job)
    return true
  }

  override rollback(to: Savepoint): void {
    this.inner.rollback(to)
    this.#left = 0
    this.#jobs.takenBack()
  }

  /** Without a job that may start the policy inside needs no further round. */
  override wakeAt(time: Seconds): void {
    if (this.#jobs.hasShown) this.inner.wakeAt(time)
  }

  /** A limit may forbid the start. */
  override reserve(): void {
    // nothing is promised
  }
}
