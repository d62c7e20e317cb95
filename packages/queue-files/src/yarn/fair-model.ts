import type { NamedAmounts } from './amounts.js'
import type { Findings } from '../finding.js'
import type { Given } from '../setting.js'

/** Policies of the queues of a fair-scheduler.xml. */
export type FairPolicyName = 'fair' | 'drf' | 'fifo'

/** A queue of a fair-scheduler.xml, as written. */
export interface FairQueue {
  /** The last part of its path. */
  readonly name: string
  /** Full path: `root.ads.reports`. */
  readonly path: string
  /** Where it is declared, 1-based. */
  readonly line: number
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  /** Share relative to siblings; absent: 1. */
  weight?: Given<number>
  /** How it divides what it has; absent: `defaultPolicy`. */
  policy?: Given<FairPolicyName>
  /** Served before siblings while below; absent: nothing. */
  minResources?: Given<NamedAmounts>
  /** Never exceeded; absent: `queueMaxResourcesDefault`. */
  maxResources?: Given<NamedAmounts>
  /** `maxResources` of queues made inside it at first use; absent: no limit. */
  maxChildResources?: Given<NamedAmounts>
  /** Largest single container; absent: that of the queue around it. */
  maxContainerAllocation?: Given<NamedAmounts>
  /** Applications that may run at once; absent: `queueMaxAppsDefault`. */
  maxRunningApps?: Given<number>
  /** Part of its fair share that application masters may take, 0 to 1, -1: no limit; absent: `queueMaxAMShareDefault`. */
  maxAMShare?: Given<number>
  /** Seconds below the minimum share before it may take containers; absent: that of the queue around it. */
  minSharePreemptionTimeout?: Given<number>
  /** Seconds below the threshold of its fair share before it may take containers; absent: that of the queue around it. */
  fairSharePreemptionTimeout?: Given<number>
  /** Part of the fair share below which it is starved, 0 to 1; absent: that of the queue around it. */
  fairSharePreemptionThreshold?: Given<number>
  /** False: its containers are never taken; absent: true. */
  allowPreemptionFrom?: Given<boolean>
  /** The queues inside it, as listed. */
  readonly queues: FairQueue[]
}

/** A fair-scheduler.xml: its queues below the root, what holds for all, and what of it means nothing in a simulation. */
export interface FairFile {
  /** Tells the models of files apart. */
  readonly kind: 'fair'
  /** Name of the file, for messages. */
  readonly file: string
  /** The root queue, with all others inside it. */
  readonly root: FairQueue
  /** `maxResources` of queues that name none; absent: no limit. */
  queueMaxResourcesDefault?: Given<NamedAmounts>
  /** `maxRunningApps` of queues that name none; absent: no limit. */
  queueMaxAppsDefault?: Given<number>
  /** `maxAMShare` of queues that name none; absent: 0.5. */
  queueMaxAMShareDefault?: Given<number>
  /** Applications of any one user that may run at once; absent: no limit. */
  userMaxAppsDefault?: Given<number>
  /** Policy of queues that name none; absent: `fair`. */
  defaultPolicy?: Given<'fair' | 'drf'>
  /** Applications of single users that may run at once, by name. */
  readonly users: Map<string, Given<number>>
  /** The rules of queuePlacementPolicy, in order; absent: none given. */
  rules?: readonly PlacementRule[]
  /** What was ignored at reading, each with its reason. */
  readonly ignored: Findings
}

type RuleName = 'specified' | 'user' | 'primaryGroup' | 'secondaryGroupExistingQueue' | 'nestedUserQueue' | 'default' | 'reject'

/** A rule of a queuePlacementPolicy. */
export interface PlacementRule {
  /** Which rule it is. */
  readonly name: RuleName
  /** Whether it may name a queue that is not declared. */
  readonly create: boolean
  /** 1-based. */
  readonly line: number
  /** Of `default`: the full path. */
  readonly queue?: string
  /** Gives the queue around that of a user or group; absent: the root. */
  readonly nested?: PlacementRule
}
