import type { EndRow, JobId, JobSpec, Observer, Seconds, StageSpec, StartRow, WorkView } from '@sched/core'

/** How many jobs and tasks there were, and what became of them. */
export interface CountsResult {
  /** Jobs submitted, without rejected ones; `jobs` - `finished` - `abandoned` are still waiting or running when the run ends. */
  readonly jobs: number
  /** Jobs of which all is done. */
  readonly finished: number
  /** Jobs that their scheduler gave up with tasks unplaced, and those that failed. */
  readonly abandoned: number
  /** Jobs that no node can run. */
  readonly rejected: number
  /** Tasks of the submitted jobs, of mouldable ones as many as their schedulers gave them last. */
  readonly tasks: number
  /** Of these, the tasks that ended as done. */
  readonly tasksDone: number
  /** Task starts; above `tasks` when tasks were evicted, lost or failed and started again. */
  readonly launches: number
  /** Tasks that were preempted, each as often as it was. */
  readonly evicted: number
  /** Tasks that ran and were lost with nodes; `outages.lost` counts suspended ones, too, whose work is lost. */
  readonly lost: number
  /** Tasks that failed by themselves, or with others of their gangs or jobs. */
  readonly failed: number
  /** Of the first submission, in seconds of simulated time. */
  readonly firstSubmit: Seconds
  /** Of the end of the run, in seconds of simulated time. */
  readonly end: Seconds
  /** Launches per simulated second between the two. */
  readonly launchesPerSecond: number
}

/** How many jobs, tasks and launches there were. */
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
  /** Mouldable jobs in the system, with the tasks that they count for. */
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
    else this.#failed += count
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

  /** A mouldable job gets no other tasks any more. */
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
