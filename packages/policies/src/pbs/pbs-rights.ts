import { None, ownValue, SchedError, type Env, type JobId, type Seconds, type TaskId } from '@sched/core'
import type { ReadPbsPreemptingOptions } from './options.js'
import type { PreemptLevels } from './preempt-levels.js'
import { PreemptOrder, type Method } from './preempt-order.js'

/**
 * Which job may preempt which, and how: by their levels, and by preempt_targets of the queue of the one that preempts.
 *
 * Source: OpenPBS, `find_jobs_to_preempt` and `select_index_to_preempt` of job_info.cpp.
 */
export class PbsRights {
  readonly levels: PreemptLevels
  readonly #env: Env
  readonly #targets: Readonly<Record<string, readonly string[]>>
  readonly #hasTargets: boolean
  readonly #order: PreemptOrder
  /** Kinds of jobs by what makes one. */
  readonly #kinds = new Map<string, number>()

  constructor({ preempt_order: order, preempt_targets: targets }: Pick<ReadPbsPreemptingOptions, 'preempt_order' | 'preempt_targets'>, env: Env, levels: PreemptLevels, field: string) {
    this.levels = levels
    this.#env = env
    this.#targets = targets
    this.#hasTargets = Object.keys(targets).length > 0
    this.#order = new PreemptOrder(order, field)
    if (this.#order.leavesAlone) env.warn(`jobs are not checkpointed here: where preempt_order (${order.trim()}) names C alone, nobody is preempted. Name S, R or D beside it.`)
    if (env.cluster.heartbeat > 0 && this.#order.suspends(true))
      throw new SchedError(
        'BAD_OPTION', 'jobs are suspended only where all nodes are seen at once, and this cluster has heartbeats.', { field: `${field}.preempt_order` },
        'Leave `heartbeat` out of the cluster, or use R or D.',
      )
  }

  /** Changes when jobs may have become of another kind. */
  get version(): number {
    return this.levels.version
  }

  /** Whether any job may be suspended: not where nodes are seen one by one. */
  get suspends(): boolean {
    return this.#env.cluster.heartbeat === 0 && this.#order.suspends()
  }

  /** Jobs of one kind may preempt, and be preempted by, the same jobs, as long as the version is the same. */
  kindOf(job: JobId): number {
    const level = this.levels.of(job)
    if (!this.#hasTargets) return level
    const name = `${level} ${this.#queueOf(job)}`
    let kind = this.#kinds.get(name)
    if (kind === undefined) this.#kinds.set(name, (kind = this.#kinds.size))
    return kind
  }

  mayTake(job: JobId, victim: JobId): boolean {
    return this.levels.of(victim) < this.levels.of(job) && this.isTarget(job, victim)
  }

  /** Whether preempt_targets let the job preempt the other one, whatever their levels. */
  isTarget(job: JobId, victim: JobId): boolean {
    if (!this.#hasTargets) return true
    const targets = ownValue(this.#targets, this.#queueOf(job))
    return targets?.includes(this.#queueOf(victim)) ?? true
  }

  /** How a running job would be preempted; `undefined`: it cannot be. */
  methodOf(victim: JobId, tasks: readonly TaskId[], now: Seconds): Method | undefined {
    const { work } = this.#env
    const first = tasks[0] ?? None
    const ran = first === None ? 0 : work.worked(first) + Math.max(0, now - work.started(first))
    return this.#order.at(ran, work.estimate(victim)).find((method) => method !== 'suspend' || this.suspends)
  }

  #queueOf(job: JobId): string {
    const { work } = this.#env
    return work.queueName(work.queue(job))
  }
}
