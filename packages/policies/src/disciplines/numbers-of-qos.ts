import { ownValue, type JobId, type WorkView } from '@sched/core'
import type { QueuesOfJobs } from '../backfilling/queues-of-jobs.js'

/** The jobs, and the queues of those that may start in several. */
interface Jobs {
  readonly work: WorkView
  readonly queues: QueuesOfJobs
}

type Numbers = Readonly<Record<string, number>>

/**
 * A number that a job gets from its own QOS or from the QOS of its partition. The partition's counts first, unless the job's own QOS takes precedence
 * (OverPartQOS).
 *
 * Source: Slurm, `acct_policy_set_qos_order`.
 */
export class NumbersOfQos {
  /** `own`: by QOS, where a job without one has `normal`; `ofQueues`: by queue; `ownFirst`: the QOS that take precedence over that of the queue. */
  constructor(private readonly jobs: Jobs, private readonly own: Numbers, private readonly ofQueues: Numbers, private readonly ownFirst: readonly string[]) {}

  /** The job's number; `undefined` where neither QOS gives one. */
  of(job: JobId): number | undefined {
    const { work, queues } = this.jobs
    const name = work.qos(job) || 'normal'
    const [own, ofQueue] = [ownValue(this.own, name), ownValue(this.ofQueues, queues.of(job))]
    return this.ownFirst.includes(name) ? (own ?? ofQueue) : (ofQueue ?? own)
  }
}
