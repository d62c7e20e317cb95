import type { InterruptedTask } from './interrupted-tasks.js'
import type { TaskName } from './task-name.js'

/** A task to start on a node, or to kill there. `level` is the distance to its data: 0 on the node, ..., -1 without data. */
export interface Placed extends TaskName {
  /** Number of the start; a task that starts again has another one, and none comes again. */
  readonly id: number
  /** Name of the node. */
  readonly node: string
  /** Distance to its data: 0 on the node, 1 in its rack, ..., -1 without data. */
  readonly level: number
}

/** To be raised when a memory of before cannot be read any more, also that of a policy. */
export const MEMORY_VERSION = 2

/** What a dispatcher goes by that nobody else can tell it after a restart: plain data, for JSON. */
export interface DispatcherMemory {
  /** What is in it and how: another version cannot read it. */
  readonly version: typeof MEMORY_VERSION
  /** Name of its policy. */
  readonly policy: string
  /** The time of the last call, in seconds. */
  readonly now: number
  /** When the policy wants to be asked, in seconds. */
  readonly wakes: readonly number[]
  /** How many random numbers the policy has drawn, by stream. */
  readonly draws: Readonly<Record<string, number>>
  /** By lane, the least of each resource that a task has asked so far: a node with less is none where a task may start. */
  readonly least: readonly Readonly<Record<string, number>>[]
  /** Tasks that are suspended, or were and run again. */
  readonly interrupted: readonly InterruptedTask[]
  /** What the policy remembers, in words of its own; absent of one that remembers nothing. */
  readonly remembered?: unknown
}

/** A task that runs although no dispatcher has started it. */
export interface RunningTask {
  /** Id of its job, which is in the system. */
  readonly job: string
  /** Index of the stage in the job. Default 0. */
  readonly stage?: number
  /** Index of the task in the stage. Default: the lowest that neither runs nor has ended. */
  readonly task?: number
  /** Name of the node that it runs on. */
  readonly node: string
}

/**
 * What is to be done now: first what is to be killed or suspended, then what starts or goes on, each in order of decision. Tasks to kill or to suspend
 * are pending again at once: their ends are not to be told. Where no task is suspended or goes on and no job is cancelled the list of these is not there.
 */
export interface Decisions {
  /** Tasks to start, each on its node. */
  readonly start: readonly Placed[]
  /** Tasks to kill. */
  readonly kill: readonly Placed[]
  /** Tasks to stop where they are, to go on later. */
  readonly suspend?: readonly Placed[]
  /** Suspended tasks that go on, each as a start with a number of its own. */
  readonly resume?: readonly Placed[]
  /** Jobs that have left the system since the policy gives them up; what ran of them is in `kill`. */
  readonly cancelled?: readonly string[]
}
