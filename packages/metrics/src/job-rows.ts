import { grown, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskId, type WorkView } from '@sched/core'

/** One ended job; times in seconds. */
export interface JobRow {
  readonly id: string
  /** Empty when the workload gives none. */
  readonly label: string
  readonly user: string
  readonly queue: string
  readonly submit: Seconds
  /** Start of its first task; NaN, as is the wait, for a job that was abandoned before. */
  readonly start: Seconds
  readonly end: Seconds
  readonly wait: Seconds
  readonly response: Seconds
  readonly tasks: number
  /** Its scheduler gave it up with tasks unplaced; it ended with those that ran. */
  readonly abandoned: boolean
}

/** Gives every job to `sink` when it ends, in order of ends; keeps nothing, so memory follows the jobs in the system. */
export const jobRows = (sink: (row: JobRow) => void): Observer => new JobRows(sink)

class JobRows implements Observer {
  readonly #sink: (row: JobRow) => void
  #work: WorkView | undefined
  #submits = new Float64Array(0)
  #starts = new Float64Array(0)
  readonly #abandoned = new Set<JobId>()

  constructor(sink: (row: JobRow) => void) {
    this.#sink = sink
  }

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#submits = grown(this.#submits, job + 1)
    this.#starts = grown(this.#starts, job + 1)
    this.#submits[job] = now
    this.#starts[job] = NaN
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    if (Number.isNaN(this.#starts[job])) this.#starts[job] = now
  }

  onAbandon(job: JobId): void {
    this.#abandoned.add(job)
  }

  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    const work = this.#work as WorkView
    const submit = this.#submits[job] as number
    const start = this.#starts[job] as number
    this.#sink({
      id: spec.id,
      label: spec.label ?? '',
      user: work.userName(work.user(job)),
      queue: work.queueName(work.queue(job)),
      submit,
      start,
      end: now,
      wait: start - submit,
      response: now - submit,
      tasks: work.tasks(job),
      abandoned: this.#abandoned.delete(job),
    })
  }
}
