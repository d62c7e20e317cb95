import type { JobId, WorkView } from '@sched/core'

type Numbers = Readonly<Record<string, number>>

/**
 * A number that a job gets from its own QOS or from the QOS of its partition. The partition's counts first, unless the job's own QOS takes precedence
 * (OverPartQOS).
 *
 * Source: Slurm, `acct_policy_set_qos_order`.
 */
export class NumbersOfQos {
  /** `own`: by QOS, where a job without one has `normal`; `ofQueues`: by queue; `ownFirst`: the QOS that take precedence over that of the queue. */
  constructor(private readonly work: WorkView, private readonly own: Numbers, private readonly ofQueues: Numbers, private readonly ownFirst: readonly string[]) {}

  /** The job's number; `undefined` where neither QOS gives one. */
  of(job: JobId): number | undefined {
    const { work } = this
    const name = work.qos(job) || 'normal'
    const [own, ofQueue] = [this.own[name], this.ofQueues[work.queueName(work.queue(job))]]
    return this.ownFirst.includes(name) ? (own ?? ofQueue) : (ofQueue ?? own)
  }
}
