import { kindOfHardware, type HardwareView, type NodeId } from '@sched/core'

/** When a node is overloaded. */
export interface OverloadRule {
  /** More than this part of its processors is in use. */
  readonly cpu: number
  /** More tasks work on it than this many per processor. */
  readonly load: number
}

/**
 * Whether a node is overloaded by a rule. Never where nothing is measured: what is claimed of a node says nothing of how
 * busy it is.
 *
 * Source: a survey of cluster resource scheduling, section 7: processor use above 90 %, or load above the cores.
 */
export function isOverloaded(node: NodeId, hardware: HardwareView, { cpu, load }: OverloadRule): boolean {
  if (!hardware.isMeasured) return false
  const cores = kindOfHardware('cores', hardware.kinds)
  if (cores < 0) return false
  const amount = hardware.amount(node, cores)
  return hardware.use(node, cores) / amount > cpu || hardware.runnable(node) / amount > load
}
