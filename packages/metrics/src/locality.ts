import { grown, type ClusterView, type JobId, type JobSpec, type Observer, type Seconds, type StartRow, type WorkView } from '@sched/core'
import { byLabel, JobClasses, type ClassOf } from './job-classes.js'

/** Launches of tasks that read data, by distance from the data; lists are by level, nearest first. */
export interface LocalityCounts {
  /** Jobs with at least one such launch. */
  readonly jobs: number
  /** Launches at each level. A task that is started again after an eviction counts twice. */
  readonly launches: readonly number[]
  /** Fraction of the launches at each level; NaN where there are none. */
  readonly share: readonly number[]
  /** Mean over jobs of each job's own fractions: small jobs weigh as much as large ones. */
  readonly jobShare: readonly number[]
}

/** Launches by distance from the data, over all jobs and by class. */
export interface LocalityResult {
  /** `node`, `rack`, larger groups if any, `any`. */
  readonly levels: readonly string[]
  /** Over all jobs. */
  readonly overall: LocalityCounts
  /** By class, in natural order of labels; empty if no job has a class. */
  readonly classes: readonly ({ readonly label: string } & LocalityCounts)[]
}

/** Measures how near to their data tasks are launched, over all jobs and by class (default: `JobSpec.label`). */
export const locality = (options: { readonly classOf?: ClassOf | undefined } = {}): Locality => new Locality(options.classOf ?? byLabel)

export class Locality implements Observer {
  #work!: WorkView
  #width = 1
  readonly #classes: JobClasses<ClassCounts>
  /** Launches, `[job * width + level]`. */
  #counts = new Int32Array(0)

  constructor(classOf: ClassOf) {
    this.#classes = new JobClasses(classOf, () => new ClassCounts())
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#work = work
    this.#width = cluster.levels + 1
  }

  onSubmit(job: JobId, spec: JobSpec): void {
    const width = this.#width
    if ((job + 1) * width > this.#counts.length) this.#counts = grown(this.#counts, (job + 1) * width)
    for (let at = job * width; at < (job + 1) * width; at++) this.#counts[at] = 0
    this.#classes.add(job, spec)
  }

  /** A class of which all jobs are rejected is a class with no launches. */
  onReject(spec: JobSpec): void {
    this.#classes.partOf(spec)
  }

  onTasksStart({ job, level, count }: StartRow): void {
    if (level < 0) return
    const at = job * this.#width + level
    this.#counts[at] = (this.#counts[at] as number) + count
  }

  onJobEnd(job: JobId): void {
    this.#fold(job)
  }

  onRunEnd(_now: Seconds): void {
    for (const job of this.#work.jobs()) this.#fold(job)
  }

  result(): LocalityResult {
    const width = this.#width
    return {
      levels: Array.from({ length: width }, (_, level) => (level === width - 1 ? 'any' : (['node', 'rack'][level] ?? `group ${level}`))),
      ...this.#classes.results((counts) => counts.result(width)),
    }
  }

  #fold(job: JobId): void {
    const width = this.#width
    let total = 0
    for (let at = job * width; at < (job + 1) * width; at++) total += this.#counts[at] as number
    if (total === 0) return
    this.#classes.overall.add(this.#counts, job * width, width, total)
    this.#classes.of(job)?.add(this.#counts, job * width, width, total)
  }
}

class ClassCounts {
  #jobs = 0
  readonly #launches: number[] = []
  readonly #shares: number[] = []

  /** Adds the launches of a job, `total` in all: entries `from` to `from + width - 1`. */
  add(launches: Int32Array, from: number, width: number, total: number): void {
    this.#jobs++
    for (let level = 0; level < width; level++) {
      const count = launches[from + level] as number
      this.#launches[level] = (this.#launches[level] ?? 0) + count
      this.#shares[level] = (this.#shares[level] ?? 0) + count / total
    }
  }

  result(width: number): LocalityCounts {
    const launches = Array.from({ length: width }, (_, level) => this.#launches[level] ?? 0)
    const total = sum(launches)
    return {
      jobs: this.#jobs,
      launches,
      share: launches.map((count) => count / total),
      jobShare: launches.map((_, level) => (this.#shares[level] ?? 0) / this.#jobs),
    }
  }
}

function sum(counts: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < counts.length; i++) total += counts[i] as number
  return total
}
