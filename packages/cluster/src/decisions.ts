import type { Seconds } from '@sched/core'
import type { HeldDevices } from './held-devices.js'
import type { InterruptedTask } from './interrupted-tasks.js'
import type { TaskName } from './task-name.js'
import type { PromisesMemory } from './told-promises.js'

/** A task to start or to kill on a node. */
export interface Placed extends TaskName {
  /** Number of the start. A task that starts again gets another number; numbers are never reused. */
  readonly id: number
  /** Name of the node. */
  readonly node: string
  /** Distance to its data: 0 on the node, 1 in its rack, ..., -1 without data. */
  readonly level: number
  /** The devices of the node that it gets, for example `{ gpu: [0, 3] }`; absent for a task without devices. */
  readonly devices?: HeldDevices
  /** Seconds after which to kill it, where the policy has lowered the estimate of its job (`JobSpec.minEstimate`). */
  readonly limit?: Seconds
}

/** Raise it when older memories cannot be read any more, also for a policy's part. */
export const MEMORY_VERSION = 4

/** The state of a dispatcher that nobody else can restore after a restart: plain data for JSON. */
export interface DispatcherMemory {
  /** Version of the format; another version cannot read it. */
  readonly version: typeof MEMORY_VERSION
  /** Name of its policy. */
  readonly policy: string
  /** The time of the last call, in seconds. */
  readonly now: number
  /** Times at which the policy wants a round, in seconds. */
  readonly wakes: readonly number[]
  /** Random numbers that the policy has drawn, by stream. */
  readonly draws: Readonly<Record<string, number>>
  /** By lane: the smallest amount of each resource that any task has asked for so far. No task can start on a node with less. */
  readonly least: readonly Readonly<Record<string, number>>[]
  /** Tasks that are suspended, or were suspended and run again. */
  readonly interrupted: readonly InterruptedTask[]
  /** Jobs whose promised starts the caller knows; absent where nobody asks which no longer hold (`withdrawn`). */
  readonly promises?: PromisesMemory
  /** The policy's own memory, in its own format; absent for a policy without one. */
  readonly remembered?: unknown
}

/** A running task that no dispatcher started. */
export interface RunningTask {
  /** Id of its job, which must be in the system. */
  readonly job: string
  /** Index of the stage in the job. Default 0. */
  readonly stage?: number
  /** Index of the task in the stage. Default: the lowest that neither runs nor has ended. */
  readonly task?: number
  /** Name of the node that it runs on. */
  readonly node: string
  /** The devices that it has there, as `start` told them. Default: those that it would get now, which need not be those that it has. */
  readonly devices?: HeldDevices
  /** Seconds after which it is to be killed, as `start` told them. Default: the estimate of its job holds. */
  readonly limit?: Seconds
}

/**
 * What to do now: first kill and suspend, then start and resume, each list in order of decision. Killed and suspended tasks are pending again at
 * once, so do not report their ends. Lists of suspended and resumed tasks and of cancelled jobs are absent if empty.
 */
export interface Decisions {
  /** Tasks to start, each on its node. */
  readonly start: readonly Placed[]
  /** Tasks to kill. */
  readonly kill: readonly Placed[]
  /** Tasks to stop on their nodes, to resume later. */
  readonly suspend?: readonly Placed[]
  /** Suspended tasks to resume, each with a start number of its own. */
  readonly resume?: readonly Placed[]
  /** Jobs that the policy has given up and that have left the system; their running tasks are in `kill`. */
  readonly cancelled?: readonly string[]
}
