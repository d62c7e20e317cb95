import {
  grown, type ClusterView, type EndRow, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type ResourceId, type Seconds,
  type TaskId, type WorkView,
} from '@sched/core'

/** One ended job; times in seconds. */
export interface JobRow {
  /** Its id in the workload. */
  readonly id: string
  /** Its label; empty if the workload gives none. */
  readonly label: string
  /** Its user; empty when the workload gives none. */
  readonly user: string
  /** The queue that it was submitted to. */
  readonly queue: string
  /** When it was submitted, seconds. */
  readonly submit: Seconds
  /** Start of its first task; NaN for a job that was abandoned before, and so is the wait. */
  readonly start: Seconds
  /** When it ended, seconds. */
  readonly end: Seconds
  /** From submission to the start of its first task, seconds. */
  readonly wait: Seconds
  /** From submission to its end, seconds. */
  readonly response: Seconds
  /** Number of its tasks. */
  readonly tasks: number
  /** By resource of the cluster: amount x seconds that its tasks held, from their starts until the master knew that they had left. */
  readonly held: Readonly<Record<string, number>>
  /** Whether it was given up with tasks unplaced, or failed; it ended with its running tasks. */
  readonly abandoned: boolean
}

/** Passes each job to `sink` when it ends. Nothing is kept after that, so memory follows the jobs in the system. */
export const jobRows = (sink: (row: JobRow) => void): Observer => new JobRows(sink)

class JobRows implements Observer {
  readonly #sink: (row: JobRow) => void
  #work: WorkView | undefined
  #resources: readonly string[] = []
  /** By job and resource. */
  #held = new Float64Array(0)
  #submits = new Float64Array(0)
  #starts = new Float64Array(0)
  readonly #abandoned = new Set<JobId>()

  constructor(sink: (row: JobRow) => void) {
    this.#sink = sink
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#work = work
    this.#resources = cluster.resources
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#submits = grown(this.#submits, job + 1)
    this.#starts = grown(this.#starts, job + 1)
    this.#submits[job] = now
    this.#starts[job] = NaN
    const [from, to] = [job * this.#resources.length, (job + 1) * this.#resources.length]
    if (to > this.#held.length) this.#held = grown(this.#held, to)
    this.#held.fill(0, from, to)
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    if (Number.isNaN(this.#starts[job])) this.#starts[job] = now
  }

  onTasksEnd({ job, count, tasks, started }: EndRow, now: Seconds): void {
    const work = this.#work as WorkView
    const shape = work.shapeOf(tasks[0] as TaskId)
    for (let r = 0; r < this.#resources.length; r++) {
      const amount = work.demand(shape, r as ResourceId)
      if (amount > 0) this.#add(job * this.#resources.length + r, amount * (now - started), count)
    }
  }

  /** Adds the amount once per task, so that sums do not depend on which tasks are reported together. */
  #add(at: number, amount: number, times: number): void {
    let sum = this.#held[at] as number
    for (let i = 0; i < times; i++) sum += amount
    this.#held[at] = sum
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
      held: Object.fromEntries(this.#resources.map((name, r) => [name, this.#held[job * this.#resources.length + r] as number])),
      abandoned: this.#abandoned.delete(job),
    })
  }
}
