import type { Config } from '@sched/core'
import type { Finding } from './finding.js'

/** What of a cluster decides what a queue file means on it. */
export interface ClusterFacts {
  /** Names of its resources, in order. */
  readonly resources: readonly string[]
  /** How many nodes it has. */
  readonly nodes: number
  /** How many racks they stand in; 0, or undefined: in none. */
  readonly racks?: number
  /** Whether nodes have heartbeats. */
  readonly heartbeat: boolean
  /** What all nodes have together, by resource; undefined: not known. */
  readonly totals?: Readonly<Record<string, number>>
  /** Labels of nodes that are partitions; undefined: any may be named. */
  readonly partitions?: readonly string[]
  /** Names of all nodes; undefined: not known. */
  readonly nodeNames?: readonly string[]
  /** Names of the nodes that have a label of that name. */
  readonly nodesWith?: (label: string) => readonly string[]
  /** What the nodes that have a label of that name have together, by resource; undefined: not known. */
  readonly totalsWith?: (label: string) => Readonly<Record<string, number>>
  /** What nodes have that have a label of that name, or all nodes, by resource: each size once; undefined: not known. */
  readonly sizesWith?: (label?: string) => readonly Readonly<Record<string, number>>[]
  /** Taints that all nodes with some labels have, as kubectl writes them; undefined: no node has these labels. */
  readonly taintsOf?: (labels: Readonly<Record<string, string>>) => readonly string[] | undefined
}

/** A queue file as a policy, and what became of each of its settings, by line. */
export interface QueuePolicy {
  /** The policy as a tree of names and options, for `resolve`. */
  readonly policy: Config
  /** Each setting of the file, by line. */
  readonly findings: readonly Finding[]
}

/** What is said of an amount for a queue of which the whole cluster has less: most often its unit is another one. Empty where there is nothing to say. */
export function beyondCluster(name: string, amount: number, unit: string, { totals }: Pick<ClusterFacts, 'totals'>): string {
  const total = totals?.[name]
  if (total === undefined || amount <= total) return ''
  return `more than all nodes have together, ${total} ${name}${unit === '' ? '' : `; it counts in ${unit}`}`
}
