/**
 * How far a pass has come with arrays. Slurm keeps one record of the tasks of an array that wait, and plans one of them after the other until one
 * can neither start nor get a reservation, or so many have one.
 *
 * Source: Slurm, `next_task` of sched/backfill; `bf_max_job_array_resv`.
 */
export class ArrayTasks {
  readonly #most: number
  /** By array that the pass has come to: how many reservations its tasks may still get; 0: it is done with. */
  readonly #left = new Map<string, number>()

  /** `most`: reservations for tasks of one array, at least 1. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether the pass looks at no more tasks of the array. '' is a job that is of none, here and below. */
  isDone(array: string): boolean {
    return array !== '' && this.#leftOf(array) === 0
  }

  /** Whether an earlier task of the array has started, or got a reservation. */
  isGoingOn(array: string): boolean {
    return this.#left.has(array)
  }

  start(array: string): void {
    if (array !== '') this.#left.set(array, this.#leftOf(array))
  }

  reserve(array: string): void {
    if (array !== '') this.#left.set(array, this.#leftOf(array) - 1)
  }

  /** A task can neither start nor get a reservation. */
  reject(array: string): void {
    if (array !== '') this.#left.set(array, 0)
  }

  #leftOf(array: string): number {
    return this.#left.get(array) ?? this.#most
  }
}
