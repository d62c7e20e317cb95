import type { NamedAmounts } from './amounts.js'
import type { Findings } from '../finding.js'
import type { Given } from '../setting.js'

/** Policies of the queues of a fair-scheduler.xml. */
export type FairPolicyName = 'fair' | 'drf' | 'fifo'

/** A queue of a fair-scheduler.xml, as written. */
export interface FairQueue {
  readonly name: string
  readonly path: string
  readonly line: number
  readonly isParent: boolean
  weight?: Given<number>
  policy?: Given<FairPolicyName>
  minResources?: Given<NamedAmounts>
  maxResources?: Given<NamedAmounts>
  maxChildResources?: Given<NamedAmounts>
  maxContainerAllocation?: Given<NamedAmounts>
  maxRunningApps?: Given<number>
  maxAMShare?: Given<number>
  minSharePreemptionTimeout?: Given<number>
  fairSharePreemptionTimeout?: Given<number>
  fairSharePreemptionThreshold?: Given<number>
  allowPreemptionFrom?: Given<boolean>
  readonly queues: FairQueue[]
}

/** A fair-scheduler.xml: its queues below the root, what holds for all, and what of it means nothing in a simulation. */
export interface FairFile {
  readonly kind: 'fair'
  readonly file: string
  readonly root: FairQueue
  queueMaxResourcesDefault?: Given<NamedAmounts>
  queueMaxAppsDefault?: Given<number>
  queueMaxAMShareDefault?: Given<number>
  userMaxAppsDefault?: Given<number>
  defaultPolicy?: Given<'fair' | 'drf'>
  readonly users: Map<string, Given<number>>
  rules?: readonly PlacementRule[]
  /** What was ignored at reading, each with its reason. */
  readonly ignored: Findings
}

type RuleName = 'specified' | 'user' | 'primaryGroup' | 'secondaryGroupExistingQueue' | 'nestedUserQueue' | 'default' | 'reject'

/** A rule of a queuePlacementPolicy. */
export interface PlacementRule {
  readonly name: RuleName
  /** Whether it may name a queue that is not declared. */
  readonly create: boolean
  readonly line: number
  /** Of `default`: the full path. */
  readonly queue?: string
  /** Of `nestedUserQueue`. */
  readonly nested?: PlacementRule
}
