import type { JobId, LaneId, Order, Round, WorkListener, WorkView } from '@sched/core'

/** What becomes of jobs that are preempted. */
type Mode = 'requeue' | 'cancel' | 'suspend' | 'off'

interface Rules {
  /** Of queues; those that are not named have 1. */
  readonly tiers: Readonly<Record<string, number>>
  /** QOS in place of tiers; jobs that name none have `normal`. */
  readonly qos?: Readonly<Record<string, { readonly preempt: readonly string[]; readonly priority: number; readonly within: boolean }>> | undefined
  readonly mode: Mode
  /** By queue, with `qos` by QOS. */
  readonly modes: Readonly<Record<string, Mode>>
  readonly byPriority: boolean
  readonly minExemptPriority?: number | undefined
}

/**
 * Who may preempt whom. The priority of a job that waits is what the order computes, without one its own; that of one that runs is what it was when it
 * last waited, since Slurm computes it no more then.
 *
 * Source: Slurm, `preempt_p_preemptable` of preempt/partition_prio and preempt/qos, `_is_job_preempt_exempt_internal`.
 */
export class PreemptionRights implements WorkListener {
  readonly #work: WorkView
  readonly #rules: Rules
  readonly #order: Order | undefined
  /** Whether anything goes by priorities of running jobs. */
  readonly #countsPriorities: boolean
  /** As of the last round in which the job waited. */
  readonly #priorities = new Map<JobId, number>()

  constructor(rules: Rules, work: WorkView, order: Order | undefined) {
    this.#rules = rules
    this.#work = work
    this.#order = order
    this.#countsPriorities = rules.byPriority || rules.minExemptPriority !== undefined || Object.values(rules.qos ?? {}).some(({ within }) => within)
  }

  onFinish(job: JobId): void {
    this.#priorities.delete(job)
  }

  /** Priorities of those that wait are as of this round from here on. */
  begin(round: Round, waiting: Iterable<JobId>): void {
    this.#order?.begin(round)
    if (this.#countsPriorities) for (const job of waiting) this.#priorities.set(job, this.priorityOf(job, round.lane))
  }

  /** The priority of a job that waits. */
  priorityOf(job: JobId, lane: LaneId): number {
    return this.#order?.priority?.(job, lane) ?? this.#work.priority(job)
  }

  /** The tier of its queue, or the priority of its QOS. */
  rankOf(job: JobId): number {
    const { qos, tiers } = this.#rules
    return qos === undefined ? (tiers[this.#work.queueName(this.#work.queue(job))] ?? 1) : (qos[this.#qosOf(job)]?.priority ?? 0)
  }

  /** Jobs of a group may preempt the same jobs, and be preempted by the same, but for their priorities. */
  groupOf(job: JobId): string | number {
    return this.#rules.qos === undefined ? this.rankOf(job) : this.#qosOf(job)
  }

  /** Whether a job may preempt another, for what both are; how long that has run is another matter. */
  mayTake(job: JobId, victim: JobId): boolean {
    const { qos, byPriority } = this.#rules
    if (!this.#isPreemptable(victim) || (this.modeOf(victim) === 'suspend' && this.#work.isGangJob(job))) return false
    if (qos === undefined) return this.rankOf(victim) < this.rankOf(job) && (!byPriority || this.#exceeds(job, victim) >= 0)
    const own = qos[this.#qosOf(job)]
    const other = this.#qosOf(victim)
    if (other === this.#qosOf(job)) return own?.within === true && this.#exceeds(job, victim) > 0
    return own?.preempt.includes(other) === true && (!byPriority || this.#exceeds(job, victim) > 0)
  }

  /** What becomes of one that is preempted; a job that is one gang of several stages is never suspended. */
  modeOf(victim: JobId): Mode {
    const { mode: ofAll, modes, qos } = this.#rules
    const mode = modes[qos === undefined ? this.#work.queueName(this.#work.queue(victim)) : this.#qosOf(victim)] ?? ofAll
    return mode === 'suspend' && this.#work.isGangJob(victim) ? 'off' : mode
  }

  /** By whose queue or QOS a grace time goes. */
  graceOf(victim: JobId, times: Readonly<Record<string, number>>): number {
    return times[this.#rules.qos === undefined ? this.#work.queueName(this.#work.queue(victim)) : this.#qosOf(victim)] ?? 0
  }

  /** A running job of each group and mode, that of the lowest priority: whoever may take no one of these may take none. */
  oneOfEach(running: Iterable<JobId>): JobId[] {
    const found = new Map<string, JobId>()
    for (const job of running) {
      if (!this.#isPreemptable(job)) continue
      const group = `${this.modeOf(job)} ${this.groupOf(job)}`
      const other = found.get(group)
      if (other === undefined || this.#seen(job) < this.#seen(other)) found.set(group, job)
    }
    return [...found.values()]
  }

  #isPreemptable(victim: JobId): boolean {
    const { minExemptPriority: most } = this.#rules
    return this.modeOf(victim) !== 'off' && (most === undefined || this.#seen(victim) <= most)
  }

  #exceeds(job: JobId, victim: JobId): number {
    return this.#seen(job) - this.#seen(victim)
  }

  #seen(job: JobId): number {
    return this.#priorities.get(job) ?? 0
  }

  #qosOf(job: JobId): string {
    const name = this.#work.qos(job)
    return name === '' ? 'normal' : name
  }
}
