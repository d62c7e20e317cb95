import type { TaskId } from '@sched/core'
import type { Amounts } from './amounts.js'
import type { Queue, VolcanoJob } from './queue.js'
import type { Queues } from './queues.js'

/** A running task that may have to go. */
export interface Victim {
  readonly job: VolcanoJob
  readonly task: TaskId
  /** What it has. */
  readonly demand: Amounts
  /** Whether it is of a job that is one gang, which would stop without it. */
  readonly isCore: boolean
}

/** Whom of the candidates, who come in the order in which they would go, a plug-in lets a job take for its next task. */
export type Choose = (taker: VolcanoJob, candidates: readonly Victim[]) => readonly Victim[]

/** Below 0: the first comes first. */
type CompareQueues = (a: Queue, b: Queue) => number

/** What a plug-in of Volcano registers in a session; what is missing it does not. */
export interface Plugin {
  /** Makes its own figures anew: when a session begins, and when jobs were enqueued. */
  open?: () => void
  /** What jobs of the queue have is another amount. */
  changed?: (queue: Queue) => void
  /** The most that the queue may ever have of a resource. */
  most?: (queue: Queue, r: number) => number
  /** Of two jobs of a queue the one with the smaller key comes first. */
  jobKey?: (job: VolcanoJob) => number
  queueOrder?: CompareQueues
  /** Whether the order of two queues may change by what a third has. */
  ordersTogether?: boolean
  /** Whether the first would give before the second, for a taker of that queue. */
  victimQueueOrder?: (a: Queue, b: Queue, taker: Queue) => number
  /** `undefined`: it says nothing. */
  mayEnqueue?: (job: VolcanoJob) => boolean | undefined
  /** False: it enqueues no job that asks as much at least. */
  mayEnqueueAny?: (minimum: Amounts) => boolean
  isOverused?: (queue: Queue) => boolean
  /** Whether the queue may start so much more. */
  mayAllocate?: (queue: Queue, more: Amounts) => boolean
  /** The same, whoever of other queues goes. */
  couldAllocate?: (queue: Queue, more: Amounts) => boolean
  /** Whether the queue may take back so much of others. */
  mayReclaim?: (queue: Queue, more: Amounts) => boolean
  isStarving?: (job: VolcanoJob) => boolean
  preemptable?: Choose
  reclaimable?: Choose
}

/** What plug-ins see of the cluster in one lane; amounts by `ResourceId`. */
export interface Session {
  readonly queues: Queues
  /** What the lane has; other resources do not count. */
  readonly resources: readonly number[]
  readonly names: readonly string[]
  /** What nodes that are up have together, and what all nodes have. */
  readonly total: Amounts
  readonly whole: Amounts
}
