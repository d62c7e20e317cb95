import type { Constraints } from '@sched/core'

/** The label of the partition on whose nodes tasks with these constraints run; `undefined`: they may run in all of the cluster. */
export const partitionOf = (constraints: Constraints | undefined): string | undefined => Object.keys(constraints?.require ?? {}).find((label) => label.startsWith('partition:'))
