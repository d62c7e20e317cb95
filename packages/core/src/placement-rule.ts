import type { NodeRequirement, NodeSelectorTerm } from './node-selector.js'

/** Running tasks, of any job unless it says otherwise. What is given must all hold; without anything it selects all tasks. */
export interface TaskSelector {
  /** Tags that they have, with these values. */
  readonly tags?: Readonly<Record<string, string>>
  /** What other tags of theirs must be: `In`, `NotIn`, `Exists`, `DoesNotExist`. */
  readonly matchExpressions?: readonly NodeRequirement[]
  /** Whose jobs they are of; default: anybody's. A user is the namespace of pods of Kubernetes. */
  readonly users?: readonly string[]
  /** Of the job itself, or of others; default: of all. YARN's namespaces `self` and `not-self`. */
  readonly job?: 'own' | 'other'
}

/** What rules about running tasks have in common. */
interface AmongTasks {
  /** The tasks that it is about; default: all. */
  readonly of?: TaskSelector
  /** Groups of nodes in which they are counted: `node`, `rack`, or nodes of one value of the label of this name (`label:rack`, where that is called so). A node without the label is in no group. */
  readonly over: string
}

/**
 * Near them, where any of them runs, or away from all of them, who then stay away from it, too. All required affinities of a task are about the tasks that all of them
 * select; while no such task runs it may go anywhere if it is one itself. Source: Kubernetes, inter-pod affinity.
 */
export interface AffinityRule extends AmongTasks {
  readonly kind: 'affinity' | 'antiAffinity'
  /** 1 to 100: it is a preference, and counts so much; default: it must hold. */
  readonly weight?: number
}

/** How many of them run in its group before it comes: at least `min`, and less than `max`, of a `max` of 0 none. Source: YARN, PlacementConstraints.cardinality. */
export interface CardinalityRule extends AmongTasks {
  readonly kind: 'cardinality'
  /** Default 0. */
  readonly min?: number
  /** Default: any number. */
  readonly max?: number
}

/** Whether nodes on which a task may not be are left out. */
export type NodeInclusion = 'Honor' | 'Ignore'

/**
 * Evenly: with it no group has more than `maxSkew` of them above the group that has the fewest, of those with nodes where the task may run by its labels, or as its policies say. Source: Kubernetes,
 * topologySpreadConstraints.
 */
export interface SpreadRule extends AmongTasks {
  readonly kind: 'spread'
  /** At least 1. */
  readonly maxSkew: number
  /** While there are fewer groups than this the fewest is taken to be 0; default 1. */
  readonly minDomains?: number
  /** Whether groups are of the nodes alone that the task may be on by the labels that it requires, and whose tasks count; default `Honor`: they are. */
  readonly nodeAffinityPolicy?: NodeInclusion
  /** The same by the taints that it does not tolerate; default `Ignore`: taints do not matter. */
  readonly nodeTaintsPolicy?: NodeInclusion
  /** 1 to 100: it is a preference (`ScheduleAnyway` counts 1); default: it must hold (`DoNotSchedule`). */
  readonly weight?: number
}

/** Rather on such nodes. Source: Kubernetes, preferred node affinity. */
export interface NodePreference {
  readonly kind: 'nodes'
  /** What they are. */
  readonly term: NodeSelectorTerm
  /** 1 to 100: how much it counts. */
  readonly weight: number
}

/** Where a task must be, or rather would be, by where other tasks are. For placements that heed it (`weighted`). */
export type PlacementRule = AffinityRule | CardinalityRule | SpreadRule | NodePreference

/** Whether it must hold. */
export const isRequired = (rule: PlacementRule): boolean => rule.kind === 'cardinality' || rule.weight === undefined
