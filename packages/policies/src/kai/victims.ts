import type { JobId, WorkView } from '@sched/core'
import { compareGoing, type Victim } from './victim.js'

/** Running jobs of a leaf, and the lowest priority of any. */
interface Running {
  readonly jobs: JobId[]
  lowest: number
}

/** The victims that may be taken, by queue; valid as long as the same tasks run. Those of a queue are found when they are first asked for. */
export class Victims {
  readonly #work: WorkView
  readonly #victimsOf: (job: JobId) => readonly Victim[]
  readonly #running = new Map<number, Running>()
  readonly #sorted = new Map<number, readonly Victim[]>()

  /** `jobs`: those that run; `victimsOf` gives those of one, whatever was evicted since and is back. */
  constructor(jobs: Iterable<JobId>, leafOf: (job: JobId) => number, work: WorkView, victimsOf: (job: JobId) => readonly Victim[]) {
    this.#work = work
    this.#victimsOf = victimsOf
    for (const job of jobs) {
      const leaf = leafOf(job)
      const running = this.#running.get(leaf) ?? { jobs: [], lowest: Infinity }
      this.#running.set(leaf, running)
      running.jobs.push(job)
      running.lowest = Math.min(running.lowest, work.priority(job))
    }
  }

  /** Whether any job of the leaf that runs has a lower priority. */
  mayHaveBelow(priority: number, leaf: number): boolean {
    return (this.#running.get(leaf)?.lowest ?? Infinity) < priority
  }

  /** The victims of a leaf, the one that goes first at the end (`compareGoing`). */
  of(leaf: number): readonly Victim[] {
    const known = this.#sorted.get(leaf)
    if (known !== undefined) return known
    const found = (this.#running.get(leaf)?.jobs ?? []).flatMap(this.#victimsOf)
    found.sort((a, b) => compareGoing(a, b, this.#work))
    this.#sorted.set(leaf, found)
    return found
  }
}
