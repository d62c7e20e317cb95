import type { ClusterView, JobId, JobSpec, NodeId, Observer, Seconds, StartRow, TaskId, WorkView } from '@sched/core'
import { byLabel, JobClasses, type ClassOf } from './job-classes.js'
import { ShuffleSpans } from './shuffle-spans.js'

/** What tasks fetched from other tasks of their job, and how long they waited for it. */
export interface ShuffleFigures {
  /** Bytes from the task's own node. */
  readonly local: number
  /** Bytes from another node of its rack. */
  readonly intra: number
  /** Bytes from another rack. */
  readonly cross: number
  /** `cross` as a fraction of all bytes, in [0, 1]; NaN if there are none. */
  readonly crossShare: number
  /** Number of tasks that fetched. */
  readonly tasks: number
  /** Seconds that these tasks waited for their input, summed. */
  readonly seconds: Seconds
  /** Number of jobs that fetched and have ended. */
  readonly jobs: number
  /** Seconds in which at least one task of a job fetched, mean over these jobs. */
  readonly jobSeconds: Seconds
  /** These seconds as a fraction of the job's time from its first start to its end, mean over these jobs; NaN if there are none. */
  readonly jobShare: number
}

/** What tasks fetched from others, over all jobs and by class. */
export interface ShuffleResult {
  /** Over all jobs. */
  readonly overall: ShuffleFigures
  /** By class, in natural order of labels; empty if no job has a class. */
  readonly classes: readonly ({ readonly label: string } & ShuffleFigures)[]
}

/**
 * Measures bytes of shuffles by distance, and the time they cost, over all jobs and by class (default: `JobSpec.label`). A task fetches from its
 * start, or from when its job first has something for it, until it has all its input.
 */
export const shuffle = (options: { readonly classOf?: ClassOf | undefined } = {}): Shuffle => new Shuffle(options.classOf ?? byLabel)

export class Shuffle implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  readonly #classes: JobClasses<Sums>
  /** By job with a stage that fetches. */
  readonly #jobs: (ShuffleSpans | undefined)[] = []
  #some = false

  constructor(classOf: ClassOf) {
    this.#classes = new JobClasses(classOf, () => new Sums())
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onSubmit(job: JobId, spec: JobSpec): void {
    const fetches = fetchesAnything(spec)
    if (!fetches && !this.#some) return
    this.#some = true
    this.#jobs[job] = fetches ? new ShuffleSpans() : undefined
    if (fetches) this.#classes.add(job, spec)
  }

  onTasksStart({ job }: StartRow, now: Seconds): void {
    if (this.#some) this.#jobs[job]?.start(now)
  }

  onFetch(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void {
    this.#spansOf(job).open(now)
    const { levels } = this.#cluster
    const where = from === to ? 'local' : levels < 2 || this.#cluster.group(1, from) === this.#cluster.group(1, to) ? 'intra' : 'cross'
    for (const sums of this.#sumsOf(job)) sums[where] += bytes
  }

  onTaskFetched(task: TaskId, now: Seconds): void {
    const job = this.#work.jobOf(task)
    const seconds = this.#spansOf(job).fetched(this.#work.started(task), now)
    for (const sums of this.#sumsOf(job)) {
      sums.tasks++
      sums.seconds += seconds
    }
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    const spans = this.#jobs[job]
    if (spans?.hasFetched !== true) return
    for (const sums of this.#sumsOf(job)) {
      sums.jobs++
      sums.jobSeconds += spans.seconds
      sums.shares += spans.shareOf(now)
    }
  }

  /** `undefined` if no task has fetched anything. */
  result(): ShuffleResult | undefined {
    const { overall } = this.#classes
    if (overall.tasks === 0 && overall.all === 0) return undefined
    return this.#classes.results((sums) => sums.figures())
  }

  #sumsOf(job: JobId): Sums[] {
    const own = this.#classes.of(job)
    return own === undefined ? [this.#classes.overall] : [this.#classes.overall, own]
  }

  #spansOf(job: JobId): ShuffleSpans {
    return this.#jobs[job] as ShuffleSpans
  }
}

class Sums {
  local = 0
  intra = 0
  cross = 0
  tasks = 0
  seconds = 0
  jobs = 0
  jobSeconds = 0
  shares = 0

  get all(): number {
    return this.local + this.intra + this.cross
  }

  figures(): ShuffleFigures {
    const { local, intra, cross, tasks, seconds, jobs, jobSeconds, shares } = this
    return { local, intra, cross, crossShare: cross / this.all, tasks, seconds, jobs, jobSeconds: jobSeconds / jobs, jobShare: shares / jobs }
  }
}

/** A loop instead of `some`: it runs for every job, and most jobs have one stage. */
function fetchesAnything({ stages }: JobSpec): boolean {
  for (let i = 0; i < stages.length; i++) if (stages[i]?.shuffle !== undefined) return true
  return false
}
