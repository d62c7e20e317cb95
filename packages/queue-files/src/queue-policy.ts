import type { Config } from '@sched/core'
import type { Finding } from './finding.js'

/** What of a cluster decides what a queue file means on it. */
export interface ClusterFacts {
  readonly resources: readonly string[]
  readonly nodes: number
  /** Whether nodes have heartbeats. */
  readonly heartbeat: boolean
  /** Labels of nodes that are partitions; undefined: any may be named. */
  readonly partitions?: readonly string[]
  /** Names of the nodes that have a label of that name. */
  readonly nodesWith?: (label: string) => readonly string[]
}

/** A queue file as a policy, and what became of each of its settings, by line. */
export interface QueuePolicy {
  readonly policy: Config
  readonly findings: readonly Finding[]
}
