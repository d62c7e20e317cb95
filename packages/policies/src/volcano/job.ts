import type { JobId, ShapeId } from '@sched/core'
import type { Amounts } from './amounts.js'
import type { Queue } from './queue.js'

/** Of all that ask the same in one queue. */
export interface Likeness {
  readonly key: string
  /** How many of them are in the list that they are counted for. */
  count: number
}

/** A job (a PodGroup) in one lane. */
export interface VolcanoJob {
  readonly id: JobId
  readonly queue: Queue
  readonly priority: number
  /** Its submission, against others. */
  readonly rank: number
  /** Whether it was enqueued: its tasks are there. */
  isIn: boolean
  /** Whether tasks of it may be started: otherwise somebody else decides about them, or there are none. */
  isOpen: boolean
  /** Which list of its queue it is in, and the one it is counted for there. */
  list: 'outside' | 'waiting' | undefined
  likeness: Likeness | undefined
  /** Tasks that run, and those to be started; of these so many at once. */
  running: number
  unplaced: number
  together: number
  /** The fewest that run at once, and what they ask: `minAvailable`, `minResources`. */
  least: number
  readonly minimum: Amounts
  shape: ShapeId
  /** What its next task asks. */
  readonly demand: Amounts
  readonly allocated: Amounts
  /** What of the sums of its queue is its own. */
  readonly pending: Amounts
  readonly inqueue: Amounts
  readonly elastic: Amounts
}

/** Whether it has as many tasks as it must have at once. */
export const isReady = ({ running, least }: VolcanoJob): boolean => running >= least
