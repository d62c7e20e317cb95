import type { NodeId, TaskId } from '@sched/core'
import type { Amounts } from './amounts.js'
import type { Queue, VolcanoJob } from './queue.js'
import type { Queues } from './queues.js'
import type { RevocableZones } from './revocable-zones.js'

/** A running task that may have to go. */
export interface Victim {
  readonly job: VolcanoJob
  readonly task: TaskId
  readonly node: NodeId
  /** The amounts that the task has. */
  readonly demand: Amounts
  /** Whether it belongs to a job that is one gang and would stop without it. */
  readonly isCore: boolean
}

/** The candidates that a plug-in lets a job take for its next task; candidates come in the order in which they would go. */
export type Choose = (taker: VolcanoJob, candidates: readonly Victim[]) => readonly Victim[]

/** Below 0: queue a comes first. */
type CompareQueues = (a: Queue, b: Queue) => number

/** What counts of a job that waits to be enqueued. */
export type Outside = Pick<VolcanoJob, 'queue' | 'minimum' | 'isDue'>

/** The functions that a plug-in of Volcano registers in a session; absent ones it does not register. */
export interface Plugin {
  /** As it is called in the tiers; for who asks why a job waits. */
  name?: string
  /** Computes of these queues anew what depends on the nodes and on guarantees of queues, but not on their jobs. */
  bound?: (queues: readonly Queue[]) => void
  /** Computes its figures anew, when a session begins and when jobs were enqueued. */
  open?: () => void
  /** Called when the amounts that jobs of the queue have change. */
  changed?: (queue: Queue) => void
  /** The most that the queue may ever have of a resource. */
  most?: (queue: Queue, r: number) => number
  /** The key of a job; of two jobs of a queue the one with the smaller key comes first. */
  jobKey?: (job: VolcanoJob) => number
  queueOrder?: CompareQueues
  /** Whether the order of two queues may change with what a third one has. */
  ordersTogether?: boolean
  /** Below 0: for a taker of that queue, queue a would give before b. */
  victimQueueOrder?: (a: Queue, b: Queue, taker: Queue) => number
  /** Whether the job may be enqueued; `undefined`: the plug-in abstains. A job that is refused stays so when others are enqueued, or if its minimum were more. */
  mayEnqueue?: (job: Outside) => boolean | undefined
  isOverused?: (queue: Queue) => boolean
  /** Whether the queue may start so much more. */
  mayAllocate?: (queue: Queue, more: Amounts) => boolean
  /** The same, even if anybody of other queues goes. */
  couldAllocate?: (queue: Queue, more: Amounts) => boolean
  /** Whether the queue may take so much back from others. */
  mayReclaim?: (queue: Queue, more: Amounts) => boolean
  isStarving?: (job: VolcanoJob) => boolean
  /** For the actions gangpreempt and gangreclaim. */
  evictable?: (kind: 'preempt' | 'reclaim', ...asked: Parameters<Choose>) => readonly Victim[]
  preemptable?: Choose
  reclaimable?: Choose
}

/** What plug-ins see of the cluster in one lane; amounts by `ResourceId`. */
export interface Session {
  readonly queues: Queues
  /** The resources of the lane; others do not count. */
  readonly resources: readonly number[]
  readonly names: readonly string[]
  /** The total of the nodes that are up, and that of all nodes. */
  readonly total: Amounts
  readonly whole: Amounts
  /** The zones of the plug-in `tdm`; absent without it. */
  readonly zones: RevocableZones | undefined
}
