import type { Likeness, VolcanoJob } from './queue.js'

/** Jobs that could take nothing, by what their tasks ask for, their priority and the number of their running tasks. */
export class VainTakers {
  /** The fewest tasks at once for which nothing was found; since tasks are placed one after another, nothing is found for more, either. */
  readonly #fewest = new Map<string, Map<number | string, number>>()

  clear(): void {
    if (this.#fewest.size > 0) this.#fewest.clear()
  }

  /** Notes that the job found nothing for so many tasks at once. */
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
