import { listOf, type JobId, type JobSpec } from '@sched/core'
import { classAt, sizeNames } from './class-limits.js'
import { naturalOrder } from './natural-order.js'
import { firstStage } from './rigid/job-amounts.js'

/** The class under which a job is reported; `undefined`: the job counts only in the overall figures. */
export type ClassOf = (spec: JobSpec) => string | undefined

/** The class that the workload gives: `JobSpec.label`. */
export const byLabel: ClassOf = (spec) => spec.label

/**
 * Classes by number of tasks in a job's first stage (the master's stage left out), by ascending upper limits: `bySize([1, 2, 20])` gives `1`, `2`,
 * `3-20` and `>20`. Default: the bins of Facebook jobs in October 2009 (Zaharia et al., EuroSys 2010, table 2).
 */
export function bySize(limits: readonly number[] = [1, 2, 20, 60, 150, 300, 500, 1500]): ClassOf {
  const names = sizeNames(limits)
  return (spec) => names[classAt(limits, firstStage(spec)?.tasks ?? 0)]
}

/** Something collected per class and, as `overall`, over all jobs. A job's class is found once, when it is submitted. */
export class JobClasses<Part> {
  readonly overall: Part
  readonly #classOf: ClassOf
  readonly #make: () => Part
  readonly #parts = new Map<string, Part>()
  readonly #ofJob = listOf<Part | undefined>()
  /** Class of the job added last: consecutive jobs are often of one class. */
  #label: string | undefined
  #part: Part | undefined

  constructor(classOf: ClassOf, make: () => Part) {
    this.#classOf = classOf
    this.#make = make
    this.overall = make()
  }

  add(job: JobId, spec: JobSpec): Part | undefined {
    return (this.#ofJob[job] = this.partOf(spec))
  }

  /** What is collected of the class of a job, which need not be in the system. */
  partOf(spec: JobSpec): Part | undefined {
    const label = this.#classOf(spec)
    if (label !== this.#label) this.#part = this.#named((this.#label = label))
    return this.#part
  }

  #named(label: string | undefined): Part | undefined {
    if (label === undefined) return undefined
    const known = this.#parts.get(label) ?? this.#make()
    this.#parts.set(label, known)
    return known
  }

  of(job: JobId): Part | undefined {
    return this.#ofJob[job]
  }

  /** The results of all parts: over all jobs, and for each class in natural order of labels. */
  results<Result extends object>(of: (part: Part) => Result): { readonly overall: Result; readonly classes: ({ readonly label: string } & Result)[] } {
    const parts = [...this.#parts].sort(([a], [b]) => naturalOrder(a, b))
    return { overall: of(this.overall), classes: parts.map(([label, part]) => ({ label, ...of(part) })) }
  }
}
