import { selectsTasks, type JobId, type Selectable, type TaskSelector } from '@sched/core'

/** The set of tasks that are selected by all of some selectors of a job. */
export class TaskSet {
  /** Sets of one key are equal. */
  readonly key: string
  /** A mark that is among the `marksOf` every task in the set. */
  readonly mark: string
  readonly #selectors: readonly TaskSelector[]
  readonly #job: JobId

  constructor(selectors: readonly TaskSelector[], job: JobId) {
    this.#selectors = selectors
    this.#job = job
    const isOfJob = selectors.some((each) => each.job !== undefined)
    this.key = JSON.stringify([isOfJob ? job : -1, selectors.map(keyOf).sort()])
    const [tag] = selectors.flatMap(({ tags = {} }) => Object.entries(tags))
    this.mark = selectors.some((each) => each.job === 'own') ? jobMark(job) : tag === undefined ? EVERYBODY : tagMark(tag)
  }

  has(tasks: Selectable): boolean {
    return this.#selectors.every((selector) => selectsTasks(selector, tasks, this.#job))
  }
}

const EVERYBODY = ''
const jobMark = (job: JobId): string => `job ${job}`
const tagMark = ([key, value]: readonly [string, string]): string => `tag ${JSON.stringify([key, value])}`

/** The marks of tasks: every set that they may be in has one of these. */
export const marksOf = ({ job, tags }: Selectable): string[] => [EVERYBODY, jobMark(job), ...Object.entries(tags).map(tagMark)]

/** A text that is the same for selectors that differ only in the order in which they are written. */
const keyOf = ({ tags = {}, matchExpressions = [], users, job }: TaskSelector): string =>
  JSON.stringify([
    Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)),
    matchExpressions.map(({ key, operator, values = [] }) => JSON.stringify([key, operator, [...values].sort()])).sort(),
    users === undefined ? null : [...users].sort(),
    job ?? null,
  ])
