import { listOf, rememberedJobs, ownValue, type Env, type JobId, type LaneId, type Order, type Round, type WorkListener, type WorkView } from '@sched/core'
import { QueuesOfJobs, type QueuesMemory } from '../backfilling/queues-of-jobs.js'

/** What happens to preempted jobs; off: they are not preempted. */
type Mode = 'requeue' | 'cancel' | 'suspend' | 'off'

interface Rules {
  /** Tiers of queues; a queue that is not named has 1. */
  readonly tiers: Readonly<Record<string, number>>
  /** QOS, which replace tiers; a job without one has `normal`. */
  readonly qos?: Readonly<Record<string, { readonly preempt: readonly string[]; readonly priority: number; readonly within: boolean }>> | undefined
  readonly mode: Mode
  /** Modes by queue, or by QOS where `qos` is given. */
  readonly modes: Readonly<Record<string, Mode>>
  readonly byPriority: boolean
  readonly minExemptPriority?: number | undefined
}

interface RightsMemory {
  readonly priorities: readonly (readonly [job: string, priority: number])[]
  readonly queues: QueuesMemory
}

/**
 * Which job may preempt which. The priority of a waiting job is the one that the order computes, or its own if the order computes none. A running job
 * keeps the priority that it had when it last waited, since Slurm does not compute it any more. A job that may start in several queues has the rank and the
 * priority of the one in which it is looked at, or in which it runs.
 *
 * Source: Slurm, `preempt_p_preemptable` of preempt/partition_prio and preempt/qos, `_is_job_preempt_exempt_internal`.
 */
export class PreemptionRights implements WorkListener {
  /** The queues of jobs that may start in several. */
  readonly queues: QueuesOfJobs
  readonly #work: WorkView
  readonly #rules: Rules
  readonly #order: Order | undefined
  /** Whether any rule compares priorities of running jobs. */
  readonly #countsPriorities: boolean
  /** Priority of each job in the last round in which it waited. */
  readonly #priorities = new Map<JobId, number>()
  /** Where priorities do not count: the kinds of jobs, by what makes one, and by job where known; and by the kinds of two jobs whether one may preempt the other. */
  readonly #kinds = new Map<string, number>()
  readonly #kindOf: (number | undefined)[] = listOf()
  readonly #takes: (boolean | undefined)[][] = listOf()
  #version = 0

  constructor(rules: Rules, env: Pick<Env, 'work' | 'cluster'>, order: Order | undefined) {
    this.queues = new QueuesOfJobs(env)
    this.#rules = rules
    this.#work = env.work
    this.#order = order
    this.#countsPriorities = rules.byPriority || rules.minExemptPriority !== undefined || Object.values(rules.qos ?? {}).some(({ within }) => within)
  }

  onSubmit(job: JobId): void {
    this.queues.onSubmit(job)
    this.#kindOf[job] = undefined
  }

  onFinish(job: JobId): void {
    this.queues.onFinish(job)
    if (!this.#work.comesAgain(job)) this.#priorities.delete(job)
  }

  /** Priorities by the name of the job, and where jobs of several queues run. */
  memory(): RightsMemory {
    return { priorities: Array.from(this.#priorities, ([job, priority]) => [this.#work.name(job), priority] as const), queues: this.queues.memory() }
  }

  recall(memory: unknown): void {
    const { priorities, queues } = memory as RightsMemory
    for (const [job, priority] of rememberedJobs(priorities, this.#work)) this.#priorities.set(job, priority)
    this.queues.recall(queues)
    this.#forget()
  }

  /** Changes when jobs in the system may have become of another kind. Of a job that is updated `onReady` tells. */
  get version(): number {
    return this.#version
  }

  #forget(): void {
    this.#kindOf.length = 0
    this.#version++
  }

  /** Computes the priorities of the waiting jobs anew, for this round. */
  begin(round: Round, waiting: Iterable<JobId>): void {
    this.#order?.begin(round)
    if (this.#countsPriorities) for (const job of waiting) this.#priorities.set(job, this.priorityOf(job, round.lane))
  }

  /** A job that waits is looked at in this one of its queues. */
  seek(job: JobId, lane: LaneId, queue: string): void {
    this.queues.seek(job, queue)
    this.#forget()
    if (this.#countsPriorities) this.#priorities.set(job, this.priorityOf(job, lane, queue))
  }

  /** The priority of a job that waits, in this one of its queues if it has several. */
  priorityOf(job: JobId, lane: LaneId, queue?: string): number {
    return this.#order?.priority?.(job, lane, queue) ?? this.#work.priority(job)
  }

  /** The tier of its queue, or the priority of its QOS. */
  rankOf(job: JobId): number {
    const { qos, tiers } = this.#rules
    return qos === undefined ? (ownValue(tiers, this.queues.of(job)) ?? 1) : (ownValue(qos, this.#qosOf(job))?.priority ?? 0)
  }

  /** The group of a job. Jobs of one group may preempt, and be preempted by, the same jobs, apart from their priorities. */
  groupOf(job: JobId): string | number {
    return this.#rules.qos === undefined ? this.rankOf(job) : this.#qosOf(job)
  }

  /** The kind of a job. Jobs of one kind may preempt, and be preempted by, the same jobs; so where priorities count each job is one by itself. */
  kindOf(job: JobId): number {
    if (this.#countsPriorities) return job
    return (this.#kindOf[job] ??= this.#kindBy(`${this.modeOf(job)} ${this.groupOf(job)} ${this.#work.isGangJob(job)}`))
  }

  #kindBy(name: string): number {
    let kind = this.#kinds.get(name)
    if (kind === undefined) this.#kinds.set(name, (kind = this.#takes.push(listOf()) - 1))
    return kind
  }

  /** Whether a job may preempt another by their tiers, QOS and priorities; how long the other has run is not looked at. */
  mayTake(job: JobId, victim: JobId): boolean {
    if (this.#countsPriorities) return this.#mayTake(job, victim)
    const takes = this.#takes[this.kindOf(job)] as (boolean | undefined)[]
    return (takes[this.kindOf(victim)] ??= this.#mayTake(job, victim))
  }

  #mayTake(job: JobId, victim: JobId): boolean {
    const { qos, byPriority } = this.#rules
    if (!this.#isPreemptable(victim) || (this.modeOf(victim) === 'suspend' && this.#work.isGangJob(job))) return false
    if (qos === undefined) return this.rankOf(victim) < this.rankOf(job) && (!byPriority || this.#exceeds(job, victim) >= 0)
    const own = ownValue(qos, this.#qosOf(job))
    const other = this.#qosOf(victim)
    if (other === this.#qosOf(job)) return own?.within === true && this.#exceeds(job, victim) > 0
    return own?.preempt.includes(other) === true && (!byPriority || this.#exceeds(job, victim) > 0)
  }

  /** What happens to the job if it is preempted. A job that is one gang of several stages is never suspended: `off` in place of `suspend`. */
  modeOf(victim: JobId): Mode {
    const { mode: ofAll, modes, qos } = this.#rules
    const mode = ownValue(modes, qos === undefined ? this.queues.of(victim) : this.#qosOf(victim)) ?? ofAll
    return mode === 'suspend' && this.#work.isGangJob(victim) ? 'off' : mode
  }

  /** The grace time of a victim in seconds, from `times` by queue, or by QOS where `qos` is given; default 0. */
  graceOf(victim: JobId, times: Readonly<Record<string, number>>): number {
    return ownValue(times, this.#rules.qos === undefined ? this.queues.of(victim) : this.#qosOf(victim)) ?? 0
  }

  /** The running job of the lowest priority of each group and mode: a job that may preempt none of these may preempt no job at all. */
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
