import { rememberedJobs, type Env, type JobId, type LaneId, type WorkListener } from '@sched/core'
import { queuesIn } from './partitions.js'

/**
 * The queues of jobs, for what a plan demands of the jobs of each: that which a job names, or of several in which it may start the one in which nodes are looked
 * for now, or in which it has started.
 */
export class QueuesOfJobs implements WorkListener {
  readonly #env: Pick<Env, 'work' | 'cluster'>
  /** By job: the one of several queues in which it started last. */
  readonly #started = new Map<JobId, string>()
  /** The job of several queues for which nodes are looked for, and the queue in which they are. */
  #sought: JobId | -1 = -1
  #in = ''

  constructor(env: Pick<Env, 'work' | 'cluster'>) {
    this.#env = env
  }

  /** The queue whose demands hold for the job. */
  of(job: JobId): string {
    if (job === this.#sought) return this.#in
    const { work } = this.#env
    return (this.#started.size === 0 ? undefined : this.#started.get(job)) ?? work.queueName(work.queue(job))
  }

  /**
   * The labels of which all nodes of the job must have the same one, each with its queue where they are of partitions. Of a job of which some tasks run
   * already, they are those of the queue in which these have started.
   */
  among(job: JobId, alike: readonly string[]): readonly (readonly [label: string, queue: string | undefined])[] {
    const { work, cluster } = this.#env
    const queues = queuesIn(alike)
    const all = alike.map((label, i) => [label, queues?.[i]] as const)
    const started = queues === undefined ? undefined : this.#started.get(job)
    if (started === undefined || cluster.lanes.every((_, lane) => work.running(job, lane as LaneId) === 0)) return all
    return all.filter(([, queue]) => queue === started)
  }

  /** Nodes are looked for in this one of its queues. */
  seek(job: JobId, queue: string): void {
    this.#sought = job
    this.#in = queue
  }

  /** The job starts where nodes were looked for last; returns the queue if the job may be in several, otherwise `undefined`. */
  start(job: JobId): string | undefined {
    if (job !== this.#sought) return undefined
    this.#started.set(job, this.#in)
    return this.#in
  }

  onFinish(job: JobId): void {
    if (job === this.#sought) this.#sought = -1
    if (this.#started.size > 0 && !this.#env.work.comesAgain(job)) this.#started.delete(job)
  }

  /** By job: the queue in which it started, of several. */
  memory(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#started].map(([job, queue]) => [this.#env.work.name(job), queue]))
  }

  recall(memory: unknown): void {
    for (const [job, queue] of rememberedJobs(Object.entries(memory as Readonly<Record<string, string>>), this.#env.work)) this.#started.set(job, queue)
  }
}
