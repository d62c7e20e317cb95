/**
 * How far a pass has come with each array. Slurm keeps one record for all waiting tasks of an array, and plans one task after the other until a task
 * can neither start nor get a reservation, or `most` tasks have a reservation.
 *
 * Source: Slurm, `next_task` of sched/backfill; `bf_max_job_array_resv`.
 */
export class ArrayTasks {
  readonly #most: number
  /** By array that the pass has come to: how many more reservations its tasks may get; 0: the pass skips the rest of the array. */
  readonly #left = new Map<string, number>()

  /** `most`: reservations for tasks of one array, at least 1. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether the pass looks at no more tasks of the array. Here and below '' stands for a job that is in no array. */
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

  /** A task can neither start nor get a reservation: the pass looks at no more of its array. */
  reject(array: string): void {
    if (array !== '') this.#left.set(array, 0)
  }

  #leftOf(array: string): number {
    return this.#left.get(array) ?? this.#most
  }
}
