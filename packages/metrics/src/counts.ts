import type { EndRow, JobId, JobSpec, Observer, Seconds, StageSpec, StartRow, WorkView } from '@sched/core'

/** How many jobs and tasks there were, and what became of them. */
export interface CountsResult {
  /** Jobs submitted, without rejected ones. `jobs` - `finished` - `abandoned` still wait or run at the end of the run. */
  readonly jobs: number
  /** Jobs of which all tasks are done. */
  readonly finished: number
  /** Jobs that were given up with tasks unplaced, and jobs that failed. */
  readonly abandoned: number
  /** Jobs left out at submission: no node can run them, or the policy refused them. */
  readonly rejected: number
  /** Tasks of the submitted jobs; for mouldable jobs, the last number that their scheduler gave them. */
  readonly tasks: number
  /** Tasks that are done. */
  readonly tasksDone: number
  /** Task starts; above `tasks` when tasks were evicted, lost or failed and started again, or were copied. */
  readonly launches: number
  /** Evictions; a task counts each time it is preempted. */
  readonly evicted: number
  /** Running tasks lost with nodes. `outages.lost` also counts suspended tasks whose work is lost. */
  readonly lost: number
  /** Tasks that failed by themselves, with others of their gang, or with their job. */
  readonly failed: number
  /** Time of the first submission, seconds. */
  readonly firstSubmit: Seconds
  /** Time of the end of the run, seconds. */
  readonly end: Seconds
  /** Launches per simulated second between these two times. */
  readonly launchesPerSecond: number
}

/** Counts jobs, tasks and launches. */
export const counts = (): Counts => new Counts()

export class Counts implements Observer {
  #jobs = 0
  #finished = 0
  #abandoned = 0
  /** Abandoned jobs whose last tasks still run. */
  readonly #ending = new Set<JobId>()
  #rejected = 0
  #work: WorkView | undefined
  #tasks = 0
  /** Mouldable jobs in the system, with the number of tasks counted for them. */
  readonly #mouldable = new Map<JobId, number>()
  #done = 0
  #launches = 0
  #evicted = 0
  #lost = 0
  #failed = 0
  #first = NaN
  #end = NaN

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#jobs++
    for (let i = 0; i < spec.stages.length; i++) {
      const { tasks, phases } = spec.stages[i] as StageSpec
      this.#tasks += tasks
      if (phases !== undefined) this.#mouldable.set(job, tasks)
    }
    if (Number.isNaN(this.#first)) this.#first = now
  }

  onTasksStart({ count }: StartRow): void {
    this.#launches += count
  }

  onTasksEnd({ count, how }: EndRow): void {
    if (how === 'done') this.#done += count
    else if (how === 'evicted') this.#evicted += count
    else if (how === 'lost') this.#lost += count
    else if (how === 'failed') this.#failed += count
  }

  onAbandon(job: JobId): void {
    this.#abandoned++
    this.#ending.add(job)
  }

  onJobEnd(job: JobId): void {
    if (this.#mouldable.size > 0) this.#countMoulded(job)
    if (this.#ending.size === 0 || !this.#ending.delete(job)) this.#finished++
  }

  onReject(): void {
    this.#rejected++
  }

  onRunEnd(now: Seconds): void {
    this.#end = now
    for (const job of this.#mouldable.keys()) this.#countMoulded(job)
  }

  /** Counts a mouldable job with its final number of tasks. */
  #countMoulded(job: JobId): void {
    const counted = this.#mouldable.get(job)
    if (counted === undefined) return
    this.#mouldable.delete(job)
    this.#tasks += (this.#work?.tasks(job) ?? counted) - counted
  }

  result(): CountsResult {
    const span = this.#end - this.#first
    return {
      jobs: this.#jobs,
      finished: this.#finished,
      abandoned: this.#abandoned,
      rejected: this.#rejected,
      tasks: this.#tasks,
      tasksDone: this.#done,
      launches: this.#launches,
      evicted: this.#evicted,
      lost: this.#lost,
      failed: this.#failed,
      firstSubmit: this.#first,
      end: this.#end,
      launchesPerSecond: span > 0 ? this.#launches / span : NaN,
    }
  }
}
