import type { Seconds } from '@sched/core'

/** Jobs submitted after a job that start before it. Those that start in one instant with it do not pass it. */
export class Passing {
  /** Their number, and the names of the first `most`. */
  count = 0
  readonly first: string[] = []
  readonly #most: number
  /** Later jobs that started at the last instant; they have passed if the job has not started when the instant is over. */
  readonly #now: string[] = []
  #at: Seconds = NaN

  constructor(most: number) {
    this.#most = most
  }

  /** A later job starts. */
  started(name: string, now: Seconds): void {
    if (now > this.#at) this.settle()
    this.#at = now
    this.#now.push(name)
  }

  /** The job itself starts. */
  over(now: Seconds): void {
    if (this.#at === now) this.#now.length = 0
  }

  /** Counts those of the last instant, which is over. */
  settle(): void {
    for (const name of this.#now.splice(0)) if (this.count++ < this.#most) this.first.push(name)
  }
}
