import type { Likeness, VolcanoJob } from './queue.js'

/** Jobs that take nothing, by what their tasks ask, their priority and the tasks that they have. */
export class VainTakers {
  /** The fewest tasks that must start at once of those that took nothing: who takes for one after the other finds no more for more. */
  readonly #fewest = new Map<string, Map<number | string, number>>()

  clear(): void {
    if (this.#fewest.size > 0) this.#fewest.clear()
  }

  /** `tasks`: it found nothing for so many at once. */
  add(job: VolcanoJob, tasks: number): void {
    const fewest = this.#fewest.get(keyOf(job)) ?? new Map<number | string, number>()
    this.#fewest.set(keyOf(job), fewest.set(kindOf(job), Math.min(tasks, fewest.get(kindOf(job)) ?? Infinity)))
  }

  has(job: VolcanoJob): boolean {
    return job.together >= (this.#fewest.get(keyOf(job))?.get(kindOf(job)) ?? Infinity)
  }
}

const keyOf = ({ likeness, running }: VolcanoJob): string => (running === 0 ? (likeness as Likeness).taskKey : (likeness as Likeness).key)

const kindOf = ({ priority, running }: VolcanoJob): number | string => (running === 0 ? priority : `${priority} ${running}`)
