import type { Env, JobId, Seconds } from '@sched/core'

/** Ranks of jobs that had to go lie between those of others, a millionth apart. */
const STEP = 2 ** -20
/** Seconds by which a job that had to go is newer than that moment, and so than its preemptor. */
const LATER = 0.001

/** A job that counts as newer than it is. */
interface Requeued {
  readonly at: Seconds
  readonly rank: number
}

/** State of `QueueTimes`, for a scheduler that takes the place of another: names of jobs in order, and from when on they count. */
export type QueueTimesMemory = readonly (readonly [job: string, at: Seconds])[]

/**
 * From when on jobs count as waiting: since they were submitted. Where priorities do not count between queues, a job that was preempted by one that borrows
 * counts from just after that until it is admitted again, lest it preempts its preemptor in turn.
 *
 * Source: Kueue, workload.go (GetQueueOrderTimestamp). Deviation: of a job of which each task is a workload, all that wait count so, until one is admitted.
 */
export class QueueTimes {
  readonly #env: Env
  readonly #requeued = new Map<JobId, Requeued>()
  /** The rank after which the last jobs were ranked, and how many of them. */
  #after = -1
  #count = 0

  constructor(env: Env) {
    this.#env = env
  }

  of(job: JobId): Seconds {
    return this.#requeued.get(job)?.at ?? this.#env.work.submitted(job)
  }

  /** The order of jobs by that; of those that had to go at one instant who was requeued first. */
  rank(job: JobId): number {
    return this.#requeued.get(job)?.rank ?? this.#env.work.rank(job)
  }

  /** The job was preempted by one that borrows; `newest`: the rank of the newest job. */
  requeue(job: JobId, newest: number): void {
    this.#set(job, this.#env.now() + LATER, newest)
  }

  /** The job was admitted, or has left. */
  forget(job: JobId): void {
    this.#requeued.delete(job)
  }

  #set(job: JobId, at: Seconds, newest: number): void {
    if (newest !== this.#after) this.#count = 0
    this.#after = newest
    this.#requeued.set(job, { at, rank: newest + ++this.#count * STEP })
  }

  memory(): QueueTimesMemory {
    return [...this.#requeued].sort(([, a], [, b]) => a.rank - b.rank).map(([job, { at }]) => [this.#env.work.name(job), at] as const)
  }

  /** Returns the jobs that count so and are still there. */
  recall(memory: QueueTimesMemory, jobs: ReadonlyMap<string, JobId>): JobId[] {
    const { work } = this.#env
    const newestAt = (at: Seconds): number => [...jobs.values()].reduce((newest, each) => (work.submitted(each) <= at ? Math.max(newest, work.rank(each)) : newest), -1)
    return memory.flatMap(([name, at]) => {
      const job = jobs.get(name)
      if (job === undefined) return []
      this.#set(job, at, newestAt(at))
      return [job]
    })
  }
}
