import type { TaskId } from '@sched/core'

/** The tasks that the selectors of a look have chosen so far, one after the other (the first `count` of the list), and what the look may still take. */
export interface Chosen {
  readonly tasks: TaskId[]
  count: number
  /** By counted resource. */
  readonly allowed: Float64Array
}

/** The tasks that the selectors before this one have chosen. */
export const chosenBefore = ({ tasks, count }: Chosen): ReadonlySet<TaskId> => new Set(tasks.slice(0, count))
