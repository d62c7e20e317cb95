import type { JobId, WorkView } from '@sched/core'

type Numbers = Readonly<Record<string, number>>

/**
 * A number that QOS give their jobs, and those of partitions the jobs of these, which comes first unless the job's own QOS says otherwise (OverPartQOS).
 *
 * Source: Slurm, `acct_policy_set_qos_order`.
 */
export class NumbersOfQos {
  /** `own` by QOS, of jobs that name none of `normal`; `ofQueues` by queue; `ownFirst`: QOS that come before that of the queue. */
  constructor(private readonly work: WorkView, private readonly own: Numbers, private readonly ofQueues: Numbers, private readonly ownFirst: readonly string[]) {}

  /** `undefined` where neither says anything. */
  of(job: JobId): number | undefined {
    const { work } = this
    const name = work.qos(job) || 'normal'
    const [own, ofQueue] = [this.own[name], this.ofQueues[work.queueName(work.queue(job))]]
    return this.ownFirst.includes(name) ? (own ?? ofQueue) : (ofQueue ?? own)
  }
}
