import type { Seconds, TaskId } from '@sched/core'
import type { ClockMultiples } from './clock-multiples.js'
import type { Licenses } from './licenses.js'
import type { NodeReservations } from './node-reservations.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import type { LookAhead } from './releases.js'
import type { Topologies } from './topologies.js'
import type { Window } from './windows.js'

/** How a plan that names nodes looks ahead, and what it respects besides free amounts. */
export interface NamedOptions extends LookAhead {
  /** Seconds, and its multiples on the clock: reservations begin and end at those. */
  readonly step: Seconds
  readonly steps: ClockMultiples
  /** Windows of whole nodes. The plan throws `BAD_OPTION` for one of amounts. */
  readonly windows: readonly Window[]
  /** Nodes that are kept for some jobs; absent where there are none. */
  readonly reservations: NodeReservations | undefined
  /** Tasks that run in the lane; the owner of the plan keeps the set current. */
  readonly running: ReadonlySet<TaskId>
  readonly licenses: Licenses | undefined
  /** Weights by the name of a node; a node that is not named has 1. */
  readonly weights: Readonly<Record<string, number>>
  readonly topologies: Topologies
  /** Tells to the demands of which queue each job is held; the owner of the plan keeps it current. */
  readonly queues: QueuesOfJobs
  /** Queues whose jobs share nodes only with jobs of their own user. */
  readonly exclusiveUsers: readonly string[]
  /** By queue: the most processors of each node that its jobs may have together. */
  readonly maxCpusPerNode: Readonly<Record<string, number>>
  /** Most nodes of a job's tasks that start together, by queue. */
  readonly maxNodes: Readonly<Record<string, number>>
}
