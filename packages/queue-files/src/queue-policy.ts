import type { Config } from '@sched/core'
import type { Finding } from './finding.js'

/** The facts about a cluster on which the meaning of a queue file depends. */
export interface ClusterFacts {
  /** Names of the cluster's resources, in order. */
  readonly resources: readonly string[]
  /** Number of nodes. */
  readonly nodes: number
  /** Number of racks; 0 or absent: the nodes stand in no racks. */
  readonly racks?: number
  /** Whether nodes send heartbeats. */
  readonly heartbeat: boolean
  /** Capacity of all nodes together, by resource; absent: not known. */
  readonly totals?: Readonly<Record<string, number>>
  /** Values of the node label `partition`; absent: not known, a queue file may name any. */
  readonly partitions?: readonly string[]
  /** Names of all nodes; absent: not known. */
  readonly nodeNames?: readonly string[]
  /** Names of the nodes that have a label of this name. */
  readonly nodesWith?: (label: string) => readonly string[]
  /** Capacity of the nodes that have a label of this name together, by resource; absent: not known. */
  readonly totalsWith?: (label: string) => Readonly<Record<string, number>>
  /** Capacities of the nodes that have a label of this name, without a label of all nodes, by resource, each distinct capacity once; absent: not known. */
  readonly sizesWith?: (label?: string) => readonly Readonly<Record<string, number>>[]
  /** The taints that all nodes with these labels have, as kubectl writes them; undefined: no node has these labels. */
  readonly taintsOf?: (labels: Readonly<Record<string, string>>) => readonly string[] | undefined
}

/** A queue file as a policy, and what becomes of each of its settings. */
export interface QueuePolicy {
  /** The policy as a tree of names and options, for `resolve`. */
  readonly policy: Config
  /** One finding for each setting, sorted by file and line. */
  readonly findings: readonly Finding[]
}

/**
 * The note for an amount of a queue that is more than the whole cluster has, which often means that the file counts in another unit; empty if it is not
 * more or the cluster's total is not known. `name`: the cluster's name of the resource; `unit`: the unit of the amount, empty if it has none.
 */
export function beyondCluster(name: string, amount: number, unit: string, { totals }: Pick<ClusterFacts, 'totals'>): string {
  const total = totals?.[name]
  if (total === undefined || amount <= total) return ''
  return `more than all nodes have together, ${total} ${name}${unit === '' ? '' : `; it counts in ${unit}`}`
}
