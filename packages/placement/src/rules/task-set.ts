import type { JobId, NodeRequirement, TaskSelector } from '@sched/core'

/** What selectors go by: tasks of one stage are alike in it. */
export interface Tagged {
  readonly job: JobId
  readonly user: string
  readonly tags: Readonly<Record<string, string>>
}

/** The tasks that all of some selectors of a job select. */
export class TaskSet {
  /** Sets of one key are equal. */
  readonly key: string
  /** One of the `marksOf` of all that are in it. */
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

  has(tasks: Tagged): boolean {
    return this.#selectors.every((selector) => selects(selector, tasks, this.#job))
  }
}

const EVERYBODY = ''
const jobMark = (job: JobId): string => `job ${job}`
const tagMark = ([key, value]: readonly [string, string]): string => `tag ${JSON.stringify([key, value])}`

/** Under one of these is every set that they may be in. */
export const marksOf = ({ job, tags }: Tagged): string[] => [EVERYBODY, jobMark(job), ...Object.entries(tags).map(tagMark)]

function selects({ tags = {}, matchExpressions = [], users, job }: TaskSelector, tasks: Tagged, owner: JobId): boolean {
  if (users !== undefined && !users.includes(tasks.user)) return false
  if (job !== undefined && (job === 'own') !== (tasks.job === owner)) return false
  return Object.entries(tags).every(([key, value]) => tagOf(tasks, key) === value) && matchExpressions.every((each) => meets(each, tagOf(tasks, each.key)))
}

const tagOf = ({ tags }: Tagged, key: string): string | undefined => (Object.hasOwn(tags, key) ? tags[key] : undefined)

/** Source: Kubernetes, apimachinery, labels/selector.go. */
function meets({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  if (operator === 'Exists' || operator === 'DoesNotExist') return (value !== undefined) === (operator === 'Exists')
  return (value !== undefined && values.includes(value)) === (operator === 'In')
}

/** Whatever the order in which it was written. */
const keyOf = ({ tags = {}, matchExpressions = [], users, job }: TaskSelector): string =>
  JSON.stringify([
    Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)),
    matchExpressions.map(({ key, operator, values = [] }) => JSON.stringify([key, operator, [...values].sort()])).sort(),
    users === undefined ? null : [...users].sort(),
    job ?? null,
  ])
