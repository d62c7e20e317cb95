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
  /** Line on which it is declared, 1-based. */
  readonly line: number
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  /** Share relative to siblings, at least 0; absent: 1. */
  weight?: Given<number>
  /** How it divides its share among its queues or jobs; absent: `defaultPolicy`. */
  policy?: Given<FairPolicyName>
  /** Minimum share: while the queue uses less, it is served before its siblings; absent: 0. */
  minResources?: Given<NamedAmounts>
  /** Maximum share, which the queue never exceeds; absent: `queueMaxResourcesDefault`. */
  maxResources?: Given<NamedAmounts>
  /** `maxResources` of queues made inside it at first use; absent: no limit. */
  maxChildResources?: Given<NamedAmounts>
  /** Largest single container; absent: that of the queue around it. */
  maxContainerAllocation?: Given<NamedAmounts>
  /** Applications that may run at once; absent: `queueMaxAppsDefault`. */
  maxRunningApps?: Given<number>
  /** Part of its fair share that application masters may take, 0 to 1; -1: no limit; absent: `queueMaxAMShareDefault`. */
  maxAMShare?: Given<number>
  /** Seconds that it must be below its minimum share before it may preempt; absent: those of its parent. */
  minSharePreemptionTimeout?: Given<number>
  /** Seconds that it must be below the threshold of its fair share before it may preempt; absent: those of its parent. */
  fairSharePreemptionTimeout?: Given<number>
  /** Part of the fair share below which it counts as starved, 0 to 1; absent: that of its parent. */
  fairSharePreemptionThreshold?: Given<number>
  /** Whether its containers may be preempted; absent: true. */
  allowPreemptionFrom?: Given<boolean>
  /** The queues inside it, in the order of the file. */
  readonly queues: FairQueue[]
}

/** A fair-scheduler.xml: its queues, the settings of all queues, and the settings without an effect here. */
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
  /** The rules of queuePlacementPolicy, in order; absent: not given. */
  rules?: readonly PlacementRule[]
  /** Findings of settings that were ignored while reading. */
  readonly ignored: Findings
}

type RuleName = 'specified' | 'user' | 'primaryGroup' | 'secondaryGroupExistingQueue' | 'nestedUserQueue' | 'default' | 'reject'

/** A rule of a queuePlacementPolicy. */
export interface PlacementRule {
  /** The kind of rule. */
  readonly name: RuleName
  /** Whether it may create a queue that is not declared. */
  readonly create: boolean
  /** Line in the file, 1-based. */
  readonly line: number
  /** Full path of the queue that a rule `default` gives. */
  readonly queue?: string
  /** The rule that gives the parent of the queue of a user or group; absent: the parent is the root. */
  readonly nested?: PlacementRule
}
