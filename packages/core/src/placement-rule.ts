import type { NodeRequirement, NodeSelectorTerm } from './node-selector.js'

/** Selects running tasks, of any job unless `job` says otherwise. All given conditions must hold; without conditions it selects all tasks. */
export interface TaskSelector {
  /** Tags, with their values, that the tasks must have. */
  readonly tags?: Readonly<Record<string, string>>
  /** Requirements on further tags, with the operators `In`, `NotIn`, `Exists` and `DoesNotExist`. */
  readonly matchExpressions?: readonly NodeRequirement[]
  /** Users whose jobs are selected; default: all. A user corresponds to a namespace of Kubernetes. */
  readonly users?: readonly string[]
  /** Tasks of the same job, or of other jobs; default: both. YARN's namespaces `self` and `not-self`. */
  readonly job?: 'own' | 'other'
}

/** What rules about other running tasks have in common. */
interface AmongTasks {
  /** The tasks that are counted; default: all. */
  readonly of?: TaskSelector
  /**
   * Groups of nodes over which they are counted: `node`, `rack`, or the nodes with one value of a label of this name (`label:rack` for a label called
   * `rack`). A node without the label is in no group.
   */
  readonly over: string
}

/**
 * The task must run in a group where a selected task runs (affinity), or in a group without any (anti-affinity); anti-affinity works in both
 * directions, so selected tasks stay away from this task, too. If a task has several required affinities, they count the tasks that all of them
 * select. While no such task runs, the task may go anywhere if it is one itself. Source: Kubernetes, inter-pod affinity.
 */
export interface AffinityRule extends AmongTasks {
  readonly kind: 'affinity' | 'antiAffinity'
  /** 1 to 100: the rule is a preference of this weight. Default: the rule must hold. */
  readonly weight?: number
}

/**
 * Bounds the number of selected tasks in the group before the task comes: at least `min`, and at most `max`, so that there may be `max` + 1 of them if
 * the task is one itself. Source: YARN, PlacementConstraints.targetCardinality; PlacementConstraintsUtil of Hadoop 3.1 and later.
 */
export interface CardinalityRule extends AmongTasks {
  readonly kind: 'cardinality'
  /** Default 0. */
  readonly min?: number
  /** Default: any number. */
  readonly max?: number
}

/** Whether nodes where the task may not run are left out of the groups (`Honor`) or not (`Ignore`). */
export type NodeInclusion = 'Honor' | 'Ignore'

/**
 * Spreads tasks evenly. With the new task, its group may have at most `maxSkew` more selected tasks than the group with the fewest. By default only
 * groups with nodes count where the task may run by its labels; the policies below change this. Source: Kubernetes, topologySpreadConstraints.
 */
export interface SpreadRule extends AmongTasks {
  readonly kind: 'spread'
  /** At least 1. */
  readonly maxSkew: number
  /** While there are fewer groups than this, the fewest is taken to be 0; default 1. */
  readonly minDomains?: number
  /** Whether only nodes that the task's required labels allow form groups and have their tasks counted. Default `Honor`: yes. */
  readonly nodeAffinityPolicy?: NodeInclusion
  /** The same for taints that the task does not tolerate. Default `Ignore`: taints do not matter. */
  readonly nodeTaintsPolicy?: NodeInclusion
  /** 1 to 100: the rule is a preference of this weight (`ScheduleAnyway` counts 1). Default: it must hold (`DoNotSchedule`). */
  readonly weight?: number
}

/** Prefers certain nodes. Source: Kubernetes, preferred node affinity. */
export interface NodePreference {
  readonly kind: 'nodes'
  /** The nodes to prefer. */
  readonly term: NodeSelectorTerm
  /** Weight of the preference, 1 to 100. */
  readonly weight: number
}

/** A rule on where a task must or should run relative to other tasks, or which nodes it prefers. For placements that heed it (`weighted`). */
export type PlacementRule = AffinityRule | CardinalityRule | SpreadRule | NodePreference

/** Whether the rule must hold, and is not a preference. */
export const isRequired = (rule: PlacementRule): boolean => rule.kind === 'cardinality' || rule.weight === undefined
