import type { Constraints } from '@sched/core'

/** What labels of the nodes of partitions begin with. */
const PREFIX = 'partition:'

/** The label of the partition on whose nodes tasks with these constraints run; `undefined`: they may run in all of the cluster. */
export const partitionOf = (constraints: Constraints | undefined): string | undefined => Object.keys(constraints?.require ?? {}).find((label) => label.startsWith(PREFIX))

/**
 * The partition, here a queue, that goes with each label of which all nodes of a job must have the same one; `undefined` where a label is of none. A partition
 * whose nodes have no label of their own is `partition:NAME|*`: it has all nodes.
 */
export function queuesIn(alike: readonly string[] | undefined): readonly string[] | undefined {
  if (alike?.every((label) => label.startsWith(PREFIX)) !== true) return undefined
  return alike.map((label) => label.slice(PREFIX.length).replace(/\|.*$/, ''))
}

/** Whether a label among those of which all nodes of a job must have the same one stands for all nodes. */
export const isOfAllNodes = (label: string): boolean => label.split('|').includes('*')
