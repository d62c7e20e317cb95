import type { JobId, WorkView } from '@sched/core'
import { namesOf, type NamedJob } from './named-job.js'

interface Counted extends NamedJob {
  /** Number of tasks that started in the period so far, and since. */
  tasks: number
  since: number
}

/** Counts the tasks that other jobs start in a period of which the end is known only later: it ends at the last `settle`. */
export class StartsOfOthers {
  readonly #work: WorkView
  readonly #all: Counted[] = []
  readonly #here = new Map<JobId, Counted>()
  readonly #open: Counted[] = []

  constructor(work: WorkView) {
    this.#work = work
  }

  /** A task of the job starts. */
  started(job: JobId): void {
    let counted = this.#here.get(job)
    if (counted === undefined) {
      this.#here.set(job, (counted = { ...namesOf(this.#work, job), tasks: 0, since: 0 }))
      this.#all.push(counted)
    }
    if (counted.since++ === 0) this.#open.push(counted)
  }

  /** The job has left, and its id may be that of another. */
  left(job: JobId): void {
    this.#here.delete(job)
  }

  /** The period reaches to here. */
  settle(): void {
    for (const counted of this.#open) {
      counted.tasks += counted.since
      counted.since = 0
    }
    this.#open.length = 0
  }

  /** Number of tasks, and of jobs that started any. */
  get counts(): { readonly tasks: number; readonly jobs: number } {
    const jobs = this.#all.filter(({ tasks }) => tasks > 0)
    return { tasks: jobs.reduce((sum, { tasks }) => sum + tasks, 0), jobs: jobs.length }
  }

  /** Those that started most tasks, at most `most`, the largest first, of equals the first to start. */
  most(most: number): (NamedJob & { readonly tasks: number })[] {
    const jobs = this.#all.filter(({ tasks }) => tasks > 0).sort((a, b) => b.tasks - a.tasks)
    return jobs.slice(0, most).map(({ id, user, queue, tasks }) => ({ id, user, queue, tasks }))
  }
}
