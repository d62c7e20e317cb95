import type { JobSpec, Observer } from '@sched/core'

/** For so many causes rejected jobs are named. */
const NAMED = 5

/** So many of the other jobs that are rejected for the same are named. */
const NAMED_OTHERS = 3

/** A job that was rejected, how many others were for the same, and the first of these. */
export interface Rejection {
  readonly job: string
  /** Does not repeat the id of the job. */
  readonly reason: string
  others: number
  readonly firstOthers: string[]
}

/** Keeps the first jobs that are rejected, one for each limit, or other cause, that forbids them. */
export class Rejections implements Observer {
  readonly #byCause = new Map<string, Rejection>()

  onReject({ id }: JobSpec, told: string): void {
    const reason = told.replaceAll(` of job ${id} `, ' ').replaceAll(`job ${id} `, 'it ')
    const cause = causeOf(reason)
    const known = this.#byCause.get(cause)
    if (known === undefined) {
      if (this.#byCause.size < NAMED) this.#byCause.set(cause, { job: id, reason, others: 0, firstOthers: [] })
      return
    }
    known.others++
    if (known.firstOthers.length < NAMED_OTHERS) known.firstOthers.push(id)
  }

  all(): Rejection[] {
    return [...this.#byCause.values()]
  }
}

/** What jobs are rejected for, whoever they belong to and however much they ask for: the name of a limit where the reason ends in one, otherwise the reason without amounts. */
const causeOf = (reason: string): string => / \((\w+)\)$/.exec(reason)?.[1] ?? reason.replace(amount, (text) => (/^\d/.test(text) ? 'n' : text))

/** A number that stands alone; or what stands in quotes, names a line, or has digits in a name, which are no amounts. */
const amount = /"[^"]*"|\bline \d+|\d+(?:[.,]\d+)*(?![\w"])|[^\s"\d]*[A-Za-z_][\w.-]*/g
