import { rememberedJobs, type Env, type JobId, type LaneId, type WorkListener } from '@sched/core'
import { queuesIn } from './partitions.js'

/** Jobs by name: those of several queues with the one in which they started last, and those for which others have been told to leave. */
export interface QueuesMemory {
  readonly started: readonly (readonly [job: string, queue: string])[]
  readonly awaiting: readonly (readonly [job: string])[]
}

/**
 * The queues of jobs, for what is demanded of the jobs of each, and for their rank: that which a job names, or of several in which it may start the one in which
 * nodes are looked for now, or in which it has started. A job of several has a place in the queue for each of them, unless it is one gang of several stages.
 */
export class QueuesOfJobs implements WorkListener {
  readonly #env: Pick<Env, 'work' | 'cluster'>
  /** By job in the system that has several places: its queues, the first of which it names. */
  readonly #several = new Map<JobId, readonly string[]>()
  /** By job: the one of several queues in which it started last. */
  readonly #started = new Map<JobId, string>()
  /** Jobs of several places for which others have been told to leave since they came, or last started. */
  readonly #awaiting = new Set<JobId>()
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
    const queues = queuesIn(alike)
    const all = alike.map((label, i) => [label, queues?.[i]] as const)
    const only = queues === undefined ? undefined : (this.place(job) ?? this.#runsIn(job))
    return only === undefined ? all : all.filter(([, queue]) => queue === only)
  }

  /** Whether any job has several places in the queue. */
  get areSeveral(): boolean {
    return this.#several.size > 0
  }

  /** The queues in each of which a waiting job has a place: of a job of which some tasks run already that in which these have started. `undefined`: it has one place. */
  placesOf(job: JobId): readonly string[] | undefined {
    const all = this.#several.get(job)
    if (all === undefined) return undefined
    const running = this.#runsIn(job)
    return running === undefined ? all : [running]
  }

  /** Of a job of several places, the one for which nodes are looked for now. */
  place(job: JobId): string | undefined {
    return job === this.#sought && this.#several.has(job) ? this.#in : undefined
  }

  /** The queue in which tasks of the job run, if it may start in several. */
  #runsIn(job: JobId): string | undefined {
    const started = this.#started.get(job)
    return started === undefined || this.#env.cluster.lanes.every((_, lane) => this.#env.work.running(job, lane as LaneId) === 0) ? undefined : started
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
    this.#awaiting.delete(job)
    return this.#in
  }

  /**
   * Others run on for a while where the job is to start. Whether they have just been told, so that this pass looks at no other place of it; the next one does.
   *
   * Source: Slurm, `preempt_in_progress` and `preempt_start_time` of `select_nodes`.
   */
  awaits(job: JobId): boolean {
    if (!this.#several.has(job) || this.#awaiting.has(job)) return false
    this.#awaiting.add(job)
    return true
  }

  onSubmit(job: JobId): void {
    const { work } = this.#env
    const queues = work.isGangJob(job) ? undefined : queuesIn(work.constraints(job, 0)?.alike)
    if (queues !== undefined && queues.length > 1) this.#several.set(job, queues)
  }

  onFinish(job: JobId): void {
    if (job === this.#sought) this.#sought = -1
    if (this.#several.size > 0) this.#several.delete(job)
    if ((this.#awaiting.size === 0 && this.#started.size === 0) || this.#env.work.comesAgain(job)) return
    this.#awaiting.delete(job)
    this.#started.delete(job)
  }

  memory(): QueuesMemory {
    const { work } = this.#env
    return { started: Array.from(this.#started, ([job, queue]) => [work.name(job), queue] as const), awaiting: Array.from(this.#awaiting, (job) => [work.name(job)] as const) }
  }

  recall(memory: unknown): void {
    const { started, awaiting } = memory as QueuesMemory
    for (const [job, queue] of rememberedJobs(started, this.#env.work)) this.#started.set(job, queue)
    for (const [job] of rememberedJobs(awaiting, this.#env.work)) this.#awaiting.add(job)
  }
}
