import type { JobSpec, Observer } from '@sched/core'

/** For so many causes a rejected job is named. */
const NAMED = 5

/** A job that was rejected, and how many others were for the same. */
export interface Rejection {
  readonly job: string
  readonly reason: string
  others: number
}

/** Keeps the first jobs that are rejected, one for each limit that forbids them. */
export class Rejections implements Observer {
  readonly #byCause = new Map<string, Rejection>()

  onReject({ id }: JobSpec, reason: string): void {
    const known = this.#byCause.get(causeOf(reason))
    if (known !== undefined) known.others++
    else if (this.#byCause.size < NAMED) this.#byCause.set(causeOf(reason), { job: id, reason, others: 0 })
  }

  all(): Rejection[] {
    return [...this.#byCause.values()]
  }
}

/** What jobs are rejected for, whoever they belong to: the name of a limit where the reason ends in one. */
const causeOf = (reason: string): string => / \((\w+)\)$/.exec(reason)?.[1] ?? reason
