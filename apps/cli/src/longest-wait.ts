import type { JobId, JobSpec, LaneId, NodeId, Observer, Seconds, TaskId } from '@sched/core'

/** A job, and how long it waited. */
interface Wait {
  readonly id: string
  readonly wait: Seconds
}

/**
 * Finds the job that waits longest for its first task; of equals the one that was first to have waited. A job without one counts where the run is cut off at
 * `until` (it would have gone on waiting), and where no job has one; elsewhere it never starts, so that the length of its wait is that of the run.
 */
export class LongestWait implements Observer {
  /** Jobs that never start, where one is found that does; in the order in which they were given up, or else submitted. */
  neverStarted: readonly string[] = []
  #found: Wait | undefined
  readonly #unstarted: Wait[] = []
  readonly #until: Seconds
  readonly #waiting = new Map<JobId, { readonly id: string; readonly since: Seconds }>()

  constructor(until: Seconds = Infinity) {
    this.#until = until
  }

  /** Its id; undefined where no job was submitted. */
  get job(): string | undefined {
    return this.#found?.id
  }

  onSubmit(job: JobId, { id }: JobSpec, now: Seconds): void {
    this.#waiting.set(job, { id, since: now })
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    const wait = this.#over(job, now)
    if (wait !== undefined) this.#compare(wait)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    const wait = this.#over(job, now)
    if (wait !== undefined) this.#unstarted.push(wait) // given up without a start
  }

  onRunEnd(now: Seconds): void {
    this.#unstarted.push(...[...this.#waiting.keys()].flatMap((job) => this.#over(job, now) ?? []))
    if (now < this.#until && this.#found !== undefined) this.neverStarted = this.#unstarted.map(({ id }) => id)
    else for (const wait of this.#unstarted) this.#compare(wait)
  }

  #over(job: JobId, now: Seconds): Wait | undefined {
    const waiting = this.#waiting.get(job)
    if (waiting === undefined) return undefined
    this.#waiting.delete(job)
    return { id: waiting.id, wait: now - waiting.since }
  }

  #compare(wait: Wait): void {
    if (this.#found === undefined || wait.wait > this.#found.wait) this.#found = wait
  }
}
